/**
 * Market purchases at exchanges that count their own market purchases in quote currency. Amounts of the product are in base
 * currency, so such a purchase is sent as an IOC limit order above the best offer. Only a mark behind its client order id
 * distinguishes it from a limit order of a user.
 */
import type { Decimal } from '@trading-automation/contracts';
import { Precise } from 'ccxt/js/src/base/Precise';
import type { BookLevel, OrderRequest } from '../port.js';
import { multiply, subtract } from './amounts.js';
import type { CcxtClient } from './ccxt-client.js';
import { failure } from './failures.js';

/** How far above the best offer a market purchase may buy. */
const PURCHASE_FACTOR = '1.02';
const PURCHASE_MARK = '.m';

export const isMarketPurchase = ({ type, side }: Pick<OrderRequest, 'type' | 'side'>): boolean =>
  type === 'MARKET' && side === 'BUY';

/** Returns the id under which a market purchase is sent. */
export const withPurchaseMark = (clientOrderId: string): string => `${clientOrderId}${PURCHASE_MARK}`;

export const hasPurchaseMark = (id: string): boolean => id.endsWith(PURCHASE_MARK);

/** Returns the client order id of a market purchase from the id under which it was sent. */
export const withoutPurchaseMark = (id: string): string => id.slice(0, -PURCHASE_MARK.length);

/**
 * Returns the limit price of a market purchase: above the best offer, as a multiple of the price tick.
 *
 * @param asks the offers of the order book, the best one first
 * @throws {ExchangeError} `rejected`/`would_not_fit_book` if the book has no offer
 */
export function purchasePrice(ccxt: CcxtClient, symbol: string, [best]: readonly BookLevel[]): Decimal {
  if (best === undefined) throw failure(['rejected', 'would_not_fit_book']);
  const highest = multiply(best[0], PURCHASE_FACTOR);
  const tick = ccxt.market(symbol).precision.price ?? '1';
  return subtract(highest, Precise.stringMod(highest, tick) ?? '0');
}
