/** Orders and fills, from the port to ccxt's unified calls and back. */
import type { TimeInForce, TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { OrderRequest, VenueFill, VenueOrder, VenueOrderStatus } from '../port.js';
import { exact, expectAnswer } from './adapters.js';
import { AnswerSenseless, failure } from './failures.js';

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

const answeredOrder = z.object({
  id: z.string().min(1),
  clientOrderId: z.string().min(1),
  symbol: z.string(),
  status: z.enum(['open', 'closed', 'canceled', 'canceling', 'expired', 'rejected']),
  amount: exact,
  filled: exact,
  // Exchanges write -1 or 0 for what has not happened yet.
  timestamp: z.number().optional(),
  lastUpdateTimestamp: z.number().optional(),
  lastTradeTimestamp: z.number().optional(),
});

/** @throws {AnswerSenseless} where this is not the order that was asked about */
export function readOrder(answer: unknown, symbol: string, venueClientOrderId: string): VenueOrder {
  const order = expectAnswer(answeredOrder, answer);
  if (order.symbol !== symbol || order.clientOrderId !== venueClientOrderId)
    throw new AnswerSenseless('another order');
  return toVenueOrder(order);
}

/** @throws {AnswerSenseless} where one of them is of another symbol, or not open */
export function readOpenOrders(answer: unknown, symbol: string): readonly VenueOrder[] {
  return expectAnswer(z.array(answeredOrder), answer).map((answered) => {
    const order = toVenueOrder(answered);
    if (order.symbol !== symbol || order.status !== 'OPEN')
      throw new AnswerSenseless('no open order of this symbol');
    return order;
  });
}

function toVenueOrder(order: z.output<typeof answeredOrder>): VenueOrder {
  const times = [order.lastUpdateTimestamp, order.lastTradeTimestamp, order.timestamp];
  const updatedAt = times.find((time) => time !== undefined && time > 0);
  return {
    exchangeOrderId: order.id,
    venueClientOrderId: order.clientOrderId,
    symbol: order.symbol,
    status: statusOf(order),
    amount: order.amount,
    filledAmount: order.filled,
    updatedAt: updatedAt === undefined ? new Date() : new Date(updatedAt),
  };
}

const cancelledOrder = z.object({ id: z.string().min(1), symbol: z.string() });

/**
 * The answer to a cancel names the order; its client order id may by now be that of the cancel.
 * @throws {AnswerSenseless} where it names none of this symbol
 */
export function expectCancelled(answer: unknown, symbol: string): void {
  if (expectAnswer(cancelledOrder, answer).symbol !== symbol) throw new AnswerSenseless('another order');
}

function statusOf({ status, amount, filled }: z.output<typeof answeredOrder>): VenueOrderStatus {
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

const answeredFill = z.object({
  id: z.string().min(1),
  order: z.string().min(1),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  price: exact,
  amount: exact,
  fee: z.object({ cost: exact, currency: z.string().min(1) }),
  takerOrMaker: z.enum(['taker', 'maker']),
  timestamp: z.number().int().positive(),
});

/** @throws {AnswerSenseless} where one of them isn't a fill of this order */
export function readFills(answer: unknown, symbol: string, exchangeOrderId: string): readonly VenueFill[] {
  return expectAnswer(z.array(answeredFill), answer).map((fill): VenueFill => {
    if (fill.symbol !== symbol || fill.order !== exchangeOrderId)
      throw new AnswerSenseless('a fill of another order');
    return {
      exchangeFillId: fill.id,
      exchangeOrderId,
      symbol,
      side: fill.side === 'buy' ? 'BUY' : 'SELL',
      price: fill.price,
      amount: fill.amount,
      fee: { amount: fill.fee.cost, currency: fill.fee.currency },
      liquidity: fill.takerOrMaker === 'maker' ? 'MAKER' : 'TAKER',
      executedAt: new Date(fill.timestamp),
    };
  });
}
