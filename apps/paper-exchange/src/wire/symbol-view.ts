import { formatUnits } from '../engine/decimal.js';
import { lotsText, type MarketSpec, priceText } from '../engine/symbols.js';
import { ORDER_TYPES, SELF_TRADE_PREVENTION, TRAILING_BIPS } from './order-params.js';

/** Returns a market in the format of `exchangeInfo`. */
export function symbolView(spec: MarketSpec, showsPermissionSets: boolean): object {
  const tick = priceText(spec, 1);
  const step = lotsText(spec, 1);
  const maxQty = lotsText(spec, spec.maxLots);
  return {
    symbol: spec.id,
    status: 'TRADING',
    baseAsset: spec.base,
    baseAssetPrecision: 8,
    quoteAsset: spec.quote,
    quotePrecision: 8,
    quoteAssetPrecision: 8,
    orderTypes: ORDER_TYPES,
    icebergAllowed: false,
    ocoAllowed: true,
    otoAllowed: false,
    quoteOrderQtyMarketAllowed: true,
    allowTrailingStop: true,
    cancelReplaceAllowed: true,
    amendAllowed: false,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: true,
    filters: [
      {
        filterType: 'PRICE_FILTER',
        minPrice: tick,
        maxPrice: priceText(spec, spec.maxTicks),
        tickSize: tick,
      },
      { filterType: 'LOT_SIZE', minQty: step, maxQty, stepSize: step },
      { filterType: 'MARKET_LOT_SIZE', minQty: step, maxQty, stepSize: step },
      {
        filterType: 'NOTIONAL',
        minNotional: formatUnits(spec.minNotional),
        applyMinToMarket: true,
        maxNotional: '90000000.00000000',
        applyMaxToMarket: false,
        avgPriceMins: 0,
      },
      {
        filterType: 'TRAILING_DELTA',
        minTrailingAboveDelta: TRAILING_BIPS.min,
        maxTrailingAboveDelta: TRAILING_BIPS.max,
        minTrailingBelowDelta: TRAILING_BIPS.min,
        maxTrailingBelowDelta: TRAILING_BIPS.max,
      },
    ],
    permissions: ['SPOT'],
    ...(showsPermissionSets ? { permissionSets: [['SPOT']] } : {}),
    defaultSelfTradePreventionMode: SELF_TRADE_PREVENTION,
    allowedSelfTradePreventionModes: [SELF_TRADE_PREVENTION],
  };
}
