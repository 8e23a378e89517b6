/**
 * Computes the share of a copying user's profit that a strategy's owner is granted, and the periods to settle. The
 * functions are pure.
 *
 * 1. The profit of a copying user with a leader's account is the net realised profit of all copies, since the first one,
 *    less the losses of open lots. Its share is `rate` × the rise above the mark. A loss must be recovered before profit
 *    is shared again, and a share is never taken back.
 * 2. The mark rises to the profit at each settlement, also if no share is due: profit that was free once is never shared.
 * 3. A share that cannot be computed (no conversion rate, no price, or less than the token's smallest unit) is carried
 *    into the next period, at the lowest rate of both.
 * 4. A fee without a value would make the profit too high. The settlement waits for the value until 6 hours after the
 *    fill; after that, the whole profit is carried into the next period. Nothing is shared that might not have been earned.
 * 5. Shares are converted to reward tokens. They are rounded down to the 18 stored decimals, so that they never exceed
 *    the profit.
 */
import {
  canonicalDecimal,
  DECIMAL_SCALE,
  type Decimal,
  PROFIT_SHARE_PERIODS,
  type ProfitSharePeriod,
} from '@trading-automation/contracts';
import { BigDecimal, type UtcPeriod, utcPeriodAt } from '../../values/index.js';

/** Why profit above the mark is not shared although the mark rises. */
export type Withheld = 'FREE' | 'LINKED_USERS' | 'NEW_USER' | 'NO_BUDGET';

/** The terms of a copier from `since` until the `since` of the next terms; null: from the beginning. */
export interface Terms {
  readonly rate: Decimal;
  readonly period: ProfitSharePeriod;
  readonly since: Date | null;
}

/** A copier that held lots of a strategy since the last settlement. */
export interface HoldingCopier {
  readonly copierId: string;
  readonly strategyId: string;
  readonly ownerId: string;
  /** Time at which the oldest of these lots was opened. */
  readonly heldSince: Date;
  /** In the order in which they take effect. */
  readonly terms: readonly Terms[];
}

/** The terms of a settlement, with the copier that they come from. */
export interface SettledTerms {
  readonly copier: HoldingCopier;
  readonly rate: Decimal;
}

/**
 * Returns the terms of a period that is about to be settled: the lowest rate that was in effect for a copier while it
 * held lots in the period. Null if the copiers are not settled now, because one of them has a longer period.
 *
 * @param kind the period that ended at `to`
 * @param settledUntil the end of the last settlement; null before the first one
 */
export function settledTermsOf(
  kind: ProfitSharePeriod,
  to: Date,
  settledUntil: Date | null,
  copiers: readonly HoldingCopier[],
): SettledTerms | null {
  let longest = -1;
  let lowest: SettledTerms | null = null;
  for (const copier of copiers) {
    const begun = utcPeriodAt(kind, copier.heldSince).from.getTime();
    const from = Math.max(begun, settledUntil?.getTime() ?? begun);
    const inEffect = copier.terms.filter((_, index) => isInEffect(copier.terms, index, from, to.getTime()));
    const last = inEffect.at(-1);
    if (last === undefined) continue;
    longest = Math.max(longest, PROFIT_SHARE_PERIODS.indexOf(last.period));
    for (const { rate } of inEffect)
      if (lowest === null || new BigDecimal(rate).lt(lowest.rate)) lowest = { copier, rate };
  }
  return PROFIT_SHARE_PERIODS[longest] === kind ? lowest : null;
}

/** Returns whether the terms at `index` are in effect at an instant from `from` until before `to`. */
function isInEffect(terms: readonly Terms[], index: number, from: number, to: number): boolean {
  const since = terms[index]!.since?.getTime() ?? Number.NEGATIVE_INFINITY;
  const next = terms[index + 1];
  const until = next === undefined ? Number.POSITIVE_INFINITY : (next.since?.getTime() ?? since);
  return since < until && since < to && until > from;
}

/** The time after a fill in which a settlement waits for the value of its fee. */
const FEE_VALUE_WAIT_MS = 6 * 3_600_000;

/**
 * Returns whether a settlement waits at the instant `at` for the value of a fee. The wait ends at most 6 hours after the
 * end of the period.
 *
 * @param unvaluedFeeAt the time of the newest fill of the period whose fee has no value; null if all have one
 */
