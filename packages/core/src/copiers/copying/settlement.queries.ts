/** Reads and writes the decisions that are not settled yet. */
import type {
  CancelReason,
  Decimal,
  DecisionCode,
  FinalOutcome,
  TradeSide,
  TradeStatus,
} from '@trading-automation/contracts';
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import type { Signal } from '../../strategies/index.js';
import { DECISION_COLUMNS, type DecisionRow } from './decision.view.js';
import { orderStep } from './order-steps.js';

/** A later exit of the same lot that sells the amount of the exit `d`, too, because `d` waits without an order. */
const CARRYING_EXIT = `SELECT FROM decisions l
  WHERE l.copier_id = d.copier_id AND l.lot_trade_id = d.lot_trade_id AND l.settled_at IS NULL
    AND l.kind IN ('REDUCE', 'CLOSE') AND l.is_applied AND l.is_abandoned = d.is_abandoned AND l.sequence > d.sequence`;

const IS_DUE = `d.settled_at IS NULL AND (t.status IN ('FILLED', 'CANCELLED', 'FAILED')
  OR (d.pending_trade_id IS NULL AND d.look_at <= clock_timestamp()
    AND NOT (d.kind IN ('REDUCE', 'CLOSE') AND d.is_applied AND EXISTS (${CARRYING_EXIT}))))`;

/** Returns up to `limit` decisions whose order has ended or whose next check is due; exits first. */
export async function dueDecisions(
  tx: Tx,
  limit: number,
): Promise<{ id: string; signalId: string; isExit: boolean }[]> {
  return queryPrepared(
    tx,
    `SELECT d.id, d.signal_id AS "signalId", d.kind IN ('REDUCE', 'CLOSE') AS "isExit"
     FROM decisions d LEFT JOIN trades t ON t.id = d.pending_trade_id WHERE ${IS_DUE}
     ORDER BY d.kind IN ('REDUCE', 'CLOSE') DESC, d.look_at LIMIT $1`,
    [limit],
  );
}

/** An unsettled decision with its pending order. The nullable `order…` fields are null if no order is pending. */
export interface OpenDecision {
  readonly id: string;
  readonly userId: string;
  readonly copierId: string;
  readonly copierStatus: string;
  readonly accountId: string;
  readonly signalId: string;
  readonly kind: Signal['kind'];
  readonly referencePrice: Decimal;
  readonly signalAt: Date;
  readonly outcome: FinalOutcome;
  readonly code: DecisionCode | null;
  readonly inputs: DecisionRow['inputs'];
  readonly targetAmount: Decimal;
  readonly sentAmount: Decimal;
  readonly filledAmount: Decimal;
  readonly filledCost: Decimal;
  /** Number of orders placed for this decision so far. */
  readonly attempt: number;
  readonly latencyMs: number | null;
  /** False for an exit whose amount has not been determined yet, because it waits. */
  readonly isApplied: boolean;
  /** Whether the copier was paused, so that no further order is placed. */
  readonly isAbandoned: boolean;
  readonly tradeId: string | null;
  readonly orderStatus: Extract<TradeStatus, 'FILLED' | 'CANCELLED' | 'FAILED'> | null;
  readonly orderSide: TradeSide | null;
  readonly orderAmount: Decimal;
  readonly orderFilledAmount: Decimal;
  readonly orderCost: Decimal;
  readonly orderCancelReason: CancelReason | null;
  readonly orderFailureCode: string | null;
  readonly orderSubmittedAt: Date | null;
  /** The amount step of the latest order's pair; 0 without an order. */
  readonly amountStep: Decimal;
  /** Whether the owner was notified that the exit is delayed. */
  readonly isDelayReported: boolean;
}

