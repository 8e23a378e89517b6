/** What a strategy's days come to. Pure. */
import type { Decimal, StrategyResults } from '@trading-automation/contracts';
import { amountText, type EquityHistory, figuresOfDays, ratioText, sumOf } from '../performance/index.js';
import { Exact } from '../values/index.js';

/** Of one UTC day and quote currency; its own account's, but for the copiers' sum. */
export interface StrategyDay {
  readonly quote: string;
  /** `yyyy-mm-dd`. */
  readonly day: string;
  readonly fillCount: number;
  readonly partCount: number;
  readonly closedCount: number;
  readonly winningCount: number;
  readonly netPnl: Decimal;
  readonly copierNetPnl: Decimal;
}

/** The currency in which most was closed, then filled, then the first by name: amounts of several are never added. */
export function currencyOf(days: readonly StrategyDay[]): string | null {
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
  const currency = currencyOf(days);
  const counted = days.filter(({ quote }) => quote === currency);
  const total = (pick: (day: StrategyDay) => number) => counted.reduce((sum, day) => sum + pick(day), 0);
  const closed = total(({ closedCount }) => closedCount);
  const { roi, max_drawdown, sharpe } = figuresOfDays(
    counted
      .filter(({ fillCount, partCount }) => fillCount + partCount > 0)
      .map(({ day, netPnl, partCount }) => ({
        startMs: Date.parse(day),
        pnl: new Exact(netPnl),
        hasRealised: partCount > 0,
      })),
    'month',
    equity,
  );
  return {
    closed_count: closed,
    win_rate: ratioText(new Exact(total(({ winningCount }) => winningCount)), new Exact(closed)),
    net_pnl: amountText(sumOf(counted.map(({ netPnl }) => new Exact(netPnl)))),
    roi,
    max_drawdown_percent: max_drawdown.percent,
    sharpe,
    copier_net_pnl: amountText(sumOf(counted.map(({ copierNetPnl }) => new Exact(copierNetPnl)))),
  };
}
