/**
 * Client order ids. The exchange stores them in the field `text`, whose value must begin with `t-`. It uses other values
 * to name the program or the reason that created an order.
 */
import { withoutPurchaseMark, withPurchaseMark } from '../../ccxt/market-purchases.js';

const PREFIX = 't-';

/** Returns the `text` of an order. */
export function textOf(clientOrderId: string, isMarked = false): string {
  return `${PREFIX}${isMarked ? withPurchaseMark(clientOrderId) : clientOrderId}`;
}

/** Returns the client order id of an order; an empty string if it was created without one. */
export function clientOrderIdOf(text: string, isMarked = false): string {
  if (!text.startsWith(PREFIX)) return '';
  const id = text.slice(PREFIX.length);
  return isMarked ? withoutPurchaseMark(id) : id;
}
