/** Renders the records of the scripted exchange as Kraken's spot API does. */
import {
  type Account,
  type Exact,
  exact,
  type Fill,
  type Order,
  type ScriptedMarket,
} from '../../../../conformance/scripted/model.js';
import type { ScriptedExchange } from '../../../../conformance/scripted/scripted-exchange.js';

/** The exchange's codes of currencies, which begin with X or Z if they are old. */
const CODES: Readonly<Record<string, string>> = { BTC: 'XBT' };
const ASSETS: Readonly<Record<string, string>> = { BTC: 'XXBT', ETH: 'XETH' };
const codeOf = (currency: string): string => CODES[currency] ?? currency;
const assetOf = (currency: string): string => ASSETS[currency] ?? currency;

export const idOf = ({ base, quote }: ScriptedMarket): string => `${codeOf(base)}${codeOf(quote)}`;
const wsNameOf = ({ base, quote }: ScriptedMarket): string => `${codeOf(base)}/${codeOf(quote)}`;
/** The name on the second version of the stream, with the usual codes. */
export const streamNameOf = ({ base, quote }: ScriptedMarket): string => `${base}/${quote}`;

const idWith = (first: string, number: number): string => {
  const digits = String(number).padStart(16, '0');
  return `${first}${digits.slice(0, 5)}-${digits.slice(5, 10)}-${digits.slice(10)}`;
};
export const orderIdOf = ({ number }: Order): string => idWith('O', number);
export const tradeIdOf = ({ number }: Fill): string => idWith('T', number);

export const decimalsOf = (step: string): number => exact(step).decimalPlaces();
const seconds = (ms: number): number => ms / 1_000;
const percentOf = (rate: string): number => exact(rate).times(100).toNumber();

export const pairView = (market: ScriptedMarket) => ({
  altname: idOf(market),
  wsname: wsNameOf(market),
  aclass_base: 'currency',
  base: assetOf(market.base),
  aclass_quote: 'currency',
  quote: assetOf(market.quote),
  lot: 'unit',
  cost_decimals: 6,
  pair_decimals: decimalsOf(market.tick),
  lot_decimals: decimalsOf(market.step),
  lot_multiplier: 1,
  leverage_buy: [2, 3],
  leverage_sell: [2, 3],
  fees: [[0, percentOf(market.takerFee)]],
  fees_maker: [[0, percentOf(market.makerFee)]],
  fee_volume_currency: 'ZUSD',
  margin_call: 80,
  margin_stop: 40,
  ordermin: market.minAmount,
  costmin: market.minNotional,
  tick_size: market.tick,
  status: 'online',
  long_position_limit: 250,
  short_position_limit: 200,
});

/** The amounts of today and of the last 24 hours are the same here. */
const twice = (value: string) => [value, value];

export function tickerView(exchange: ScriptedExchange, market: ScriptedMarket) {
  const book = exchange.bookOf(market);
  const levelOf = (side: 'BUY' | 'SELL') => {
    const [price = exact(0), amount = exact(0)] = book.levelsOf(side)[0] ?? [];
    return [price.toFixed(5), '1', amount.toFixed(3)];
  };
  const prices = book.trades.map(({ price }) => price);
  const sum = (values: readonly Exact[]) => values.reduce((total, each) => total.plus(each), exact(0));
  const volume = sum(book.trades.map(({ amount }) => amount));
  const cost = sum(book.trades.map(({ amount, price }) => amount.times(price)));
  const extreme = (sign: number) =>
    prices.reduce((best, price) => (price.cmp(best) === sign ? price : best), prices[0] ?? exact(0));
  return {
    a: levelOf('SELL'),
    b: levelOf('BUY'),
    c: [(book.lastPrice ?? exact(0)).toFixed(5), (book.trades.at(-1)?.amount ?? exact(0)).toFixed(8)],
    v: twice(volume.toFixed(8)),
    p: twice((volume.isZero() ? exact(0) : cost.div(volume)).toFixed(5)),
    t: [prices.length, prices.length],
    l: twice(extreme(-1).toFixed(5)),
    h: twice(extreme(1).toFixed(5)),
    o: (prices[0] ?? exact(0)).toFixed(5),
  };
}

const STATUSES = {
  WAITING: 'open',
  OPEN: 'open',
  FILLED: 'closed',
  CANCELLED: 'canceled',
  EXPIRED: 'canceled',
} as const;

export function orderView(order: Order, trades: readonly Fill[] | undefined) {
  const { market, side, type, amount, price, filled, cost, status, timeInForce } = order;
  const isEnded = status !== 'OPEN';
  const text = `${side.toLowerCase()} ${amount.toFixed(8)} ${idOf(market)} @ ${type.toLowerCase()}`;
  return {
    refid: null,
    userref: null,
    cl_ord_id: order.clientOrderId,
    status: STATUSES[status],
    ...(isEnded && {
      reason: status === 'CANCELLED' ? 'User requested' : null,
      closetm: seconds(order.updatedAt),
    }),
    opentm: seconds(order.createdAt),
    starttm: 0,
    expiretm: 0,
    descr: {
      pair: idOf(market),
      aclass: 'forex',
      type: side.toLowerCase(),
      ordertype: type.toLowerCase(),
      price: price?.toFixed(decimalsOf(market.tick)) ?? '0',
      price2: '0',
      leverage: 'none',
      order: price === undefined ? text : `${text} ${price}`,
      close: '',
    },
    vol: amount.toFixed(8),
    vol_exec: filled.toFixed(8),
    cost: cost.toFixed(5),
    fee: '0.00000',
    price: (filled.isZero() ? exact(0) : cost.div(filled)).toFixed(5),
    stopprice: '0.00000',
    limitprice: '0.00000',
    misc: '',
    oflags: timeInForce === 'POST_ONLY' ? 'fciq,post' : 'fciq',
    ...(trades !== undefined && trades.length > 0 ? { trades: trades.map(tradeIdOf) } : {}),
  };
}

export const tradeView = (fill: Fill) => ({
  ordertxid: orderIdOf(fill.order),
  postxid: idWith('P', fill.number),
  pair: idOf(fill.order.market),
  time: seconds(fill.at),
  type: fill.order.side.toLowerCase(),
  ordertype: fill.order.type.toLowerCase(),
  price: fill.price.toFixed(5),
  cost: fill.price.times(fill.amount).toFixed(5),
  fee: fill.fee.amount.toFixed(8),
  vol: fill.amount.toFixed(8),
  margin: '0.00000',
  misc: '',
  trade_id: fill.number,
  maker: fill.isMaker,
});

export const balancesView = ({ wallets }: Account) =>
  Object.fromEntries(
    [...wallets].map(([currency, { free, locked }]) => [
      assetOf(currency),
      { balance: free.plus(locked).toFixed(10), hold_trade: locked.toFixed(10) },
    ]),
  );
