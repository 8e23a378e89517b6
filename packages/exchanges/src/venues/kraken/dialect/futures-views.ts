/** Renders the records of the scripted exchange as Kraken's futures API does. */
import {
  type Account,
  type Exact,
  exact,
  type Fill,
  type Funding,
  type Order,
  type Position,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { leverageOf } from '../../../../conformance/scripted/positions.js';
import { isOpen, type ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

const CODES: Readonly<Record<string, string>> = { BTC: 'XBT' };
const codeOf = (currency: string): string => CODES[currency] ?? currency;
export const instrumentOf = ({ base, quote }: ScriptedMarket): string => `PF_${codeOf(base)}${quote}`;

const uuid = (prefix: string, number: number): string =>
  `${prefix}-32f8-422c-aca9-${String(number).padStart(12, '0')}`;
export const orderUidOf = ({ number }: Order): string => uuid('59302619', number);
const tradeUidOf = (fill: Fill): string => uuid('3d57ed09', fill.number);
export const accountUidOf = ({ number }: Account): string => uuid('3fa85f64', number);

export const number = (value: Exact): number => value.toNumber();
const iso = (ms: number): string => new Date(ms).toISOString();

export function instrumentView(market: ScriptedMarket) {
  const initialMargin = exact(1).div(market.maxLeverage).toNumber();
  const level = { initialMargin, maintenanceMargin: Number(market.maintenanceRate) };
  return {
    symbol: instrumentOf(market),
    pair: `${codeOf(market.base)}:${market.quote}`,
    base: codeOf(market.base),
    quote: market.quote,
    type: 'flexible_futures',
    tickSize: Number(market.tick),
    contractSize: Number(market.contractSize),
    tradeable: true,
    impactMidSize: 1,
    maxPositionSize: 1_000_000,
    openingDate: '2022-01-01T00:00:00.000Z',
    marginLevels: [{ numNonContractUnits: 0, ...level }],
    fundingRateCoefficient: 8,
    maxRelativeFundingRate: 0.001,
    contractValueTradePrecision: exact(market.step).decimalPlaces(),
    feeScheduleUid: '5b755fea-c5b0-4307-a66e-b392cd5bd931',
    postOnly: false,
    retailMarginLevels: [{ numNonContractUnits: 0, ...level }],
    category: 'Layer 1',
    tags: [],
    tradfi: false,
    mtf: false,
  };
}

export function futuresTickerView(exchange: ScriptedExchange, market: ScriptedMarket) {
  const { levelsOf, trades, lastPrice } = bookParts(exchange, market);
  const [bid, ask] = [levelsOf('BUY')[0], levelsOf('SELL')[0]];
  const prices = trades.map(({ price }) => number(price));
  const sum = (values: readonly Exact[]) =>
    number(values.reduce((total, each) => total.plus(each), exact(0)));
  const mark = number(exchange.markPriceOf(market));
  const traded =
    lastPrice === undefined
      ? {}
      : { last: number(lastPrice), lastTime: iso(exchange.now()), lastSize: number(trades.at(-1)!.amount) };
  return {
    tag: 'perpetual',
    pair: `${codeOf(market.base)}:${market.quote}`,
    symbol: instrumentOf(market),
    markPrice: mark,
    ...(bid && { bid: number(bid[0]), bidSize: number(bid[1]) }),
    ...(ask && { ask: number(ask[0]), askSize: number(ask[1]) }),
    vol24h: sum(trades.map(({ amount }) => amount)),
    volumeQuote: sum(trades.map(({ amount, price }) => amount.times(price))),
    openInterest: 0,
    open24h: prices[0] ?? 0,
    high24h: prices.length === 0 ? 0 : Math.max(...prices),
    low24h: prices.length === 0 ? 0 : Math.min(...prices),
    indexPrice: mark,
    ...traded,
    suspended: false,
    fundingRate: 0.1,
    fundingRatePrediction: 0.1,
    postOnly: false,
    change24h: 0,
  };
}

function bookParts(exchange: ScriptedExchange, market: ScriptedMarket) {
  const book = exchange.bookOf(market);
  return {
    levelsOf: (side: 'BUY' | 'SELL') => book.levelsOf(side),
    trades: book.trades,
    lastPrice: book.lastPrice,
  };
}

/** An order as the responses of trading calls contain it. */
export const tradedOrderView = (order: Order) => ({
  orderId: orderUidOf(order),
  cliOrdId: order.clientOrderId,
  type: order.type === 'MARKET' ? 'ioc' : ORDER_TYPES[order.timeInForce],
  symbol: instrumentOf(order.market),
  side: order.side.toLowerCase(),
  quantity: number(order.amount),
  filled: number(order.filled),
  ...(order.price === undefined ? {} : { limitPrice: number(order.price) }),
  reduceOnly: order.reduceOnly === true,
  timestamp: iso(order.createdAt),
  lastUpdateTimestamp: iso(order.updatedAt),
});

const ORDER_TYPES = { GTC: 'lmt', IOC: 'ioc', FOK: 'fok', POST_ONLY: 'post' } as const;

export function orderStatusView(order: Order) {
  const { status, filled, cause } = order;
  const isUnfilled = filled.isZero();
  const [state, updateReason, error] =
    status === 'OPEN'
      ? (['ENTERED_BOOK', isUnfilled ? 'NEW_USER_ORDER' : 'PARTIAL_FILL', null] as const)
      : status === 'FILLED'
        ? (['FULLY_EXECUTED', 'FULL_FILL', null] as const)
        : status === 'CANCELLED'
          ? (['CANCELLED', 'CANCELLED_BY_USER', null] as const)
          : isUnfilled
            ? (['REJECTED', 'IOC_WOULD_NOT_EXECUTE_REASON', 'IOC_WOULD_NOT_EXECUTE'] as const)
            : (['CANCELLED', 'PARTIAL_FILL', null] as const);
  return {
    order: {
      type: 'ORDER',
      orderId: orderUidOf(order),
      cliOrdId: order.clientOrderId || null,
      symbol: instrumentOf(order.market),
      side: order.side.toLowerCase(),
      quantity: number(order.amount),
      filled: number(filled),
      limitPrice: order.price === undefined ? null : number(order.price),
      reduceOnly: order.reduceOnly === true,
      timestamp: iso(order.createdAt),
      lastUpdateTimestamp: iso(order.updatedAt),
      priceTriggerOptions: null,
      triggerTime: null,
    },
    status: state,
    updateReason: cause === 'LIQUIDATION' ? 'LIQUIDATION_ORDER' : updateReason,
    error,
  };
}

export const openOrderView = (order: Order) => ({
  order_id: orderUidOf(order),
  cliOrdId: order.clientOrderId,
  symbol: instrumentOf(order.market),
  side: order.side.toLowerCase(),
  orderType: 'lmt',
  limitPrice: number(order.price ?? exact(0)),
  unfilledSize: number(order.amount.minus(order.filled)),
  receivedTime: iso(order.createdAt),
  status: order.filled.isZero() ? 'untouched' : 'partiallyFilled',
  filledSize: number(order.filled),
  reduceOnly: order.reduceOnly === true,
  lastUpdateTime: iso(order.updatedAt),
});

const FORCED_TYPES = { LIQUIDATION: 'liquidation', ADL: 'unwindCounterparty', SETTLEMENT: 'taker' } as const;
const fillTypeOf = ({ order, isMaker }: Fill): string =>
  order.cause === undefined ? (isMaker ? 'maker' : 'taker') : FORCED_TYPES[order.cause];

export const futuresFillView = (fill: Fill) => ({
  fill_id: tradeUidOf(fill),
  ...(fill.order.clientOrderId === '' ? {} : { cliOrdId: fill.order.clientOrderId }),
  symbol: instrumentOf(fill.order.market),
  side: fill.order.side.toLowerCase(),
  order_id: orderUidOf(fill.order),
  size: number(fill.amount),
  price: number(fill.price),
  fillTime: iso(fill.at),
  fillType: fillTypeOf(fill),
});

export const streamedFillView = (fill: Fill) => ({
  instrument: instrumentOf(fill.order.market),
  time: fill.at,
  price: number(fill.price),
  seq: fill.number,
  buy: fill.order.side === 'BUY',
  qty: number(fill.amount),
  remaining_order_qty: number(fill.order.amount.minus(fill.order.filled)),
  order_id: orderUidOf(fill.order),
  fill_id: tradeUidOf(fill),
  fill_type: fillTypeOf(fill),
  fee_paid: number(fill.fee.amount),
  fee_currency: fill.fee.currency,
  taker_order_type: 'ioc',
  order_type: fill.order.type === 'MARKET' ? 'market' : 'limit',
});

const HISTORY_TYPES = { GTC: 'Limit', IOC: 'IoC', FOK: 'FillOrKill', POST_ONLY: 'Post' } as const;

/** An order as the history contains it. */
const historyOrderView = (order: Order, filled: Exact) => ({
  uid: orderUidOf(order),
  accountUid: accountUidOf(order.account),
  tradeable: instrumentOf(order.market),
  direction: order.side === 'BUY' ? 'Buy' : 'Sell',
  quantity: order.amount.toString(),
  filled: filled.toString(),
  timestamp: order.createdAt,
  limitPrice: (order.price ?? exact(0)).toString(),
  orderType: order.type === 'MARKET' ? 'Market' : HISTORY_TYPES[order.timeInForce],
  clientId: order.clientOrderId,
  reduceOnly: order.reduceOnly === true,
  lastUpdateTimestamp: order.updatedAt,
});

/** The events of an order, oldest first. */
export function orderEventViews(order: Order): readonly object[] {
  const event = (name: string, timestamp: number, content: object) => ({
    uid: uuid(name === 'OrderPlaced' ? '0ac1d8b2' : '0ac1d8b3', order.number),
    timestamp,
    event: { [name]: content },
  });
  if (order.status === 'EXPIRED' && order.filled.isZero()) {
    const rejected = { order: historyOrderView(order, exact(0)), orderError: 'IOC_WOULD_NOT_EXECUTE' };
    return [event('OrderRejected', order.updatedAt, { ...rejected, reason: 'new_user_order' })];
  }
  const placed = event('OrderPlaced', order.createdAt, {
    order: historyOrderView(order, exact(0)),
    reason: 'new_user_order',
    reducedQuantity: '',
  });
  if (isOpen(order)) return [placed];
  const ended = historyOrderView(order, order.filled);
  const last =
    order.status === 'FILLED'
      ? event('OrderUpdated', order.updatedAt, {
          oldOrder: historyOrderView(order, exact(0)),
          newOrder: ended,
          reason: 'full_fill',
          reducedQuantity: '',
        })
      : event('OrderCancelled', order.updatedAt, { order: ended, reason: 'cancelled_by_user' });
  return [placed, last];
}

/** A fill as an execution between its order and the order of the other side, which the account does not see. */
export function executionView(fill: Fill) {
  const own = historyOrderView(fill.order, fill.order.filled);
  const other = {
    ...own,
    uid: uuid('00000000', fill.number),
    direction: own.direction === 'Buy' ? 'Sell' : 'Buy',
  };
  const [ownData, otherData] = [
    { fee: fill.fee.amount.toString(), positionSize: '0' },
    { fee: '0', positionSize: '0' },
  ];
  const [maker, taker] = fill.isMaker ? [own, other] : [other, own];
  return {
    uid: uuid('7d2fa1c0', fill.number),
    timestamp: fill.at,
    event: {
      execution: {
        execution: {
          uid: tradeUidOf(fill),
          makerOrder: maker,
          takerOrder: taker,
          timestamp: fill.at,
          quantity: fill.amount.toString(),
          price: fill.price.toString(),
          markPrice: fill.price.toString(),
          limitFilled: false,
          oldTakerOrder: taker,
          usdValue: fill.price.times(fill.amount).toString(),
          makerOrderData: fill.isMaker ? ownData : otherData,
          takerOrderData: fill.isMaker ? otherData : ownData,
        },
        takerReducedQuantity: '',
      },
    },
  };
}

export function positionView(account: Account, { market, size, entryPrice, updatedAt }: Position) {
  const { leverage, marginMode } = leverageOf(account, market);
  return {
    side: size.isNegative() ? 'short' : 'long',
    symbol: instrumentOf(market),
    price: number(entryPrice),
    fillTime: iso(updatedAt),
    size: number(size.abs()),
    unrealizedFunding: 0,
    ...(marginMode === 'ISOLATED' ? { pnlCurrency: market.quote, maxFixedLeverage: number(leverage) } : {}),
  };
}

export function flexView(exchange: ScriptedExchange, account: Account) {
  const margin = exchange.marginOf(account, 'USD');
  const equity = number(margin.equity);
  const initialMargin = number(margin.positionMargin);
  return {
    type: 'multiCollateralMarginAccount',
    currencies: Object.fromEntries(
      [...account.wallets].map(([currency, { free, locked }]) => {
        const quantity = number(free.plus(locked));
        return [
          codeOf(currency),
          { quantity, value: quantity, collateralValue: quantity, available: quantity },
        ];
      }),
    ),
    balanceValue: number(margin.wallet),
    portfolioValue: equity,
    collateralValue: number(margin.wallet),
    initialMargin,
    initialMarginWithOrders: number(margin.positionMargin.plus(margin.orderMargin)),
    maintenanceMargin: number(margin.maintenance),
    pnl: number(margin.unrealized),
    unrealizedFunding: 0,
    totalUnrealized: number(margin.unrealized),
    totalUnrealizedAsMargin: number(margin.unrealized),
    marginEquity: equity,
    availableMargin: number(margin.available),
  };
}

export const fundingLogView = ({ number: id, market, amount, rate, markPrice, at }: Funding) => ({
  asset: market.quote.toLowerCase(),
  booking_uid: uuid('124f43a6', id),
  contract: instrumentOf(market).toLowerCase(),
  date: iso(at),
  funding_rate: number(rate.times(markPrice)),
  id,
  info: 'funding rate change',
  margin_account: 'flex',
  mark_price: null,
  new_balance: 0,
  old_balance: 0,
  realized_funding: number(amount),
});
