/**
 * How whatever is learned of trades gets into the database: all that one transaction learned in a few statements,
 * however many trades it concerns.
 *
 * 1. The books of the pairs are locked before the trades, and the trades in the order of their ids: two that store
 *    reports of the same trades can't block each other.
 * 2. State, fills, lots, signals and events stand together or not at all.
 * 3. A fill is known by the exchange's id for it: told again, it changes nothing.
 */
import { type EventType, trade as tradeSchema } from '@trading-automation/contracts';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { emitEvents } from '../operations/index.js';
import { BigDecimal } from '../values/index.js';
import type { FillEntity } from './fill.entity.js';
import { bookTrades, lockBooks, type TradeToBook } from './lots/book-trades.js';
import type { TradeEntity } from './trade.entity.js';
import { isTerminal, type TradeState, type TradeTransition, transitionOnReport } from './trade.rules.js';
import { viewTrade } from './trade.view.js';
import {
  type FillSums,
  insertFills,
  type LockedTrade,
  lockTrades,
  sumFills,
  type TradeWrite,
  writeTrades,
} from './trades.queries.js';

/** How long an order may be on its way before the exchange is asked for it. */
export const ACK_TIMEOUT_MS = 5_000;
export const PROBE_INTERVAL_MS = 2_000;
const OPEN_CHECK_MIN_MS = 500;
const OPEN_CHECK_MAX_MS = 15_000;
/** A resting order is looked at the less often the longer it rests: every twentieth of its age. */
const OPEN_CHECK_AGE_DIVISOR = 20;

/** What an exchange told of one trade. */
export interface OrderReport {
  readonly tradeId: string;
  /** null where fills alone were told. */
  readonly order: VenueOrder | null;
  readonly fills: readonly VenueFill[];
}

/** What is to be written of one trade, and what follows from it. */
export interface TradeChange extends Omit<TradeWrite, 'trade'> {
  readonly trade: TradeEntity;
  readonly event: EventType | null;
  readonly newFills?: readonly FillEntity[];
}

/** The trade with what was decided about it, not written yet. */
export function applyTransition(
  trade: TradeEntity,
  { status, cancelReason, event }: TradeTransition,
): Pick<TradeChange, 'trade' | 'event'> {
  if (!isTerminal(trade.status) && isTerminal(status)) {
    trade.subStatus = null;
    trade.cancelReason = cancelReason;
  }
  trade.status = status;
  return { trade, event };
}

/** Writes locked trades, tells of them, and books what was filled; answers with them as they were written. */
export async function writeChanges(
  tx: Tx,
  changes: readonly TradeChange[],
): Promise<ReadonlyMap<string, TradeEntity>> {
  const written = await writeTrades(tx, changes);
  const announced = changes.flatMap(({ trade: { id }, event }) =>
    event === null ? [] : [{ trade: written.get(id)!, type: event }],
  );
  await announceTrades(tx, announced);
  const booked: TradeToBook[] = changes
    .filter(({ event, newFills }) => newFills?.length || event !== null)
    .map(({ trade: { id }, newFills = [] }) => ({ trade: written.get(id)!, newFills }))
    .filter(({ trade, newFills }) => newFills.length > 0 || !new BigDecimal(trade.filledAmount).isZero());
  if (booked.length > 0) await bookTrades(tx, booked);
  return written;
}

export async function announceTrades(
  tx: Tx,
  trades: readonly { readonly trade: TradeEntity; readonly type: EventType }[],
): Promise<void> {
  await emitEvents(
    tx,
    trades.map(({ trade, type }) => ({
      userId: trade.userId,
      type,
      schema: tradeSchema,
      record: viewTrade(trade),
    })),
  );
}

/** null where it is not there, or has ended. */
export async function lockOpenTrade(tx: Tx, id: string): Promise<LockedTrade | null> {
  const [locked] = await lockOpenTrades(tx, [id]);
  return locked ?? null;
}

export function lockOpenTrades(tx: Tx, ids: readonly string[]): Promise<LockedTrade[]> {
  return lockTrades(tx, ids, { which: 'open', ackTimeoutMs: ACK_TIMEOUT_MS });
}

/** Locks the books of the trades' pairs, then the trades: for whatever may book something. */
export async function lockTradesWithLotBooks(tx: Tx, ids: readonly string[]): Promise<LockedTrade[]> {
  const keys = await queryPrepared<{ exchangeAccountId: string; tradePairId: string }>(
    tx,
    `SELECT DISTINCT exchange_account_id AS "exchangeAccountId", trade_pair_id AS "tradePairId"
     FROM trades WHERE id = ANY ($1)`,
    [ids],
  );
  if (keys.length === 0) return [];
  await lockBooks(tx, keys);
  return lockTrades(tx, ids, { which: 'all', ackTimeoutMs: ACK_TIMEOUT_MS });
}

export interface StoreOptions {
  /** Whether a comparison with the exchange found it, and not the usual way. */
  readonly isReconciliation?: boolean;
}

