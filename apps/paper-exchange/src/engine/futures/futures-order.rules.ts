import { FUTURES_ERRORS } from '../../futures-errors.js';
import { formatUnits } from '../decimal.js';
import { quoteUnits } from '../symbols.js';
import { type ContractSpec, markOfTicks, markText } from './contracts.js';
import type { FuturesOrderRequest } from './futures-order.js';

/** How far a limit price may be from the mark price, in per cent. */
export const PERCENT_PRICE = { up: 105, down: 95 } as const;

/** The maximum number of open orders and of conditional orders of an account in one contract. */
export const MAX_OPEN = { orders: 200, algoOrders: 100 } as const;

/** Checks the filters of a contract that do not depend on the market. @throws VenueError -4001 to -4005 */
export function assertSizes(
  spec: ContractSpec,
  { type, lots, priceTicks }: Pick<FuturesOrderRequest, 'type' | 'lots' | 'priceTicks'>,
): void {
  if (lots < 1) throw FUTURES_ERRORS.quantityTooLow();
  if (lots > spec.maxLots) throw FUTURES_ERRORS.quantityAboveMax();
  if (type !== 'LIMIT') return;
  if (priceTicks < 1) throw FUTURES_ERRORS.priceTooLow();
  if (priceTicks > spec.maxTicks) throw FUTURES_ERRORS.priceAboveMax();
}

/**
 * Checks a limit price against the mark price: a purchase may not be far above it, a sale not far below.
 *
 * @throws VenueError -4016 or -4024
 */
export function assertPercentPrice(
  spec: ContractSpec,
  { side, type, priceTicks }: Pick<FuturesOrderRequest, 'side' | 'type' | 'priceTicks'>,
  mark: number,
): void {
  if (type !== 'LIMIT') return;
  const price = markOfTicks(spec, priceTicks) * 100;
  if (side === 'BUY' && price > mark * PERCENT_PRICE.up)
    throw FUTURES_ERRORS.priceAbovePercent(markText(spec, Math.floor((mark * PERCENT_PRICE.up) / 100)));
  if (side === 'SELL' && price < mark * PERCENT_PRICE.down)
    throw FUTURES_ERRORS.priceBelowPercent(markText(spec, Math.ceil((mark * PERCENT_PRICE.down) / 100)));
}

/** @throws VenueError -4164 if the order is too small. A reduce-only order may have any size. */
export function assertMinNotional(
  spec: ContractSpec,
  { lots, isReduceOnly }: Pick<FuturesOrderRequest, 'lots' | 'isReduceOnly'>,
  ticks: number,
): void {
  if (isReduceOnly || quoteUnits(spec, ticks, lots) >= spec.minNotional) return;
  throw FUTURES_ERRORS.minNotional(formatUnits(spec.minNotional, 1));
}
