import type { Decimal } from '@trading-automation/contracts';
import type { VenueFill } from '@trading-automation/exchanges';
import {
  allColumns,
  allProperties,
  hydrate,
  insertMany,
  newUuid,
  queryPrepared,
  type Tx,
} from '@trading-automation/persistence';
import { BigDecimal } from '../values/index.js';
import { feeValuesOf } from './fee-values.queries.js';
import { FillEntity } from './fill.entity.js';
import { TradeEntity } from './trade.entity.js';
import { type FeePart, sumFees } from './trade.rules.js';

/**
 * The channel whose notifications wake the workers. The payload is the uuid of an account with trades to send or
 * cancel. A notification may be lost.
 */
export const ACCOUNT_WORK_CHANNEL = 'account_work';

/** The delay of a trade's first check, which finds the trade even if its notification was lost. */
export const FIRST_CHECK_MS = 2_000;

/** Notifies the workers, when this transaction commits, that these accounts have trades to process. */
export async function notifyAccountWork(tx: Tx, accountIds: readonly string[]): Promise<void> {
  if (accountIds.length === 0) return;
  await queryPrepared(
    tx,
    `SELECT pg_notify('${ACCOUNT_WORK_CHANNEL}', id::text) FROM unnest($1::uuid[]) AS account (id)`,
    [[...new Set(accountIds)]],
  );
}

export interface CheckClaim {
  readonly worker: string;
  readonly leaseMs: number;
  readonly limit: number;
  /** Whether to claim the trades whose order the exchange has acknowledged, or the others. */
  readonly isAcknowledged: boolean;
}

/**
 * Claims open trades that are due for a check; no one else checks them for `leaseMs`. A worker claims the trades of its own
 * accounts and of accounts without a live owner. Who takes an account over looks its orders up, so a check whose worker
 * died is made then, and not when the claim ends.
 */
export async function claimDueChecks(
  tx: Tx,
  { worker, leaseMs, limit, isAcknowledged }: CheckClaim,
): Promise<string[]> {
  const [rows] = await tx.query(
    `UPDATE trades SET look_at = clock_timestamp() + $1 * interval '1 millisecond'
     WHERE id IN (SELECT id FROM trades t
                  WHERE status IN ('PENDING', 'PARTIALLY_FILLED') AND look_at <= clock_timestamp()
                    AND NOT EXISTS (
                      SELECT FROM account_owners o JOIN worker_leases l ON l.worker = o.worker
                      WHERE o.account_id = t.exchange_account_id AND o.worker <> $3
                        AND l.expires_at > clock_timestamp())
                    AND (acknowledged_at IS NOT NULL) = $4
                  ORDER BY look_at LIMIT $2 FOR UPDATE OF t SKIP LOCKED)
     RETURNING id`,
    [leaseMs, limit, worker, isAcknowledged],
  );
  return (rows as { id: string }[]).map(({ id }) => id);
}

/** A locked trade with the conditions that the database's clock decides. */
export interface LockedTrade {
  readonly trade: TradeEntity;
  /** Whether the order may be resubmitted now: it has a `resend_until` that has not passed. */
  readonly mayResubmit: boolean;
  /** Whether the time limit for sending the order has passed. */
  readonly hasExpired: boolean;
  /** Whether a response to the submission can still be expected. */
  readonly isInFlight: boolean;
  /** Whether the symbol of the order's pair names another contract at the exchange now. */
  readonly isPairReplaced: boolean;
  readonly now: Date;
}

const lockQuery = (condition: string) =>
  allColumns(
    TradeEntity,
    't',
    (columns) => `
  SELECT ${columns}, coalesce(resend_until > clock_timestamp(), false) AS may_resend,
    coalesce(resend_until <= clock_timestamp(), false) AS has_expired,
    coalesce(submitted_at > clock_timestamp() - $2 * interval '1 millisecond', false) AS is_in_flight,
    EXISTS (SELECT FROM trade_pairs p WHERE p.id = t.trade_pair_id AND p.listed_symbol IS NOT NULL) AS is_pair_replaced,
    clock_timestamp() AS now
  FROM trades t WHERE id = ANY ($1) ${condition} ORDER BY id FOR NO KEY UPDATE`,
  );
const LOCK = lockQuery('');
const LOCK_OPEN = lockQuery("AND status IN ('PENDING', 'PARTIALLY_FILLED')");

/**
 * Locks trades in the order of their ids and skips missing ones. A caller that does not hold the lot books must lock
 * open trades only. Booking locks ended trades in another order, so the two could deadlock.
 */
