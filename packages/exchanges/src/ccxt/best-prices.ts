/** Reads the best prices of an order book. */
import type { Decimal } from '@trading-automation/contracts';
import { z } from 'zod';
import type { BestPrices } from '../port.js';
import { exactDecimal, parseResponse } from './parse-response.js';

const level = z.tuple([exactDecimal]).rest(z.unknown());
const orderBook = z.object({ bids: z.array(level), asks: z.array(level) });

/** Accepts levels in any order, because ccxt sorts them as strings. */
export function readBestPrices(response: unknown): BestPrices {
  const { bids, asks } = parseResponse(orderBook, response);
  return {
    bid: firstOf(bids, (a, b) => isLess(b, a)),
    ask: firstOf(asks, isLess),
  };
}

function firstOf(
  levels: readonly (readonly [Decimal, ...unknown[]])[],
  isBetter: (a: Decimal, b: Decimal) => boolean,
): Decimal | null {
  let best: Decimal | null = null;
  for (const [price] of levels) if (best === null || isBetter(price, best)) best = price;
  return best;
}

/** Compares two positive decimals in plain notation. */
function isLess(a: Decimal, b: Decimal): boolean {
  const [integerA = '', fractionA = ''] = a.split('.');
  const [integerB = '', fractionB = ''] = b.split('.');
  if (integerA.length !== integerB.length) return integerA.length < integerB.length;
  if (integerA !== integerB) return integerA < integerB;
  const places = Math.max(fractionA.length, fractionB.length);
  return fractionA.padEnd(places, '0') < fractionB.padEnd(places, '0');
}
