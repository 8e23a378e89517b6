import {
  type Analytics,
  encodeId,
  type PairResult,
  type StrategyResult,
  TRADE_STATUSES,
  type TradeStatus,
} from '@trading-automation/contracts';
import { Exact } from '../decimal-arithmetic.js';
import { BASE_SCALE, QUOTE_SCALE } from '../trades/index.js';
import type { Selection, TradeCount } from './analytics.queries.js';
import { type GroupTally, PerformanceTally } from './analytics.rules.js';
import type { Reckoning } from './reckoning.js';

export function viewAnalytics({ from, to }: Selection, reckoning: Reckoning): Analytics {
  const currency = mainCurrency(reckoning.byQuote);
  const tally = reckoning.byQuote.get(currency ?? '') ?? new PerformanceTally(QUOTE_SCALE, 'day');
  const { best, worst, ...figures } = tally.figures();
  return {
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
    currency,
    excluded_quotes: viewExcluded(reckoning.byQuote, currency),
    ...tally.summary(),
    ...figures,
    trade_count: sumOf(reckoning.counts),
    fees_by_currency: viewFees(reckoning.feesPaid),
    funding: hasSpotAlone(reckoning) ? '0' : null,
    roi: null,
    calmar: null,
    best_trade: best && { trade_id: encodeId('trd', best.tradeId), net_pnl: best.netPnl },
    worst_trade: worst && { trade_id: encodeId('trd', worst.tradeId), net_pnl: worst.netPnl },
    unmatched_fill_count: reckoning.unmatchedFillCount,
    by_status: viewStatuses(reckoning.counts),
    by_pair: viewPairs(reckoning),
    by_strategy: viewStrategies(reckoning),
  };
}

/** The quote currency in which most was closed, then filled, then the first by name. */
function mainCurrency(byQuote: ReadonlyMap<string, PerformanceTally>): string | null {
  const [main] = [...byQuote].sort(
    ([a, x], [b, y]) => y.closedCount - x.closedCount || y.fillCount - x.fillCount || (a < b ? -1 : 1),
  );
  return main?.[0] ?? null;
}

function viewExcluded(
  byQuote: ReadonlyMap<string, PerformanceTally>,
  currency: string | null,
): Analytics['excluded_quotes'] {
  return [...byQuote]
    .filter(([quote]) => quote !== currency)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([quote, { fillCount, closedCount }]) => ({
      currency: quote,
      fill_count: fillCount,
      closed_count: closedCount,
    }));
}

function viewFees(feesPaid: ReadonlyMap<string, bigint>): Analytics['fees_by_currency'] {
  return [...feesPaid]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, units]) => ({
      amount: new Exact(units.toString()).div(new Exact(10).pow(BASE_SCALE)).toString(),
      currency,
    }));
}

function viewStatuses(counts: readonly TradeCount[]): Analytics['by_status'] {
  const entries = TRADE_STATUSES.map((status) => [
    status,
    sumOf(counts.filter((count) => count.status === status)),
  ]);
  return Object.fromEntries(entries) as Record<TradeStatus, number>;
}

/** By symbol; every pair that was traded, or had something filled or closed, in the range. */
function viewPairs({ byPair }: Reckoning): PairResult[] {
  return [...byPair.values()]
    .filter(({ tally }) => isOfRange(tally))
    .map(({ pair, tally }) => ({
      trade_pair_id: encodeId('tpr', pair.pairId),
      symbol: pair.symbol,
      currency: pair.quote,
      ...tally.summary(),
    }));
}

function viewStrategies({ byStrategy }: Reckoning): StrategyResult[] {
  return [...byStrategy.values()]
    .sort((a, b) => (`${a.strategyId}/${a.currency}` < `${b.strategyId}/${b.currency}` ? -1 : 1))
    .map(({ strategyId, currency, tally }) => ({
      strategy_id: encodeId('str', strategyId),
      currency,
      ...tally.summary(),
    }));
}

function hasSpotAlone({ byPair }: Reckoning): boolean {
  return [...byPair.values()].every(({ pair, tally }) => pair.tradingType === 'spot' || !isOfRange(tally));
}

function isOfRange({ tradeCount, fillCount, hasRealised }: GroupTally): boolean {
  return tradeCount > 0 || fillCount > 0 || hasRealised;
}

const sumOf = (counts: readonly TradeCount[]) => counts.reduce((sum, { count }) => sum + count, 0);