export const waitsForFeeValue = (unvaluedFeeAt: Date | null, at: Date): boolean =>
  unvaluedFeeAt !== null && at.getTime() < unvaluedFeeAt.getTime() + FEE_VALUE_WAIT_MS;

export interface ProfitToShare {
  /** From 0 to 0.5. 0 means that copying is free. */
  readonly rate: Decimal;
  /** Reward tokens per unit of the mark's currency; undefined if no tokens are granted for it. */
  readonly tokensPerQuote: Decimal | undefined;
  /** The highest profit that was already settled, in its currency; at most 18 decimals. */
  readonly mark: Decimal;
  /** Net realised profit since the first copy, in the mark's currency. */
  readonly realized: Decimal;
  /** The sum of the losses of open lots, at least 0. Open gains do not reduce it. */
  readonly openLoss: Decimal;
  /** Why no share is granted; null if one is. */
  readonly withheld: Withheld | null;
}

export interface ProfitShare {
  /** In reward tokens, before the scale of the month; 0 if nothing is granted. */
  readonly amount: Decimal;
  /** The new mark. */
  readonly mark: Decimal;
  /** Why a gain is not shared; null if it is, or if there is no gain. */
  readonly withheld: Withheld | null;
}

/** Returns the share and the new mark; null if the gain is carried into the next period. */
export function profitShareOf(profit: ProfitToShare): ProfitShare | null {
  const { rate, tokensPerQuote, mark, realized, openLoss } = profit;
  const reached = new BigDecimal(realized)
    .minus(openLoss)
    .toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_FLOOR);
  const gain = reached.minus(mark);
  if (gain.lte(0)) return { amount: '0', mark, withheld: null };
  const newMark = canonicalDecimal(reached.toFixed());
  const withheld = new BigDecimal(rate).isZero() ? 'FREE' : profit.withheld;
  if (withheld !== null) return { amount: '0', mark: newMark, withheld };
  if (tokensPerQuote === undefined) return null;
  const amount = gain.times(rate).times(tokensPerQuote).toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_DOWN);
  return amount.isZero()
    ? null
    : { amount: canonicalDecimal(amount.toFixed()), mark: newMark, withheld: null };
}

/** The trading volume in a quote currency, also in units that are common to all currencies of the list. */
export interface QuoteVolume {
  readonly quote: string;
  readonly volume: Decimal;
}

/** Returns the quote currency with most volume; of equals, the first by name. Undefined for an empty list. */
export function currencyOfMark(volumes: readonly QuoteVolume[]): string | undefined {
  const sorted = volumes.toSorted(
    (a, b) => Number(new BigDecimal(b.volume).comparedTo(a.volume)) || (a.quote < b.quote ? -1 : 1),
  );
  return sorted[0]?.quote;
}

/**
 * Returns the first instant of the UTC month to whose budget a grant belongs: the month in which its period ended. The
 * first instant of a month ends periods of the month before.
 */
export function budgetMonthOf(periodTo: Date): Date {
  return utcPeriodAt('MONTH', new Date(periodTo.getTime() - 1)).from;
}

/** A period that has ended, with its kind. */
export interface DuePeriod extends UtcPeriod {
  readonly kind: ProfitSharePeriod;
}

/**
 * Returns the periods that have ended by `at` and are not settled yet, oldest first.
 *
 * @param settledUntil the end of the last settled period; null if no period was settled. Without a settled period, the
 *   result contains only the latest period that has ended.
 */
export function periodsToSettle(
  kind: ProfitSharePeriod,
  settledUntil: Date | null,
  at: Date,
): readonly DuePeriod[] {
  const periods: DuePeriod[] = [];
  const first = settledUntil ?? new Date(utcPeriodAt(kind, at).from.getTime() - 1);
  for (let period = utcPeriodAt(kind, first); period.to.getTime() <= at.getTime(); ) {
    periods.push({ kind, ...period });
    period = utcPeriodAt(kind, period.to);
  }
  return periods;
}

/** Returns the periods in the order of settlement: by end; of equal ends, the shortest first. */
export function inOrderOfEnd(periods: readonly DuePeriod[]): readonly DuePeriod[] {
  return periods.toSorted((a, b) => a.to.getTime() - b.to.getTime() || b.from.getTime() - a.from.getTime());
}
