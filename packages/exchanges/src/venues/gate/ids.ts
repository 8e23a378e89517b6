/**
 * Client order ids. The exchange stores them in the field `text`, whose value must begin with `t-`. It uses other values
 * to name the program or the reason that created an order.
 */
import type { OrderRequest } from '../../port.js';

const PREFIX = 't-';
/**
 * Marks a market purchase. The exchange counts its own market purchases in quote currency, so a purchase by base amount
 * is sent as a limit order, and only this mark distinguishes it.
 */
const PURCHASE_MARK = '.m';

export const isMarketPurchase = ({ type, side }: Pick<OrderRequest, 'type' | 'side'>): boolean =>
  type === 'MARKET' && side === 'BUY';

/** Returns the `text` of an order. */
export function textOf(clientOrderId: string, isMarked = false): string {
  return `${PREFIX}${clientOrderId}${isMarked ? PURCHASE_MARK : ''}`;
}

/** Returns the client order id of an order; an empty string if it was created without one. */
export function clientOrderIdOf(text: string, isMarked = false): string {
  if (!text.startsWith(PREFIX)) return '';
  return text.slice(PREFIX.length, isMarked ? -PURCHASE_MARK.length : undefined);
}

export const hasPurchaseMark = (text: string): boolean => text.endsWith(PURCHASE_MARK);