const OPEN_COLUMNS = `d.id, d.user_id AS "userId", d.copier_id AS "copierId", c.status AS "copierStatus",
    d.exchange_account_id AS "accountId", d.signal_id AS "signalId", d.kind, d.reference_price AS "referencePrice",
    d.signal_at AS "signalAt", d.outcome, d.code, d.inputs, d.target_amount AS "targetAmount",
    d.sent_amount AS "sentAmount", d.filled_amount AS "filledAmount", d.filled_cost AS "filledCost", d.attempt,
    d.latency_ms AS "latencyMs", d.is_applied AS "isApplied", d.is_abandoned AS "isAbandoned",
    d.trade_id AS "tradeId", t.status AS "orderStatus", t.side AS "orderSide", t.amount AS "orderAmount",
    t.filled_amount AS "orderFilledAmount", t.cost AS "orderCost", t.cancel_reason AS "orderCancelReason",
    t.failure_code AS "orderFailureCode", t.submitted_at AS "orderSubmittedAt",
    coalesce(${orderStep('d.trade_id')}, 0)::text AS "amountStep",
    d.delay_reported_at IS NOT NULL AS "isDelayReported"`;

const SELECT_OPEN = `SELECT ${OPEN_COLUMNS}
  FROM decisions d JOIN copiers c ON c.id = d.copier_id LEFT JOIN trades t ON t.id = d.pending_trade_id
  WHERE d.id = ANY ($1) AND ${IS_DUE} ORDER BY d.id FOR UPDATE OF d`;

/** Locks and returns the decisions that are still due. Waits for other workers that settle them. */
export function lockOpenDecisions(tx: Tx, ids: readonly string[]): Promise<OpenDecision[]> {
  return queryPrepared<OpenDecision>(tx, SELECT_OPEN, [ids]);
}

/** $2: the signal whose exits carry the returned ones. */
const SELECT_CARRIED = `SELECT ${OPEN_COLUMNS}
  FROM decisions l JOIN decisions d ON d.copier_id = l.copier_id AND d.lot_trade_id = l.lot_trade_id
    AND d.settled_at IS NULL AND d.pending_trade_id IS NULL AND d.is_applied AND d.kind IN ('REDUCE', 'CLOSE')
    AND d.is_abandoned = l.is_abandoned AND d.sequence < l.sequence
  JOIN copiers c ON c.id = d.copier_id LEFT JOIN trades t ON t.id = d.pending_trade_id
  WHERE l.signal_id = $2 AND l.copier_id = ANY ($1) AND l.is_applied ORDER BY d.sequence FOR UPDATE OF d`;

/**
 * Locks and returns, for each of these copiers, the pending exits without an order that its exit on the signal carries;
 * oldest first.
 */
export function lockCarriedExits(
  tx: Tx,
  signalId: string,
  copierIds: readonly string[],
): Promise<OpenDecision[]> {
  return queryPrepared<OpenDecision>(tx, SELECT_CARRIED, [copierIds, signalId]);
}

/** Locks and returns the decisions that are still due, but skips those that another worker has locked. */
export function takeOpenDecisions(tx: Tx, ids: readonly string[]): Promise<OpenDecision[]> {
  return queryPrepared<OpenDecision>(tx, `${SELECT_OPEN} SKIP LOCKED`, [ids]);
}

/** All fields of a decision that settlement changes. */
export interface DecisionChange {
  readonly id: string;
  readonly outcome: FinalOutcome;
  readonly code: DecisionCode | null;
  readonly inputs: DecisionRow['inputs'];
  readonly targetAmount: Decimal;
  readonly sentAmount: Decimal;
  readonly filledAmount: Decimal;
  readonly filledCost: Decimal;
  readonly tradeId: string | null;
  readonly pendingTradeId: string | null;
  readonly attempt: number;
  readonly isApplied: boolean;
  readonly latencyMs: number | null;
  readonly slippageBps: Decimal | null;
  readonly isSettled: boolean;
  /** Delay until the next check of a decision without an order in flight. */
  readonly nextCheckInMs: number;
  /** Whether the owner is notified, now or earlier, that the exit is delayed. */
  readonly isDelayReported: boolean;
}

/** Maps each column that settlement changes to the field of `DecisionChange` that it stores. */
const WRITTEN_COLUMNS = {
  outcome: 'outcome',
  code: 'code',
  inputs: 'inputs',
  target_amount: 'targetAmount',
  sent_amount: 'sentAmount',
  filled_amount: 'filledAmount',
  filled_cost: 'filledCost',
  trade_id: 'tradeId',
  pending_trade_id: 'pendingTradeId',
  attempt: 'attempt',
  is_applied: 'isApplied',
  latency_ms: 'latencyMs',
  slippage_bps: 'slippageBps',
} as const satisfies Readonly<Record<string, keyof DecisionChange>>;

