import {
  canonicalDecimal,
  type Decimal,
  type Decision,
  type DecisionCode,
  encodeId,
  type FinalOutcome,
  type SignalKind,
} from '@trading-automation/contracts';
import { maskInputs, maskTarget, ownInputs } from '../../strategies/index.js';
import { formatInstant, roundToStep } from '../../values/index.js';
import { orderStep } from './order-steps.js';

/** A stored decision, by column name. */
export interface DecisionRow {
  readonly id: string;
  readonly copier_id: string;
  readonly strategy_id: string;
  readonly signal_id: string;
  /** The driver returns a bigint as a string. */
  readonly sequence: string | number;
  readonly source_trade_id: string;
  readonly symbol: string;
  readonly kind: SignalKind;
  /** The planned outcome until `settled_at` is set; `viewDecision` shows it as PENDING until then. */
  readonly outcome: FinalOutcome;
  readonly code: DecisionCode | null;
  readonly inputs: Decision['inputs'];
  readonly target_amount: Decimal;
  readonly sent_amount: Decimal;
  readonly filled_amount: Decimal;
  readonly trade_id: string | null;
  readonly latency_ms: number | null;
  readonly slippage_bps: Decimal | null;
  readonly created_at: Date;
  readonly settled_at: Date | null;
  /** Whether the copier's user also owns the strategy. */
  readonly is_own_strategy: boolean;
  /** The amount step of the copier's order; null for an entry, and without an order. */
  readonly amount_step: Decimal | null;
}

export const DECISION_COLUMNS = `d.id, d.copier_id, d.strategy_id, d.signal_id, d.sequence, d.source_trade_id, d.symbol,
  d.kind, d.outcome, d.code, d.inputs, d.target_amount, d.sent_amount, d.filled_amount, d.trade_id, d.latency_ms,
  d.slippage_bps, d.created_at, d.settled_at,
  (SELECT st.user_id = d.user_id FROM strategies st WHERE st.id = d.strategy_id) AS is_own_strategy,
  CASE WHEN d.kind IN ('REDUCE', 'CLOSE') THEN ${orderStep('d.trade_id')} END AS amount_step`;

/**
 * Returns a decision as the copier's user may see it: amounts of another user's strategy are masked. An order that sells
 * several exits is divided between them in proportion to the leader's amounts, so each part is rounded to the amount step.
 */
export function viewDecision(row: DecisionRow): Decision {
  const targetAmount = canonicalDecimal(row.target_amount);
  const ordered = (amount: Decimal) =>
    row.is_own_strategy || row.amount_step === null
      ? canonicalDecimal(amount)
      : roundToStep(amount, row.amount_step);
  return {
    id: encodeId('dec', row.id),
    copier_id: encodeId('cpr', row.copier_id),
    strategy_id: encodeId('str', row.strategy_id),
    signal_id: encodeId('sig', row.signal_id),
    sequence: Number(row.sequence),
    source_trade_id: encodeId('trd', row.source_trade_id),
    symbol: row.symbol,
    kind: row.kind,
    outcome: row.settled_at === null ? 'PENDING' : row.outcome,
    code: row.code ?? undefined,
    inputs: row.is_own_strategy ? ownInputs(row.inputs) : maskInputs(row.inputs),
    target_amount: row.is_own_strategy ? targetAmount : maskTarget(targetAmount, row.inputs),
    sent_amount: ordered(row.sent_amount),
    filled_amount: ordered(row.filled_amount),
    trade_id: row.trade_id === null ? undefined : encodeId('trd', row.trade_id),
    latency_ms: row.latency_ms ?? undefined,
    slippage_bps: row.slippage_bps === null ? undefined : canonicalDecimal(row.slippage_bps),
    created_at: formatInstant(row.created_at),
    decided_at: formatInstant(row.created_at),
    settled_at: row.settled_at === null ? undefined : formatInstant(row.settled_at),
  };
}
