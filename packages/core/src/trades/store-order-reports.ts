/**
 * Stores order reports of any number of trades in one transaction, with a few statements.
 *
 * 1. The lot books of the pairs are locked before the trades, and the trades in the order of their ids. Two
 *    transactions that store reports of the same trades therefore cannot deadlock.
 * 2. State, fills, lots, signals and events are committed together or not at all.
 * 3. A fill is identified by the exchange's fill id: a repeated report changes nothing.
 */
import { type EventType, trade as tradeSchema } from '@trading-automation/contracts';
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { emitEvents } from '../operations/index.js';
import { emitLiquidated, type LiquidatedPosition } from '../positions/index.js';
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

/** How long a submission may lack an acknowledgement before the exchange is probed for the order. */
export const ACK_TIMEOUT_MS = 5_000;
export const PROBE_INTERVAL_MS = 2_000;
const OPEN_CHECK_MIN_MS = 500;
const OPEN_CHECK_MAX_MS = 15_000;
/** A resting order is checked less often as it gets older: the interval is its age divided by this. */
const OPEN_CHECK_AGE_DIVISOR = 20;

/** An exchange's report about one trade. */
export interface OrderReport {
  readonly tradeId: string;
  /** Null if only fills were reported. */
  readonly order: VenueOrder | null;
  readonly fills: readonly VenueFill[];
}

/** The change of one trade: the values to write, the event to emit and the new fills to book. */
export interface TradeChange extends Omit<TradeWrite, 'trade'> {
  readonly trade: TradeEntity;
  readonly event: EventType | null;
  readonly newFills?: readonly FillEntity[];
}

/** Applies a transition to the trade in memory; nothing is written yet. */
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

/** Writes locked trades, emits their events, books new fills and returns the written trades by id. */
export async function writeChanges(
  tx: Tx,
  changes: readonly TradeChange[],
): Promise<ReadonlyMap<string, TradeEntity>> {
  const written = await writeTrades(tx, changes);
  const emitted = changes.flatMap(({ trade: { id }, event }) =>
    event === null ? [] : [{ trade: written.get(id)!, type: event }],
  );
  await emitTradeEvents(tx, emitted);
  const tradesToBook: TradeToBook[] = changes
    .filter(({ event, newFills }) => newFills?.length || event !== null)
    .map(({ trade: { id }, newFills = [] }) => ({ trade: written.get(id)!, newFills }))
    .filter(({ trade, newFills }) => newFills.length > 0 || !new BigDecimal(trade.filledAmount).isZero());
  if (tradesToBook.length > 0) await bookTrades(tx, tradesToBook);
  return written;
}

export async function emitTradeEvents(
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

/** Returns null if the trade does not exist or has ended. */
export async function lockOpenTrade(tx: Tx, id: string): Promise<LockedTrade | null> {
  const [locked] = await lockOpenTrades(tx, [id]);
  return locked ?? null;
}

export function lockOpenTrades(tx: Tx, ids: readonly string[]): Promise<LockedTrade[]> {
  return lockTrades(tx, ids, { which: 'open', ackTimeoutMs: ACK_TIMEOUT_MS });
}

/** Locks the lot books of the trades' pairs, then the trades; required before fills are booked. */
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
  /** Whether the reports come from reconciliation, rather than from a stream or a check. */
  readonly isReconciliation?: boolean;
}

