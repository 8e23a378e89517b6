/**
 * What an order does to the net position of its account and pair. On perpetuals, one position nets the lots of all
 * owners: an order of the position's other side reduces it, and opens one on the other side with what exceeds it.
 */
import type { Decimal, PositionSide, TradeIntent, TradeSide } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** The exposure of an account in one pair. Amounts are in base currency. */
export interface Exposure {
  /** The sum of the open lots: above zero if long, below zero if short. */
  readonly net: Decimal;
  /** What open orders may still buy and sell, and thereby reduce. */
  readonly buying: Decimal;
  readonly selling: Decimal;
}

export interface OrderEffect {
  readonly intent: TradeIntent;
  /** The side of the position that the order changes; of a position that it closes and reopens, the closed one. */
  readonly positionSide: PositionSide;
  /** Whether the order adds no exposure. */
  readonly isExit: boolean;
  /** The part of the amount that may open or increase a position, also if all open orders are filled before. */
  readonly openingAmount: Decimal;
}

interface OrderOnPosition {
  readonly side: TradeSide;
  readonly amount: Decimal;
  readonly reduceOnly: boolean;
}

export function effectOf({ side, amount, reduceOnly }: OrderOnPosition, exposure: Exposure): OrderEffect {
  const net = new BigDecimal(exposure.net);
  const isBuy = side === 'BUY';
  const reduces = isBuy ? net.lt(0) : net.gt(0);
  if (!reduces) {
    const positionSide = isBuy ? 'LONG' : 'SHORT';
    const intent = net.isZero() ? 'OPEN' : 'INCREASE';
    return { intent, positionSide, isExit: reduceOnly, openingAmount: reduceOnly ? '0' : amount };
  }
  const held = net.abs();
  const left = BigDecimal.max(0, held.minus(isBuy ? exposure.buying : exposure.selling));
  return {
    intent: held.gt(amount) ? 'REDUCE' : 'CLOSE',
    positionSide: isBuy ? 'SHORT' : 'LONG',
    isExit: reduceOnly || held.gte(amount),
    openingAmount: reduceOnly ? '0' : BigDecimal.max(0, new BigDecimal(amount).minus(left)).toString(),
  };
}

/**
 * Whether an order that closes lots may be reduce-only: the net position is on the other side and at least as large. If
 * lots of other owners outweigh these lots, the order must increase the net position, which reduce-only forbids.
 */
export function mayReduceOnly(side: TradeSide, amount: Decimal, net: Decimal): boolean {
  const position = new BigDecimal(net);
  const isOpposite = side === 'BUY' ? position.lt(0) : position.gt(0);
  return isOpposite && position.abs().gte(amount);
}
