/** Converts orders of the port to ccxt's unified calls, and ccxt's orders back. */
import type { Decimal, TimeInForce, TradeType } from '@trading-automation/contracts';
import { z } from 'zod';
import type { OrderRequest, VenueOrder, VenueOrderStatus } from '../port.js';
import { toBaseAmount } from './amounts.js';
import type { CcxtClient } from './ccxt-client.js';
import { failure, MalformedResponse } from './failures.js';
import { exactDecimal, parseResponse } from './parse-response.js';

/** ccxt's arguments for an order. Only limit orders have a price: ccxt reads the price of a market order as a cost. */
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
/** GTC and IOC are equal for a market order, because it ends immediately. No exchange offers a FOK market order. */
const MARKET_PARAMS: Readonly<Partial<Record<TimeInForce, object>>> = { GTC: {}, IOC: {} };
/** An order that waits for its stop price cannot be post-only: the book at the time of the trigger is unknown. */
const STOP_LIMIT_PARAMS: Readonly<Partial<Record<TimeInForce, object>>> = {
  GTC: LIMIT_PARAMS.GTC,
  IOC: LIMIT_PARAMS.IOC,
  FOK: LIMIT_PARAMS.FOK,
};

interface OrderKind {
  readonly type: 'limit' | 'market';
  readonly hasStop: boolean;
  readonly timesInForce: Readonly<Partial<Record<TimeInForce, object>>>;
}

const KINDS: Readonly<Record<TradeType, OrderKind>> = {
  LIMIT: { type: 'limit', hasStop: false, timesInForce: LIMIT_PARAMS },
  MARKET: { type: 'market', hasStop: false, timesInForce: MARKET_PARAMS },
  STOP_LIMIT: { type: 'limit', hasStop: true, timesInForce: STOP_LIMIT_PARAMS },
  STOP_MARKET: { type: 'market', hasStop: true, timesInForce: MARKET_PARAMS },
};

/** @throws {ExchangeError} `rejected`/`not_supported` for a combination that no exchange supports */
export function orderArguments(order: OrderRequest, isSpot: boolean): OrderArguments {
  const kind = KINDS[order.type];
  const timeInForce = kind.timesInForce[order.timeInForce];
  if (timeInForce === undefined) throw failure(['rejected', 'not_supported']);
  if ((kind.type === 'limit') !== (order.price !== undefined)) throw failure(['rejected', 'not_supported']);
  if (kind.hasStop !== (order.stopPrice !== undefined)) throw failure(['rejected', 'not_supported']);
  // On spot a sale always reduces the position, and a purchase cannot reduce one.
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
  // Orders that were placed outside the product may have any order type of the exchange.
  type: z.string().min(1),
  side: z.enum(['buy', 'sell']),
  timeInForce: z.string().optional(),
  postOnly: z.boolean().optional(),
  price: exactDecimal.optional(),
  triggerPrice: exactDecimal.optional(),
  status: z.enum(['open', 'closed', 'canceled', 'canceling', 'expired', 'rejected']),
  amount: exactDecimal,
  filled: exactDecimal,
  // Exchanges write -1 or 0 for the time of an event that has not happened yet.
  timestamp: z.number().optional(),
  lastUpdateTimestamp: z.number().optional(),
  lastTradeTimestamp: z.number().optional(),
});

/** The id that identifies the requested order: the client order id or the exchange's id. */
export type RequestedOrder = { readonly symbol: string } & (
  | { readonly venueClientOrderId: string }
  | { readonly exchangeOrderId: string }
);

/** @throws {MalformedResponse} if this is not the requested order */
export function readOrder(ccxt: CcxtClient, response: unknown, requested: RequestedOrder): VenueOrder {
  const order = parseResponse(ccxtOrder, response);
  const isRequestedOrder =
    'exchangeOrderId' in requested
      ? order.id === requested.exchangeOrderId
      : order.clientOrderId === requested.venueClientOrderId;
  if (order.symbol !== requested.symbol || !isRequestedOrder) throw new MalformedResponse('another order');
  return toVenueOrder(ccxt, order);
}

/** Parses an order of the account stream, where no particular order was requested. */
export function readPushedOrder(ccxt: CcxtClient, response: unknown): VenueOrder {
  return toVenueOrder(ccxt, parseResponse(ccxtOrder, response));
}

