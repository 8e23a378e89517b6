import {
  canonicalDecimal,
  encodeId,
  type Strategy,
  type StrategyResults,
  type StrategyStatus,
} from '@trading-automation/contracts';
import { formatInstant } from '../values/index.js';
import { NO_FIGURES, publicPerformanceOf } from './figures/compute-figures.js';
import type { StrategyEntity } from './strategy.entity.js';
import type { StrategyMetrics } from './strategy-metrics.queries.js';

/**
 * Returns a strategy as a user may see it. Only the owner sees its account and exact figures. To others, a strategy that
 * is deleted or private is archived: they can read it only because a user copied it while it was public.
 */
export function viewStrategy(strategy: StrategyEntity, viewerId: string, metrics: StrategyMetrics): Strategy {
  const { profitShareRate, profitSharePeriod, tradePairIds } = strategy;
  const isOwner = strategy.userId === viewerId;
  return {
    id: encodeId('str', strategy.id),
    name: strategy.name,
    description: strategy.description ?? undefined,
    exchange_account_id: isOwner ? encodeId('exa', strategy.exchangeAccountId) : undefined,
    trade_pair_ids: tradePairIds?.map((id) => encodeId('tpr', id)),
    visibility: isOwner ? strategy.visibility : 'PUBLIC',
    status: statusFor(strategy, isOwner),
    copier_count: metrics.copierCount,
    profit_share:
      profitShareRate === null || profitSharePeriod === null
        ? undefined
        : { rate: canonicalDecimal(profitShareRate), basis: 'HIGH_WATER_MARK', period: profitSharePeriod },
    min_copy_equity: strategy.minCopyEquity === null ? undefined : canonicalDecimal(strategy.minCopyEquity),
    capacity: strategy.capacity ?? undefined,
    allow_multiplier: strategy.allowMultiplier,
    performance: viewPerformance(metrics, isOwner),
    created_at: formatInstant(strategy.createdAt),
    updated_at: formatInstant(strategy.updatedAt),
  };
}

function statusFor({ status, visibility, deletedAt }: StrategyEntity, isOwner: boolean): StrategyStatus {
  if (deletedAt !== null || (!isOwner && visibility === 'PRIVATE')) return 'ARCHIVED';
  return status;
}

function viewPerformance(metrics: StrategyMetrics, isOwner: boolean): StrategyResults {
  const { since, performance, equity, publicPerformance, showsCopierRoi } = metrics;
  const figures = (isOwner ? performance : publicPerformance) ?? (isOwner ? NO_FIGURES : NO_PUBLIC_FIGURES);
  return {
    since: formatInstant(since),
    ...figures,
    ...(isOwner ? { equity: equity === null ? null : canonicalDecimal(equity) } : {}),
    // Figures that an earlier release stored do not have it.
    fees_incomplete: figures.fees_incomplete ?? false,
    copier_roi: showsCopierRoi ? figures.copier_roi : null,
  };
}

const NO_PUBLIC_FIGURES = publicPerformanceOf(NO_FIGURES);
