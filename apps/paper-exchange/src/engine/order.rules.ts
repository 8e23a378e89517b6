import { VENUE_ERRORS } from '../errors.js';
import type { Level, OrderSide } from './book.js';
import type { Order, OrderType, TimeInForce } from './order.js';
import { baseUnits, lotsFor, type MarketSpec, quoteUnits } from './symbols.js';

/**
 * A new order: prices in ticks, the amount in lots, and `quoteOrderQty` in units of 10^-8 of the quote asset. A value
 * that the request omits is 0.
 */
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

/** Checks the venue's filters. The notional of an order without a limit price is computed at `referenceTicks`. */
export function assertFilters(spec: MarketSpec, request: OrderRequest, referenceTicks: number): void {
  for (const [isUsed, ticks] of [
    [isLimit(request.type), request.priceTicks],
    [isStop(request.type), request.stopTicks],
  ] as const) {
    if (isUsed && (ticks < 1 || ticks > spec.maxTicks)) throw VENUE_ERRORS.filterFailure('PRICE_FILTER');
  }
  if (request.lots < 1 || request.lots > spec.maxLots) {
    throw VENUE_ERRORS.filterFailure(request.type === 'MARKET' ? 'MARKET_LOT_SIZE' : 'LOT_SIZE');
  }
  const ticks = isLimit(request.type) ? request.priceTicks : referenceTicks;
  if (ticks > 0 && quoteUnits(spec, ticks, request.lots) < spec.minNotional)
    throw VENUE_ERRORS.filterFailure('NOTIONAL');
}

/**
 * Returns whether the last price triggers a stop order: at or below the stop price for a sale, at or above it for a
 * purchase. Returns false if there is no last price.
 */
export function isTriggered(side: OrderSide, stopTicks: number, lastTicks: number | undefined): boolean {
  if (lastTicks === undefined) return false;
  return side === 'BUY' ? lastTicks >= stopTicks : lastTicks <= stopTicks;
}

/**
 * Returns the cost of buying `lots` on these levels (best level first). The result is at least what the matching engine
 * will charge.
 */
export function costOf(spec: MarketSpec, levels: readonly Level[], lots: number): bigint {
  let remainingLots = lots;
  let cost = 0n;
  for (const [ticks, available] of levels) {
    const bought = Math.min(remainingLots, available);
    cost += quoteUnits(spec, ticks, bought);
    remainingLots -= bought;
    if (remainingLots === 0) break;
  }
  return cost;
}

/** Returns how many lots `budget` can buy on these levels. */
export function lotsWithin(spec: MarketSpec, levels: readonly Level[], budget: bigint): number {
  let remainingBudget = budget;
  let lots = 0;
  for (const [ticks, available] of levels) {
    const bought = Math.min(available, lotsFor(spec, ticks, remainingBudget));
    remainingBudget -= quoteUnits(spec, ticks, bought);
    lots += bought;
    if (bought < available) break;
  }
  return lots;
}

/** Returns the amount that the order must lock. For a stop-market order, it is computed at the stop price. */
export function requiredLock(spec: MarketSpec, request: OrderRequest, levels: readonly Level[]): bigint {
  if (request.side === 'SELL') return baseUnits(spec, request.lots);
  if (isLimit(request.type)) return quoteUnits(spec, request.priceTicks, request.lots);
  if (request.type === 'STOP_LOSS') return quoteUnits(spec, request.stopTicks, request.lots);
  return costOf(spec, levels, request.lots);
}

/**
 * Returns whether the order would match an open order of its own account. A FOK order then cannot fill completely.
 */
export function wouldSelfTrade(order: Order, openOrders: readonly Order[]): boolean {
  return openOrders.some(
    (other) =>
      other.symbol === order.symbol &&
      other.side !== order.side &&
      other.isWorking &&
      (order.side === 'BUY' ? other.priceTicks <= order.priceTicks : other.priceTicks >= order.priceTicks),
  );
}
