/**
 * The exchange's rules for an order, checked while it is typed, so that a mistake is seen before it is sent. The API
 * checks them again and decides.
 */

import type { TradePair } from '@trading-automation/sdk';
import { ceilTo, Exact, floorTo, isMultipleOf, isZero, largestOf, smallestOf } from '../../format/decimals';

export type Pair = TradePair<'string'>;
export type Side = 'BUY' | 'SELL';
export type OrderType = 'LIMIT' | 'MARKET' | 'STOP_LIMIT' | 'STOP_MARKET';
export type TimeInForce = 'GTC' | 'IOC' | 'FOK' | 'POST_ONLY';

export const hasLimitPrice = (type: OrderType) => type === 'LIMIT' || type === 'STOP_LIMIT';
export const hasStopPrice = (type: OrderType) => type === 'STOP_LIMIT' || type === 'STOP_MARKET';
const isMarket = (type: OrderType) => type === 'MARKET' || type === 'STOP_MARKET';

const ORDER_TYPES: readonly OrderType[] = ['LIMIT', 'MARKET', 'STOP_LIMIT', 'STOP_MARKET'];
const TIMES: Readonly<Record<OrderType, readonly TimeInForce[]>> = {
  LIMIT: ['GTC', 'IOC', 'FOK', 'POST_ONLY'],
  MARKET: ['GTC'],
  STOP_LIMIT: ['GTC', 'IOC', 'FOK'],
  STOP_MARKET: ['GTC', 'IOC'],
};

/** The order types of a pair. */
export const orderTypesOf = ({ order_types }: Pair): readonly OrderType[] =>
  ORDER_TYPES.filter((type) => order_types.includes(type));

/** How long an order of a type may rest on a pair. */
export const timesInForceOf = ({ time_in_forces }: Pair, type: OrderType): readonly TimeInForce[] =>
  type === 'MARKET' ? TIMES.MARKET : TIMES[type].filter((time) => time_in_forces.includes(time));

/** The amount step of an order type. Market orders may have a coarser one. */
export function amountStepOf(pair: Pair, type: OrderType): Exact {
  const step = new Exact(pair.amount_step);
  const marketStep = isMarket(type) ? pair.market_amount_step : undefined;
  return marketStep === undefined ? step : largestOf(step, marketStep);
}

/** The largest amount of an order type; missing if there is no limit. */
export function maxAmountOf(pair: Pair, type: OrderType): Exact | undefined {
  const limits = [pair.max_amount, isMarket(type) ? pair.market_max_amount : undefined];
  const values = limits.filter((limit) => limit !== undefined).map((limit) => new Exact(limit));
  return values.length === 0 ? undefined : smallestOf(...values);
}

export type Field = 'amount' | 'price' | 'stopPrice';

/** A broken rule, and the values nearest to the typed one that keep it. */
export interface Problem {
  readonly message: string;
  readonly fixes: readonly string[];
}

export interface CheckedOrder {
  readonly type: OrderType;
  readonly amount?: Exact | undefined;
  readonly price?: Exact | undefined;
  readonly stopPrice?: Exact | undefined;
  /** The price by which the exchange values the order: the limit or stop price, otherwise the last one. */
  readonly valuation?: Exact | undefined;
  /** The minimum value does not apply to such an order on a perpetual, so that a position of little value can be closed. */
  readonly isReduceOnly: boolean;
}

/** The least value of an order; zero for one that can only reduce a position. */
const minNotionalOf = ({ isReduceOnly }: Pick<CheckedOrder, 'isReduceOnly'>, pair: Pair): string =>
  isReduceOnly && pair.trading_type === 'perpetual' ? '0' : pair.min_notional;

/** Returns the first problem of each field. */
export function problemsOf(order: CheckedOrder, pair: Pair): Partial<Record<Field, Problem>> {
  const amount = order.amount && amountProblem(order.amount, order, pair);
  const price = order.price && tickProblem(order.price, pair);
  const stopPrice = order.stopPrice && tickProblem(order.stopPrice, pair);
  return {
    ...(amount && { amount }),
    ...(price && { price }),
    ...(stopPrice && { stopPrice }),
  };
}

function tickProblem(price: Exact, { price_tick, quote }: Pair): Problem | undefined {
  const tick = new Exact(price_tick);
  if (isMultipleOf(price, tick)) return undefined;
  return {
    message: `Prices are multiples of ${price_tick} ${quote}.`,
    fixes: positive([floorTo(price, tick), ceilTo(price, tick)]),
  };
}

function amountProblem(amount: Exact, order: CheckedOrder, pair: Pair): Problem | undefined {
  const step = amountStepOf(pair, order.type);
  const least = leastAmountOf(order, pair);
  const most = mostAmountOf(order, pair);
  if (amount.lt(pair.min_amount))
    return { message: `The smallest amount is ${pair.min_amount} ${pair.base}.`, fixes: positive([least]) };
  const max = maxAmountOf(pair, order.type);
  if (max !== undefined && amount.gt(max))
    return {
      message: `The largest amount is ${max.toFixed()} ${pair.base}.`,
      fixes: positive([most ?? max]),
    };
  if (!isMultipleOf(amount, step)) {
    const near = [floorTo(amount, step), ceilTo(amount, step)];
    return {
      message: `Amounts are multiples of ${step.toFixed()} ${pair.base}.`,
      fixes: positive(near.map((value) => clamp(value, least, most))),
    };
  }
  return notionalProblem(amount, order, pair, least, most);
}

function notionalProblem(
  amount: Exact,
  order: CheckedOrder,
  pair: Pair,
  least: Exact,
  most: Exact | undefined,
): Problem | undefined {
  const { valuation } = order;
  const { max_notional, quote } = pair;
  if (valuation === undefined) return undefined;
  const notional = amount.times(valuation);
  const minimum = minNotionalOf(order, pair);
  if (notional.lt(minimum))
    return {
      message: `The order must be worth at least ${minimum} ${quote}.`,
      fixes: positive([least]),
    };
  if (max_notional !== undefined && notional.gt(max_notional))
    return {
      message: `The order must be worth at most ${max_notional} ${quote}.`,
      fixes: positive(most === undefined ? [] : [most]),
    };
  return undefined;
}

/** The smallest amount that keeps every rule. */
export function leastAmountOf(order: CheckedOrder, pair: Pair): Exact {
  const { type, valuation } = order;
  const minimum = minNotionalOf(order, pair);
  const byNotional = valuation === undefined || isZero(valuation) ? 0 : new Exact(minimum).div(valuation);
  return ceilTo(largestOf(pair.min_amount, byNotional), amountStepOf(pair, type));
}

/** The largest amount that keeps every rule; missing without a limit. */
function mostAmountOf({ type, valuation }: CheckedOrder, pair: Pair): Exact | undefined {
  const limits = [
    maxAmountOf(pair, type),
    pair.max_notional === undefined || valuation === undefined || isZero(valuation)
      ? undefined
      : new Exact(pair.max_notional).div(valuation),
  ].filter((limit) => limit !== undefined);
  return limits.length === 0 ? undefined : floorTo(smallestOf(...limits), amountStepOf(pair, type));
}

const clamp = (value: Exact, least: Exact, most: Exact | undefined) =>
  largestOf(least, most === undefined ? value : smallestOf(value, most));

/** Different values greater than zero, as plain text. */
const positive = (values: readonly Exact[]) => [
  ...new Set(values.filter((value) => value.gt(0)).map((value) => value.toFixed())),
];
