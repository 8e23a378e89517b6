import { canonicalDecimal, type Decimal, encodeId, type TradePair } from '@trading-automation/contracts';
import type { TradePairEntity } from './trade-pair.entity.js';

export function viewTradePair(pair: TradePairEntity): TradePair {
  return {
    id: encodeId('tpr', pair.id),
    exchange: pair.exchange,
    symbol: symbolOf(pair),
    exchange_symbol: pair.exchangeSymbol,
    base: pair.base,
    quote: pair.quote,
    settle: pair.settle ?? undefined,
    trading_type: pair.tradingType,
    price_tick: canonicalDecimal(pair.priceTick),
    amount_step: canonicalDecimal(pair.amountStep),
    min_amount: canonicalDecimal(pair.minAmount),
    max_amount: optionalDecimal(pair.maxAmount),
    min_notional: canonicalDecimal(pair.minNotional),
    max_notional: optionalDecimal(pair.maxNotional),
    market_amount_step: optionalDecimal(pair.marketAmountStep),
    market_max_amount: optionalDecimal(pair.marketMaxAmount),
    contract_size: optionalDecimal(pair.contractSize),
    maker_fee: optionalDecimal(pair.makerFee),
    taker_fee: optionalDecimal(pair.takerFee),
    order_types: pair.orderTypes,
    time_in_forces: pair.timeInForces,
    is_active: pair.isActive,
    inactive_reason: pair.isActive ? undefined : (pair.inactiveReason ?? undefined),
    replaced_by: pair.replacedBy === null ? undefined : encodeId('tpr', pair.replacedBy),
    rules_updated_at: pair.rulesUpdatedAt.toISOString(),
    created_at: pair.createdAt.toISOString(),
    updated_at: pair.updatedAt.toISOString(),
  };
}

/** Returns the symbol that users know; a replaced pair keeps its symbol although the new pair has it, too. */
export function symbolOf({ symbol, listedSymbol }: Pick<TradePairEntity, 'symbol' | 'listedSymbol'>): string {
  return listedSymbol ?? symbol;
}

function optionalDecimal(value: string | null): Decimal | undefined {
  return value === null ? undefined : canonicalDecimal(value);
}
