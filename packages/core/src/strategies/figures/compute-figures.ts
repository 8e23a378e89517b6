/** Computes the figures of a strategy from its days. Pure. */
import type { Decimal, StrategyResults } from '@trading-automation/contracts';
import {
  computeDayMetrics,
  type DayPrice,
  dailyResults,
  EquityHistory,
  type EquityPoint,
  formatAmount,
  formatQuotient,
  formatRatio,
  type HoldingChange,
  LOW_SAMPLE_DAYS,
  type ReturnMetrics,
  returnMetrics,
  sumOf,
} from '../../performance/index.js';
import { BigDecimal, coarse } from '../../values/index.js';

/** Computed results, without what is read with them: the start of the record and the last recorded equity. */
export type StoredPerformance = Omit<StrategyResults, 'since' | 'equity'>;

/** `copier_roi` is shown only if this many users other than the owner and the asker copy the strategy. */
export const COPYING_USERS_MIN = 5;

const DAY_MS = 86_400_000;
const INDEX_START = 100;
const CURVE_POINTS_MAX = 100;

/** Results of the strategy's account for one UTC day and pair. */
export interface StrategyDay extends HoldingChange {
  readonly quote: string;
  readonly fillCount: number;
  /** The number of closures. */
  readonly partCount: number;
  /** The number of trades that were closed completely. */
  readonly closedCount: number;
  readonly winningCount: number;
  readonly netPnl: Decimal;
  /** Part of `netPnl`. */
  readonly funding: Decimal;
  readonly grossProfit: Decimal;
  readonly grossLoss: Decimal;
}

/** The result of all copies on one account. */
export interface CopyingAccount {
  readonly userId: string;
  /** Realised. */
  readonly netPnl: Decimal;
  readonly openResult: Decimal;
  /** The account's equity at its first copy; null if none was recorded. */
  readonly firstEquity: Decimal | null;
}