/** $1 is a JSON array of changes. */
const UPDATE = `
  UPDATE decisions AS d SET
    ${Object.entries(WRITTEN_COLUMNS)
      .map(([column, field]) => `${column} = n."${field}"`)
      .join(', ')},
    settled_at = CASE WHEN n."isSettled" THEN clock_timestamp() END,
    delay_reported_at = CASE WHEN n."isDelayReported" THEN coalesce(d.delay_reported_at, clock_timestamp())
      ELSE d.delay_reported_at END,
    look_at = clock_timestamp() + n."nextCheckInMs" * interval '1 millisecond', updated_at = clock_timestamp()
  FROM json_to_recordset($1::json) AS n (id uuid, outcome text, code text, inputs jsonb, "targetAmount" numeric,
    "sentAmount" numeric, "filledAmount" numeric, "filledCost" numeric, "tradeId" uuid, "pendingTradeId" uuid,
    attempt integer, "isApplied" boolean, "latencyMs" integer, "slippageBps" numeric, "isSettled" boolean,
    "nextCheckInMs" float8, "isDelayReported" boolean)
  WHERE d.id = n.id RETURNING ${DECISION_COLUMNS}`;

export async function writeDecisions(tx: Tx, changes: readonly DecisionChange[]): Promise<DecisionRow[]> {
  if (changes.length === 0) return [];
  return queryPrepared<DecisionRow>(tx, UPDATE, [JSON.stringify(changes)]);
}

/** Adds amounts that exit orders did not sell to the owed amounts of the lot. `owed` maps copier ids to amounts. */
export async function addOwed(tx: Tx, lotTradeId: string, owed: ReadonlyMap<string, Decimal>): Promise<void> {
  if (owed.size === 0) return;
  await queryPrepared(
    tx,
    `UPDATE copied_lots l SET owed_amount = l.owed_amount + n.amount, updated_at = clock_timestamp()
     FROM unnest($2::uuid[], $3::numeric[]) AS n (copier_id, amount)
     WHERE l.copier_id = n.copier_id AND l.lot_trade_id = $1`,
    [lotTradeId, [...owed.keys()], [...owed.values()]],
  );
}

/** Clears the owed amounts of these copiers for the lot, because the copiers were paused. */
export async function clearOwed(tx: Tx, lotTradeId: string, copierIds: readonly string[]): Promise<void> {
  if (copierIds.length === 0) return;
  await queryPrepared(
    tx,
    `UPDATE copied_lots SET owed_amount = 0, updated_at = clock_timestamp()
     WHERE lot_trade_id = $1 AND copier_id = ANY ($2) AND owed_amount > 0`,
    [lotTradeId, copierIds],
  );
}

/**
 * Returns the copiers that still have to sell. They hold some of the lot, and either owe an amount or follow a CLOSE.
 */
export async function owingCopiers(
  tx: Tx,
  { lotTradeId, sequence, kind }: Signal,
  copierIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await queryPrepared<{ copier_id: string }>(
    tx,
    `SELECT c.copier_id FROM copied_lots c
     JOIN LATERAL (SELECT sum(o.open_amount) AS amount FROM lots o JOIN trades t ON t.id = o.trade_id
                   WHERE o.copier_id = c.copier_id AND o.source_trade_id = c.lot_trade_id AND o.open_amount > 0
                     AND coalesce((t.copy->>'sequence')::bigint, 0) < $3) held ON held.amount > 0
     WHERE c.copier_id = ANY ($1) AND c.lot_trade_id = $2 AND (c.owed_amount > 0 OR $4 = 'CLOSE')`,
    [copierIds, lotTradeId, sequence, kind],
  );
  return new Set(rows.map(({ copier_id }) => copier_id));
}

