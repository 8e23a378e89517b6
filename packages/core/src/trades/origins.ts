import type { TradeOrigin } from '@trading-automation/contracts';

/** Orders that were found at the exchange: placed outside the product, or by the exchange itself. */
const ADOPTED: readonly TradeOrigin[] = ['EXTERNAL', 'LIQUIDATION', 'ADL', 'SETTLEMENT'];

/** Whether the product placed the order, so that its client order id identifies it. */
export const isOurs = (origin: TradeOrigin): boolean => !ADOPTED.includes(origin);

/** SQL for `isOurs`. */
export const IS_OURS = (trades: string) => `${trades}.origin <> ALL ('{${ADOPTED.join(',')}}')`;