/** Stores what was told of trades, each report in the order given; answers with the ids of those that it changed. */
export async function storeReports(
  tx: Tx,
  reports: readonly OrderReport[],
  { isReconciliation = false }: StoreOptions = {},
): Promise<ReadonlySet<string>> {
  const byTrade = new Map<string, OrderReport[]>();
  for (const report of reports) byTrade.set(report.tradeId, [...(byTrade.get(report.tradeId) ?? []), report]);
  const locked = await lockTradesWithLotBooks(tx, [...byTrade.keys()]);
  const told = locked.flatMap(({ trade }) =>
    byTrade.get(trade.id)!.flatMap(({ fills }) => fills.map((fill) => ({ trade, fill }))),
  );
  const newFills = await insertFills(tx, told);
  const newByTrade = new Map<string, FillEntity[]>();
  for (const fill of newFills) newByTrade.set(fill.tradeId, [...(newByTrade.get(fill.tradeId) ?? []), fill]);
  const sums = await sumFills(tx, [...newByTrade.keys()]);
  const changes = locked.map(({ trade, now }) =>
    changeFromReports(trade, byTrade.get(trade.id)!, {
      now,
      sums: sums.get(trade.id),
      newFills: newByTrade.get(trade.id) ?? [],
      isReconciliation,
    }),
  );
  // What an ended trade was told of again is not even written.
  await writeChanges(
    tx,
    changes.filter(({ trade, isChanged }) => isChanged || !isTerminal(trade.status)),
  );
  return new Set(changes.filter(({ isChanged }) => isChanged).map(({ trade }) => trade.id));
}

interface ReportContext {
  readonly now: Date;
  readonly sums: FillSums | undefined;
  readonly newFills: readonly FillEntity[];
  readonly isReconciliation: boolean;
}

function changeFromReports(
  trade: TradeEntity,
  reports: readonly OrderReport[],
  learned: ReportContext,
): TradeChange {
  const { now, sums, newFills, isReconciliation } = learned;
  const wasUnknown = trade.subStatus === 'UNKNOWN';
  const before = { status: trade.status, filledAmount: trade.filledAmount };
  const isFirst = trade.acknowledgedAt === null;
  const wasUnsent = trade.submittedAt === null;
  const outcome = outcomeOf(trade, reports, sums?.amount ?? trade.filledAmount);
  const hasGrown = !new BigDecimal(outcome.filledAmount).eq(before.filledAmount);
  if (sums !== undefined)
    Object.assign(trade, { filledAmount: sums.amount, cost: sums.cost, fees: sums.fees });
  trade.exchangeOrderId =
    reports.findLast(({ order }) => order !== null)?.order?.exchangeOrderId ?? trade.exchangeOrderId;
  trade.probes = 0;
  if (!isTerminal(trade.status) && trade.subStatus !== 'PENDING_CANCEL') trade.subStatus = 'ACCEPTED';
  if (outcome.event === 'trade.failed') {
    trade.failureCode = 'refused';
    trade.failureMessage = 'The exchange refused the order.';
  }
  const isChanged = isFirst || hasGrown || outcome.status !== before.status || wasUnknown;
  return {
    ...applyTransition(trade, outcome),
    newFills,
    // It was put back to be sent again, and is there after all.
    submission: wasUnsent ? 'begun' : undefined,
    acknowledgedNow: isFirst,
    reconciledNow: isReconciliation && isChanged,
    nextCheckInMs: openOrderCheckMs(trade, now),
    isChanged,
  };
}

/** All fills are known by the first report already; each of them may say that the order ended, or none. */
function outcomeOf(
  trade: TradeEntity,
  reports: readonly OrderReport[],
  knownFilledAmount: string,
): TradeTransition {
  let state = stateOf(trade);
  let event: TradeTransition['event'] = null;
  let outcome: TradeTransition | undefined;
  for (const { order } of reports) {
    outcome = transitionOnReport(state, {
      orderStatus: order?.status ?? 'OPEN',
      orderFilledAmount: order?.filledAmount ?? '0',
      knownFilledAmount,
    });
    state = { ...state, isAcknowledged: true, status: outcome.status, filledAmount: outcome.filledAmount };
    event = outcome.event ?? event;
    if (isTerminal(outcome.status)) break;
  }
  return { ...outcome!, event };
}

export function stateOf(trade: TradeEntity): TradeState {
  return {
    status: trade.status,
    amount: trade.amount,
    filledAmount: trade.filledAmount,
    timeInForce: trade.timeInForce,
    isCancelRequested: trade.subStatus === 'PENDING_CANCEL',
    isSubmitted: trade.submittedAt !== null,
    isAcknowledged: trade.acknowledgedAt !== null,
  };
}

/** Whoever wants an order cancelled waits for it, however long it has rested. */
function openOrderCheckMs(trade: TradeEntity, now: Date): number {
  if (trade.subStatus === 'PENDING_CANCEL') return PROBE_INTERVAL_MS;
  const ageMs = now.getTime() - trade.createdAt.getTime();
  return Math.min(OPEN_CHECK_MAX_MS, Math.max(OPEN_CHECK_MIN_MS, ageMs / OPEN_CHECK_AGE_DIVISOR));
}
