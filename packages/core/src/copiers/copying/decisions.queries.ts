/** Writes the decisions and the copied lots of a batch, each with one statement. */
import type { DecisionCode, FinalOutcome } from '@trading-automation/contracts';
import { newUuid, queryPrepared, type Tx } from '@trading-automation/persistence';
import type { Signal } from '../../strategies/index.js';
import type { CopyPlan } from '../planning/plan.types.js';
import { DECISION_COLUMNS, type DecisionRow } from './decision.view.js';
import { inWholeSteps } from './order-steps.js';

export interface NewDecision {
  readonly userId: string;
  readonly copierId: string;
  readonly accountId: string;
  readonly outcome: FinalOutcome;
  readonly code: DecisionCode | null;
  readonly inputs: CopyPlan['inputs'];
  readonly targetAmount: string;
  readonly sentAmount: string;
  /** See `perfectAmountOf`. */
  readonly perfectAmount: string | null;
  readonly tradeId: string | null;
  /** False for an exit whose amount has not been determined yet, because it waits. */
  readonly isApplied: boolean;
  /** Whether the decision is final. */
  readonly isSettled: boolean;
  /** Delay until the first check of a pending decision without an order. */
  readonly nextCheckInMs: number;
  /** Whether the owner is notified, now or earlier, that an exit of the lot is delayed. */
  readonly isDelayReported: boolean;
}

/**
 * Inserts the decisions ($1) on a signal ($2) at a time ($3); $1 and $2 are JSON.
 * Keeps an existing decision, unless it has the condition `isReplaced` and never had an order. The kind of a replaced
 * decision changes, too: a start copies a lot as an entry, although the lot's last signal may be an exit.
 */
const insertStatement = (isReplaced: string) => `
  INSERT INTO decisions AS d (id, user_id, copier_id, exchange_account_id, outcome, code, inputs, target_amount,
    sent_amount, perfect_amount, trade_id, pending_trade_id, is_applied, attempt, settled_at, look_at, delay_reported_at, strategy_id, signal_id, sequence,
    source_trade_id, lot_trade_id, symbol, kind, reference_price, signal_at, created_at, updated_at)
  SELECT n.id, n."userId", n."copierId", n."accountId", n.outcome, n.code, n.inputs, n."targetAmount",
    n."sentAmount", n."perfectAmount", n."tradeId", n."tradeId", n."isApplied", CASE WHEN n."tradeId" IS NULL THEN 0 ELSE 1 END,
    CASE WHEN n."isSettled" THEN $3::timestamptz END,
    clock_timestamp() + n."nextCheckInMs" * interval '1 millisecond',
    CASE WHEN n."isDelayReported" THEN $3::timestamptz END, s."strategyId", s.id, s.sequence,
    s."sourceTradeId", s."lotTradeId", s.symbol, s.kind, s."referencePrice", s."signalAt", $3, $3
  FROM json_to_recordset($1::json) AS n (id uuid, "userId" uuid, "copierId" uuid, "accountId" uuid, outcome text,
      code text, inputs jsonb, "targetAmount" numeric, "sentAmount" numeric, "perfectAmount" numeric, "tradeId" uuid, "isApplied" boolean,
      "isSettled" boolean, "nextCheckInMs" float8, "isDelayReported" boolean),
    json_to_record($2::json) AS s (id uuid, "strategyId" uuid, sequence bigint, "sourceTradeId" uuid,
      "lotTradeId" uuid, symbol text, kind text, "referencePrice" numeric, "signalAt" timestamptz)
  ON CONFLICT (signal_id, copier_id) DO UPDATE SET outcome = excluded.outcome, code = excluded.code,
    inputs = excluded.inputs, target_amount = excluded.target_amount, sent_amount = excluded.sent_amount,
    perfect_amount = excluded.perfect_amount, trade_id = excluded.trade_id, pending_trade_id = excluded.pending_trade_id, is_applied = excluded.is_applied, attempt = excluded.attempt,
    settled_at = excluded.settled_at, look_at = excluded.look_at, delay_reported_at = excluded.delay_reported_at,
    kind = excluded.kind, reference_price = excluded.reference_price, signal_at = excluded.signal_at,
    is_abandoned = false, updated_at = excluded.updated_at
    WHERE ${isReplaced} AND d.trade_id IS NULL AND d.settled_at IS NOT NULL
  RETURNING ${DECISION_COLUMNS}`;

const INSERT = insertStatement("d.code = 'NOT_ACTIVE'");
const INSERT_OR_REPLACE = insertStatement('true');

/** Which existing decisions without an order a new one replaces: those of a paused copier, or all. */
export type Replaced = 'NOT_ACTIVE' | 'WITHOUT_ORDER';

/** Inserts decisions; returns the written ones, in no particular order. */
export function insertDecisions(
  tx: Tx,
  signal: Signal,
  decisions: readonly NewDecision[],
  now: Date,
  replaced: Replaced = 'NOT_ACTIVE',
): Promise<DecisionRow[]> {
  const statement = replaced === 'WITHOUT_ORDER' ? INSERT_OR_REPLACE : INSERT;
  const rows = decisions.map((decision) => ({ id: newUuid(), ...decision }));
  return queryPrepared<DecisionRow>(tx, statement, [JSON.stringify(rows), JSON.stringify(signal), now]);
}

