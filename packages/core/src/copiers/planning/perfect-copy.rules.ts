/** Determines what a perfect copy of a signal is, with which the copier's result is compared. Pure. */
import type { Decimal } from '@trading-automation/contracts';
import { frozenRatio } from './copied-lot.rules.js';
import { fractionOf, roundDown, times } from './fraction.rules.js';
import { maskedPerfectAmount } from './masked-plan.rules.js';
import type { CopyInput, CopyPlan } from './plan.types.js';
import { ratioOf } from './sizing.rules.js';

/**
 * Returns the amount that the entry requests before limits, minimums and rounding, without what earlier entries left.
 * Rejected entries have one, too. Returns null for exits, if the copier was not active or does not follow the lot, and
 * if the ratio needs an equity that is unknown.
 */
export function perfectAmountOf(input: CopyInput, plan: CopyPlan): Decimal | null {
  const { code } = plan;
  const { signal, copier } = input;
  const isEntry = signal.kind === 'OPEN' || signal.kind === 'INCREASE';
  if (!isEntry || code === 'NOT_ACTIVE' || code === 'NOT_HELD') return null;
  if (copier.masksAmounts) return maskedPerfectAmount(input, plan);
  const ratio = frozenRatio(input) ?? ratioOf(input, copier.lot?.terms ?? copier.terms);
  return ratio === null ? null : roundDown(times(ratio, fractionOf(signal.filledAmount)));
}

/**
 * Returns the market price on the copier's exchange when the order was planned: for an entry the middle of the order
 * book, for an exit the last price if it is newer than the leader's fill. Null if neither is known.
 */
export function arrivalPriceOf({ signal, account, bookMid }: CopyInput): Decimal | null {
  if (signal.kind === 'OPEN' || signal.kind === 'INCREASE') return bookMid === 'PAST' ? null : bookMid;
  const { lastPrice = null, lastPriceAt = null } = account.pair ?? {};
  return lastPriceAt !== null && lastPriceAt.getTime() > signal.signalAt.getTime() ? lastPrice : null;
}
