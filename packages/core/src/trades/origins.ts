import type { TradeOrigin } from '@trading-automation/contracts';

/** Orders that were found at the exchange: placed outside the product, or by the exchange itself. */
const ADOPTED: readonly TradeOrigin[] = ['EXTERNAL', 'LIQUIDATION', 'ADL', 'SETTLEMENT'];

/** Whether the product placed the order, so that its client order id identifies it. */
export const isOurs = (origin: TradeOrigin): boolean => !ADOPTED.includes(origin);

/** SQL for `isOurs`. */
export const IS_OURS = (trades: string) => `${trades}.origin <> ALL ('{${ADOPTED.join(',')}}')`;

/**
 * SQL: whether an order of the product opened the lot. If an account at the exchange is connected several times, such a lot
 * belongs to one connection. Each connection has its own lots of adopted orders and of corrections.
 */
export const IS_LOT_OF_OURS = (lots: string) => `EXISTS (
  SELECT FROM trades t WHERE t.id = ${lots}.trade_id AND ${IS_OURS('t')} AND t.origin <> 'RECONCILIATION')`;
