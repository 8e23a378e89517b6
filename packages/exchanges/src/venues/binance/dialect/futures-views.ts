/** Renders the records of the scripted exchange as Binance's USD-M futures do. */
import {
  type Account,
  type Exact,
  exact,
  type Fill,
  type Order,
  type Position,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { leverageOf, unrealizedOf } from '../../../../conformance/scripted/positions.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';
import { walletOf } from '../../../../conformance/scripted/wallets.js';
import { idOf, orderIdOf } from './common.js';

/** The assets that a futures wallet holds. */
export const ASSETS = ['USDT'] as const;
const fillIdOf = ({ number }: Fill): number => 698_700 + number;
const rounded = (value: Exact): string => value.toDecimalPlaces(8).toString();

const STATUSES = { FILLED: 'FILLED', CANCELLED: 'CANCELED', EXPIRED: 'EXPIRED', WAITING: 'NEW' } as const;
const statusOf = ({ status, filled }: Order): string =>
  status === 'OPEN' ? (filled.isZero() ? 'NEW' : 'PARTIALLY_FILLED') : STATUSES[status];

const timeInForceOf = ({ timeInForce, type }: Order): string =>
  type === 'MARKET' ? 'GTC' : timeInForce === 'POST_ONLY' ? 'GTX' : timeInForce;

const PREFIXES = {
  LIQUIDATION: 'autoclose-1596107620040000020',
  ADL: 'adl_autoclose',
  SETTLEMENT: 'settlement_autoclose-1596107620',
} as const;
const clientOrderIdOf = ({ cause, clientOrderId }: Order): string =>
  cause === undefined ? clientOrderId : PREFIXES[cause];

const averageOf = ({ filled, cost }: Order): string =>
  filled.isZero() ? '0.00000' : rounded(cost.div(filled));

/** The fields of every answer about an order. */
function commonFields(order: Order) {
  return {
    orderId: orderIdOf(order),
    symbol: idOf(order.market),
    status: statusOf(order),
    clientOrderId: clientOrderIdOf(order),
    price: (order.price ?? exact(0)).toString(),
    origQty: order.amount.toString(),
    executedQty: order.filled.toString(),
    cumQuote: order.cost.toString(),
    timeInForce: timeInForceOf(order),
    type: order.type,
    reduceOnly: order.reduceOnly === true,
    closePosition: false,
    side: order.side,
    positionSide: 'BOTH',
    stopPrice: '0',
    workingType: 'CONTRACT_PRICE',
    origType: order.type,
    updateTime: order.updatedAt,
  };
}

const PROTECTION = {
  priceProtect: false,
  priceMatch: 'NONE',
  selfTradePreventionMode: 'NONE',
  goodTillDate: 0,
};

export const listedOrder = (order: Order) => ({
  ...commonFields(order),
  ...PROTECTION,
  avgPrice: averageOf(order),
  time: order.createdAt,
});
export const placedOrder = (order: Order) => ({
  ...commonFields(order),
  ...PROTECTION,
  avgPrice: averageOf(order),
  cumQty: order.filled.toString(),
});
export const cancelledOrder = (order: Order) => ({
  ...commonFields(order),
  ...PROTECTION,
  cumQty: order.filled.toString(),
});
export const forcedOrder = (order: Order) => ({
  ...commonFields(order),
  avgPrice: averageOf(order),
  time: order.createdAt,
});

export const listedFill = (fill: Fill) => ({
  buyer: fill.order.side === 'BUY',
  commission: fill.fee.amount.toString(),
  commissionAsset: fill.fee.currency,
  id: fillIdOf(fill),
  maker: fill.isMaker,
  orderId: orderIdOf(fill.order),
  price: fill.price.toString(),
  qty: fill.amount.toString(),
  quoteQty: fill.amount.times(fill.price).toString(),
  realizedPnl: fill.realized.toString(),
  side: fill.order.side,
  positionSide: 'BOTH',
  symbol: idOf(fill.order.market),
  time: fill.at,
});

function executionOf({ cause, status }: Order, fill: Fill | undefined): string {
  if (fill !== undefined) return cause === 'LIQUIDATION' ? 'CALCULATED' : 'TRADE';
  return status === 'CANCELLED' ? 'CANCELED' : status === 'EXPIRED' ? 'EXPIRED' : 'NEW';
}

/** The stream names a fee only if there is one. */
const feeFields = (fill: Fill | undefined) =>
  fill === undefined || fill.fee.amount.isZero()
    ? {}
    : { N: fill.fee.currency, n: fill.fee.amount.toString() };

export const streamedOrder = (order: Order, fill: Fill | undefined) => ({
  e: 'ORDER_TRADE_UPDATE',
  E: order.updatedAt,
  T: order.updatedAt,
  o: {
    s: idOf(order.market),
    c: clientOrderIdOf(order),
    S: order.side,
    o: order.cause === 'LIQUIDATION' ? 'LIQUIDATION' : order.type,
    f: timeInForceOf(order),
    q: order.amount.toString(),
    p: (order.price ?? exact(0)).toString(),
    ap: averageOf(order),
    sp: '0',
    x: executionOf(order, fill),
    X: statusOf(order),
    i: orderIdOf(order),
    l: fill?.amount.toString() ?? '0',
    z: order.filled.toString(),
    L: fill?.price.toString() ?? '0',
    ...feeFields(fill),
    T: fill?.at ?? order.updatedAt,
    t: fill === undefined ? 0 : fillIdOf(fill),
    b: '0',
    a: '0',
    m: fill?.isMaker === true,
    R: order.reduceOnly === true,
    wt: 'CONTRACT_PRICE',
    ot: order.type,
    ps: 'BOTH',
    cp: false,
    pP: false,
    si: 0,
    ss: 0,
    rp: fill?.realized.toString() ?? '0',
    V: 'NONE',
    pm: 'NONE',
    gtd: 0,
  },
});

const positionSideOf = ({ isHedged }: Account, { size }: Position): string =>
  isHedged ? (size.isNegative() ? 'SHORT' : 'LONG') : 'BOTH';

/** A position in version 3 of the call. */
export function listedPosition(exchange: ScriptedExchange, account: Account, position: Position) {
  const { market, size, entryPrice } = position;
  const mark = exchange.markPriceOf(market);
  const notional = size.times(mark);
  const initial = rounded(notional.abs().div(leverageOf(account, market).leverage));
  return {
    symbol: idOf(market),
    positionSide: positionSideOf(account, position),
    positionAmt: size.toString(),
    entryPrice: rounded(entryPrice),
    breakEvenPrice: rounded(entryPrice),
    markPrice: mark.toString(),
    unRealizedProfit: unrealizedOf(position, mark).toString(),
    liquidationPrice: '0',
    isolatedMargin: '0',
    notional: notional.toString(),
    marginAsset: market.quote,
    isolatedWallet: '0',
    initialMargin: initial,
    maintMargin: rounded(notional.abs().times(market.maintenanceRate)),
    positionInitialMargin: initial,
    openOrderInitialMargin: '0',
    adl: 2,
    bidNotional: '0',
    askNotional: '0',
    updateTime: position.updatedAt,
  };
}

const marginTypeOf = (account: Account, market: ScriptedMarket): 'CROSSED' | 'ISOLATED' =>
  leverageOf(account, market).marginMode === 'ISOLATED' ? 'ISOLATED' : 'CROSSED';

export const symbolConfiguration = (account: Account, market: ScriptedMarket) => ({
  symbol: idOf(market),
  marginType: marginTypeOf(account, market),
  isAutoAddMargin: 'false',
  leverage: leverageOf(account, market).leverage.toNumber(),
  maxNotionalValue: '1000000',
});

export const streamedBalances = (exchange: ScriptedExchange, account: Account, assets: readonly string[]) => {
  const at = exchange.now();
  const B = assets.map((asset) => {
    const amount = walletBalanceOf(account, asset);
    return { a: asset, wb: amount, cw: amount, bc: '0' };
  });
  return { e: 'ACCOUNT_UPDATE', E: at, T: at, a: { m: 'ORDER', B, P: [] } };
};

export function streamedPosition(exchange: ScriptedExchange, account: Account, position: Position) {
  const { market, size, entryPrice } = position;
  const at = exchange.now();
  const entry = rounded(entryPrice);
  const record = {
    s: idOf(market),
    pa: size.toString(),
    ep: entry,
    bep: entry,
    cr: '0',
    up: unrealizedOf(position, exchange.markPriceOf(market)).toString(),
    mt: marginTypeOf(account, market) === 'ISOLATED' ? 'isolated' : 'cross',
    iw: '0',
    ps: positionSideOf(account, position),
  };
  return { e: 'ACCOUNT_UPDATE', E: at, T: at, a: { m: 'ORDER', B: [], P: [record] } };
}

const walletBalanceOf = (account: Account, asset: string): string => {
  const { free, locked } = walletOf(account, asset);
  return free.plus(locked).toString();
};

export const listedBalance = (account: Account, asset: string) => {
  const amount = walletBalanceOf(account, asset);
  return {
    accountAlias: 'SgsR',
    asset,
    balance: amount,
    crossWalletBalance: amount,
    crossUnPnl: '0',
    availableBalance: amount,
    maxWithdrawAmount: amount,
    marginAvailable: true,
    updateTime: 1_617_939_110_373,
  };
};

/** The account in single-asset mode: the totals are those of USDT. */
export function accountView(exchange: ScriptedExchange, account: Account) {
  const margin = exchange.marginOf(account, 'USDT');
  const amounts = {
    walletBalance: rounded(margin.wallet),
    unrealizedProfit: rounded(margin.unrealized),
    marginBalance: rounded(margin.equity),
    maintMargin: rounded(margin.maintenance),
    initialMargin: rounded(margin.positionMargin.plus(margin.orderMargin)),
    positionInitialMargin: rounded(margin.positionMargin),
    openOrderInitialMargin: rounded(margin.orderMargin),
    crossWalletBalance: rounded(margin.wallet),
    crossUnPnl: rounded(margin.unrealized),
    availableBalance: rounded(margin.available),
    maxWithdrawAmount: rounded(margin.available),
  };
  return {
    totalInitialMargin: amounts.initialMargin,
    totalMaintMargin: amounts.maintMargin,
    totalWalletBalance: amounts.walletBalance,
    totalUnrealizedProfit: amounts.unrealizedProfit,
    totalMarginBalance: amounts.marginBalance,
    totalPositionInitialMargin: amounts.positionInitialMargin,
    totalOpenOrderInitialMargin: amounts.openOrderInitialMargin,
    totalCrossWalletBalance: amounts.crossWalletBalance,
    totalCrossUnPnl: amounts.crossUnPnl,
    availableBalance: amounts.availableBalance,
    maxWithdrawAmount: amounts.maxWithdrawAmount,
    assets: [{ asset: 'USDT', ...amounts, updateTime: 1_625_474_304_765 }],
    positions: [],
  };
}
