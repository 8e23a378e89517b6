/** Orders, from the port to ccxt's unified calls and back. */
import type { Decimal, TimeInForce, TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { OrderRequest, VenueOrder, VenueOrderStatus } from '../port.js';
import { failure, MalformedResponse } from './failures.js';
import { exactDecimal, parseResponse } from './parse-response.js';

/** ccxt's arguments for an order. A price is given to limit orders alone: with one, a market order means a cost. */
export interface OrderArguments {
  readonly type: 'limit' | 'market';
  readonly side: 'buy' | 'sell';
  readonly price: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

const LIMIT_PARAMS: Readonly<Record<TimeInForce, object>> = {
  GTC: { timeInForce: 'GTC' },
  IOC: { timeInForce: 'IOC' },
  FOK: { timeInForce: 'FOK' },
  POST_ONLY: { postOnly: true },
};
/** A market order is over at once by its nature; filling it whole or not at all is no exchange's offer. */
const MARKET_PARAMS: Readonly<Partial<Record<TimeInForce, object>>> = { GTC: {}, IOC: {} };
/** What rests until its stop price can't also be bound to the book of now. */
const STOP_LIMIT_PARAMS: Readonly<Partial<Record<TimeInForce, object>>> = {
  GTC: LIMIT_PARAMS.GTC,
  IOC: LIMIT_PARAMS.IOC,
  FOK: LIMIT_PARAMS.FOK,
};

interface Kind {
  readonly type: 'limit' | 'market';
  readonly hasStop: boolean;
  readonly timesInForce: Readonly<Partial<Record<TimeInForce, object>>>;
}

const KINDS: Readonly<Record<TradeType, Kind>> = {
  LIMIT: { type: 'limit', hasStop: false, timesInForce: LIMIT_PARAMS },
  MARKET: { type: 'market', hasStop: false, timesInForce: MARKET_PARAMS },
  STOP_LIMIT: { type: 'limit', hasStop: true, timesInForce: STOP_LIMIT_PARAMS },
  STOP_MARKET: { type: 'market', hasStop: true, timesInForce: MARKET_PARAMS },
};

/** @throws {ExchangeError} `rejected`/`not_supported` for what can't be asked for */
export function orderArguments(order: OrderRequest, isSpot: boolean): OrderArguments {
  const kind = KINDS[order.type];
  const timeInForce = kind.timesInForce[order.timeInForce];
  if (timeInForce === undefined) throw failure(['rejected', 'not_supported']);
  if ((kind.type === 'limit') !== (order.price !== undefined)) throw failure(['rejected', 'not_supported']);
  if (kind.hasStop !== (order.stopPrice !== undefined)) throw failure(['rejected', 'not_supported']);
  // On spot a sale can only reduce, and nothing is there for a purchase to reduce.
  if (order.reduceOnly && isSpot && order.side === 'BUY') throw failure(['rejected', 'not_supported']);
  return {
    type: kind.type,
    side: order.side === 'BUY' ? 'buy' : 'sell',
    price: order.price,
    params: {
      ...timeInForce,
      ...(kind.hasStop && { triggerPrice: order.stopPrice }),
      ...(order.reduceOnly && !isSpot && { reduceOnly: true }),
      clientOrderId: order.venueClientOrderId,
    },
  };
}

const ccxtOrder = z.object({
  id: z.string().min(1),
  clientOrderId: z.string().min(1),
  symbol: z.string(),
  // Of orders that were made elsewhere it may be any kind that the exchange has.
  type: z.string().min(1),
  side: z.enum(['buy', 'sell']),
  timeInForce: z.string().optional(),
  postOnly: z.boolean().optional(),
  price: exactDecimal.optional(),
  triggerPrice: exactDecimal.optional(),
  status: z.enum(['open', 'closed', 'canceled', 'canceling', 'expired', 'rejected']),
  amount: exactDecimal,
  filled: exactDecimal,
  // Exchanges write -1 or 0 for what has not happened yet.
  timestamp: z.number().optional(),
  lastUpdateTimestamp: z.number().optional(),
  lastTradeTimestamp: z.number().optional(),
});

/** How an order was asked for: by our id or by the exchange's. */
export type OrderLookup = { readonly symbol: string } & (
  | { readonly venueClientOrderId: string }
  | { readonly exchangeOrderId: string }
);

/** @throws {MalformedResponse} where this is not the order that was asked about */
export function readOrder(answer: unknown, asked: OrderLookup): VenueOrder {
  const order = parseResponse(ccxtOrder, answer);
  const isIt =
    'exchangeOrderId' in asked
      ? order.id === asked.exchangeOrderId
      : order.clientOrderId === asked.venueClientOrderId;
  if (order.symbol !== asked.symbol || !isIt) throw new MalformedResponse('another order');
  return toVenueOrder(order);
}

/** An order that nobody asked about. */
export function readPushedOrder(answer: unknown): VenueOrder {
  return toVenueOrder(parseResponse(ccxtOrder, answer));
}

/** @throws {MalformedResponse} where one of them is not open, or of another symbol than the one asked about */
export function readOpenOrders(answer: unknown, symbol: string | undefined): readonly VenueOrder[] {
  return parseResponse(z.array(ccxtOrder), answer).map((answered) => {
    const order = toVenueOrder(answered);
    if (order.symbol !== (symbol ?? order.symbol) || order.status !== 'OPEN')
      throw new MalformedResponse('no open order of this symbol');
    return order;
  });
}

function toVenueOrder(order: z.output<typeof ccxtOrder>): VenueOrder {
  const { timestamp, lastTradeTimestamp, lastUpdateTimestamp } = order;
  const updatedAt = instantOf(lastUpdateTimestamp, lastTradeTimestamp, timestamp);
  const type = typeOf(order);
  return {
    exchangeOrderId: order.id,
    venueClientOrderId: order.clientOrderId,
    symbol: order.symbol,
    side: order.side === 'buy' ? 'BUY' : 'SELL',
    type,
    timeInForce: timeInForceOf(order),
    // ccxt tells the average as the price of what has no limit.
    price: type.endsWith('LIMIT') ? nonZero(order.price) : undefined,
    stopPrice: nonZero(order.triggerPrice),
    status: statusOf(order),
    amount: order.amount,
    filledAmount: order.filled,
    createdAt: instantOf(timestamp) ?? updatedAt ?? new Date(),
    updatedAt: updatedAt ?? new Date(),
  };
}

function instantOf(...times: readonly (number | undefined)[]): Date | undefined {
  const time = times.find((one) => one !== undefined && one > 0);
  return time === undefined ? undefined : new Date(time);
}

/** Exchanges write 0 for a price that an order has not. */
function nonZero(price: Decimal | undefined): Decimal | undefined {
  return price === '0' ? undefined : price;
}

/** By what bounds it: kinds that are not ours (take profit, trailing) behave as the nearest of these. */
function typeOf({ type, price, triggerPrice }: z.output<typeof ccxtOrder>): TradeType {
  const isLimit = type.toLowerCase().includes('limit') || (type !== 'market' && !isNothing(price));
  if (isNothing(triggerPrice)) return isLimit ? 'LIMIT' : 'MARKET';
  return isLimit ? 'STOP_LIMIT' : 'STOP_MARKET';
}

function isNothing(price: Decimal | undefined): boolean {
  return nonZero(price) === undefined;
}

function timeInForceOf({ type, timeInForce, postOnly }: z.output<typeof ccxtOrder>): TimeInForce {
  if (postOnly === true || timeInForce === 'PO' || type === 'limit_maker') return 'POST_ONLY';
  return timeInForce === 'IOC' || timeInForce === 'FOK' ? timeInForce : 'GTC';
}

const cancelledOrder = z.object({ id: z.string().min(1), symbol: z.string() });

/**
 * The answer to a cancel names the order; its client order id may by now be that of the cancel.
 * @throws {MalformedResponse} where it names none of this symbol
 */
export function expectCancelled(answer: unknown, symbol: string): void {
  if (parseResponse(cancelledOrder, answer).symbol !== symbol) throw new MalformedResponse('another order');
}

function statusOf({ status, amount, filled }: z.output<typeof ccxtOrder>): VenueOrderStatus {
  switch (status) {
    case 'open':
    case 'canceling':
      return 'OPEN';
    case 'closed':
      return filled === amount ? 'FILLED' : 'CANCELLED';
    case 'canceled':
      return 'CANCELLED';
    case 'expired':
      return 'EXPIRED';
    case 'rejected':
      return 'REJECTED';
  }
}
