import { VENUE_ERRORS } from '../errors.js';
import type { Level, OrderSide } from './book.js';
import type { Order, OrderType, TimeInForce } from './order.js';
import { baseOf, lotsFor, quoteOf, type SymbolSpec } from './symbols.js';

/** A new order in whole ticks, lots and units. Absent values are 0. */
export interface OrderRequest {
  readonly side: OrderSide;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly lots: number;
  readonly priceTicks: number;
  readonly stopTicks: number;
  readonly quoteOrderQty: bigint;
  readonly clientOrderId: string;
}

export function isLimit(type: OrderType): boolean {
  return type === 'LIMIT' || type === 'LIMIT_MAKER' || type === 'STOP_LOSS_LIMIT';
}

export function isStop(type: OrderType): boolean {
  return type === 'STOP_LOSS' || type === 'STOP_LOSS_LIMIT';
}

/** Checks the venue's filters on the values that would trade; a market order counts at `referenceTicks`. */
export function assertFilters(spec: SymbolSpec, request: OrderRequest, referenceTicks: number): void {
  for (const [isUsed, ticks] of [
    [isLimit(request.type), request.priceTicks],
    [isStop(request.type), request.stopTicks],
  ] as const) {
    if (isUsed && (ticks < 1 || ticks > spec.maxTicks)) throw VENUE_ERRORS.filter('PRICE_FILTER');
  }
  if (request.lots < 1 || request.lots > spec.maxLots) {
    throw VENUE_ERRORS.filter(request.type === 'MARKET' ? 'MARKET_LOT_SIZE' : 'LOT_SIZE');
  }
  const ticks = isLimit(request.type) ? request.priceTicks : referenceTicks;
  if (ticks > 0 && quoteOf(spec, ticks, request.lots) < spec.minNotional)
    throw VENUE_ERRORS.filter('NOTIONAL');
}

/** Whether the last price has reached a stop: from above to sell, from below to buy. False without a last trade. */
export function isTriggered(side: OrderSide, stopTicks: number, lastTicks: number | undefined): boolean {
  if (lastTicks === undefined) return false;
  return side === 'BUY' ? lastTicks >= stopTicks : lastTicks <= stopTicks;
}

/** Returns the cost of `lots` on these levels, best first; never less than matching will take. */
export function costOf(spec: SymbolSpec, levels: readonly Level[], lots: number): bigint {
  let left = lots;
  let cost = 0n;
  for (const [ticks, available] of levels) {
    const taken = Math.min(left, available);
    cost += quoteOf(spec, ticks, taken);
    left -= taken;
    if (left === 0) break;
  }
  return cost;
}

/** Returns the maximum number of lots that `budget` pays for on these levels. */
export function lotsWithin(spec: SymbolSpec, levels: readonly Level[], budget: bigint): number {
  let left = budget;
  let lots = 0;
  for (const [ticks, available] of levels) {
    const taken = Math.min(available, lotsFor(spec, ticks, left));
    left -= quoteOf(spec, ticks, taken);
    lots += taken;
    if (taken < available) break;
  }
  return lots;
}

/** Returns the amount that the order must lock; a stop-market order locks at its stop price. */
export function requiredLock(spec: SymbolSpec, request: OrderRequest, levels: readonly Level[]): bigint {
  if (request.side === 'SELL') return baseOf(spec, request.lots);
  if (isLimit(request.type)) return quoteOf(spec, request.priceTicks, request.lots);
  if (request.type === 'STOP_LOSS') return quoteOf(spec, request.stopTicks, request.lots);
  return costOf(spec, levels, request.lots);
}

/** A FOK order cannot fill completely if an order of the same account is among those it would take. */
export function wouldSelfTrade(order: Order, openOfAccount: readonly Order[]): boolean {
  return openOfAccount.some(
    (other) =>
      other.symbol === order.symbol &&
      other.side !== order.side &&
      other.isWorking &&
      (order.side === 'BUY' ? other.priceTicks <= order.priceTicks : other.priceTicks >= order.priceTicks),
  );
}
