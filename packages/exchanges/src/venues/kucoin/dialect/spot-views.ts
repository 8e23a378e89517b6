/** Renders the records of the scripted exchange as KuCoin's spot API does. */
import {
  type Account,
  type Exact,
  exact,
  type Fill,
  type Order,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { walletOf } from '../../../../conformance/scripted/wallets.js';

export const idOf = ({ base, quote }: ScriptedMarket): string => `${base}-${quote}`;
export const orderIdOf = ({ number }: Order): string => `5f3113a1c9b6d539${String(number).padStart(8, '0')}`;
export const userIdOf = ({ number }: Account): number => 157_267_000 + number;
export const tradeNumberOf = ({ number }: Fill): number => 616_179_312_000 + number;

export const isOpenOrder = ({ status }: Order): boolean => status === 'OPEN' || status === 'WAITING';
const remainingOf = (order: Order): Exact =>
  isOpenOrder(order) ? order.amount.minus(order.filled) : exact(0);
const cancelledOf = (order: Order): Exact =>
  isOpenOrder(order) ? exact(0) : order.amount.minus(order.filled);
const tradeTypeOf = ({ margin }: Order): string => (margin === undefined ? 'TRADE' : 'MARGIN_TRADE');

export function orderView(order: Order) {
  const { market, side, type, timeInForce, amount, filled, cost, price, createdAt, updatedAt } = order;
  const common = {
    id: orderIdOf(order),
    symbol: idOf(market),
    opType: 'DEAL',
    type: type === 'LIMIT' ? 'limit' : 'market',
    side: side === 'BUY' ? 'buy' : 'sell',
    price: (price ?? exact(0)).toString(),
    size: amount.toString(),
    funds: '0',
    dealSize: filled.toString(),
    dealFunds: cost.toString(),
    fee: '0',
    feeCurrency: market.quote,
    stp: '',
    timeInForce: timeInForce === 'POST_ONLY' ? 'GTC' : timeInForce,
    postOnly: timeInForce === 'POST_ONLY',
    hidden: false,
    iceberg: false,
    visibleSize: '0',
    cancelAfter: 0,
    channel: 'API',
    clientOid: order.clientOrderId,
    remark: '',
    tags: '',
    active: isOpenOrder(order),
    inOrderBook: isOpenOrder(order),
    cancelExist: !isOpenOrder(order) && order.status !== 'FILLED',
    createdAt,
    lastUpdatedAt: updatedAt,
    tradeType: tradeTypeOf(order),
  };
  if (order.margin !== undefined) return common;
  return {
    ...common,
    cancelledSize: cancelledOf(order).toString(),
    cancelledFunds: '0',
    remainSize: remainingOf(order).toString(),
    remainFunds: '0',
  };
}

export function fillView(fill: Fill) {
  const { order, price, amount, fee, isMaker, at, number } = fill;
  return {
    id: 2_678_765_000 + number,
    symbol: idOf(order.market),
    tradeId: tradeNumberOf(fill),
    orderId: orderIdOf(order),
    counterOrderId: '6306cf4027ecbe0001e1df4d',
    side: order.side === 'BUY' ? 'buy' : 'sell',
    liquidity: isMaker ? 'maker' : 'taker',
    forceTaker: false,
    price: price.toString(),
    size: amount.toString(),
    funds: price.times(amount).toString(),
    fee: fee.amount.toString(),
    feeRate: isMaker ? order.market.makerFee : order.market.takerFee,
    feeCurrency: fee.currency,
    stop: '',
    tradeType: tradeTypeOf(order),
    type: order.type === 'LIMIT' ? 'limit' : 'market',
    createdAt: at,
  };
}

/** The fields that all messages about an order have. */
const messageFields = (order: Order) => ({
  symbol: idOf(order.market),
  orderType: order.type === 'LIMIT' ? 'limit' : 'market',
  side: order.side === 'BUY' ? 'buy' : 'sell',
  orderId: orderIdOf(order),
  orderTime: order.createdAt * 1_000_000,
  price: (order.price ?? exact(0)).toString(),
  clientOid: order.clientOrderId,
  originSize: order.amount.toString(),
  originFunds: '0',
  ts: Date.now() * 1_000_000,
});

export const receivedMessage = (order: Order) => ({
  ...messageFields(order),
  type: 'received',
  status: 'new',
});

const progressFields = (order: Order) => ({
  ...messageFields(order),
  size: order.amount.toString(),
  filledSize: order.filled.toString(),
  remainSize: remainingOf(order).toString(),
  canceledSize: cancelledOf(order).toString(),
  canceledFunds: '0',
});

/** A message that an order is in the book, or has ended. */
export function changeMessage(order: Order) {
  const isOpen = isOpenOrder(order);
  const ended = order.status === 'FILLED' ? 'filled' : 'canceled';
  return { ...progressFields(order), type: isOpen ? 'open' : ended, status: isOpen ? 'open' : 'done' };
}

export const matchMessage = (fill: Fill) => ({
  ...progressFields(fill.order),
  type: 'match',
  status: 'match',
  liquidity: fill.isMaker ? 'maker' : 'taker',
  feeType: fill.isMaker ? 'makerFee' : 'takerFee',
  matchPrice: fill.price.toString(),
  matchSize: fill.amount.toString(),
  tradeId: String(tradeNumberOf(fill)),
});

export function balanceMessage(account: Account, asset: string, event: string) {
  const { free, locked } = walletOf(account, asset);
  return {
    total: free.plus(locked).toString(),
    available: free.toString(),
    availableChange: '0',
    currency: asset,
    hold: locked.toString(),
    holdChange: '0',
    relationEvent: event,
    relationEventId: '5c21e80303aa677bd09d7dff',
    relationContext: {
      symbol: 'BTC-USDT',
      tradeId: '5e6a5dca9e16882a7d83b7a4',
      orderId: '5ea10479415e2f0009949d54',
    },
    time: String(Date.now()),
  };
}

export const spotAccounts = (account: Account) =>
  [...account.wallets].map(([currency, { free, locked }]) => ({
    id: '5bd6e9216d99522a52e458d6',
    currency,
    type: 'trade',
    balance: free.plus(locked).toString(),
    available: free.toString(),
    holds: locked.toString(),
  }));

export const marginAccount = (account: Account) => ({
  totalAssetOfQuoteCurrency: '0',
  totalLiabilityOfQuoteCurrency: '0',
  debtRatio: '0',
  status: 'EFFECTIVE',
  accounts: [...account.wallets].map(([currency, { free, locked, borrowed, interest }]) => ({
    currency,
    total: free.plus(locked).toString(),
    available: free.toString(),
    hold: locked.toString(),
    liability: borrowed.plus(interest).toString(),
    liabilityPrincipal: borrowed.toString(),
    liabilityInterest: interest.toString(),
    maxBorrowSize: '163',
    borrowEnabled: true,
    transferInEnabled: true,
  })),
});
