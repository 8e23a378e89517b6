import { randomBytes } from 'node:crypto';
import { parseUnits, UNIT_DECIMALS } from '../engine/decimal.js';
import type { OrderType, TimeInForce } from '../engine/order.js';
import { isLimit, isStop, type OrderRequest } from '../engine/order.rules.js';
import type { MarketSpec } from '../engine/symbols.js';
import { VENUE_ERRORS } from '../errors.js';
import { required } from './params.js';

const TYPES: readonly string[] = ['LIMIT', 'MARKET', 'STOP_LOSS', 'STOP_LOSS_LIMIT', 'LIMIT_MAKER'];

/**
 * Reads a new order.
 *
 * @throws VenueError if a parameter is missing, malformed, not allowed for this type, or not a multiple of a step
 */
export function readOrder(spec: MarketSpec, params: URLSearchParams): OrderRequest {
  const side = required(params, 'side');
  if (side !== 'BUY' && side !== 'SELL') throw VENUE_ERRORS.invalidSide();
  const type = required(params, 'type');
  if (!isOrderType(type)) throw VENUE_ERRORS.invalidOrderType();
  const byQuote = type === 'MARKET' && params.has('quoteOrderQty');
  if (byQuote && params.has('quantity')) throw VENUE_ERRORS.notRequired('quantity');
  for (const [name, isUsed] of [
    ['price', isLimit(type)],
    ['stopPrice', isStop(type)],
  ] as const) {
    if (!isUsed && params.has(name)) throw VENUE_ERRORS.notRequired(name);
  }
  const clientOrderId = readClientOrderId(params);
  return {
    side,
    type,
    timeInForce: readTimeInForce(params, type),
    lots: byQuote
      ? 0
      : readSteps(params, 'quantity', spec.stepDecimals, type === 'MARKET' ? 'MARKET_LOT_SIZE' : 'LOT_SIZE'),
    priceTicks: isLimit(type) ? readSteps(params, 'price', spec.tickDecimals, 'PRICE_FILTER') : 0,
    stopTicks: isStop(type) ? readSteps(params, 'stopPrice', spec.tickDecimals, 'PRICE_FILTER') : 0,
    quoteOrderQty: byQuote ? readUnits(params, 'quoteOrderQty') : 0n,
    clientOrderId,
  };
}

/** Returns the client order id of a new order or of a cancel request, or a random id if the request has none. */
export function readClientOrderId(params: URLSearchParams): string {
  const id = params.get('newClientOrderId') ?? randomBytes(11).toString('hex');
  if (!/^[a-zA-Z0-9\-_.:/]{1,36}$/.test(id)) throw VENUE_ERRORS.malformed('newClientOrderId');
  return id;
}

export type ResponseType = 'ACK' | 'RESULT' | 'FULL';

/** Returns the requested response type. By default, LIMIT and MARKET orders get a full response. */
export function responseTypeOf(params: URLSearchParams): ResponseType {
  const type = params.get('type');
  const value = params.get('newOrderRespType') ?? (type === 'LIMIT' || type === 'MARKET' ? 'FULL' : 'ACK');
  if (value !== 'ACK' && value !== 'RESULT' && value !== 'FULL') throw VENUE_ERRORS.invalidResponseType();
  return value;
}

function isOrderType(text: string): text is OrderType {
  return TYPES.includes(text);
}

function readTimeInForce(params: URLSearchParams, type: OrderType): TimeInForce {
  if (type === 'LIMIT_MAKER' || !isLimit(type)) return 'GTC';
  const value = required(params, 'timeInForce');
  if (value !== 'GTC' && value !== 'IOC' && value !== 'FOK') throw VENUE_ERRORS.invalidTimeInForce();
  return value;
}

function readUnits(params: URLSearchParams, name: string): bigint {
  const value = parseUnits(required(params, name));
  if (value === undefined) throw VENUE_ERRORS.malformed(name);
  if (value === 'inexact') throw VENUE_ERRORS.tooMuchPrecision(name);
  return value;
}

/** Reads a price or an amount and returns its number of steps, each of 10^-decimals. */
function readSteps(params: URLSearchParams, name: string, decimals: number, filter: string): number {
  const value = readUnits(params, name);
  const step = 10n ** BigInt(UNIT_DECIMALS - decimals);
  const count = value / step;
  if (value % step !== 0n || count > BigInt(Number.MAX_SAFE_INTEGER))
    throw VENUE_ERRORS.filterFailure(filter);
  return Number(count);
}
