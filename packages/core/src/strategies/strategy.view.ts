import {
  canonicalDecimal,
  encodeId,
  type Strategy,
  type StrategyResults,
} from '@trading-automation/contracts';
import { instantText } from '../instant-text.js';
import type { StrategyEntity } from './strategy.entity.js';

/** A strategy as a user sees it: its account is its owner's business alone. */
export function viewStrategy(strategy: StrategyEntity, viewerId: string, copierCount: number): Strategy {
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
    copier_count: copierCount,
    profit_share:
      profitShareRate === null || profitSharePeriod === null
        ? undefined
        : { rate: canonicalDecimal(profitShareRate), basis: 'HIGH_WATER_MARK', period: profitSharePeriod },
    min_copy_equity: strategy.minCopyEquity === null ? undefined : canonicalDecimal(strategy.minCopyEquity),
    capacity: strategy.capacity ?? undefined,
    performance: unmeasured(strategy),
    created_at: instantText(strategy.createdAt),
    updated_at: instantText(strategy.updatedAt),
  };
}

/** No lot is closed by copying yet: sums are zero, and what needs a closed lot is undefined. */
function unmeasured({ createdAt }: StrategyEntity): StrategyResults {
  return {
    since: instantText(createdAt),
    closed_count: 0,
    win_rate: null,
    net_pnl: '0',
    roi: null,
    max_drawdown_percent: null,
    sharpe: null,
    copier_net_pnl: '0',
  };
}
