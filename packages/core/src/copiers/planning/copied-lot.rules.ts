/** Reads and changes a copier's share of a lot of the leader. Pure. */
import type { DecisionCode } from '@trading-automation/contracts';
import {
  type Fraction,
  fractionOf,
  greaterOf,
  minus,
  plus,
  roundDown,
  times,
  ZERO,
} from './fraction.rules.js';
import type { CopyInput, CopyPlan, CopyTerms, PlanInputs } from './plan.types.js';
import { maskedRatioOf } from './sizing.rules.js';

export type Lot = NonNullable<CopyPlan['lot']>;

export const ratioOfLot = (ratio: NonNullable<Lot['ratio']>): Fraction => ({
  numerator: BigInt(ratio.numerator),
  denominator: BigInt(ratio.denominator),
});

export function frozenRatio({ copier }: CopyInput): Fraction | null {
  const ratio = copier.lot?.ratio ?? null;
  return ratio === null ? null : ratioOfLot(ratio);
}

/** Returns the lot's stored state, which does not include the held amount. */
export function storedLot({ copier }: CopyInput): Lot | null {
  if (copier.lot === null) return null;
  const { heldAmount: _, ...lot } = copier.lot;
  return lot;
}

/**
 * Returns the lot with `seenAmount` raised to the leader's cumulative amount. A new lot forgoes the leader's fills
 * before this signal.
 */
export function lotAtEntry(input: CopyInput, terms: CopyTerms, ratio: Fraction): Lot {
  const { cumulativeAmount, filledAmount } = input.signal;
  const cumulative = fractionOf(cumulativeAmount);
  const stored = storedLot(input);
  if (stored !== null && stored.ratio !== null) {
    return { ...stored, seenAmount: roundDown(greaterOf(cumulative, fractionOf(stored.seenAmount))) };
  }
  const earlier = greaterOf(minus(cumulative, fractionOf(filledAmount)), ZERO);
  return {
    ratio: { numerator: String(ratio.numerator), denominator: String(ratio.denominator) },
    maskedRatio: maskedRatioOf(input, terms),
    terms,
    sentAmount: '0',
    sentQuote: '0',
    forgoneAmount: roundDown(times(ratio, earlier)),
    maskedForgone: null,
    seenAmount: roundDown(cumulative),
    owedAmount: '0',
  };
}

/** Adds to the forgone amount, rounded down so that the lot never forgoes more than the due amount. */
export const forgo = (lot: Lot, amount: Fraction): Lot => ({
  ...lot,
  forgoneAmount: roundDown(plus(fractionOf(lot.forgoneAmount), amount)),
});

/** Returns true if an entry that is skipped for this reason is carried to the lot's next entry. */
export const isCarried = (code: DecisionCode | null, { belowMinimum }: CopyTerms): boolean =>
  code === 'BELOW_MINIMUM' && belowMinimum !== 'SKIP';

export const lotInputs = (lot: Lot): PlanInputs => ({
  ratio: lot.ratio === null ? null : roundDown(ratioOfLot(lot.ratio)),
  // `maskInputs` shows it instead of `ratio`.
  masked_ratio: lot.maskedRatio,
  sent_before: lot.sentAmount,
  forgone_before: lot.forgoneAmount,
});

/** Names the copier's pair if its symbol differs from the strategy's. */
export function pairInputs({ signal, account }: CopyInput): PlanInputs {
  const symbol = account.pair?.symbol;
  return symbol === undefined || symbol === signal.symbol ? {} : { copier_symbol: symbol };
}
