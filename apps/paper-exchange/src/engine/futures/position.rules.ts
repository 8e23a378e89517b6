import type { OrderSide } from '../book.js';
import type { Position } from './futures-account.js';

/** A part of a fill that belongs to one position: lots and their quote amount, both positive. */
interface Part {
  readonly lots: number;
  readonly quote: bigint;
}

/** What a fill does to a position. A fill that flips the position closes all of it and opens the other side. */
export interface PositionChange {
  readonly closed: Part;
  readonly opened: Part;
  /** The profit of the closed lots: positive for a gain. */
  readonly realized: bigint;
  /** The part of the isolated margin that belongs to the closed lots. */
  readonly released: bigint;
}

/** Returns -1 for a sale and 1 for a purchase. */
export function signOf(side: OrderSide): 1 | -1 {
  return side === 'BUY' ? 1 : -1;
}

/** Returns the side of an order that reduces a position of `lots`. */
export function closingSide(lots: number): OrderSide {
  return lots > 0 ? 'SELL' : 'BUY';
}

/** Returns how many lots an order of `side` can close. */
export function closableLots(position: Pick<Position, 'lots'>, side: OrderSide): number {
  return signOf(side) * position.lots < 0 ? Math.abs(position.lots) : 0;
}

/**
 * Computes what a fill does to a position, without changing it. The cost of the closed lots is their share of the whole
 * cost. A full close takes all of the cost, so rounding leaves nothing behind.
 */
export function changeOf(position: Position, side: OrderSide, lots: number, quote: bigint): PositionChange {
  const closedLots = Math.min(lots, closableLots(position, side));
  const closedQuote = (quote * BigInt(closedLots)) / BigInt(lots);
  const opened = { lots: lots - closedLots, quote: quote - closedQuote };
  if (closedLots === 0) return { closed: { lots: 0, quote: 0n }, opened, realized: 0n, released: 0n };
  const closedCost = shareOf(position.cost, closedLots, position.lots);
  return {
    closed: { lots: closedLots, quote: closedQuote },
    opened,
    // The cost of a short position is negative: what its sale brought in.
    realized: -BigInt(signOf(side)) * closedQuote - closedCost,
    released: shareOf(position.isolated, closedLots, position.lots),
  };
}

function shareOf(amount: bigint, lots: number, of: number): bigint {
  return (amount * BigInt(lots)) / BigInt(Math.abs(of));
}

/** Applies a change to lots, cost and isolated margin. The caller moves `realized` and `released` to the wallet. */
export function applyChange(position: Position, side: OrderSide, change: PositionChange, at: number): void {
  const sign = signOf(side);
  const { closed, opened, realized, released } = change;
  const costClosed = -BigInt(sign) * closed.quote - realized;
  const isFlipped = opened.lots > 0 && closed.lots > 0;
  position.lots += sign * (closed.lots + opened.lots);
  position.cost += BigInt(sign) * opened.quote - costClosed;
  position.isolated -= released;
  position.expenses = isFlipped || position.lots === 0 ? 0n : position.expenses - realized;
  position.realized += realized;
  position.updatedAt = at;
}
