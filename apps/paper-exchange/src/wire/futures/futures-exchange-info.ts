import { formatPlain, formatUnits } from '../../engine/decimal.js';
import { CONTRACTS, type ContractSpec, SETTLEMENT_ASSET } from '../../engine/futures/contracts.js';
import { MAX_OPEN, PERCENT_PRICE } from '../../engine/futures/futures-order.rules.js';
import { type Operation, publicOperation } from '../operation.js';
import type { FuturesContext } from './futures-context.js';
import { lotsText, priceText } from './futures-text.js';

/** The delivery date that the venue reports for perpetual contracts. */
const NEVER = 4_133_404_800_000;
const ONBOARDED_AT = 1_567_965_300_000;
const ORDER_TYPES = [
  'LIMIT',
  'MARKET',
  'STOP',
  'STOP_MARKET',
  'TAKE_PROFIT',
  'TAKE_PROFIT_MARKET',
  'TRAILING_STOP_MARKET',
];

/** Declares the operations that describe the futures venue and its contracts. */
export function futuresInfoOperations({ futures, weather, limits }: FuturesContext): Operation[] {
  return [
    publicOperation('GET /fapi/v1/ping', {}, () => ({})),
    publicOperation('GET /fapi/v1/time', {}, () => ({ serverTime: weather.venueTime() })),
    publicOperation('GET /fapi/v1/exchangeInfo', {}, () => ({
      exchangeFilters: [],
      rateLimits: limits.view(),
      serverTime: weather.venueTime(),
      assets: [{ asset: SETTLEMENT_ASSET, marginAvailable: true, autoAssetExchange: 0 }],
      symbols: CONTRACTS.map((spec) => contractView(spec, futures.state.contracts.of(spec.id).isListed)),
      timezone: 'UTC',
    })),
  ];
}

function contractView(spec: ContractSpec, isListed: boolean): object {
  return {
    symbol: spec.id,
    pair: spec.id,
    contractType: 'PERPETUAL',
    deliveryDate: NEVER,
    onboardDate: ONBOARDED_AT,
    status: isListed ? 'TRADING' : 'CLOSE',
    maintMarginPercent: '2.5000',
    requiredMarginPercent: '5.0000',
    baseAsset: spec.base,
    quoteAsset: spec.quote,
    marginAsset: SETTLEMENT_ASSET,
    // One more than the tick has: a price can be precise enough, but not a multiple of the tick.
    pricePrecision: spec.tickDecimals + 1,
    quantityPrecision: spec.stepDecimals,
    baseAssetPrecision: 8,
    quotePrecision: 8,
    underlyingType: 'COIN',
    underlyingSubType: ['PoW'],
    settlePlan: 0,
    triggerProtect: '0.0500',
    liquidationFee: formatUnits(spec.liquidationFeePpm, 6),
    marketTakeBound: '0.05',
    filters: filtersOf(spec),
    orderTypes: ORDER_TYPES,
    timeInForce: ['GTC', 'IOC', 'FOK', 'GTX'],
  };
}

function filtersOf(spec: ContractSpec): object[] {
  const step = lotsText(spec, 1);
  const maxQty = lotsText(spec, spec.maxLots);
  const tick = priceText(spec, 1);
  return [
    { filterType: 'PRICE_FILTER', minPrice: tick, maxPrice: priceText(spec, spec.maxTicks), tickSize: tick },
    { filterType: 'LOT_SIZE', minQty: step, maxQty, stepSize: step },
    { filterType: 'MARKET_LOT_SIZE', minQty: step, maxQty, stepSize: step },
    { filterType: 'MAX_NUM_ORDERS', limit: MAX_OPEN.orders },
    { filterType: 'MAX_NUM_ALGO_ORDERS', limit: MAX_OPEN.algoOrders },
    { filterType: 'MIN_NOTIONAL', notional: formatPlain(spec.minNotional) },
    {
      filterType: 'PERCENT_PRICE',
      multiplierUp: formatUnits(BigInt(PERCENT_PRICE.up * 100), 4),
      multiplierDown: formatUnits(BigInt(PERCENT_PRICE.down * 100), 4),
      multiplierDecimal: 4,
    },
  ];
}
