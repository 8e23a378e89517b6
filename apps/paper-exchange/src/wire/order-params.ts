import { randomBytes } from 'node:crypto';
import type { OrderSide } from '../engine/book.js';
import { parseUnits, UNIT_DECIMALS } from '../engine/decimal.js';
import type { OrderType, TimeInForce } from '../engine/order.js';
import { isLimit, isStop, type OrderRequest } from '../engine/order.rules.js';
import type { MarketSpec } from '../engine/symbols.js';
import { VENUE_ERRORS } from '../errors.js';
import { integerOf, required } from './params.js';

export const ORDER_TYPES: readonly OrderType[] = [
  'LIMIT',
  'LIMIT_MAKER',
  'MARKET',
  'STOP_LOSS',
  'STOP_LOSS_LIMIT',
  'TAKE_PROFIT',
  'TAKE_PROFIT_LIMIT',
];
/** The only mode of self-trade prevention: an order that would match one of its own account expires. */
export const SELF_TRADE_PREVENTION = 'EXPIRE_TAKER';
/** The allowed distance of a trailing stop, in basis points. */
export const TRAILING_BIPS = { min: 10, max: 2_000 } as const;

/** The parameters of a new order. */
export const ORDER_PARAMS: readonly string[] = [
  'symbol',
  'side',
  'type',
  'timeInForce',
  'quantity',
  'quoteOrderQty',
  'price',
  'newClientOrderId',
  'stopPrice',
  'trailingDelta',
  'icebergQty',
  'newOrderRespType',
  'selfTradePreventionMode',
];

/** The names of the parameters of one leg of an order list. */
export interface LegNames {
  readonly price: string;
  readonly stopPrice: string;
  readonly trailingDelta: string;
  readonly timeInForce: string;
  readonly icebergQty: string;
  readonly clientOrderId: string;
}

const ORDER_NAMES: LegNames = {
  price: 'price',
  stopPrice: 'stopPrice',
  trailingDelta: 'trailingDelta',
  timeInForce: 'timeInForce',
  icebergQty: 'icebergQty',
  clientOrderId: 'newClientOrderId',
};

/**
 * Reads a new order.
 *
 * @throws VenueError if a parameter is missing, malformed, not allowed for this type, or not a multiple of a step
 */
export function readOrder(spec: MarketSpec, params: URLSearchParams): OrderRequest {
  const side = readSide(params);
  const type = required(params, 'type');
  if (!isOrderType(type)) throw VENUE_ERRORS.invalidOrderType();
  assertSelfTradePrevention(params);
  const byQuote = type === 'MARKET' && params.has('quoteOrderQty');
  if (byQuote && params.has('quantity')) throw VENUE_ERRORS.notRequired('quantity');
  if (!byQuote && params.has('quoteOrderQty')) throw VENUE_ERRORS.notRequired('quoteOrderQty');
  const lots = byQuote ? 0 : readLots(spec, params, type === 'MARKET' ? 'MARKET_LOT_SIZE' : 'LOT_SIZE');
  return {
    ...readLeg(spec, params, { side, type, lots }, ORDER_NAMES),
    quoteOrderQty: byQuote ? readUnits(params, 'quoteOrderQty') : 0n,
  };
}

/** Reads what differs between the legs of a list: prices, time in force and client order id. */
export function readLeg(
  spec: MarketSpec,
  params: URLSearchParams,
  terms: Pick<OrderRequest, 'side' | 'type' | 'lots'>,
  names: LegNames,
): OrderRequest {
  const { type } = terms;
  for (const [name, isUsed] of [
    [names.price, isLimit(type)],
    [names.stopPrice, isStop(type)],
    [names.trailingDelta, isStop(type)],
    [names.timeInForce, isLimit(type) && type !== 'LIMIT_MAKER'],
  ] as const) {
    if (!isUsed && params.has(name)) throw VENUE_ERRORS.notRequired(name);
  }
  if (params.has(names.icebergQty)) throw VENUE_ERRORS.icebergUnsupported();
  const clientOrderId = readClientOrderId(params, names.clientOrderId);
  const timeInForce = readTimeInForce(params, type, names.timeInForce);
  const priceTicks = isLimit(type) ? readTicks(spec, params, names.price) : 0;
  return {
    ...terms,
    timeInForce,
    priceTicks,
    ...readStop(spec, params, type, names),
    quoteOrderQty: 0n,
    clientOrderId,
  };
}

function readStop(
  spec: MarketSpec,
  params: URLSearchParams,
  type: OrderType,
  { stopPrice, trailingDelta }: LegNames,
): Pick<OrderRequest, 'stopTicks' | 'trailingBips'> {
  if (!isStop(type)) return { stopTicks: 0 };
  const trailingBips = integerOf(params, trailingDelta);
  if (trailingBips === undefined && !params.has(stopPrice))
    throw VENUE_ERRORS.missingBoth(stopPrice, trailingDelta);
  const stopTicks = params.has(stopPrice) ? readTicks(spec, params, stopPrice) : 0;
  if (trailingBips === undefined) return { stopTicks };
  if (trailingBips < TRAILING_BIPS.min || trailingBips > TRAILING_BIPS.max)
    throw VENUE_ERRORS.filterFailure('TRAILING_DELTA');
  return { stopTicks, trailingBips };
}

export function readSide(params: URLSearchParams): OrderSide {
  const side = required(params, 'side');
  if (side !== 'BUY' && side !== 'SELL') throw VENUE_ERRORS.invalidSide();
  return side;
}

/** Other modes than the one that the book applies are refused. */
export function assertSelfTradePrevention(params: URLSearchParams): void {
  const mode = params.get('selfTradePreventionMode') ?? SELF_TRADE_PREVENTION;
  if (mode !== SELF_TRADE_PREVENTION) throw VENUE_ERRORS.invalidValue('selfTradePreventionMode');
}

/** Returns the client order id of a new order or of a cancel request, or a random id if the request has none. */
export function readClientOrderId(params: URLSearchParams, name = 'newClientOrderId'): string {
  const id = params.get(name) ?? randomBytes(11).toString('hex');
  if (!/^[a-zA-Z0-9\-_.:/]{1,36}$/.test(id)) throw VENUE_ERRORS.malformed(name);
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

export function isOrderType(text: string): text is OrderType {
  return ORDER_TYPES.includes(text as OrderType);
}

function readTimeInForce(params: URLSearchParams, type: OrderType, name: string): TimeInForce {
  if (type === 'LIMIT_MAKER' || !isLimit(type)) return 'GTC';
  const value = required(params, name);
  if (value !== 'GTC' && value !== 'IOC' && value !== 'FOK') throw VENUE_ERRORS.invalidTimeInForce();
  return value;
}

export function readLots(spec: MarketSpec, params: URLSearchParams, filter: string): number {
  return readSteps(params, 'quantity', spec.stepDecimals, filter);
}

function readTicks(spec: MarketSpec, params: URLSearchParams, name: string): number {
  return readSteps(params, name, spec.tickDecimals, 'PRICE_FILTER');
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
