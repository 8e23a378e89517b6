'use client';
import { OrderBook } from '../../../../../features/markets/order-book';
import { NewOrder } from '../../../../../features/order-ticket/new-order';

/** Two features meet on this page: the order ticket, and the order book beside it. */
export function NewOrderWithBook() {
  return <NewOrder book={(pair) => <OrderBook pair={pair} />} />;
}
