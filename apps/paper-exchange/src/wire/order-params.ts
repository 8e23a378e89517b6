import { randomBytes } from 'node:crypto';
import { parseUnits, UNIT_DECIMALS } from '../engine/decimal.js';
import type { OrderType, TimeInForce } from '../engine/order.js';
import { isLimit, isStop, type OrderRequest } from '../engine/order-rules.js';
import { findSymbol, type SymbolSpec } from '../engine/symbols.js';
import { refusals } from '../errors.js';

const TYPES: readonly string[] = ['LIMIT', 'MARKET', 'STOP_LOSS', 'STOP_LOSS_LIMIT', 'LIMIT_MAKER'];

export function required(params: URLSearchParams, name: string): string {
  const value = params.get(name);
  if (value === null || value === '') throw refusals.missing(name);
  return value;
}

export function symbolOf(params: URLSearchParams): SymbolSpec {
  const spec = findSymbol(required(params, 'symbol'));
  if (spec === undefined) throw refusals.symbol();
  return spec;
}

/** @throws VenueError where a parameter is missing, not for this type, malformed, or off the market's grid. */
export function readOrder(spec: SymbolSpec, params: URLSearchParams): OrderRequest {
  const side = required(params, 'side');
  if (side !== 'BUY' && side !== 'SELL') throw refusals.side();
  const type = required(params, 'type');
  if (!isOrderType(type)) throw refusals.orderType();
  const byQuote = type === 'MARKET' && params.has('quoteOrderQty');
  if (byQuote && params.has('quantity')) throw refusals.notRequired('quantity');
  for (const [name, isUsed] of [
    ['price', isLimit(type)],
    ['stopPrice', isStop(type)],
  ] as const) {
    if (!isUsed && params.has(name)) throw refusals.notRequired(name);
  }
  const clientOrderId = params.get('newClientOrderId') ?? randomBytes(11).toString('hex');
  if (!/^[a-zA-Z0-9\-_.:/]{1,36}$/.test(clientOrderId)) throw refusals.malformed('newClientOrderId');
  return {
    side,
    type,
    timeInForce: readTimeInForce(params, type),
    lots: byQuote
      ? 0
      : onGrid(params, 'quantity', spec.stepDecimals, type === 'MARKET' ? 'MARKET_LOT_SIZE' : 'LOT_SIZE'),
    priceTicks: isLimit(type) ? onGrid(params, 'price', spec.tickDecimals, 'PRICE_FILTER') : 0,
    stopTicks: isStop(type) ? onGrid(params, 'stopPrice', spec.tickDecimals, 'PRICE_FILTER') : 0,
    quoteOrderQty: byQuote ? units(params, 'quoteOrderQty') : 0n,
    clientOrderId,
  };
}

function isOrderType(text: string): text is OrderType {
  return TYPES.includes(text);
}

function readTimeInForce(params: URLSearchParams, type: OrderType): TimeInForce {
  if (type === 'LIMIT_MAKER' || !isLimit(type)) return 'GTC';
  const value = required(params, 'timeInForce');
  if (value !== 'GTC' && value !== 'IOC' && value !== 'FOK') throw refusals.timeInForce();
  return value;
}

function units(params: URLSearchParams, name: string): bigint {
  const value = parseUnits(required(params, name));
  if (value === undefined) throw refusals.malformed(name);
  if (value === 'inexact') throw refusals.precision(name);
  return value;
}

function onGrid(params: URLSearchParams, name: string, decimals: number, filter: string): number {
  const value = units(params, name);
  const step = 10n ** BigInt(UNIT_DECIMALS - decimals);
  const count = value / step;
  if (value % step !== 0n || count > BigInt(Number.MAX_SAFE_INTEGER)) throw refusals.filter(filter);
  return Number(count);
}
