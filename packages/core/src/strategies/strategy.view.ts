import {
  canonicalDecimal,
  encodeId,
  type Strategy,
  type StrategyResults,
} from '@trading-automation/contracts';
import { formatInstant } from '../values/index.js';
import type { StrategyEntity } from './strategy.entity.js';

/** The public data of a strategy that is not in its own row. */
export interface StrategyMetrics {
  readonly copierCount: number;
  readonly results: Omit<StrategyResults, 'since'>;
}

/** Returns a strategy as a user may see it: only the owner sees its account. */
export function viewStrategy(strategy: StrategyEntity, viewerId: string, metrics: StrategyMetrics): Strategy {
  const { profitShareRate, profitSharePeriod, tradePairIds } = strategy;
  return {
    id: encodeId('str', strategy.id),
    name: strategy.name,
    description: strategy.description ?? undefined,
    exchange_account_id:
      strategy.userId === viewerId ? encodeId('exa', strategy.exchangeAccountId) : undefined,
    trade_pair_ids: tradePairIds?.map((id) => encodeId('tpr', id)),
    visibility: strategy.visibility,
    status: strategy.status,
    copier_count: metrics.copierCount,
    profit_share:
      profitShareRate === null || profitSharePeriod === null
        ? undefined
        : { rate: canonicalDecimal(profitShareRate), basis: 'HIGH_WATER_MARK', period: profitSharePeriod },
    min_copy_equity: strategy.minCopyEquity === null ? undefined : canonicalDecimal(strategy.minCopyEquity),
    capacity: strategy.capacity ?? undefined,
    performance: { since: formatInstant(strategy.createdAt), ...metrics.results },
    created_at: formatInstant(strategy.createdAt),
    updated_at: formatInstant(strategy.updatedAt),
  };
}