export async function lockTrades(
  tx: Tx,
  ids: readonly string[],
  { which, ackTimeoutMs }: { readonly which: 'all' | 'open'; readonly ackTimeoutMs: number },
): Promise<LockedTrade[]> {
  const sql = (which === 'all' ? LOCK : LOCK_OPEN)(tx.connection);
  const rows = await queryPrepared(tx, sql, [ids, ackTimeoutMs]);
  const trades = hydrate(tx.connection, TradeEntity, rows);
  return rows.map(({ may_resend, has_expired, is_in_flight, is_pair_replaced, now }, i) => ({
    trade: trades[i]!,
    mayResubmit: may_resend,
    hasExpired: has_expired,
    isInFlight: is_in_flight,
    isPairReplaced: is_pair_replaced,
    now,
  }));
}

/** A trade to write, and which of its instants are set to the current time. */
export interface TradeWrite {
  readonly trade: TradeEntity;
  /** Sets (`begun`) or clears (`undone`) `submitted_at`. Default: unchanged. */
  readonly submission?: 'begun' | 'undone' | undefined;
  readonly acknowledgedNow?: boolean | undefined;
  readonly reconciledNow?: boolean | undefined;
  /** The delay of the next check from now. Default: the next check is due as before. */
  readonly nextCheckInMs?: number | undefined;
  /** Whether readers see a change; `version` and `updated_at` then change too. */
  readonly isChanged: boolean;
}

const WRITE = `UPDATE trades t SET
    status = c.status, sub_status = c.sub_status, cancel_reason = c.cancel_reason,
    failure_code = c.failure_code, failure_message = c.failure_message,
    filled_amount = c.filled_amount, cost = c.cost, fees = c.fees, leader_equity = c.leader_equity,
    exchange_order_id = c.exchange_order_id, venue_client_order_id = c.venue_client_order_id, probes = c.probes,
    submitted_at = CASE c.submission WHEN 'begun' THEN clock_timestamp() WHEN 'undone' THEN NULL
                   ELSE t.submitted_at END,
    send_after = CASE c.submission WHEN 'undone'
                 THEN clock_timestamp() + c.next_check_in_ms * interval '1 millisecond' ELSE t.send_after END,
    venue_accepted_at = c.venue_accepted_at, unlisted_at = c.unlisted_at,
    acknowledged_at = CASE WHEN c.acknowledged_now THEN clock_timestamp() ELSE t.acknowledged_at END,
    reconciled_at = CASE WHEN c.reconciled_now THEN clock_timestamp() ELSE t.reconciled_at END,
    filled_at = CASE WHEN c.status = 'FILLED' AND t.status <> 'FILLED' THEN clock_timestamp() ELSE t.filled_at END,
    cancelled_at = CASE WHEN c.status = 'CANCELLED' AND t.status <> 'CANCELLED' THEN clock_timestamp()
                   ELSE t.cancelled_at END,
    look_at = coalesce(clock_timestamp() + c.next_check_in_ms * interval '1 millisecond', t.look_at),
    version = t.version + c.is_changed::int,
    updated_at = CASE WHEN c.is_changed THEN clock_timestamp() ELSE t.updated_at END
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::numeric[], $8::numeric[],
    $9::jsonb[], $10::numeric[], $11::text[], $12::text[], $13::int[], $14::text[], $15::bool[], $16::bool[],
    $17::float8[], $18::bool[], $19::timestamptz[],
    $20::timestamptz[])
    AS c (id, status, sub_status, cancel_reason, failure_code, failure_message, filled_amount, cost, fees,
      leader_equity, exchange_order_id, venue_client_order_id, probes, submission, acknowledged_now, reconciled_now,
      next_check_in_ms, is_changed, venue_accepted_at, unlisted_at)
  WHERE t.id = c.id
  RETURNING t.id, t.submitted_at AS "submittedAt", t.acknowledged_at AS "acknowledgedAt",
    t.reconciled_at AS "reconciledAt", t.filled_at AS "filledAt", t.cancelled_at AS "cancelledAt",
    t.look_at AS "nextCheckAt", t.version, t.updated_at AS "updatedAt"`;

/**
 * Writes locked trades, each at most once per call, and returns the same objects with the values that the database
 * assigned. All instants come from the database's clock.
 */
