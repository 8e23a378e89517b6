/** Computes the results of a strategy from its days. Pure. */
import type { Decimal, StrategyResults } from '@trading-automation/contracts';
import {
  computeDayMetrics,
  type EquityHistory,
  formatAmount,
  formatQuotient,
  sumOf,
} from '../performance/index.js';
import { BigDecimal } from '../values/index.js';

/** Results of a strategy for one UTC day and quote currency. Only `copierNetPnl` is a result of its copiers. */
export interface StrategyDay {
  readonly quote: string;
  /** `yyyy-mm-dd`. */
  readonly day: string;
  readonly fillCount: number;
  /** The number of closures. */
  readonly partCount: number;
  /** The number of lots that were closed completely. */
  readonly closedCount: number;
  readonly winningCount: number;
  readonly netPnl: Decimal;
  readonly copierNetPnl: Decimal;
}

/** Returns the currency with the most closed lots; in a tie, with the most fills, then the first by name. */
export function mainCurrency(days: readonly StrategyDay[]): string | null {
  const sums = new Map<string, { closed: number; filled: number }>();
  for (const { quote, closedCount, fillCount } of days) {
    const { closed, filled } = sums.get(quote) ?? { closed: 0, filled: 0 };
    sums.set(quote, { closed: closed + closedCount, filled: filled + fillCount });
  }
  const [main] = [...sums].sort(
    ([a, x], [b, y]) => y.closed - x.closed || y.filled - x.filled || (a < b ? -1 : 1),
  );
  return main?.[0] ?? null;
}

/** @param days oldest first */
export function strategyResults(
  days: readonly StrategyDay[],
  equity: EquityHistory,
): Omit<StrategyResults, 'since'> {
  const currency = mainCurrency(days);
  const counted = days.filter(({ quote }) => quote === currency);
  const total = (pick: (day: StrategyDay) => number) => counted.reduce((sum, day) => sum + pick(day), 0);
  const closed = total(({ closedCount }) => closedCount);
  const { roi, max_drawdown, sharpe } = computeDayMetrics(
    counted
      .filter(({ fillCount, partCount }) => fillCount + partCount > 0)
      .map(({ day, netPnl, partCount }) => ({
        startMs: Date.parse(day),
        pnl: new BigDecimal(netPnl),
        hasRealised: partCount > 0,
      })),
    'month',
    equity,
  );
  return {
    closed_count: closed,
    win_rate: formatQuotient(
      new BigDecimal(total(({ winningCount }) => winningCount)),
      new BigDecimal(closed),
    ),
    net_pnl: formatAmount(sumOf(counted.map(({ netPnl }) => new BigDecimal(netPnl)))),
    roi,
    max_drawdown_percent: max_drawdown.percent,
    sharpe,
    copier_net_pnl: formatAmount(sumOf(counted.map(({ copierNetPnl }) => new BigDecimal(copierNetPnl)))),
  };
}
