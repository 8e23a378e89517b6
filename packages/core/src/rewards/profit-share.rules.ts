/**
 * Computes the share of a copier's profit that the strategy's owner is granted, and the periods to settle. The functions
 * are pure.
 *
 * 1. The share of a gain is `rate` × the rise of the net realised profit, since the first copy, above its high-water
 *    mark. At a constant rate, each share equals `max(0, rate × profit − already shared)`. A loss must be recovered
 *    before profit is shared again, and a share is never taken back.
 * 2. A rate applies to profit that is settled while the rate is set. Profit that was settled earlier, or made while
 *    copying was free, is never shared at a later rate.
 * 3. The high-water mark rises only when a share is granted, or when no share is due because copying is free. A share
 *    that cannot be granted (no conversion rate, or less than the token's smallest unit) is carried into the next
 *    period.
 * 4. Shares are converted to reward tokens. They are rounded down to the 18 stored decimals, so that they never exceed
 *    the profit.
 */
import {
  canonicalDecimal,
  DECIMAL_SCALE,
  type Decimal,
  type ProfitSharePeriod,
} from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** A half-open period: includes `from`, excludes `to`. */
export interface UtcPeriod {
  readonly from: Date;
  readonly to: Date;
}

export interface ProfitToShare {
  /** The strategy's rate, from 0 to 0.5. 0 means that copying is free. */
  readonly rate: Decimal;
  /** Reward tokens per unit of quote currency; undefined if no tokens are granted for this currency. */
  readonly tokensPerQuote: Decimal | undefined;
  /** The highest profit that was already settled, in quote currency; at most 18 decimals. */
  readonly highWaterMark: Decimal;
  /** Net realised profit since the first copy, in quote currency. */
  readonly profit: Decimal;
}

export interface ProfitShare {
  /** In reward tokens; 0 if copying is free. */
  readonly amount: Decimal;
  /** The new high-water mark. */
  readonly highWaterMark: Decimal;
}

/** Returns the share to grant; null if nothing is granted and the high-water mark does not change. */
export function profitShareOf({
  rate,
  tokensPerQuote,
  highWaterMark,
  profit,
}: ProfitToShare): ProfitShare | null {
  const roundedProfit = new BigDecimal(profit).toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_FLOOR);
  const gain = roundedProfit.minus(highWaterMark);
  if (gain.lte(0)) return null;
  const newMark = canonicalDecimal(roundedProfit.toFixed());
  if (new BigDecimal(rate).isZero()) return { amount: '0', highWaterMark: newMark };
  if (tokensPerQuote === undefined) return null;
  const amount = gain.times(rate).times(tokensPerQuote).toDecimalPlaces(DECIMAL_SCALE, BigDecimal.ROUND_DOWN);
  return amount.isZero() ? null : { amount: canonicalDecimal(amount.toFixed()), highWaterMark: newMark };
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
const MONTHS_PER_PERIOD = { MONTH: 1, QUARTER: 3 } as const;

/**
 * Returns the start of the period that contains `at`. Weeks start on Mondays, quarters in January, April, July and
 * October, all at 00:00 UTC.
 */
function startOf(kind: ProfitSharePeriod, at: Date): Date {
  if (kind === 'WEEK') {
    const day = Math.floor(at.getTime() / DAY_MS);
    // Day 0 was a Thursday.
    return new Date((day - ((day + 3) % 7)) * DAY_MS);
  }
  const months = MONTHS_PER_PERIOD[kind];
  return new Date(Date.UTC(at.getUTCFullYear(), Math.floor(at.getUTCMonth() / months) * months));
}

function nextStart(kind: ProfitSharePeriod, start: Date): Date {
  if (kind === 'WEEK') return new Date(start.getTime() + 7 * DAY_MS);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + MONTHS_PER_PERIOD[kind]));
}
