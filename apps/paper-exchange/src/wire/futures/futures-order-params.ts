import { randomBytes } from 'node:crypto';
import { parseUnits } from '../../engine/decimal.js';
import type { ContractSpec } from '../../engine/futures/contracts.js';
import type { FuturesAccount } from '../../engine/futures/futures-account.js';
import type {
  FuturesOrderRequest,
  FuturesTimeInForce,
  WorkingType,
} from '../../engine/futures/futures-order.js';
import { VENUE_ERRORS } from '../../errors.js';
import { FUTURES_ERRORS } from '../../futures-errors.js';
import { assertSelfTradePrevention, readSide } from '../order-params.js';
import { readFlag, required } from '../params.js';

/** The parameters that new orders and new conditional orders share. */
export const SHARED_PARAMS = [
  'symbol',
  'side',
  'positionSide',
  'type',
  'timeInForce',
  'quantity',
  'price',
  'reduceOnly',
  'closePosition',
  'workingType',
  'priceProtect',
  'priceMatch',
  'selfTradePreventionMode',
  'goodTillDate',
  'newOrderRespType',
];
/** Parameters of the conditional types, which this endpoint refuses with -4120 and not with -1104. */
export const ORDER_PARAMS = [
  ...SHARED_PARAMS,
  'newClientOrderId',
  'stopPrice',
  'activationPrice',
  'callbackRate',
];
const CONDITIONAL_TYPES: ReadonlySet<string> = new Set([
  'STOP',
  'STOP_MARKET',
  'TAKE_PROFIT',
  'TAKE_PROFIT_MARKET',
  'TRAILING_STOP_MARKET',
]);

/**
 * Reads a new order.
 *
 * @throws VenueError if a parameter is missing, malformed, not allowed for this type, or not a multiple of a step; -4120
 * for a conditional order
 */
export function readFuturesOrder(spec: ContractSpec, params: URLSearchParams): FuturesOrderRequest {
  const type = required(params, 'type');
  if (CONDITIONAL_TYPES.has(type)) throw FUTURES_ERRORS.algoEndpointRequired();
  if (type !== 'LIMIT' && type !== 'MARKET') throw FUTURES_ERRORS.badOrderType();
  const side = readSide(params);
  assertSupported(params);
  const isLimit = type === 'LIMIT';
  for (const name of ['stopPrice', 'activationPrice', 'callbackRate'])
    if (params.has(name)) throw VENUE_ERRORS.notRequired(name);
  if (readFlag(params, 'closePosition')) throw VENUE_ERRORS.invalidCombination();
  for (const name of ['price', 'timeInForce'])
    if (!isLimit && params.has(name)) throw VENUE_ERRORS.notRequired(name);
  return {
    side,
    type,
    timeInForce: isLimit ? readTimeInForce(required(params, 'timeInForce')) : 'GTC',
    lots: readLots(spec, params),
    priceTicks: isLimit ? readTicks(spec, params, 'price') : 0,
    isReduceOnly: readFlag(params, 'reduceOnly'),
    clientOrderId: readClientId(params, 'newClientOrderId'),
  };
}

/** Refuses the options that the exchange does not simulate. */
export function assertSupported(params: URLSearchParams): void {
  assertSelfTradePrevention(params);
  if ((params.get('priceMatch') ?? 'NONE') !== 'NONE') throw VENUE_ERRORS.invalidValue('priceMatch');
  if (readFlag(params, 'priceProtect')) throw VENUE_ERRORS.invalidValue('priceProtect');
  if ((params.get('goodTillDate') ?? '0') !== '0') throw VENUE_ERRORS.notRequired('goodTillDate');
  readWorkingType(params);
  isResultRequested(params);
}

/** Checks that an order has the position side of one-way mode. The exchange trades in no other mode. */
export function assertPositionSide(account: FuturesAccount, params: URLSearchParams): void {
  const side = params.get('positionSide') ?? 'BOTH';
  if (side !== 'BOTH' && side !== 'LONG' && side !== 'SHORT') throw FUTURES_ERRORS.badPositionSide();
  if ((side === 'BOTH') === account.isHedged) throw FUTURES_ERRORS.positionSideMismatch();
  if (account.isHedged) throw VENUE_ERRORS.unsupported();
}

/** Reads `newOrderRespType`: ACK, the default, or RESULT. */
export function isResultRequested(params: URLSearchParams): boolean {
  const type = params.get('newOrderRespType') ?? 'ACK';
  if (type !== 'ACK' && type !== 'RESULT') throw VENUE_ERRORS.invalidResponseType();
  return type === 'RESULT';
}

export function readTimeInForce(text: string): FuturesTimeInForce {
  if (text !== 'GTC' && text !== 'IOC' && text !== 'FOK' && text !== 'GTX')
    throw VENUE_ERRORS.invalidTimeInForce();
  return text;
}

export function readWorkingType(params: URLSearchParams): WorkingType {
  const type = params.get('workingType') ?? 'CONTRACT_PRICE';
  if (type !== 'CONTRACT_PRICE' && type !== 'MARK_PRICE') throw VENUE_ERRORS.invalidValue('workingType');
  return type;
}

/** Returns the client order id, or a random one if the request has none. */
export function readClientId(params: URLSearchParams, name: string): string {
  const id = params.get(name) ?? randomBytes(11).toString('hex');
  if (!/^[.A-Z:/a-z0-9_-]{1,36}$/.test(id)) throw FUTURES_ERRORS.badClientOrderId();
  return id;
}

/** Reads a price in ticks. @throws VenueError -1111 if it is too precise, -4014 if it is not a multiple of the tick */
export function readTicks(spec: ContractSpec, params: URLSearchParams, name: string): number {
  const units = readUnits(params, name, spec.tickDecimals + 1);
  if (units % 10n !== 0n) throw FUTURES_ERRORS.priceNotTick();
  return toSafe(units / 10n, name);
}

/** Reads `quantity` in lots. @throws VenueError -1111 if it is too precise */
export function readLots(spec: ContractSpec, params: URLSearchParams): number {
  return toSafe(readUnits(params, 'quantity', spec.stepDecimals), 'quantity');
}

/** Reads a decimal in units of 10^-decimals. */
export function readUnits(params: URLSearchParams, name: string, decimals: number): bigint {
  const units = parseUnits(required(params, name), decimals);
  if (units === undefined) throw VENUE_ERRORS.malformed(name);
  if (units === 'inexact') throw FUTURES_ERRORS.tooPrecise();
  return units;
}

function toSafe(units: bigint, name: string): number {
  if (units > BigInt(Number.MAX_SAFE_INTEGER)) throw VENUE_ERRORS.malformed(name);
  return Number(units);
}
