import { formatUnits } from '../engine/decimal.js';
import type { Account, Fill, Order } from '../engine/order.js';
import type { FeeRates } from '../engine/settlement.js';
import type { State } from '../engine/state.js';
import { ASSETS, findMarket, lotsText, type MarketSpec, priceText } from '../engine/symbols.js';
import type { ResponseType } from './order-params.js';

function specOf(symbol: string): MarketSpec {
  const spec = findMarket(symbol);
  if (spec === undefined) throw new Error(`Market ${symbol} does not exist.`);
  return spec;
}

export function symbolView(spec: MarketSpec): object {
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
    orderTypes: ['LIMIT', 'LIMIT_MAKER', 'MARKET', 'STOP_LOSS', 'STOP_LOSS_LIMIT'],
    icebergAllowed: false,
    ocoAllowed: false,
    quoteOrderQtyMarketAllowed: true,
    cancelReplaceAllowed: false,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
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
    ],
    permissions: ['SPOT'],
    permissionSets: [['SPOT']],
    defaultSelfTradePreventionMode: 'EXPIRE_TAKER',
    allowedSelfTradePreventionModes: ['EXPIRE_TAKER'],
  };
}

/** Returns the terms and the progress of an order. Every response with a complete order contains these fields. */
function termsView(spec: MarketSpec, order: Order): object {
  return {
    price: priceText(spec, order.priceTicks),
    origQty: lotsText(spec, order.lots),
    executedQty: lotsText(spec, order.executedLots),
    origQuoteOrderQty: formatUnits(order.quoteOrderQty),
    cummulativeQuoteQty: formatUnits(order.executedQuote),
    status: order.status,
    timeInForce: order.timeInForce,
    type: order.type,
    side: order.side,
  };
}

export function orderView(order: Order): object {
  const spec = specOf(order.symbol);
  return {
    symbol: order.symbol,
    orderId: order.id,
    orderListId: -1,
    clientOrderId: order.clientOrderId,
    ...termsView(spec, order),
    stopPrice: priceText(spec, order.stopTicks),
    icebergQty: '0.00000000',
    time: order.createdAt,
    updateTime: order.updatedAt,
    isWorking: order.isWorking,
    workingTime: order.isWorking ? order.createdAt : -1,
    selfTradePreventionMode: 'EXPIRE_TAKER',
  };
}

/** Returns the fields that the response to a new order and the response to a cancellation have in common. */
function responseView(order: Order): object {
  const spec = specOf(order.symbol);
  return {
    symbol: order.symbol,
    orderId: order.id,
    orderListId: -1,
    clientOrderId: order.clientOrderId,
    transactTime: order.updatedAt,
    ...termsView(spec, order),
    ...(order.stopTicks > 0 ? { stopPrice: priceText(spec, order.stopTicks) } : {}),
    selfTradePreventionMode: 'EXPIRE_TAKER',
  };
}

/** Returns the response to a new order. A FULL response includes the immediate fills. */
export function placedView(order: Order, type: ResponseType, fills: readonly Fill[]): object {
  const spec = specOf(order.symbol);
  if (type === 'ACK') {
    const { symbol, id: orderId, clientOrderId, updatedAt: transactTime } = order;
    return { symbol, orderId, orderListId: -1, clientOrderId, transactTime };
  }
  const result = { ...responseView(order), workingTime: order.isWorking ? order.createdAt : -1 };
  if (type === 'RESULT') return result;
  return {
    ...result,
    fills: fills.map((fill) => ({
      price: priceText(spec, fill.priceTicks),
      qty: lotsText(spec, fill.lots),
      commission: formatUnits(fill.fee),
      commissionAsset: fill.feeAsset,
      tradeId: fill.id,
    })),
  };
}

/** Returns the response to a cancellation. Its `clientOrderId` is the id of the cancel request, not of the order. */
export function canceledView(order: Order, cancelId: string): object {
  return { ...responseView(order), origClientOrderId: order.clientOrderId, clientOrderId: cancelId };
}

export function fillView(fill: Fill): object {
  const spec = specOf(fill.symbol);
  return {
    symbol: fill.symbol,
    id: fill.id,
    orderId: fill.orderId,
    orderListId: -1,
    price: priceText(spec, fill.priceTicks),
    qty: lotsText(spec, fill.lots),
    quoteQty: formatUnits(fill.quote),
    commission: formatUnits(fill.fee),
    commissionAsset: fill.feeAsset,
    time: fill.executedAt,
    isBuyer: fill.side === 'BUY',
    isMaker: fill.isMaker,
    isBestMatch: true,
  };
}

/** Returns an account in the venue's format. Its commissions are in basis points (hundredths of a per cent). */
export function accountView(state: State, account: Account, fees: FeeRates, now: number): object {
  return {
    makerCommission: fees.makerPpm / 100,
    takerCommission: fees.takerPpm / 100,
    buyerCommission: 0,
    sellerCommission: 0,
    canTrade: account.canTrade,
    canWithdraw: account.canWithdraw,
    canDeposit: false,
    updateTime: now,
    accountType: 'SPOT',
    balances: ASSETS.map((asset) => {
      const { free, locked } = state.ledger.balance(account.id, asset);
      return { asset, free: formatUnits(free), locked: formatUnits(locked) };
    }),
    permissions: ['SPOT'],
    uid: account.uid,
  };
}
