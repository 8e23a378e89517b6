/** Renders the records of the scripted exchange as Gate's futures API does. */
import {
  type Account,
  type Cause,
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
import { idOf, userIdOf } from './spot-views.js';

export const orderNumberOf = ({ number }: Order): number => 15_675_000 + number;
const fillNumberOf = ({ number }: Fill): number => 121_234_000 + number;

const TIMES_IN_FORCE = { GTC: 'gtc', IOC: 'ioc', FOK: 'fok', POST_ONLY: 'poc' } as const;
/** The `text` of orders that the exchange places itself. */
const TEXTS: Readonly<Record<Cause, string>> = {
  LIQUIDATION: 'liq-15675394',
  ADL: 'auto_deleveraging',
  SETTLEMENT: 'clear',
};

/** Returns the number of contracts. */
export const contractsOf = (amount: Exact, { contractSize }: ScriptedMarket): number =>
  amount.div(contractSize).toNumber();

/** Whether orders may have a part of a contract. */
export const hasDecimalContracts = ({ step, contractSize }: ScriptedMarket): boolean =>
  exact(step).lt(contractSize);

const signed = (order: Order, amount: Exact): number =>
  contractsOf(order.side === 'BUY' ? amount : amount.negated(), order.market);

function finishOf({ status, timeInForce, type }: Order): string {
  if (status === 'FILLED') return 'filled';
  if (status === 'CANCELLED') return 'cancelled';
  return type === 'MARKET' ? 'ioc' : TIMES_IN_FORCE[timeInForce];
}

const isOpenOrder = ({ status }: Order): boolean => status === 'OPEN' || status === 'WAITING';
const textOf = ({ cause, clientOrderId }: Order): string =>
  cause === undefined ? clientOrderId : TEXTS[cause];
const averageOf = ({ filled, cost }: Order): string =>
  filled.isZero() ? '0' : cost.div(filled).toDecimalPlaces(8).toString();

/** The fields that calls and the stream have in common. */
function orderFields(order: Order) {
  return {
    id: orderNumberOf(order),
    contract: idOf(order.market),
    refu: 0,
    is_reduce_only: order.reduceOnly === true,
    is_close: false,
    is_liq: order.cause === 'LIQUIDATION',
    text: textOf(order),
    tif: order.type === 'MARKET' ? 'ioc' : TIMES_IN_FORCE[order.timeInForce],
    status: isOpenOrder(order) ? 'open' : 'finished',
  };
}

export const calledOrder = (order: Order) => ({
  ...orderFields(order),
  user: userIdOf(order.account),
  create_time: order.createdAt / 1_000,
  size: signed(order, order.amount),
  iceberg: 0,
  left: signed(order, order.amount.minus(order.filled)),
  price: (order.price ?? exact(0)).toString(),
  fill_price: averageOf(order),
  mkfr: order.market.makerFee,
  tkfr: order.market.takerFee,
  // An open order has neither.
  ...(isOpenOrder(order) ? {} : { finish_time: order.updatedAt / 1_000, finish_as: finishOf(order) }),
  stp_id: 0,
  stp_act: '-',
  amend_text: '-',
});

export const streamedOrder = (order: Order) => ({
  ...orderFields(order),
  user: String(userIdOf(order.account)),
  create_time: Math.floor(order.createdAt / 1_000),
  create_time_ms: order.createdAt,
  size: String(signed(order, order.amount)),
  iceberg: '0',
  left: String(signed(order, order.amount.minus(order.filled))),
  price: Number(order.price ?? 0),
  fill_price: Number(averageOf(order)),
  mkfr: Number(order.market.makerFee),
  tkfr: Number(order.market.takerFee),
  refr: 0,
  finish_time: Math.floor(order.updatedAt / 1_000),
  finish_time_ms: order.updatedAt,
  finish_as: isOpenOrder(order) ? '_new' : finishOf(order),
});

export const listedFill = (fill: Fill) => ({
  id: fillNumberOf(fill),
  create_time: fill.at / 1_000,
  contract: idOf(fill.order.market),
  order_id: String(orderNumberOf(fill.order)),
  size: signed(fill.order, fill.amount),
  price: fill.price.toString(),
  text: textOf(fill.order),
  fee: fill.fee.amount.toString(),
  point_fee: '0',
  role: fill.isMaker ? 'maker' : 'taker',
});

export const streamedFill = (fill: Fill) => ({
  id: String(fillNumberOf(fill)),
  create_time: Math.floor(fill.at / 1_000),
  create_time_ms: fill.at,
  contract: idOf(fill.order.market),
  order_id: String(orderNumberOf(fill.order)),
  size: String(signed(fill.order, fill.amount)),
  price: fill.price.toString(),
  role: fill.isMaker ? 'maker' : 'taker',
  text: textOf(fill.order),
  fee: fill.fee.amount.toNumber(),
  point_fee: 0,
  close_size: '0',
});

const modeOf = (account: Account, { size }: Position): string =>
  account.isHedged ? (size.isNegative() ? 'dual_short' : 'dual_long') : 'single';
const entryOf = ({ entryPrice }: Position): Exact => entryPrice.toDecimalPlaces(8);

/** A leverage of zero stands for cross margin. */
function leveragesOf(account: Account, market: ScriptedMarket) {
  const { leverage, marginMode } = leverageOf(account, market);
  const isCross = marginMode === 'CROSS';
  return { isolated: isCross ? exact(0) : leverage, cross: isCross ? leverage : exact(0) };
}

export function calledPosition(exchange: ScriptedExchange, account: Account, position: Position) {
  const { market, size } = position;
  const mark = exchange.markPriceOf(market);
  const notional = size.abs().times(mark);
  const { isolated, cross } = leveragesOf(account, market);
  return {
    user: userIdOf(account),
    contract: idOf(market),
    size: contractsOf(size, market),
    trade_max_size: '0',
    leverage: isolated.toString(),
    lever: (isolated.isZero() ? cross : isolated).toString(),
    risk_limit: '100',
    leverage_max: market.maxLeverage,
    maintenance_rate: market.maintenanceRate,
    value: notional.toString(),
    margin: '0',
    entry_price: entryOf(position).toString(),
    liq_price: '0',
    mark_price: mark.toString(),
    unrealised_pnl: unrealizedOf(position, mark).toString(),
    realised_pnl: '0',
    pnl_pnl: '0',
    pnl_fund: '0',
    pnl_fee: '0',
    history_pnl: '0',
    last_close_pnl: '0',
    realised_point: '0',
    history_point: '0',
    adl_ranking: 5,
    pending_orders: 0,
    close_order: null,
    mode: modeOf(account, position),
    open_time: Math.floor(position.openedAt / 1_000),
    update_time: Math.floor(position.updatedAt / 1_000),
    cross_leverage_limit: cross.toString(),
  };
}

export function streamedPosition(account: Account, position: Position) {
  const { market, size } = position;
  const { isolated, cross } = leveragesOf(account, market);
  return {
    contract: idOf(market),
    cross_leverage_limit: cross.toNumber(),
    entry_price: entryOf(position).toNumber(),
    history_pnl: 0,
    history_point: 0,
    last_close_pnl: 0,
    leverage: isolated.toNumber(),
    leverage_max: Number(market.maxLeverage),
    liq_price: 0,
    maintenance_rate: Number(market.maintenanceRate),
    margin: 0,
    mode: modeOf(account, position),
    realised_pnl: 0,
    realised_point: 0,
    risk_limit: 100,
    size: String(contractsOf(size, market)),
    time: Math.floor(position.updatedAt / 1_000),
    time_ms: position.updatedAt,
    user: String(userIdOf(account)),
    update_id: position.updatedAt,
  };
}

export function streamedWallet(account: Account) {
  const now = Date.now();
  const { free, locked } = walletOf(account, 'USDT');
  return {
    balance: free.plus(locked).toNumber(),
    change: 0,
    text: 'BTC_USDT:3914424',
    time: Math.floor(now / 1_000),
    time_ms: now,
    type: 'fee',
    user: String(userIdOf(account)),
    currency: 'usdt',
  };
}

/** The account of futures that are settled in USDT. */
export function futuresAccount(exchange: ScriptedExchange, account: Account) {
  const margin = exchange.marginOf(account, 'USDT');
  return {
    user: userIdOf(account),
    currency: 'USDT',
    total: margin.wallet.toString(),
    unrealised_pnl: margin.unrealized.toString(),
    position_margin: margin.positionMargin.toDecimalPlaces(12).toString(),
    order_margin: margin.orderMargin.toDecimalPlaces(12).toString(),
    available: margin.available.toDecimalPlaces(12).toString(),
    point: '0',
    bonus: '0',
    in_dual_mode: account.isHedged,
    position_mode: account.isHedged ? 'dual' : 'single',
    enable_evolved_classic: false,
    history: {
      dnw: '10000',
      pnl: '0',
      fee: '0',
      refr: '0',
      fund: '0',
      point_dnw: '0',
      point_fee: '0',
      point_refr: '0',
      bonus_dnw: '0',
      bonus_offset: '0',
    },
  };
}
