import { canonicalDecimal, encodeId, type TradePair } from '@trading-automation/contracts';
import type { TradePairEntity } from './trade-pair.entity.js';

export function viewTradePair(pair: TradePairEntity): TradePair {
  return {
    id: encodeId('tpr', pair.id),
    exchange: pair.exchange,
    symbol: pair.symbol,
    base: pair.base,
    quote: pair.quote,
    trading_type: pair.tradingType,
    price_tick: canonicalDecimal(pair.priceTick),
    amount_step: canonicalDecimal(pair.amountStep),
    min_amount: canonicalDecimal(pair.minAmount),
    max_amount: pair.maxAmount === null ? undefined : canonicalDecimal(pair.maxAmount),
    min_notional: canonicalDecimal(pair.minNotional),
    max_notional: pair.maxNotional === null ? undefined : canonicalDecimal(pair.maxNotional),
    is_active: pair.isActive,
    rules_updated_at: pair.rulesUpdatedAt.toISOString(),
    created_at: pair.createdAt.toISOString(),
    updated_at: pair.updatedAt.toISOString(),
  };
}
