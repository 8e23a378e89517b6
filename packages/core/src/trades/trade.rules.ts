/**
 * What becomes of a trade when something is learned of it. Pure: state and observation in, state out.
 *
 *   PENDING          -> PARTIALLY_FILLED, FILLED, CANCELLED, FAILED
 *   PARTIALLY_FILLED -> PARTIALLY_FILLED, FILLED, CANCELLED
 *   FILLED, CANCELLED, FAILED stay what they are
 *
 * Invariants
 * 1. The filled amount is the sum of the known fills, nothing else; it never falls. Fills that come late, after
 *    the end, are added to it and leave the status as it is.
 * 2. A trade does not end before every fill that the exchange counts is known.
 * 3. FAILED means that the exchange never accepted the order: nothing of it is or was filled.
 */
import type { CancelReason, Decimal, TimeInForce, TradeStatus } from '@trading-automation/contracts';
import { Exact } from '../decimal-arithmetic.js';

export interface TradeState {
  readonly status: TradeStatus;
  readonly amount: Decimal;
  readonly filledAmount: Decimal;
  readonly timeInForce: TimeInForce;
  readonly isCancelAsked: boolean;
  /** Whether the exchange has ever told of the order. */
  readonly isAcknowledged: boolean;
}

export interface Observation {
  /** The order as the exchange tells it. */
  readonly orderStatus: 'OPEN' | 'FILLED' | 'CANCELLED' | 'EXPIRED' | 'REJECTED';
  readonly orderFilledAmount: Decimal;
  /** The sum of all fills that are known by now. */
  readonly knownFilledAmount: Decimal;
}

export interface Decision {
  readonly status: TradeStatus;
  readonly filledAmount: Decimal;
  readonly cancelReason: CancelReason | null;
  /** What is announced; null where nothing that matters changed. */
  readonly event: 'trade.partially_filled' | 'trade.filled' | 'trade.cancelled' | 'trade.failed' | null;
}

export const isTerminal = (status: TradeStatus): boolean =>
  status === 'FILLED' || status === 'CANCELLED' || status === 'FAILED';

export function decide(state: TradeState, seen: Observation): Decision {
  const filled = Exact.max(state.filledAmount, seen.knownFilledAmount);
  const filledAmount = filled.toString();
  const hasGrown = filled.gt(state.filledAmount);
  if (isTerminal(state.status)) {
    return { status: state.status, filledAmount, cancelReason: null, event: null };
  }
  const isAllKnown = filled.gte(seen.orderFilledAmount);
  const isComplete = filled.gte(state.amount) || (seen.orderStatus === 'FILLED' && filled.gt(0));
  if (isComplete && isAllKnown) {
    return { status: 'FILLED', filledAmount, cancelReason: null, event: 'trade.filled' };
  }
  const isEnded = ['CANCELLED', 'EXPIRED', 'REJECTED'].includes(seen.orderStatus);
  if (isEnded && isAllKnown) {
    if (seen.orderStatus === 'REJECTED' && filled.isZero())
      return { status: 'FAILED', filledAmount, cancelReason: null, event: 'trade.failed' };
    return {
      status: 'CANCELLED',
      filledAmount,
      cancelReason: reasonOf(state, seen),
      event: 'trade.cancelled',
    };
  }
  if (filled.gt(0)) {
    return {
      status: 'PARTIALLY_FILLED',
      filledAmount,
      cancelReason: null,
      event: hasGrown ? 'trade.partially_filled' : null,
    };
  }
  return { status: 'PENDING', filledAmount, cancelReason: null, event: null };
}

function reasonOf({ timeInForce, isCancelAsked }: TradeState, { orderStatus }: Observation): CancelReason {
  if (isCancelAsked) return 'USER';
  if (timeInForce === 'IOC' || timeInForce === 'FOK') return 'IOC_REMAINDER';
  return orderStatus === 'EXPIRED' ? 'EXPIRED' : 'EXCHANGE';
}

/** Looks by which the exchange must have known nothing of an order before that is believed. */
const ABSENT_LOOKS = 5;

/**
 * What follows when the exchange knows no order of this id, again. A user's own order is not sent a second time:
 * whether the first is still on its way nobody can tell for certain. An order that the exchange had told of before was
 * accepted: it did not fail, it is gone.
 */
export function decideAbsent(state: TradeState, looks: number): Decision | null {
  if (looks < ABSENT_LOOKS || isTerminal(state.status)) return null;
  const { filledAmount, isAcknowledged, isCancelAsked } = state;
  if (isAcknowledged || new Exact(filledAmount).gt(0)) {
    const cancelReason = isCancelAsked ? 'USER' : 'EXCHANGE';
    return { status: 'CANCELLED', filledAmount, cancelReason, event: 'trade.cancelled' };
  }
  return { status: 'FAILED', filledAmount, cancelReason: null, event: 'trade.failed' };
}

export interface FeePart {
  readonly amount: Decimal;
  readonly currency: string;
}

/** Fees summed by currency; the currency of most fills first, then by name. */
export function sumFees(parts: readonly FeePart[]): FeePart[] {
  const sums = new Map<string, { amount: Exact; count: number }>();
  for (const { amount, currency } of parts) {
    const sum = sums.get(currency) ?? { amount: new Exact(0), count: 0 };
    sums.set(currency, { amount: sum.amount.plus(amount), count: sum.count + 1 });
  }
  return [...sums]
    .sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1))
    .map(([currency, { amount }]) => ({ amount: amount.toString(), currency }));
}
