/** Client order ids at HTX. */
import type { OrderRequest } from '../../port.js';

/**
 * Marks a market purchase. The exchange counts its own market purchases in quote currency, so a purchase by base amount
 * is sent as a limit order, and only this mark distinguishes it.
 */
const PURCHASE_MARK = '-m';
const PURCHASE_TYPE = 'buy-ioc';

export const isMarketPurchase = ({ type, side }: Pick<OrderRequest, 'type' | 'side'>): boolean =>
  type === 'MARKET' && side === 'BUY';

/** Returns the client order id of a market purchase, as the exchange stores it. */
export const markedIdOf = (clientOrderId: string): string => `${clientOrderId}${PURCHASE_MARK}`;

/** Whether an order of the exchange is a market purchase of this product. */
export const isMarked = (storedId: string, type: string): boolean =>
  type === PURCHASE_TYPE && storedId.endsWith(PURCHASE_MARK);

export const withoutMark = (storedId: string): string => storedId.slice(0, -PURCHASE_MARK.length);
