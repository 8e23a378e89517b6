/**
 * Determines the outcome of a decision once its order has ended.
 *
 * 1. An entry whose order was filled completely keeps the planned outcome. Otherwise it is FAILED if the order failed,
 *    CLAMPED if the order was filled in part, and SKIPPED if it was not filled. The code of a limit that had already
 *    reduced a partly filled order stays, because it applied first.
 * 2. An exit gets its outcome once no further order is placed for it.
 */
import type {
  CancelReason,
  Decimal,
  DecisionCode,
  FinalOutcome,
  TradeSide,
  TradeStatus,
} from '@trading-automation/contracts';
import { type Backoff, backoffMs } from '@trading-automation/runtime/backoff';
import { BigDecimal } from '../../values/index.js';

export interface EndedOrder {
  readonly status: Extract<TradeStatus, 'FILLED' | 'CANCELLED' | 'FAILED'>;
  readonly cancelReason: CancelReason | null;
  readonly failureCode: string | null;
  readonly amount: Decimal;
  readonly filledAmount: Decimal;
}

export interface Verdict {
  readonly outcome: FinalOutcome;
  readonly code: DecisionCode | null;
}

/** Maps an order's failure code, from the exchange or from our own checks before sending, to a decision code. */
const FAILURES: Readonly<Record<string, DecisionCode>> = {
  credentials_rejected: 'CREDENTIALS',
  permission_missing: 'CREDENTIALS',
  insufficient_balance: 'INSUFFICIENT_BALANCE',
  insufficient_funds: 'INSUFFICIENT_BALANCE',
  rate_limited: 'RATE_LIMITED',
  stale_signal: 'STALE_SIGNAL',
  expired: 'STALE_SIGNAL',
  not_accepted: 'NOT_ACCEPTED',
};

export function decisionCodeOf(code: string | null): DecisionCode {
  return (code === null ? undefined : FAILURES[code]) ?? 'EXCHANGE_REJECTED';
}

/** Returns the verdict on an entry whose order has ended. */
export function entryVerdict(planned: Verdict, order: EndedOrder): Verdict {
  const filled = new BigDecimal(order.filledAmount);
  if (filled.gte(order.amount)) return planned;
  if (order.status === 'FAILED') return { outcome: 'FAILED', code: decisionCodeOf(order.failureCode) };
  const code = clampCode(order.cancelReason);
  return filled.isZero() ? { outcome: 'SKIPPED', code } : { outcome: 'CLAMPED', code: planned.code ?? code };
}

function clampCode(reason: CancelReason | null): DecisionCode {
  if (reason === 'USER' || reason === 'RISK') return 'NOT_ACTIVE';
  return reason === 'EXPIRED' ? 'STALE_SIGNAL' : 'SLIPPAGE';
}

/**
 * Returns the slippage of the fills against the reference price, in basis points. Positive if the copy paid more or
 * received less. Null if nothing was filled or the reference price is zero.
 */
export function slippageBps(
  side: TradeSide,
  referencePrice: Decimal,
  filledAmount: Decimal,
  cost: Decimal,
): Decimal | null {
  if (new BigDecimal(filledAmount).isZero() || new BigDecimal(referencePrice).isZero()) return null;
  const priceDifference = new BigDecimal(cost).div(filledAmount).minus(referencePrice);
  const signed = side === 'BUY' ? priceDifference : priceDifference.negated();
  return signed.times(10_000).div(referencePrice).toDecimalPlaces(4, BigDecimal.ROUND_HALF_EVEN).toString();
}

const EXIT_BACKOFF: Backoff = { firstMs: 1_000, maxMs: 60_000 };

/** Returns the delay before an exit's next order. It doubles with each attempt, from 1 s to at most 60 s. */
export function retryAfterMs(attempt: number): number {
  return backoffMs(EXIT_BACKOFF, attempt);
}

export interface ExitProgress {
  readonly filledAmount: Decimal;
  readonly targetAmount: Decimal;
  /** A remainder below this step cannot be ordered. It does not make the exit incomplete. */
  readonly amountStep: Decimal;
}

/**
 * Returns the verdict on an exit for which no further order is placed. `code` says why; null if the copier holds
 * nothing that is left to sell.
 */
export function exitVerdict(
  { filledAmount, targetAmount, amountStep }: ExitProgress,
  code: DecisionCode | null,
): Verdict {
  const filled = new BigDecimal(filledAmount);
  const reason = code ?? 'NOT_HELD';
  if (filled.isZero()) return { outcome: 'SKIPPED', code: reason };
  const missing = new BigDecimal(targetAmount).minus(filled);
  const isDone = missing.lte(0) || missing.lt(amountStep);
  return isDone ? { outcome: 'COPIED', code: null } : { outcome: 'CLAMPED', code: reason };
}