/** A copier's share of a lot, to be stored. */
export interface WrittenLot {
  readonly copierId: string;
  /** Symbol of the copier's pair; null if its exchange does not offer it now. A stored symbol never changes. */
  readonly symbol: string | null;
  readonly lot: NonNullable<CopyPlan['lot']>;
}

/** Writes the states ($3, a JSON array) of copied lots of a strategy ($1) and a lot ($2). */
const UPSERT_LOTS = `
  INSERT INTO copied_lots AS l (strategy_id, lot_trade_id, copier_id, ratio_numerator, ratio_denominator, masked_ratio, terms,
    sent_amount, sent_quote, forgone_amount, masked_forgone, seen_amount, owed_amount, symbol)
  SELECT $1, $2, n."copierId", n.numerator, n.denominator, n."maskedRatio", n.terms, n."sentAmount", n."sentQuote", n."forgoneAmount",
    n."maskedForgone", n."seenAmount", n."owedAmount", n.symbol
  FROM json_to_recordset($3::json) AS n ("copierId" uuid, numerator numeric, denominator numeric, "maskedRatio" numeric, terms jsonb,
    "sentAmount" numeric, "sentQuote" numeric, "forgoneAmount" numeric, "maskedForgone" numeric, "seenAmount" numeric, "owedAmount" numeric, symbol text)
  ON CONFLICT (copier_id, lot_trade_id) DO UPDATE SET ratio_numerator = excluded.ratio_numerator,
    ratio_denominator = excluded.ratio_denominator, masked_ratio = excluded.masked_ratio, terms = excluded.terms, sent_amount = excluded.sent_amount,
    sent_quote = excluded.sent_quote, forgone_amount = excluded.forgone_amount, masked_forgone = excluded.masked_forgone, seen_amount = excluded.seen_amount,
    owed_amount = excluded.owed_amount, updated_at = clock_timestamp()`;

export async function upsertCopiedLots(
  tx: Tx,
  { strategyId, lotTradeId }: Pick<Signal, 'strategyId' | 'lotTradeId'>,
  lots: readonly WrittenLot[],
): Promise<void> {
  if (lots.length === 0) return;
  const rows = lots.map(({ copierId, symbol, lot: { ratio, ...lot } }) => ({
    copierId,
    symbol,
    ...ratio,
    ...lot,
  }));
  await queryPrepared(tx, UPSERT_LOTS, [strategyId, lotTradeId, JSON.stringify(rows)]);
}

/**
 * Deletes a copier's share of lots for which it never placed an order. Its ratio and settings are those of an entry that
 * was too small, and a start copies the lot with the current ones.
 */
export async function forgetCopiedLots(
  tx: Tx,
  copierId: string,
  lotTradeIds: readonly string[],
): Promise<void> {
  if (lotTradeIds.length === 0) return;
  await queryPrepared(tx, 'DELETE FROM copied_lots WHERE copier_id = $1 AND lot_trade_id = ANY ($2)', [
    copierId,
    lotTradeIds,
  ]);
}

/**
 * Sets the amount of a lot that a copier owes, and reopens its decision on the missed exit `signal`, so that settlement
 * sells the amount. Creates the decision if the copier has none. An existing decision keeps its filled amount.
 */
export async function reopenExit(
  tx: Tx,
  signal: Signal,
  copier: { readonly id: string; readonly userId: string; readonly exchangeAccountId: string },
  amount: string,
  now: Date,
): Promise<void> {
  // If an order of the lot is still being cancelled, its decision continues. What the order leaves unsold is
  // owed later.
  await queryPrepared(
    tx,
    `WITH resumed AS (
       UPDATE decisions SET is_abandoned = false, look_at = clock_timestamp()
       WHERE copier_id = $1 AND lot_trade_id = $2 AND settled_at IS NULL RETURNING pending_trade_id)
     UPDATE copied_lots SET updated_at = clock_timestamp(), owed_amount = greatest(0, $3::numeric - (
       SELECT coalesce(sum(t.amount - t.filled_amount), 0) FROM resumed r JOIN trades t ON t.id = r.pending_trade_id))
     WHERE copier_id = $1 AND lot_trade_id = $2`,
    [copier.id, signal.lotTradeId, amount],
  );
  const reopened = await queryPrepared(
    tx,
    `UPDATE decisions d SET outcome = 'COPIED', code = NULL, target_amount = filled_amount + $3::numeric, settled_at = NULL,
       is_applied = true, is_abandoned = false, look_at = clock_timestamp(), updated_at = clock_timestamp(),
       inputs = CASE WHEN inputs ? 'masked_target' THEN inputs || jsonb_build_object('masked_target',
         trim_scale($3::numeric + coalesce(${inWholeSteps('d.filled_amount', 'd.trade_id')}, 0))::text) ELSE inputs END
     WHERE d.signal_id = $1 AND d.copier_id = $2 RETURNING d.id`,
    [signal.id, copier.id, amount],
  );
  if (reopened.length > 0) return;
  const decision: NewDecision = {
    userId: copier.userId,
    copierId: copier.id,
    accountId: copier.exchangeAccountId,
    outcome: 'COPIED',
    code: null,
    inputs: {},
    targetAmount: amount,
    sentAmount: '0',
    perfectAmount: null,
    tradeId: null,
    isApplied: true,
    isSettled: false,
    nextCheckInMs: 0,
    isDelayReported: false,
  };
  await insertDecisions(tx, signal, [decision], now);
}
