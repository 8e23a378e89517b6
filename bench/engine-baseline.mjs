/**
 * The baseline of `engine.mjs` is the matching library that the paper exchange uses, called as directly as its
 * documentation allows. It has no accounts and no money, and stores nothing.
 */
import { OrderBook, Side } from 'nodejs-order-book';

/** @returns {number} the lots traded */
export function runBaseline(/** @type {import('./engine.mjs').Step[]} */ steps) {
  const book = new OrderBook();
  let traded = 0;
  for (const step of steps) {
    if (step.cancels !== undefined) {
      book.cancel(String(step.cancels));
      continue;
    }
    const order = { id: String(step.id), side: step.side === 'BUY' ? Side.BUY : Side.SELL, size: step.lots };
    const result =
      step.ticks === undefined
        ? book.market(order)
        : book.limit({ ...order, price: step.ticks, timeInForce: step.timeInForce });
    if (result.err !== null) continue;
    // `partial` is the order itself if a part of it rests.
    if (result.partial !== null && result.partial.id !== order.id) traded += result.partialQuantityProcessed;
    for (const done of result.done) if (done.id !== order.id) traded += done.size;
  }
  return traded;
}