/** Returns the currency with the most closed trades; in a tie, with the most fills, then the first by name. */
export function mainCurrency(
  days: readonly Pick<StrategyDay, 'quote' | 'closedCount' | 'fillCount'>[],
): string | null {
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

export interface FiguresInput {
  readonly ownerId: string;
  readonly accountId: string;
  /** Days in the main currency, oldest first. */
  readonly days: readonly StrategyDay[];
  readonly prices: readonly DayPrice[];
  /** The account's equity in the main currency, oldest first. */
  readonly points: readonly EquityPoint[];
  readonly copiers: readonly CopyingAccount[];
  /** Whether a lot of the strategy in the main currency lacks the value of a fee. */
  readonly hasUnvaluedFee: boolean;
}

export interface Figures {
  readonly performance: StoredPerformance;
  readonly hasOpenLots: boolean;
  /** The number of users other than the owner who have results of copies. */
  readonly copyingUsers: number;
}

export function figuresOf(input: FiguresInput): Figures {
  const { ownerId, accountId, days, prices, points, copiers, hasUnvaluedFee } = input;
  const sum = (pick: (day: StrategyDay) => Decimal) => sumOf(days.map((day) => new BigDecimal(pick(day))));
  const count = (pick: (day: StrategyDay) => number) => days.reduce((total, day) => total + pick(day), 0);
  const byDay = realisedDays(days);
  const firstMs = byDay.at(0)?.startMs;
  const equity = new EquityHistory(new Map(firstMs === undefined ? [] : [[accountId, firstMs]]), points);
  const open = dailyResults({ realised: byDay, changes: days, prices });
  const returns = returnMetrics(open.days, equity);
  const realised = computeDayMetrics(byDay, 'month', realisedEquity(accountId, byDay, points));
  const closed = count(({ closedCount }) => closedCount);
  const others = copiers.filter(({ userId }) => userId !== ownerId);
  return {
    performance: {
      closed_count: closed,
      win_rate: formatQuotient(
        new BigDecimal(count(({ winningCount }) => winningCount)),
        new BigDecimal(closed),
      ),
      profit_factor: formatQuotient(
        sum(({ grossProfit }) => grossProfit),
        sum(({ grossLoss }) => grossLoss),
      ),
      roi: returns.roi,
      max_drawdown_percent: returns.maxDrawdown.percent,
      sharpe: returns.sharpe,
      low_sample: returns.sampleDays < LOW_SAMPLE_DAYS,
      fees_incomplete: hasUnvaluedFee,
      copier_roi: copierRoi(others),
      curve: curveOf(returns),
      net_pnl: formatAmount(sum(({ netPnl }) => netPnl)),
      unrealized_pnl: formatAmount(open.unrealized),
      sortino: returns.sortino,
      realized_roi: realised.roi,
      realized_max_drawdown_percent: realised.max_drawdown.percent,
      realized_sharpe: realised.sharpe,
      realized_sortino: realised.sortino,
      copier_net_pnl: formatAmount(sumOf(copiers.map(({ netPnl }) => new BigDecimal(netPnl)))),
    },
    hasOpenLots: open.hasOpenLots,
    copyingUsers: new Set(others.map(({ userId }) => userId)).size,
  };
}

/** Adds up the pairs of each day with a fill, a closure or funding. */
function realisedDays(days: readonly StrategyDay[]) {
  const byDay = new Map<string, { startMs: number; pnl: BigDecimal; hasRealised: boolean }>();
  for (const { day, fillCount, partCount, netPnl, funding } of days) {
    const hasFunding = !new BigDecimal(funding).isZero();
    if (fillCount + partCount === 0 && !hasFunding) continue;
    const before = byDay.get(day);
    byDay.set(day, {
      startMs: Date.parse(day),
      pnl: (before?.pnl ?? new BigDecimal(0)).plus(netPnl),
      hasRealised: before?.hasRealised === true || partCount > 0 || hasFunding,
    });
  }
  return [...byDay.values()].sort((a, b) => a.startMs - b.startMs);
}

/** For realised results, the account trades since its first closure. */
function realisedEquity(
  accountId: string,
  days: ReturnType<typeof realisedDays>,
  points: readonly EquityPoint[],
): EquityHistory {
  const first = days.find(({ hasRealised }) => hasRealised);
  return new EquityHistory(new Map(first === undefined ? [] : [[accountId, first.startMs]]), points);
}

/** Accounts without a recorded equity count in neither sum. */
function copierRoi(accounts: readonly CopyingAccount[]): Decimal | null {
  const known = accounts.filter(({ firstEquity }) => firstEquity !== null);
  const base = sumOf(known.map(({ firstEquity }) => new BigDecimal(firstEquity!)));
  if (base.lte(0)) return null;
  const result = sumOf(known.map(({ netPnl, openResult }) => new BigDecimal(netPnl).plus(openResult)));
  return formatRatio(result.div(base));
}

/** Returns at most about 100 points at equal distances; the last day always has one. */
function curveOf({ index }: ReturnMetrics): StoredPerformance['curve'] {
  const [first] = index ?? [];
  if (index === null || first === undefined) return [];
  const step = Math.ceil(index.length / CURVE_POINTS_MAX);
  const shown = index.filter((_, i) => (index.length - 1 - i) % step === 0);
  return [
    { at: new Date(first.startMs).toISOString(), index: String(INDEX_START) },
    ...shown.map(({ startMs, index: value }) => ({
      at: new Date(startMs + DAY_MS).toISOString(),
      index: formatRatio(value.times(INDEX_START)),
    })),
  ];
}

const FRACTION_DECIMALS = 4;
const DECIMALS = 2;

const rounded = (value: Decimal | null, decimals: number): Decimal | null => {
  if (value === null) return null;
  const text = new BigDecimal(value).toDecimalPlaces(decimals, BigDecimal.ROUND_HALF_EVEN).toString();
  return text === '-0' ? '0' : text;
};

/** Returns what users other than the owner may see: ratios and counts alone, with few decimals. */
export function publicPerformanceOf(performance: StoredPerformance): StoredPerformance {
  return {
    closed_count: performance.closed_count,
    win_rate: performance.win_rate,
    // A large factor has many digits: with a known loss, it would show the profit, and so the amounts.
    profit_factor: performance.profit_factor === null ? null : coarse(performance.profit_factor),
    roi: rounded(performance.roi, FRACTION_DECIMALS),
    max_drawdown_percent: rounded(performance.max_drawdown_percent, DECIMALS),
    sharpe: rounded(performance.sharpe, DECIMALS),
    low_sample: performance.low_sample,
    fees_incomplete: performance.fees_incomplete,
    // With more decimals, a user with several copiers of their own could compute the result of another copier.
    copier_roi: rounded(performance.copier_roi, DECIMALS),
    curve: performance.curve.map(({ at, index }) => ({ at, index: rounded(index, DECIMALS)! })),
  };
}

/** The figures of a strategy without trades. */
export const NO_FIGURES = figuresOf({
  ownerId: '',
  accountId: '',
  days: [],
  prices: [],
  points: [],
  copiers: [],
  hasUnvaluedFee: false,
}).performance;