/** Applies the reports of each trade in input order and returns the ids of the changed trades. */
export async function storeReports(
  tx: Tx,
  reports: readonly OrderReport[],
  { isReconciliation = false }: StoreOptions = {},
): Promise<ReadonlySet<string>> {
  const byTrade = new Map<string, OrderReport[]>();
  for (const report of reports) byTrade.set(report.tradeId, [...(byTrade.get(report.tradeId) ?? []), report]);
  const locked = await lockTradesWithLotBooks(tx, [...byTrade.keys()]);
  const reported = locked.flatMap(({ trade }) =>
    byTrade.get(trade.id)!.flatMap(({ fills }) => fills.map((fill) => ({ trade, fill }))),
  );
  const newFills = await insertFills(tx, reported);
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
  // A repeated report of an ended trade is not written at all.
  await writeChanges(
    tx,
    changes.filter(({ trade, isChanged }) => isChanged || !isTerminal(trade.status)),
  );
  await emitLiquidated(tx, changes.filter(isFirstLiquidation).map(liquidatedPositionOf));
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
  context: ReportContext,
): TradeChange {
  const { now, sums, newFills, isReconciliation } = context;
  const wasUnknown = trade.subStatus === 'UNKNOWN';
  const before = { status: trade.status, filledAmount: trade.filledAmount };
  const isFirstReport = trade.acknowledgedAt === null;
  const wasUnsent = trade.submittedAt === null;
  const outcome = outcomeOf(trade, reports, sums?.amount ?? trade.filledAmount);
  const isFilledAmountChanged = !new BigDecimal(outcome.filledAmount).eq(before.filledAmount);
  if (sums !== undefined)
    Object.assign(trade, { filledAmount: sums.amount, cost: sums.cost, fees: sums.fees });
  trade.exchangeOrderId =
    reports.findLast(({ order }) => order !== null)?.order?.exchangeOrderId ?? trade.exchangeOrderId;
  trade.venueAcceptedAt = acceptedAt(trade.venueAcceptedAt, reports);
  trade.probes = 0;
  trade.unlistedAt = null;
  if (!isTerminal(trade.status) && trade.subStatus !== 'PENDING_CANCEL') trade.subStatus = 'ACCEPTED';
  if (outcome.event === 'trade.failed') {
    trade.failureCode = 'refused';
    trade.failureMessage = 'The exchange rejected the order.';
  }
  const isChanged = isFirstReport || isFilledAmountChanged || outcome.status !== before.status || wasUnknown;
  return {
    ...applyTransition(trade, outcome),
    newFills,
    // If the trade had returned to UNSENT, its earlier submission did reach the exchange.
    submission: wasUnsent ? 'begun' : undefined,
    acknowledgedNow: isFirstReport,
    reconciledNow: isReconciliation && isChanged,
    nextCheckInMs: openOrderCheckMs(trade, now),
    isChanged,
  };
}

/** Whether the change stores the first fill of a liquidation. */
function isFirstLiquidation({ trade, newFills = [] }: TradeChange): boolean {
  if (trade.origin !== 'LIQUIDATION' || newFills.length === 0) return false;
  const added = newFills.reduce((sum, { amount }) => sum.plus(amount), new BigDecimal(0));
  return added.eq(trade.filledAmount);
}

const liquidatedPositionOf = ({ trade }: TradeChange): LiquidatedPosition => ({
  accountId: trade.exchangeAccountId,
  tradePairId: trade.tradePairId,
  side: trade.positionSide ?? (trade.side === 'SELL' ? 'LONG' : 'SHORT'),
});

/** Returns the earliest acceptance that the exchange reported. The response to a new order may name a later one. */
function acceptedAt(known: Date | null, reports: readonly OrderReport[]): Date | null {
  const instants = reports.flatMap(({ order }) => (order === null ? [] : [order.createdAt]));
  return [...(known === null ? [] : [known]), ...instants].reduce<Date | null>(
    (earliest, at) => (earliest === null || at < earliest ? at : earliest),
    null,
  );
}

/** Applies the reports in turn. `knownFilledAmount` includes the fills of all reports; any report may end the order. */
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
    amount: trade.cappedAmount ?? trade.amount,
    isCapped: trade.cappedAmount !== null,
    filledAmount: trade.filledAmount,
    timeInForce: trade.timeInForce,
    isCancelRequested: trade.subStatus === 'PENDING_CANCEL',
    isSubmitted: trade.submittedAt !== null,
    isAcknowledged: trade.acknowledgedAt !== null,
  };
}

/**
 * Returns the delay of the next check in ms: 2 s while a cancellation is pending, otherwise a twentieth of the trade's
 * age, but at least 0.5 s and at most 15 s.
 */
function openOrderCheckMs(trade: TradeEntity, now: Date): number {
  if (trade.subStatus === 'PENDING_CANCEL') return PROBE_INTERVAL_MS;
  const ageMs = now.getTime() - trade.createdAt.getTime();
  return Math.min(OPEN_CHECK_MAX_MS, Math.max(OPEN_CHECK_MIN_MS, ageMs / OPEN_CHECK_AGE_DIVISOR));
}
