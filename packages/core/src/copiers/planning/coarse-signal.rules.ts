import type { Decimal } from '@trading-automation/contracts';
import { BigDecimal, coarse, coarseFraction } from '../../values/index.js';

/** The fields of a signal that contain an equity or an amount of the leader. */
interface LeaderAmounts {
  readonly leaderEquity: Decimal | null;
  readonly lotOrderAmount: Decimal;
  readonly filledAmount: Decimal;
  readonly cumulativeAmount: Decimal;
  readonly lotAmountBefore: Decimal;
  readonly exitAmount: Decimal;
}

/**
 * Returns a signal with which everything is computed that a user sees of another user's strategy: equity, amounts and fractions
 * of the leader have two significant digits. Pure.
 *
 * A simulation, or a decision without an order, has any capital, so what it would send shows any number of digits of the
 * fractions that the leader sold. Exact fractions of amounts, which are multiples of the pair's step, reveal the amounts, and with a ratio the equity.
 * Signals that differ only in further digits are equal afterwards, so that no sizing distinguishes them.
 */
export function coarseSignal<Signal extends LeaderAmounts>(signal: Signal): Signal {
  const { cumulativeAmount, filledAmount, lotOrderAmount, leaderEquity } = signal;
  const before = BigDecimal.max(0, new BigDecimal(cumulativeAmount).minus(filledAmount));
  const cumulative = coarse(cumulativeAmount);
  return {
    ...signal,
    leaderEquity: leaderEquity === null ? null : coarse(leaderEquity),
    lotOrderAmount: coarse(lotOrderAmount),
    cumulativeAmount: cumulative,
    filledAmount: new BigDecimal(cumulative).minus(coarse(before.toString())).toString(),
    exitAmount: soldShareOf(signal),
    lotAmountBefore: '1',
  };
}

/** Returns the share of the lot that an exit sold, as the signal shows it to everybody; 0 for an entry. */
export function soldShareOf({
  exitAmount,
  lotAmountBefore,
}: Pick<LeaderAmounts, 'exitAmount' | 'lotAmountBefore'>): string {
  const before = new BigDecimal(lotAmountBefore);
  return before.gt(0) ? coarseFraction(new BigDecimal(exitAmount).div(before).toString()) : '0';
}
