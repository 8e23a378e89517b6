import {
  type Analytics,
  canonicalDecimal,
  encodeId,
  type PairResult,
  type StrategyResult,
} from '@trading-automation/contracts';
import {
  computeDayMetrics,
  EquityHistory,
  formatAmount,
  LOW_SAMPLE_DAYS,
  mapNullable,
  returnMetrics,
} from '../performance/index.js';
import { BigDecimal } from '../values/index.js';
import type { AnalyticsFilter } from './analytics.queries.js';
import type { CopyMetrics } from './copy-metrics.queries.js';
import type { Extreme, Results } from './read-analytics.js';
import type { ResultAggregator } from './result-aggregator.js';
import { ResultTotals } from './result-totals.js';

const NO_EQUITY = new EquityHistory(new Map(), []);
const NO_DAYS = computeDayMetrics([], 'day', NO_EQUITY);
const NO_RETURNS = returnMetrics([], NO_EQUITY);

/** The figures by day. Those from equity have the plain names; those of realised results alone are named so. */
function viewDays(main: Results['main']) {
  const { roi, max_drawdown, sharpe, sortino, equity_curve } = main?.days ?? NO_DAYS;
  const returns = main?.returns ?? NO_RETURNS;
  return {
    unrealized_pnl: formatAmount(main?.unrealized ?? new BigDecimal(0)),
    equity: mapNullable(main?.equity ?? null, formatAmount),
    roi: returns.roi,
    realized_roi: roi,
    max_drawdown: returns.maxDrawdown,
    realized_max_drawdown: max_drawdown,
    sharpe: returns.sharpe,
    realized_sharpe: sharpe,
    sortino: returns.sortino,
    realized_sortino: sortino,
    calmar: returns.calmar,
    sample_days: returns.sampleDays,
    low_sample: returns.sampleDays < LOW_SAMPLE_DAYS,
    equity_curve,
  };
}

export function viewAnalytics({ from, to }: AnalyticsFilter, results: Results): Analytics {
  const { aggregator, pairs, main, copy } = results;
  const totals = main?.totals ?? new ResultTotals();
  const totalsOfPairs = [...aggregator.byPair.values()];
  const sum = (pick: (totals: ResultTotals) => number) =>
    totalsOfPairs.reduce((total, each) => total + pick(each), 0);
  return {
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
    currency: main?.currency ?? null,
    excluded_quotes: viewExcluded(aggregator, main?.currency ?? null),
    ...totals.summary(),
    ...totals.metrics(),
    ...viewDays(main),
    trade_count: sum(({ tradeCount }) => tradeCount),
    fees_incomplete: sum(({ counts }) => counts.unvalued_fee_count) > 0,
    fees_by_currency: viewFees(aggregator.feesPaid(pairs)),
    funding: formatAmount(totals.amounts.funding),
    best_trade: viewExtreme(main?.best ?? null),
    worst_trade: viewExtreme(main?.worst ?? null),
    max_consecutive_losses: main?.longestLossRun ?? 0,
    unmatched_fill_count: sum(({ counts }) => counts.unmatched_count),
    by_status: {
      PENDING: sum(({ counts }) => counts.pending_count),
      PARTIALLY_FILLED: sum(({ counts }) => counts.partially_filled_count),
      FILLED: sum(({ counts }) => counts.filled_count),
      CANCELLED: sum(({ counts }) => counts.cancelled_count),
      FAILED: sum(({ counts }) => counts.failed_count),
    },
    by_pair: viewPairs(results),
    by_strategy: viewStrategies(aggregator),
    copy: copy === null ? undefined : viewCopying(copy),
  };
}

function viewExcluded({ byQuote }: ResultAggregator, currency: string | null): Analytics['excluded_quotes'] {
  return [...byQuote]
    .filter(([quote, { counts }]) => quote !== currency && counts.fill_count + counts.part_count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([quote, { counts }]) => ({
      currency: quote,
      fill_count: counts.fill_count,
      closed_count: counts.closed_count,
    }));
}

function viewFees(feesPaid: ReadonlyMap<string, BigDecimal>): Analytics['fees_by_currency'] {
  return [...feesPaid]
    .filter(([, amount]) => !amount.isZero())
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, amount]) => ({ amount: formatAmount(amount), currency }));
}

function viewExtreme(extreme: Extreme | null): Analytics['best_trade'] {
  return extreme && { trade_id: encodeId('trd', extreme.tradeId), net_pnl: formatAmount(extreme.pnl) };
}

/** Returns the result of every pair with a trade, a fill or a closure in the range, in the order of `pairs`. */
function viewPairs({ aggregator, pairs }: Results): PairResult[] {
  return pairs.flatMap(({ pairId, symbol, tradingType, quote }) => {
    const totals = aggregator.byPair.get(pairId);
    if (totals === undefined || totals.isEmpty) return [];
    return [
      {
        trade_pair_id: encodeId('tpr', pairId),
        symbol,
        trading_type: tradingType,
        currency: quote,
        ...totals.summary(),
      },
    ];
  });
}

function viewStrategies({ byStrategy }: ResultAggregator): StrategyResult[] {
  return [...byStrategy.values()]
    .filter(({ totals }) => !totals.isEmpty)
    .sort((a, b) => (`${a.strategyId}/${a.currency}` < `${b.strategyId}/${b.currency}` ? -1 : 1))
    .map(({ strategyId, currency, totals }) => ({
      strategy_id: encodeId('str', strategyId),
      currency,
      ...totals.summary(),
    }));
}

function viewCopying(copy: CopyMetrics): NonNullable<Analytics['copy']> {
  return {
    median_latency_ms: copy.medianLatencyMs,
    p99_latency_ms: copy.p99LatencyMs,
    average_slippage_bps: copy.averageSlippageBps === null ? null : canonicalDecimal(copy.averageSlippageBps),
    skipped_by_reason: copy.skippedByReason,
  };
}
