import { VENUE_ERRORS } from '../errors.js';
import type { Level, OrderSide } from './book.js';
import type { Order, OrderType, SideEffect, TimeInForce, Trailing } from './order.js';
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
  /** Set only for a trailing stop: the distance in basis points (hundredths of a per cent). */
  readonly trailingBips?: number;
  readonly clientOrderId: string;
  /** Set only for an order of a margin account. */
  readonly sideEffect?: SideEffect;
  /** True if the order does not repay what it borrowed when it ends before it is filled. */
  readonly keepsLoan?: boolean;
}

export function isLimit(type: OrderType): boolean {
  return (
    type === 'LIMIT' || type === 'LIMIT_MAKER' || type === 'STOP_LOSS_LIMIT' || type === 'TAKE_PROFIT_LIMIT'
  );
}

/** Returns whether an order waits for a price before it works. */
export function isStop(type: OrderType): boolean {
  return isStopMarket(type) || type === 'STOP_LOSS_LIMIT' || type === 'TAKE_PROFIT_LIMIT';
}

/** Returns whether an order waits for a price and then works as a market order. */
export function isStopMarket(type: OrderType): boolean {
  return type === 'STOP_LOSS' || type === 'TAKE_PROFIT';
}

function isTakeProfit(type: OrderType): boolean {
  return type === 'TAKE_PROFIT' || type === 'TAKE_PROFIT_LIMIT';
}

/** Checks the venue's filters. The notional of an order without a limit price is computed at `referenceTicks`. */
export function assertFilters(spec: MarketSpec, request: OrderRequest, referenceTicks: number): void {
  for (const [isUsed, ticks] of [
    [isLimit(request.type), request.priceTicks],
    [hasStopPrice(request), request.stopTicks],
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

/** A stop needs a stop price, but for a trailing stop that tracks the price from its placement. */
function hasStopPrice({ type, stopTicks, trailingBips }: OrderRequest): boolean {
  return isStop(type) && (trailingBips === undefined || stopTicks > 0);
}

/**
 * Returns whether the last price is at or beyond a stop price. A stop loss is reached from above by a sale and from
 * below by a purchase; a take profit is the opposite. Returns false if there is no last price or no stop price.
 */
export function isStopReached(
  { type, side, stopTicks }: Pick<OrderRequest, 'type' | 'side' | 'stopTicks'>,
  lastTicks: number | undefined,
): boolean {
  if (lastTicks === undefined || stopTicks === 0) return false;
  const isReachedFromBelow = (side === 'BUY') !== isTakeProfit(type);
  return isReachedFromBelow ? lastTicks >= stopTicks : lastTicks <= stopTicks;
}

/** Updates the best price of a trailing stop. Returns whether it changed. */
export function trackPrice(
  order: Pick<Order, 'type' | 'side' | 'stopTicks'>,
  trailing: Trailing,
  lastTicks: number,
  now: number,
): boolean {
  const { extremeTicks } = trailing;
  if (extremeTicks === undefined) {
    if (order.stopTicks > 0 && !isStopReached(order, lastTicks)) return false;
    trailing.since = now;
  } else if (order.side === 'SELL' ? lastTicks <= extremeTicks : lastTicks >= extremeTicks) return false;
  trailing.extremeTicks = lastTicks;
  return true;
}

/** Returns whether the price has returned from its best price by the distance of a trailing stop. */
export function hasReturned(
  side: OrderSide,
  { bips, extremeTicks }: Trailing,
  lastTicks: number | undefined,
): boolean {
  if (extremeTicks === undefined || lastTicks === undefined) return false;
  return side === 'SELL'
    ? lastTicks * 10_000 <= extremeTicks * (10_000 - bips)
    : lastTicks * 10_000 >= extremeTicks * (10_000 + bips);
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

/**
 * Returns the amount that the order must lock. For a stop-market order, it is computed at the stop price, or at the price
 * at which a trailing stop would trigger now.
 */
export function requiredLock(
  spec: MarketSpec,
  request: OrderRequest,
  levels: readonly Level[],
  lastTicks: number,
): bigint {
  if (request.side === 'SELL') return baseUnits(spec, request.lots);
  if (isLimit(request.type)) return quoteUnits(spec, request.priceTicks, request.lots);
  if (!isStopMarket(request.type)) return costOf(spec, levels, request.lots);
  const trailingTicks = Math.ceil((lastTicks * (10_000 + (request.trailingBips ?? 0))) / 10_000);
  return quoteUnits(spec, request.stopTicks > 0 ? request.stopTicks : trailingTicks, request.lots);
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