/**
 * Reopens the settled CLOSE decisions whose copier holds some of the lot again and can sell it. This happens if a fill
 * of an earlier entry is stored after the settlement, for example because the exchange reports it late. The settlement
 * may also have missed a fill that another transaction was storing. Returns the number of reopened decisions.
 */
export async function reopenClosings(tx: Tx): Promise<number> {
  const rows = await queryPrepared(tx, REOPEN, [FILL_TRANSACTION_MAX_MS]);
  return rows.length;
}

/** The maximum duration of a transaction that stores a fill. */
const FILL_TRANSACTION_MAX_MS = 10_000;
const REOPEN = `
  UPDATE decisions SET settled_at = NULL, look_at = clock_timestamp(), pending_trade_id = NULL
  WHERE id IN (
    SELECT id FROM decisions WHERE settled_at IS NOT NULL AND id IN (
      SELECT d.id FROM lots o JOIN fills f ON f.id = o.id JOIN trade_pairs p ON p.id = o.trade_pair_id
      JOIN trades t ON t.id = o.trade_id
      JOIN signals s ON s.lot_trade_id = o.source_trade_id AND s.kind = 'CLOSE'
        AND s.sequence > coalesce((t.copy->>'sequence')::bigint, 0)
      JOIN decisions d ON d.signal_id = s.id AND d.copier_id = o.copier_id
      JOIN copiers c ON c.id = o.copier_id AND c.status <> 'PAUSED' AND c.deleted_at IS NULL
      WHERE o.open_amount > 0 AND o.copier_id IS NOT NULL AND NOT o.is_detached
        AND NOT d.is_abandoned AND d.code IS DISTINCT FROM 'NOT_ACTIVE'
      GROUP BY d.id, p.id
      HAVING bool_or(d.settled_at < f.created_at + $1 * interval '1 millisecond')
        AND sum(o.open_amount) >= p.min_amount
        AND (p.trading_type = 'perpetual' OR sum(o.open_amount) * p.last_price >= p.min_notional))
    ORDER BY id FOR UPDATE SKIP LOCKED)
  RETURNING id`;

/**
 * Makes waiting exits due that the exchange's minimum no longer prevents, because the price rose or the lot grew.
 * Returns their number.
 */
export async function wakeWaitingExits(tx: Tx): Promise<number> {
  const rows = await queryPrepared(tx, WAKE, []);
  return rows.length;
}

const WAKE = `
  UPDATE decisions SET look_at = clock_timestamp()
  WHERE id IN (
    SELECT d.id FROM decisions d
    JOIN exchange_accounts a ON a.id = d.exchange_account_id
    JOIN copied_lots c ON c.copier_id = d.copier_id AND c.lot_trade_id = d.lot_trade_id
    JOIN trade_pairs p ON p.exchange = a.exchange AND p.trading_type = a.trading_type
      AND p.symbol = coalesce(c.symbol, d.symbol)
    CROSS JOIN LATERAL (SELECT sum(o.open_amount) AS held FROM lots o
      WHERE o.copier_id = d.copier_id AND o.source_trade_id = d.lot_trade_id AND o.open_amount > 0) h
    CROSS JOIN LATERAL (SELECT CASE WHEN d.kind = 'CLOSE' THEN h.held ELSE least(h.held, c.owed_amount) END AS amount) s
    WHERE d.settled_at IS NULL AND d.code = 'BELOW_MINIMUM' AND d.kind IN ('REDUCE', 'CLOSE')
      AND d.pending_trade_id IS NULL AND d.look_at > clock_timestamp() + interval '1 second'
      AND NOT EXISTS (${CARRYING_EXIT}) AND s.amount >= p.min_amount AND s.amount * p.last_price >= p.min_notional
    ORDER BY d.id FOR UPDATE OF d SKIP LOCKED)
  RETURNING id`;

export async function signalById(tx: Tx, id: string): Promise<{ strategyId: string; sequence: number }> {
  const [row] = await queryPrepared<{ strategyId: string; sequence: number }>(
    tx,
    'SELECT strategy_id AS "strategyId", sequence::float8 AS sequence FROM signals WHERE id = $1',
    [id],
  );
  return row!;
}
