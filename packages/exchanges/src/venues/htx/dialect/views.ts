/** The records of HTX: https://huobiapi.github.io/docs/spot/v1/en/ */
import {
  type Account,
  type Exact,
  exact,
  type Fill,
  type Order,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

const FIRST_ORDER_ID = 357_632_718_898_000;
const FIRST_TRADE_ID = 102_517_381_000;
const FIRST_RECORD_ID = 313_288_753_120_000;

export const docs = (anchor: string): string => `https://huobiapi.github.io/docs/spot/v1/en/#${anchor}`;

export const idOf = ({ base, quote }: ScriptedMarket): string => `${base}${quote}`.toLowerCase();
export const orderIdOf = ({ number }: Order): number => FIRST_ORDER_ID + number;
export const accountIdOf = ({ number }: Account): number => 10_000_000 + number;
export const userIdOf = ({ number }: Account): number => 63_628_520 + number;
export const recordIdOf = ({ number }: Fill): number => FIRST_RECORD_ID + number;
const tradeIdOf = ({ number }: Fill): number => FIRST_TRADE_ID + number;

/** The exchange writes amounts of the account with 18 digits. */
export const text = (value: Exact): string => value.toFixed(18);

const KINDS = { GTC: 'limit', IOC: 'ioc', FOK: 'limit-fok', POST_ONLY: 'limit-maker' } as const;

function typeOf({ side, type, timeInForce }: Order): string {
  return `${side.toLowerCase()}-${type === 'MARKET' ? 'market' : KINDS[timeInForce]}`;
}

export function stateOf({ status, filled }: Order): string {
  if (status === 'FILLED') return 'filled';
  if (status === 'OPEN') return filled.isZero() ? 'submitted' : 'partial-filled';
  return filled.isZero() ? 'canceled' : 'partial-canceled';
}

function feesOf(exchange: ScriptedExchange, order: Order): Exact {
  const fees = exchange.fills.filter((fill) => fill.order === order).map(({ fee }) => fee.amount);
  return fees.reduce((sum, fee) => sum.plus(fee), exact(0));
}

const orderFields = (order: Order) => ({
  id: orderIdOf(order),
  symbol: idOf(order.market),
  'account-id': accountIdOf(order.account),
  'client-order-id': order.clientOrderId,
  amount: text(order.amount),
  price: order.price === undefined ? '0.0' : text(order.price),
  'created-at': order.createdAt,
  type: typeOf(order),
  source: 'spot-api',
  state: stateOf(order),
});

export function orderView(exchange: ScriptedExchange, order: Order) {
  const isOpen = order.status === 'OPEN';
  const isCancelled = !isOpen && order.status !== 'FILLED';
  return {
    ...orderFields(order),
    'field-amount': text(order.filled),
    'field-cash-amount': text(order.cost),
    'field-fees': text(feesOf(exchange, order)),
    'finished-at': isOpen ? 0 : order.updatedAt,
    'canceled-at': isCancelled ? order.updatedAt : 0,
  };
}

export const openOrderView = (exchange: ScriptedExchange, order: Order) => ({
  ...orderFields(order),
  'filled-amount': text(order.filled),
  'filled-cash-amount': text(order.cost),
  'filled-fees': text(feesOf(exchange, order)),
});

export const fillView = (fill: Fill) => ({
  id: recordIdOf(fill),
  symbol: idOf(fill.order.market),
  'order-id': orderIdOf(fill.order),
  'match-id': fill.number,
  'trade-id': tradeIdOf(fill),
  type: typeOf(fill.order),
  source: 'spot-api',
  role: fill.isMaker ? 'maker' : 'taker',
  price: fill.price.toString(),
  'filled-amount': text(fill.amount),
  'filled-fees': text(fill.fee.amount),
  'fee-currency': fill.fee.currency.toLowerCase(),
  'filled-points': '0.0',
  'fee-deduct-currency': '',
  'fee-deduct-state': 'done',
  'created-at': fill.at,
});

export const balanceViews = (account: Account) =>
  [...account.wallets].flatMap(([asset, { free, locked }]) =>
    [['trade', free] as const, ['frozen', locked] as const].map(([type, balance]) => ({
      currency: asset.toLowerCase(),
      type,
      balance: text(balance),
      debt: 'invalid',
      available: 'invalid',
      'seq-num': '477',
    })),
  );

const streamedTerms = (order: Order) => ({
  symbol: idOf(order.market),
  orderId: orderIdOf(order),
  clientOrderId: order.clientOrderId,
  orderSource: 'spot-api',
  orderSize: text(order.amount),
  ...(order.price !== undefined && { orderPrice: text(order.price) }),
  type: typeOf(order),
  orderStatus: stateOf(order),
});

export const creationView = (order: Order) => ({
  eventType: 'creation',
  ...streamedTerms(order),
  accountId: accountIdOf(order.account),
  orderCreateTime: order.createdAt,
});

const progressOf = ({ amount, filled }: Order) => ({
  remainAmt: text(amount.minus(filled)),
  execAmt: text(filled),
});

export const tradeView = (order: Order, fill: Fill) => ({
  eventType: 'trade',
  ...streamedTerms(order),
  ...progressOf(order),
  tradePrice: fill.price.toString(),
  tradeVolume: text(fill.amount),
  tradeId: tradeIdOf(fill),
  tradeTime: fill.at,
  aggressor: !fill.isMaker,
});

export const cancellationView = (order: Order) => ({
  eventType: 'cancellation',
  ...streamedTerms(order),
  ...progressOf(order),
  lastActTime: order.updatedAt,
});

export const clearingView = (fill: Fill) => ({
  eventType: 'trade',
  symbol: idOf(fill.order.market),
  orderId: orderIdOf(fill.order),
  tradePrice: fill.price.toString(),
  tradeVolume: text(fill.amount),
  orderSide: fill.order.side.toLowerCase(),
  orderType: typeOf(fill.order),
  aggressor: !fill.isMaker,
  tradeId: tradeIdOf(fill),
  tradeTime: fill.at,
  transactFee: text(fill.fee.amount),
  feeDeduct: '0',
  feeDeductType: '',
  feeCurrency: fill.fee.currency.toLowerCase(),
  accountId: accountIdOf(fill.order.account),
  source: 'spot-api',
  orderPrice: fill.order.price === undefined ? '0' : text(fill.order.price),
  orderSize: text(fill.order.amount),
  clientOrderId: fill.order.clientOrderId,
  orderCreateTime: fill.order.createdAt,
  orderStatus: stateOf(fill.order),
});
