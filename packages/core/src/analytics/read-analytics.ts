import type { AnalyticsInterval } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { sharedWallets } from '../exchange-accounts/index.js';
import {
  computeDayMetrics,
  EquityHistory,
  equityPoints,
  type ReturnMetrics,
  returnMetrics,
} from '../performance/index.js';
import { BigDecimal } from '../values/index.js';
import {
  type AnalyticsFilter,
  type ComputedRow,
  computeResults,
  loadPairInfo,
  loadRollupDays,
  loadRollupExtremes,
  loadRollupOtherFees,
  loadRollupResults,
  loadStaleDays,
  lossRuns,
  type PairInfo,
} from './analytics.queries.js';
import { type CopyMetrics, loadCopyMetrics } from './copy-metrics.queries.js';
import { readOpenResults, type SelectionInCurrency } from './read-open-results.js';
import { planRead } from './read-plan.rules.js';
import { ResultAggregator } from './result-aggregator.js';
import { longestRun, ResultTotals } from './result-totals.js';

/** The best or the worst closed trade, with its profit or loss. */
export interface Extreme {
  readonly tradeId: string;
  readonly pnl: BigDecimal;
}

/** All results that analytics shows, before they are formatted. */
export interface Results {
  readonly aggregator: ResultAggregator;
  readonly pairs: readonly PairInfo[];
  readonly main: MainResults | null;
  readonly copy: CopyMetrics | null;
}

/** The results in the currency of the totals. */
interface MainResults {
  readonly currency: string;
  readonly totals: ResultTotals;
  /** Metrics of realised results. */
  readonly days: ReturnType<typeof computeDayMetrics>;
  /** Metrics of realised and open results. */
  readonly returns: ReturnMetrics;
  readonly unrealized: BigDecimal;
  /** The sum of the last recorded equities; null if one is unknown. */
  readonly equity: BigDecimal | null;
  readonly longestLossRun: number;
  readonly best: Extreme | null;
  readonly worst: Extreme | null;
}

/** Reads the results of a selection. `tx` must see one snapshot throughout. */
export async function readResults(
  tx: Tx,
  selection: AnalyticsFilter,
  interval: AnalyticsInterval,
): Promise<Results> {
  const plan = planRead(selection, await loadStaleDays(tx, selection));
  const aggregator = new ResultAggregator();
  for (const row of await loadRollupResults(tx, selection, plan)) aggregator.add(row);
  for (const row of await loadRollupDays(tx, selection, plan)) aggregator.addDay(row);
  const computedRows = await computeResults(tx, selection, plan);
  for (const row of computedRows) aggregator.addComputedRow(row);
  for (const { currency, amount } of await loadRollupOtherFees(tx, selection, plan))
    aggregator.addFee(currency, amount);
  const currency = mainCurrency(aggregator.byQuote);
  return {
    aggregator,
    pairs: await loadPairInfo(tx, [...aggregator.byPair.keys()]),
    main:
      currency === null
        ? null
        : await readMain(tx, { selection, plan, aggregator, computedRows, currency, interval }),
    copy: await loadCopyMetrics(tx, selection),
  };
}

/**
 * Returns the quote currency with the most closed trades. If several have the most, the number of fills decides, then
 * the alphabetical order. Returns null without fills, closures and funding.
 */
function mainCurrency(byQuote: ReadonlyMap<string, ResultTotals>): string | null {
  const [main] = [...byQuote]
    .filter(
      ([, { counts, amounts }]) => counts.fill_count + counts.part_count > 0 || !amounts.funding.isZero(),
    )
    .sort(
      ([a, { counts: x }], [b, { counts: y }]) =>
        y.closed_count - x.closed_count || y.fill_count - x.fill_count || (a < b ? -1 : 1),
    );
  return main?.[0] ?? null;
}

interface MainResultsInput extends SelectionInCurrency {
  readonly interval: AnalyticsInterval;
}

async function readMain(tx: Tx, input: MainResultsInput): Promise<MainResults> {
  const { selection, plan, aggregator, currency, interval } = input;
  const accounts = aggregator.accountsOf(currency);
  const open = await readOpenResults(tx, input);
  const tradingAccounts = new Map([...open.heldBefore, ...aggregator.tradingAccountsOf(currency)]);
  // Reads the equity only of accounts with results in the currency.
  const accountIds = [...tradingAccounts.keys()];
  const points = await equityPoints(tx, accountIds, currency, selection.to);
  const wallets = await sharedWallets(tx, accountIds);
  const tradingEquity = new EquityHistory(tradingAccounts, points, wallets);
  const extremes = [
    ...(await loadRollupExtremes(tx, selection, plan, currency)),
    ...input.computedRows.filter(({ quote }) => quote === currency).flatMap(extremesOf),
  ].map(({ kind, tradeId, pnl }) => ({ kind, tradeId, pnl: new BigDecimal(pnl) }));
  const extreme = (kind: 'best' | 'worst', compare: (a: BigDecimal, b: BigDecimal) => number) =>
    extremes.filter((each) => each.kind === kind).sort((a, b) => compare(a.pnl, b.pnl))[0] ?? null;
  return {
    currency,
    totals: aggregator.byQuote.get(currency) ?? new ResultTotals(),
    days: computeDayMetrics(
      aggregator.daysOf(currency),
      interval,
      new EquityHistory(accounts, points, wallets),
    ),
    returns: returnMetrics(open.results.days, tradingEquity),
    unrealized: open.results.unrealized,
    equity: tradingEquity.latestBefore(Number.POSITIVE_INFINITY),
    longestLossRun: longestRun(await lossRuns(tx, selection, plan, currency)),
    best: extreme('best', (a, b) => b.cmp(a)),
    worst: extreme('worst', (a, b) => a.cmp(b)),
  };
}

function extremesOf({ best_pnl, best_trade_id, worst_pnl, worst_trade_id }: ComputedRow) {
  if (best_pnl === null || worst_pnl === null || best_trade_id === null || worst_trade_id === null) return [];
  return [
    { kind: 'best' as const, tradeId: best_trade_id, pnl: best_pnl },
    { kind: 'worst' as const, tradeId: worst_trade_id, pnl: worst_pnl },
  ];
}
