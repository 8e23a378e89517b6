/**
 * Which part of a copier's profit its strategy's owner is granted, and when. Pure.
 *
 * 1. The share of a gain is `rate` × what the net realised profit, from the first copy on, rose above its high-water
 *    mark. At one rate all shares together are rate × the mark, which is `max(0, rate × profit − already shared)` each
 *    time: a loss has to be made good before anything is shared again, and nothing is ever taken back.
 * 2. A rate counts for what is settled while it stands. Profit that was settled before, or made while copying was
 *    free, is never shared at a later rate.
 * 3. The mark rises only with a share that is granted, or that is none because copying is free. What can't be granted
 *    (no rate of conversion, or less than the smallest part of a token) is carried into the next period.
 * 4. Rounding goes down, to the 18 decimals that are stored: the shares never come to more than the profit has.
 */
import {
  canonicalDecimal,
  DECIMAL_SCALE,
  type Decimal,
  type ProfitSharePeriod,
} from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** From an instant up to, and without, another. */
export interface UtcPeriod {
  readonly from: Date;
  readonly to: Date;
}

export interface ProfitToShare {
  /** The strategy's, 0 to 0.5; 0: copying is free. */
  readonly rate: Decimal;
  /** Reward tokens for one unit of quote currency; undefined: none are granted for it. */
  readonly tokensPerQuote: Decimal | undefined;
  /** Profit up to which everything is settled, in quote currency; at most 18 decimals. */
  readonly highWaterMark: Decimal;
  /** Net realised profit from the first copy on, in quote currency. */
  readonly profit: Decimal;
}

export interface ProfitShare {
  /** In reward tokens; 0 where copying is free. */
  readonly amount: Decimal;
  /** Where the high-water mark is from now on. */
  readonly highWaterMark: Decimal;
}

/** Null: the high-water mark stays, and nothing is granted. */
export function profitShareOf({
  rate,
  tokensPerQuote,
  highWaterMark,
  profit,
}: ProfitToShare): ProfitShare | null {
  const reached = new BigDecimal(profit).toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_FLOOR);
  const gain = reached.minus(highWaterMark);
  if (gain.lte(0)) return null;
  const mark = canonicalDecimal(reached.toFixed());
  if (new BigDecimal(rate).isZero()) return { amount: '0', highWaterMark: mark };
  if (tokensPerQuote === undefined) return null;
  const amount = gain.times(rate).times(tokensPerQuote).toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_DOWN);
  return amount.isZero() ? null : { amount: canonicalDecimal(amount.toFixed()), highWaterMark: mark };
}

/**
 * The periods that are over at `at` and not settled yet, oldest first.
 *
 * @param settledUntil - the end of the last settled one; null: none was, and the last that is over is the first
 */
export function periodsToSettle(
  kind: ProfitSharePeriod,
  settledUntil: Date | null,
  at: Date,
): readonly UtcPeriod[] {
  const periods: UtcPeriod[] = [];
  const first = settledUntil ?? new Date(startOf(kind, at).getTime() - 1);
  for (let from = startOf(kind, first); ; ) {
    const to = nextStart(kind, from);
    if (to.getTime() > at.getTime()) return periods;
    periods.push({ from, to });
    from = to;
  }
}

const DAY_MS = 86_400_000;
const MONTHS = { MONTH: 1, QUARTER: 3 } as const;

/** Weeks begin on Mondays, quarters with January, April, July and October, all at 00:00 UTC. */
function startOf(kind: ProfitSharePeriod, at: Date): Date {
  if (kind === 'WEEK') {
    const day = Math.floor(at.getTime() / DAY_MS);
    // Day 0 was a Thursday.
    return new Date((day - ((day + 3) % 7)) * DAY_MS);
  }
  const months = MONTHS[kind];
  return new Date(Date.UTC(at.getUTCFullYear(), Math.floor(at.getUTCMonth() / months) * months));
}

function nextStart(kind: ProfitSharePeriod, start: Date): Date {
  if (kind === 'WEEK') return new Date(start.getTime() + 7 * DAY_MS);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + MONTHS[kind]));
}
