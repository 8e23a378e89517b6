import { formatUnits } from '../engine/decimal.js';
import type { Account, Fill, Order } from '../engine/order.js';
import type { OrderList } from '../engine/order-list.js';
import { isListOpen } from '../engine/order-list.js';
import type { FeeRates } from '../engine/settlement.js';
import type { State } from '../engine/state.js';
import { ASSETS, findMarket, lotsText, type MarketSpec, priceText } from '../engine/symbols.js';
import { commissionOf } from './commission.js';
import { type ResponseType, SELF_TRADE_PREVENTION } from './order-params.js';

function specOf(symbol: string): MarketSpec {
  const spec = findMarket(symbol);
  if (spec === undefined) throw new Error(`Market ${symbol} does not exist.`);
  return spec;
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

function trailingView({ trailing }: Order): object {
  return trailing === undefined ? {} : { trailingDelta: trailing.bips, trailingTime: trailing.since ?? -1 };
}

export function orderView(order: Order): object {
  const spec = specOf(order.symbol);
  return {
    symbol: order.symbol,
    orderId: order.id,
    orderListId: order.listId ?? -1,
    clientOrderId: order.clientOrderId,
    ...termsView(spec, order),
    stopPrice: priceText(spec, order.stopTicks),
    ...trailingView(order),
    icebergQty: '0.00000000',
    time: order.createdAt,
    updateTime: order.updatedAt,
    isWorking: order.isWorking,
    workingTime: order.isWorking ? order.createdAt : -1,
    selfTradePreventionMode: SELF_TRADE_PREVENTION,
  };
}

/** Returns the fields that the response to a new order and the response to a cancellation have in common. */
function responseView(order: Order): object {
  const spec = specOf(order.symbol);
  return {
    symbol: order.symbol,
    orderId: order.id,
    orderListId: order.listId ?? -1,
    clientOrderId: order.clientOrderId,
    transactTime: order.updatedAt,
    ...termsView(spec, order),
    ...(order.stopTicks > 0 ? { stopPrice: priceText(spec, order.stopTicks) } : {}),
    ...trailingView(order),
    selfTradePreventionMode: SELF_TRADE_PREVENTION,
  };
}

/** Returns the response to a new order. A FULL response includes the immediate fills. */
export function placedView(order: Order, type: ResponseType, fills: readonly Fill[]): object {
  const spec = specOf(order.symbol);
  if (type === 'ACK') {
    const { symbol, id: orderId, clientOrderId, updatedAt: transactTime } = order;
    return { symbol, orderId, orderListId: order.listId ?? -1, clientOrderId, transactTime };
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

/**
 * Returns an order list. With a `type`, it contains a report of each leg: of its placement with this response type, or
 * of its cancellation by the request `cancelId`.
 */
export function listView(
  list: OrderList,
  legs: readonly Order[],
  cancelId?: string,
  type?: ResponseType | 'CANCELED',
): object {
  const reports = (): object[] =>
    type === 'CANCELED'
      ? legs.map((leg) => canceledView(leg, cancelId ?? leg.clientOrderId))
      : legs.map((leg) => placedView(leg, type === 'ACK' ? 'ACK' : 'RESULT', []));
  return {
    ...listStatusView(list, legs),
    listClientOrderId: list.clientListId,
    transactionTime: Math.max(...legs.map(({ updatedAt }) => updatedAt)),
    symbol: list.symbol,
    orders: legs.map(({ symbol, id: orderId, clientOrderId }) => ({ symbol, orderId, clientOrderId })),
    ...(type === undefined ? {} : { orderReports: reports() }),
  };
}

function listStatusView(list: OrderList, legs: readonly Order[]): object {
  const isOpen = isListOpen(legs);
  return {
    orderListId: list.id,
    contingencyType: 'OCO',
    listStatusType: isOpen ? 'EXEC_STARTED' : 'ALL_DONE',
    listOrderStatus: isOpen ? 'EXECUTING' : 'ALL_DONE',
  };
}

export function fillView(fill: Fill, listId: number | undefined): object {
  const spec = specOf(fill.symbol);
  return {
    symbol: fill.symbol,
    id: fill.id,
    orderId: fill.orderId,
    orderListId: listId ?? -1,
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
export function accountView(
  state: State,
  account: Account,
  fees: FeeRates,
  now: number,
  omitsZero: boolean,
): object {
  const { maker, taker, buyer, seller } = commissionOf(fees);
  const balances = ASSETS.map((asset) => ({ asset, ...state.ledger.balance(account.id, asset) }));
  return {
    makerCommission: fees.makerPpm / 100,
    takerCommission: fees.takerPpm / 100,
    buyerCommission: 0,
    sellerCommission: 0,
    commissionRates: { maker, taker, buyer, seller },
    canTrade: account.canTrade,
    canWithdraw: account.canWithdraw,
    canDeposit: false,
    updateTime: now,
    accountType: 'SPOT',
    balances: balances
      .filter(({ free, locked }) => !omitsZero || free + locked > 0n)
      .map(({ asset, free, locked }) => ({ asset, free: formatUnits(free), locked: formatUnits(locked) })),
    permissions: ['SPOT'],
    uid: account.uid,
  };
}
