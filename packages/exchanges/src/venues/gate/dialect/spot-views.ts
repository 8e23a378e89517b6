/** Renders the records of the scripted exchange as Gate's spot API does. */
import {
  type Account,
  exact,
  type Fill,
  type Order,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import { walletOf } from '../../../../conformance/scripted/wallets.js';

export const idOf = ({ base, quote }: ScriptedMarket): string => `${base}_${quote}`;
export const orderIdOf = ({ number }: Order): string => String(1_852_454_420 + number);
export const userIdOf = ({ number }: Account): number => 1_667_200_000 + number;
const fillNumberOf = ({ number }: Fill): number => 1_232_893_000 + number;
const secondsOf = (ms: number): string => String(Math.floor(ms / 1_000));

const TIMES_IN_FORCE = { GTC: 'gtc', IOC: 'ioc', FOK: 'fok', POST_ONLY: 'poc' } as const;

function finishOf({ status, timeInForce, type }: Order): string {
  switch (status) {
    case 'OPEN':
    case 'WAITING':
      return 'open';
    case 'FILLED':
      return 'filled';
    case 'CANCELLED':
      return 'cancelled';
    case 'EXPIRED':
      return type === 'MARKET' ? 'depth_not_enough' : TIMES_IN_FORCE[timeInForce];
  }
}

const statusOf = ({ status }: Order): string =>
  status === 'OPEN' ? 'open' : status === 'FILLED' ? 'closed' : 'cancelled';

/** The fields that calls, the list of open orders and the stream have in common. */
function orderFields(order: Order) {
  const { market, side, type, timeInForce, amount, filled, cost, price, margin } = order;
  return {
    id: orderIdOf(order),
    text: order.clientOrderId,
    create_time: secondsOf(order.createdAt),
    update_time: secondsOf(order.updatedAt),
    currency_pair: idOf(market),
    type: type === 'LIMIT' ? 'limit' : 'market',
    account: margin === undefined ? 'spot' : 'unified',
    side: side === 'BUY' ? 'buy' : 'sell',
    amount: amount.toString(),
    price: (price ?? exact(0)).toString(),
    time_in_force: type === 'MARKET' ? 'ioc' : TIMES_IN_FORCE[timeInForce],
    left: amount.minus(filled).toString(),
    filled_total: cost.toString(),
    fee: '0',
    fee_currency: side === 'BUY' ? market.base : market.quote,
    point_fee: '0',
    gt_fee: '0',
    rebated_fee: '0',
    rebated_fee_currency: market.quote,
  };
}

const averageOf = ({ filled, cost }: Order): string =>
  filled.isZero() ? '0' : cost.div(filled).toDecimalPlaces(8).toString();

export const calledOrder = (order: Order) => ({
  ...orderFields(order),
  amend_text: '-',
  create_time_ms: order.createdAt,
  update_time_ms: order.updatedAt,
  status: statusOf(order),
  iceberg: '0',
  filled_amount: order.filled.toString(),
  fill_price: order.cost.toString(),
  avg_deal_price: averageOf(order),
  gt_maker_fee: '0',
  gt_taker_fee: '0',
  gt_discount: false,
  finish_as: finishOf(order),
});

/** An order in the list of the open orders of all pairs, which has fewer fields. */
export const openOrder = (order: Order) => ({
  ...orderFields(order),
  status: statusOf(order),
  gt_discount: false,
});

const eventOf = (order: Order): string =>
  order.status !== 'OPEN' ? 'finish' : order.filled.isZero() ? 'put' : 'update';

export const streamedOrder = (order: Order) => ({
  ...orderFields(order),
  avg_deal_price: averageOf(order),
  create_time_ms: String(order.createdAt),
  update_time_ms: String(order.updatedAt),
  user: userIdOf(order.account),
  event: eventOf(order),
  stp_id: 0,
  stp_act: '-',
  finish_as: finishOf(order),
  biz_info: '-',
  amend_text: '-',
});

/** The fields that the list and the stream of fills have in common. */
function fillFields(fill: Fill) {
  const { order, price, amount, fee, isMaker, at } = fill;
  return {
    create_time_ms: `${at}.123456`.slice(0, 17),
    order_id: orderIdOf(order),
    side: order.side === 'BUY' ? 'buy' : 'sell',
    role: isMaker ? 'maker' : 'taker',
    amount: amount.toString(),
    price: price.toString(),
    fee: fee.amount.toString(),
    point_fee: '0',
    gt_fee: '0',
    text: order.clientOrderId,
  };
}

export const listedFill = (fill: Fill) => ({
  ...fillFields(fill),
  id: String(fillNumberOf(fill)),
  create_time: secondsOf(fill.at),
  fee_currency: fill.fee.currency,
  sequence_id: String(fill.number),
});

/** The recorded stream names no currency of the fee. */
export const streamedFill = (fill: Fill) => ({
  ...fillFields(fill),
  id: fillNumberOf(fill),
  user_id: userIdOf(fill.order.account),
  currency_pair: idOf(fill.order.market),
  create_time: Math.floor(fill.at / 1_000),
});

export function streamedBalance(account: Account, asset: string) {
  const { free, locked } = walletOf(account, asset);
  const now = Date.now();
  return {
    timestamp: secondsOf(now),
    timestamp_ms: String(now),
    user: String(userIdOf(account)),
    currency: asset,
    change: '0',
    total: free.plus(locked).toString(),
    available: free.toString(),
    freeze: locked.toString(),
    freeze_change: '0',
    change_type: 'order-create',
  };
}

export const spotBalances = (account: Account) =>
  [...account.wallets].map(([currency, { free, locked }]) => ({
    currency,
    available: free.toString(),
    locked: locked.toString(),
    update_id: 98,
  }));

/** The unified account in the mode of several currencies. */
export function unifiedAccount(account: Account) {
  const balances = [...account.wallets].map(([currency, { free, locked, borrowed }]) => {
    const balance = {
      available: free.toString(),
      freeze: locked.toString(),
      borrowed: borrowed.toString(),
      negative_liab: '0',
      futures_pos_liab: '0',
      equity: free.plus(locked).minus(borrowed).toString(),
      total_freeze: locked.toString(),
      total_liab: borrowed.toString(),
      spot_in_use: '0',
    };
    return [currency, balance];
  });
  const zero = '0';
  return {
    user_id: userIdOf(account),
    locked: false,
    balances: Object.fromEntries(balances),
    total: zero,
    borrowed: zero,
    total_initial_margin: zero,
    total_margin_balance: zero,
    total_maintenance_margin: zero,
    total_initial_margin_rate: zero,
    total_maintenance_margin_rate: zero,
    total_available_margin: zero,
    unified_account_total: zero,
    unified_account_total_liab: zero,
    unified_account_total_equity: zero,
    leverage: '2',
    spot_order_loss: zero,
    spot_hedge: false,
  };
}
