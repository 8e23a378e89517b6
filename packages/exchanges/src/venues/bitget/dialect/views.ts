/** Renders the records of the scripted exchange as Bitget does. */
import {
  type Account,
  type Exact,
  exact,
  type Fill,
  type Order,
  type Position,
  Refusal,
  type ScriptedMarket,
  type Wallet,
} from '../../../../conformance/scripted/model.js';
import { leverageOf, unrealizedOf } from '../../../../conformance/scripted/positions.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

export const idOf = ({ base, quote }: ScriptedMarket): string => `${base}${quote}`;
export const categoryOf = ({ kind, quote }: ScriptedMarket): string =>
  kind === 'SPOT' ? 'SPOT' : `${quote}-FUTURES`;
/** The category of an order: one that may borrow is an order of margin. */
export const orderCategoryOf = ({ market, margin }: Order): string =>
  margin?.borrows === true ? 'MARGIN' : categoryOf(market);
export const orderIdOf = ({ number }: Order): string => String(1_233_965_375_251_996_672n + BigInt(number));
export const fillIdOf = ({ number }: Fill): string => String(1_311_111_111_111_111_111n + BigInt(number));
export const recordIdOf = (number: number): string => String(13_111_111_111_111_111n + BigInt(number));
const text = (value: Exact): string => value.toString();

export function marketOf(
  exchange: ScriptedExchange,
  category: string,
  symbol: string | undefined,
): ScriptedMarket {
  const market = exchange.markets.find((each) => idOf(each) === symbol && categoryOf(each) === category);
  if (market === undefined) throw new Refusal('UNKNOWN_SYMBOL');
  return market;
}

const TIMES_IN_FORCE = { GTC: 'gtc', IOC: 'ioc', FOK: 'fok', POST_ONLY: 'post_only' } as const;
const CANCEL_REASONS = {
  GTC: 'normal_cancel',
  IOC: 'ioc_not_full_cancel',
  FOK: 'fok_not_full_cancel',
  POST_ONLY: 'post_only_fill_cancel',
} as const;

function statusOf({ status, filled }: Order): string {
  if (status === 'OPEN') return filled.isZero() ? 'new' : 'partially_filled';
  return status === 'FILLED' ? 'filled' : 'cancelled';
}

function cancelReasonOf({ status, timeInForce }: Order): string {
  if (status === 'CANCELLED') return 'normal_cancel';
  return status === 'EXPIRED' ? CANCEL_REASONS[timeInForce] : '';
}

/** Fees that the account paid are positive. */
const feeDetailOf = (fills: readonly Fill[]) => [
  {
    feeCoin: fills[0]?.fee.currency ?? null,
    fee: fills.length === 0 ? null : text(fills.reduce((sum, { fee }) => sum.plus(fee.amount), exact(0))),
  },
];

/** The fields that the lists and the stream of orders have in common. */
function orderFields(order: Order, fills: readonly Fill[]) {
  const { market, side, type, timeInForce, amount, filled, cost } = order;
  return {
    symbol: idOf(market),
    orderId: orderIdOf(order),
    clientOid: order.clientOrderId,
    qty: text(amount),
    amount: '0',
    holdMode: market.kind === 'SPOT' ? '' : 'one_way_mode',
    orderType: type === 'MARKET' ? 'market' : 'limit',
    timeInForce: type === 'MARKET' ? 'gtc' : TIMES_IN_FORCE[timeInForce],
    side: side === 'BUY' ? 'buy' : 'sell',
    marginMode: 'crossed',
    cumExecQty: text(filled),
    cumExecValue: text(cost),
    avgPrice: filled.isZero() ? '0' : text(cost.div(filled).toDecimalPlaces(8)),
    orderStatus: statusOf(order),
    feeDetail: feeDetailOf(fills),
    createdTime: String(order.createdAt),
    updatedTime: String(order.updatedAt),
    stpMode: 'none',
  };
}

const EXEC_TYPES = { LIQUIDATION: 'liquidation', ADL: 'normal', SETTLEMENT: 'delivery' } as const;

function listedFields(order: Order, fills: readonly Fill[]) {
  return {
    ...orderFields(order, fills),
    category: orderCategoryOf(order),
    price: (order.price ?? exact(0)).toString(),
    posSide: order.side === 'BUY' ? 'long' : 'short',
    reduceOnly: order.reduceOnly === true ? 'YES' : 'NO',
    takeProfit: '',
    stopLoss: '',
    tpTriggerBy: '',
    slTriggerBy: '',
    tpOrderType: '',
    slOrderType: '',
    tpLimitPrice: '',
    slLimitPrice: '',
  };
}

const endOf = (order: Order) => ({
  cancelReason: cancelReasonOf(order),
  execType: order.cause === undefined ? 'normal' : EXEC_TYPES[order.cause],
});