/** @throws {MalformedResponse} if an order is not open, or belongs to another symbol than the requested one */
export function readOpenOrders(
  ccxt: CcxtClient,
  response: unknown,
  symbol: string | undefined,
): readonly VenueOrder[] {
  return parseResponse(z.array(ccxtOrder), response).map((item) => {
    const order = toVenueOrder(ccxt, item);
    if (order.symbol !== (symbol ?? order.symbol) || order.status !== 'OPEN')
      throw new MalformedResponse('not an open order of this symbol');
    return order;
  });
}

function toVenueOrder(ccxt: CcxtClient, order: z.output<typeof ccxtOrder>): VenueOrder {
  const { timestamp, lastTradeTimestamp, lastUpdateTimestamp } = order;
  const updatedAt = firstInstantOf(lastUpdateTimestamp, lastTradeTimestamp, timestamp);
  const type = typeOf(order);
  return {
    exchangeOrderId: order.id,
    venueClientOrderId: order.clientOrderId,
    symbol: order.symbol,
    side: order.side === 'buy' ? 'BUY' : 'SELL',
    type,
    timeInForce: timeInForceOf(order),
    // For an order without a limit price, ccxt reports the average price of its fills as `price`.
    price: type.endsWith('LIMIT') ? nonZero(order.price) : undefined,
    stopPrice: nonZero(order.triggerPrice),
    status: statusOf(order),
    amount: toBaseAmount(ccxt, order.symbol, order.amount),
    filledAmount: toBaseAmount(ccxt, order.symbol, order.filled),
    createdAt: firstInstantOf(timestamp) ?? updatedAt ?? new Date(),
    updatedAt: updatedAt ?? new Date(),
  };
}

function firstInstantOf(...times: readonly (number | undefined)[]): Date | undefined {
  const time = times.find((candidate) => candidate !== undefined && candidate > 0);
  return time === undefined ? undefined : new Date(time);
}

/** Exchanges write 0 for a price that an order does not have. */
function nonZero(price: Decimal | undefined): Decimal | undefined {
  return price === '0' ? undefined : price;
}

/**
 * Returns the supported type that is nearest to an order of any type, by its price and stop price. A take-profit or
 * trailing order, for example, becomes a stop order.
 */
function typeOf({ type, price, triggerPrice }: z.output<typeof ccxtOrder>): TradeType {
  const isLimit = type.toLowerCase().includes('limit') || (type !== 'market' && !isZeroOrMissing(price));
  if (isZeroOrMissing(triggerPrice)) return isLimit ? 'LIMIT' : 'MARKET';
  return isLimit ? 'STOP_LIMIT' : 'STOP_MARKET';
}

function isZeroOrMissing(price: Decimal | undefined): boolean {
  return nonZero(price) === undefined;
}

function timeInForceOf({ type, timeInForce, postOnly }: z.output<typeof ccxtOrder>): TimeInForce {
  if (postOnly === true || timeInForce === 'PO' || type === 'limit_maker') return 'POST_ONLY';
  return timeInForce === 'IOC' || timeInForce === 'FOK' ? timeInForce : 'GTC';
}

const cancelledOrder = z.object({ id: z.string().min(1), symbol: z.string() });

/**
 * Checks that the response to a cancellation names an order of this symbol. The client order id in the response is not
 * checked, because it may be the id of the cancellation.
 * @throws {MalformedResponse} if it names an order of another symbol
 */
export function expectCancelled(response: unknown, symbol: string): void {
  if (parseResponse(cancelledOrder, response).symbol !== symbol) throw new MalformedResponse('another order');
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

/**
 * Returns the state of an order whose acceptance is all that the exchange reports: open and without fills. The account
 * stream or a look-up reports what becomes of it.
 */
export function acceptedOrder(order: OrderRequest, exchangeOrderId: string, at: Date): VenueOrder {
  const { venueClientOrderId, symbol, side, type, timeInForce, price, stopPrice, amount, reduceOnly } = order;
  return {
    exchangeOrderId,
    venueClientOrderId,
    symbol,
    side,
    type,
    timeInForce,
    price,
    stopPrice,
    status: 'OPEN',
    amount,
    filledAmount: '0',
    reduceOnly,
    createdAt: at,
    updatedAt: at,
  };
}