export async function writeTrades(
  tx: Tx,
  writes: readonly TradeWrite[],
): Promise<ReadonlyMap<string, TradeEntity>> {
  if (writes.length === 0) return new Map();
  const column = (value: (trade: TradeEntity) => unknown) => writes.map(({ trade }) => value(trade));
  const rows = await queryPrepared<Partial<TradeEntity> & { id: string }>(tx, WRITE, [
    column(({ id }) => id),
    column(({ status }) => status),
    column(({ subStatus }) => subStatus),
    column(({ cancelReason }) => cancelReason),
    column(({ failureCode }) => failureCode),
    column(({ failureMessage }) => failureMessage),
    column(({ filledAmount }) => filledAmount),
    column(({ cost }) => cost),
    column(({ fees }) => JSON.stringify(fees)),
    column(({ leaderEquity }) => leaderEquity),
    column(({ exchangeOrderId }) => exchangeOrderId),
    column(({ venueClientOrderId }) => venueClientOrderId),
    column(({ probes }) => probes),
    writes.map(({ submission }) => submission ?? null),
    writes.map(({ acknowledgedNow }) => acknowledgedNow ?? false),
    writes.map(({ reconciledNow }) => reconciledNow ?? false),
    writes.map(({ nextCheckInMs }) => nextCheckInMs ?? null),
    writes.map(({ isChanged }) => isChanged),
    column(({ venueAcceptedAt }) => venueAcceptedAt),
    column(({ unlistedAt }) => unlistedAt),
  ]);
  const assigned = new Map(rows.map((row) => [row.id, row]));
  return new Map(writes.map(({ trade }) => [trade.id, Object.assign(trade, assigned.get(trade.id))]));
}

/**
 * Stores the request to cancel open, submitted trades. An acknowledged trade is due for a check immediately; others
 * are checked when their acknowledgement is overdue, as before.
 */
export async function requestCancellations(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE trades SET sub_status = 'PENDING_CANCEL',
       look_at = CASE WHEN acknowledged_at IS NULL THEN look_at ELSE least(look_at, clock_timestamp()) END,
       version = CASE WHEN sub_status = 'PENDING_CANCEL' THEN version ELSE version + 1 END,
       updated_at = CASE WHEN sub_status = 'PENDING_CANCEL' THEN updated_at ELSE clock_timestamp() END
     WHERE id = ANY ($1)`,
    [ids],
  );
}

/** A fill that the exchange reported, and its trade. */
export interface FillReport {
  readonly trade: TradeEntity;
  readonly fill: VenueFill;
}

/** Stores the fills that are new and returns them. Each report of an order repeats all of its fills. */
export async function insertFills(tx: Tx, reports: readonly FillReport[]): Promise<FillEntity[]> {
  const feeValues = await feeValuesOf(tx, reports);
  return insertMany(
    tx,
    FillEntity,
    reports.map(({ trade, fill }) => ({
      id: newUuid(),
      tradeId: trade.id,
      exchangeAccountId: trade.exchangeAccountId,
      symbol: trade.symbol,
      exchangeFillId: fill.exchangeFillId,
      price: fill.price,
      amount: fill.amount,
      feeAmount: fill.fee.amount,
      feeCurrency: fill.fee.currency,
      feeValue: feeValues.get(fill) ?? null,
      liquidity: fill.liquidity,
      executedAt: fill.executedAt,
    })),
    { skipConflictsOn: ['tradeId', 'exchangeFillId'], returning: allProperties(tx, FillEntity) },
  );
}

/** Exact sums over the fills of a trade. */
export interface FillSums {
  readonly amount: Decimal;
  /** The sum of price × amount. */
  readonly cost: Decimal;
  readonly fees: TradeEntity['fees'];
}

const SUM_FILLS = `SELECT trade_id, fee_currency, sum(amount)::text AS amount, sum(price * amount)::text AS cost,
    sum(fee_amount)::text AS fee, count(*)::int
  FROM fills WHERE trade_id = ANY ($1) GROUP BY trade_id, fee_currency`;

/** Returns the sums of all known fills by trade; trades without fills are left out. */
export async function sumFills(tx: Tx, tradeIds: readonly string[]): Promise<ReadonlyMap<string, FillSums>> {
  if (tradeIds.length === 0) return new Map();
  const rows = await queryPrepared<{
    trade_id: string;
    fee_currency: string;
    amount: Decimal;
    cost: Decimal;
    fee: Decimal;
    count: number;
  }>(tx, SUM_FILLS, [tradeIds]);
  const sums = new Map<string, { amount: BigDecimal; cost: BigDecimal; fees: FeePart[] }>();
  for (const { trade_id, fee_currency, amount, cost, fee, count } of rows) {
    const sum = sums.get(trade_id) ?? { amount: new BigDecimal(0), cost: new BigDecimal(0), fees: [] };
    sum.fees.push({ amount: fee, currency: fee_currency, count });
    sums.set(trade_id, { ...sum, amount: sum.amount.plus(amount), cost: sum.cost.plus(cost) });
  }
  return new Map(
    [...sums].map(([id, { amount, cost, fees }]) => [
      id,
      { amount: amount.toString(), cost: cost.toString(), fees: sumFees(fees) },
    ]),
  );
}