export const foundOrder = (order: Order, fills: readonly Fill[]) => ({
  ...listedFields(order, fills),
  ...endOf(order),
  tradeSide: order.side === 'BUY' ? 'buy_single' : 'sell_single',
});
export const openOrder = (order: Order, fills: readonly Fill[]) => ({
  ...listedFields(order, fills),
  delegateType: 'normal',
});
export const endedOrder = (order: Order, fills: readonly Fill[]) => ({
  ...openOrder(order, fills),
  ...endOf(order),
});
export const streamedOrder = (order: Order, fills: readonly Fill[]) => ({
  ...orderFields(order, fills),
  category: orderCategoryOf(order).toLowerCase(),
  price: order.price === undefined ? '' : text(order.price),
  holdSide: order.side === 'BUY' ? 'long' : 'short',
  delegateType: 'normal',
  tradeSide: order.side === 'BUY' ? 'buy_single' : 'sell_single',
  marginCoin: order.market.quote,
  reduceOnly: order.reduceOnly === true ? 'yes' : 'no',
  totalProfit: '0',
  cancelReason: cancelReasonOf(order),
  leverage: '10',
});

const TRADE_SIDES = {
  LIQUIDATION: ['burst_buy_single', 'burst_sell_single'],
  ADL: ['dte_sys_adl_buy_in_single_side_mode', 'dte_sys_adl_sell_in_single_side_mode'],
  SETTLEMENT: ['delivery_buy_single', 'delivery_sell_single'],
} as const;

function fillFields(fill: Fill) {
  const { order, price, amount } = fill;
  const sides = order.cause === undefined ? ['buy_single', 'sell_single'] : TRADE_SIDES[order.cause];
  return {
    execId: fillIdOf(fill),
    execLinkId: fillIdOf(fill),
    orderId: orderIdOf(order),
    clientOid: order.clientOrderId,
    symbol: idOf(order.market),
    orderType: order.type === 'MARKET' ? 'market' : 'limit',
    side: order.side === 'BUY' ? 'buy' : 'sell',
    execPrice: text(price),
    execQty: text(amount),
    execValue: text(price.times(amount)),
    tradeScope: fill.isMaker ? 'maker' : 'taker',
    tradeSide: sides[order.side === 'BUY' ? 0 : 1],
    feeDetail: feeDetailOf([fill]),
    updatedTime: String(fill.at + 1),
    execPnl: text(fill.realized),
    isRPI: 'no',
  };
}

export const listedFill = (fill: Fill) => ({
  ...fillFields(fill),
  category: orderCategoryOf(fill.order),
  createdTime: String(fill.at),
});
export const streamedFill = (fill: Fill) => ({
  ...fillFields(fill),
  category: orderCategoryOf(fill.order).toLowerCase(),
  execTime: String(fill.at),
  holdSide: fill.order.side === 'BUY' ? 'long' : 'short',
});

/** The fields that the list and the stream of positions have in common. */
function positionFields(exchange: ScriptedExchange, account: Account, position: Position) {
  const { market, size } = position;
  const mark = exchange.markPriceOf(market);
  return {
    symbol: idOf(market),
    marginCoin: market.quote,
    holdMode: account.isHedged ? 'hedge_mode' : 'one_way_mode',
    posSide: size.isNegative() ? 'short' : 'long',
    marginMode: 'crossed',
    available: text(size.abs()),
    frozen: '0',
    leverage: text(leverageOf(account, market).leverage),
    curRealisedPnl: '0',
    avgPrice: text(position.entryPrice.toDecimalPlaces(8)),
    unrealisedPnl: text(unrealizedOf(position, mark)),
    mmr: market.maintenanceRate,
    profitRate: '',
    markPrice: text(mark),
    breakEvenPrice: '',
    openFeeTotal: '',
    closeFeeTotal: '',
    createdTime: String(position.openedAt),
    updatedTime: String(position.updatedAt),
  };
}

export const listedPosition = (exchange: ScriptedExchange, account: Account, position: Position) => ({
  ...positionFields(exchange, account, position),
  category: categoryOf(position.market),
  positionBalance: '0',
  total: text(position.size.abs()),
  positionStatus: 'normal',
  liquidationPrice: '0',
  totalFunding: '0',
});
export const streamedPosition = (exchange: ScriptedExchange, account: Account, position: Position) => ({
  ...positionFields(exchange, account, position),
  size: text(position.size.abs()),
  positionStatus: position.size.isZero() ? 'ended' : 'opening',
  liqPrice: '',
  totalFundingFee: '0',
  marginSize: '0',
});

/** The margin of the account in USD. */
export function marginFields(exchange: ScriptedExchange, account: Account) {
  const margin = exchange.marginOf(account, 'USDT');
  return {
    effEquity: text(margin.equity),
    mmr: text(margin.maintenance),
    imr: text(margin.positionMargin.plus(margin.orderMargin).toDecimalPlaces(8)),
    mgnRatio: '0',
    positionMgnRatio: '0',
  };
}

export const coinFields = (account: Account) =>
  [...account.wallets].map(([coin, wallet]) => {
    const { free, locked } = wallet;
    // What the account owes makes its balance negative.
    const balance = text(free.plus(locked).minus(debtOf(wallet)));
    return { coin, equity: balance, usdValue: balance, balance, available: text(free), locked: text(locked) };
  });

/** Interest becomes a part of the loan. */
export const debtOf = ({ borrowed, interest }: Wallet): Exact => borrowed.plus(interest);
