/**
 * Decides which exits stay pending without an order. An exit ends only when it is filled, when its copier is paused, or
 * when the copier holds nothing of the lot any more. Everything else may pass: a price or a balance rises, a later exit
 * of the lot adds its amount, the exchange lists the pair again.
 */
import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal } from '../../values/index.js';
import type { CopyPlan } from '../planning/plan.types.js';

/** Delay before the next check of an exit that waits for its account or its pair. */
const BLOCKED_RETRY_MS = 5_000;
/** Delay before the next check of an exit below the exchange's minimum, unless the price rises or the lot grows. */
const BELOW_MINIMUM_RETRY_MS = 60_000;

/** Returns true if the exit has no order now but still has an amount to sell. */
export function isWaitingExit({ code, order, lot }: CopyPlan): boolean {
  if (order !== null || lot === null || new BigDecimal(lot.owedAmount).isZero()) return false;
  return code === 'BELOW_MINIMUM' || code === 'INSUFFICIENT_BALANCE' || code === 'PAIR_UNAVAILABLE';
}

export function waitingExitRetryMs({ code }: Pick<CopyPlan, 'code'>): number {
  return code === 'BELOW_MINIMUM' ? BELOW_MINIMUM_RETRY_MS : BLOCKED_RETRY_MS;
}

/** Returns the exit's own target: what its order sells, less what pending exits before it still have to sell. */
export function ownTargetOf(targetAmount: Decimal, pendingExitAmount: Decimal): Decimal {
  return BigDecimal.max(0, new BigDecimal(targetAmount).minus(pendingExitAmount)).toString();
}
