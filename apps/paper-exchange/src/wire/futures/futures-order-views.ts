import { formatUnits } from '../../engine/decimal.js';
import { type ContractSpec, contractOf } from '../../engine/futures/contracts.js';
import type { AlgoOrder, FuturesFill, FuturesOrder } from '../../engine/futures/futures-order.js';
import { SELF_TRADE_PREVENTION } from '../order-params.js';
import { averageText, lotsText, priceText, usdtText } from './futures-text.js';

/** The only position side of an account in one-way mode. */
export const POSITION_SIDE = 'BOTH';

/** Returns the fields that every response with an order contains. */
function termsView(spec: ContractSpec, order: FuturesOrder) {
  return {
    orderId: order.id,
    symbol: order.symbol,
    status: order.status,
    clientOrderId: order.clientOrderId,
    price: priceText(spec, order.priceTicks),
    origQty: lotsText(spec, order.lots),
    executedQty: lotsText(spec, order.executedLots),
    cumQuote: usdtText(order.executedQuote),
    timeInForce: order.timeInForce,
    type: order.type,
    reduceOnly: order.isReduceOnly,
    closePosition: order.isClosePosition,
    side: order.side,
    positionSide: POSITION_SIDE,
    stopPrice: priceText(spec, 0),
    workingType: 'CONTRACT_PRICE',
    priceProtect: false,
    origType: order.type,
    priceMatch: 'NONE',
    selfTradePreventionMode: SELF_TRADE_PREVENTION,
    goodTillDate: 0,
    updateTime: order.updatedAt,
  };
}

/** Returns an order as the queries do. */
export function futuresOrderView(order: FuturesOrder): object {
  const spec = contractOf(order.symbol);
  return {
    ...termsView(spec, order),
    avgPrice: averageText(spec, order.executedQuote, order.executedLots),
    time: order.createdAt,
  };
}

/** Returns the response to a new order, an amendment or a cancellation. */
export function futuresResultView(order: FuturesOrder): object {
  const spec = contractOf(order.symbol);
  return {
    ...termsView(spec, order),
    avgPrice: averageText(spec, order.executedQuote, order.executedLots),
    cumQty: lotsText(spec, order.executedLots),
  };
}

/** Returns the response to a new order that was accepted, without its fills. */
export function futuresAckView(order: FuturesOrder): object {
  return futuresResultView({ ...order, status: 'NEW', executedLots: 0, executedQuote: 0n });
}

export function amendedView(order: FuturesOrder): object {
  return { ...futuresResultView(order), pair: order.symbol, cumBase: lotsText(contractOf(order.symbol), 0) };
}

export function futuresFillView(fill: FuturesFill): object {
  const spec = contractOf(fill.symbol);
  return {
    buyer: fill.side === 'BUY',
    commission: usdtText(fill.fee),
    commissionAsset: spec.quote,
    id: fill.id,
    maker: fill.isMaker,
    orderId: fill.orderId,
    price: priceText(spec, fill.priceTicks),
    qty: lotsText(spec, fill.lots),
    quoteQty: usdtText(fill.quote),
    realizedPnl: usdtText(fill.realized),
    side: fill.side,
    positionSide: POSITION_SIDE,
    symbol: fill.symbol,
    marginAsset: spec.quote,
    time: fill.executedAt,
  };
}

/** Returns the response to a new conditional order or to its cancellation. */
export function algoResultView(algo: AlgoOrder): object {
  const spec = contractOf(algo.symbol);
  const { trailing } = algo;
  return {
    algoId: algo.id,
    clientAlgoId: algo.clientAlgoId,
    algoType: 'CONDITIONAL',
    orderType: algo.type,
    symbol: algo.symbol,
    side: algo.side,
    positionSide: POSITION_SIDE,
    timeInForce: algo.timeInForce,
    quantity: lotsText(spec, algo.lots),
    algoStatus: algo.status,
    triggerPrice: priceText(spec, trailing === undefined ? algo.triggerTicks : 0),
    price: priceText(spec, algo.priceTicks),
    icebergQuantity: null,
    selfTradePreventionMode: SELF_TRADE_PREVENTION,
    workingType: algo.workingType,
    priceMatch: 'NONE',
    closePosition: algo.isClosePosition,
    priceProtect: false,
    reduceOnly: algo.isReduceOnly,
    activatePrice: trailing === undefined ? '' : priceText(spec, algo.triggerTicks),
    callbackRate: trailing === undefined ? '' : formatUnits(BigInt(trailing.bips), 2),
    createTime: algo.createdAt,
    updateTime: algo.updatedAt,
    triggerTime: algo.triggeredAt,
    goodTillDate: 0,
  };
}

/** Returns a conditional order as the queries do, with the order that it placed. */
export function algoView(algo: AlgoOrder, placed: FuturesOrder | undefined): object {
  const spec = contractOf(algo.symbol);
  const none = priceText(spec, 0);
  return {
    ...algoResultView(algo),
    actualOrderId: placed === undefined ? '' : String(placed.id),
    actualPrice: averageText(spec, placed?.executedQuote ?? 0n, placed?.executedLots ?? 0),
    actualQty: lotsText(spec, placed?.executedLots ?? 0),
    actualType: placed?.type ?? '',
    tpTriggerPrice: none,
    tpPrice: none,
    slTriggerPrice: none,
    slPrice: none,
    tpOrderType: '',
    ...(algo.failure === undefined ? {} : { failReason: algo.failure }),
  };
}
