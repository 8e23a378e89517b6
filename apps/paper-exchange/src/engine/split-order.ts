import type { Book, BookFill, BookOrder, BookResult } from './book.js';

/** Splits `lots` into three parts, or fewer if there are too few lots. */
export function splitInThree(lots: number): readonly number[] {
  const part = Math.floor(lots / 3);
  return part === 0 ? [lots] : [part, part, lots - 2 * part];
}

/**
 * Submits an order as several consecutive orders, so that it fills in smaller parts. The unfilled rest of each part is
 * added to the last part, which is the only part that may rest.
 */
export function submitSplit(book: Book, order: BookOrder, parts: readonly number[]): BookResult {
  const fills: BookFill[] = [];
  let left = order.lots;
  for (const lots of parts.slice(0, -1)) {
    const result = book.submit({ ...order, lots, timeInForce: 'IOC' });
    fills.push(...result.fills);
    const taken = result.fills.reduce((sum, fill) => sum + fill.lots, 0);
    left -= taken;
    if (result.stoppedBy !== undefined) return { fills, stoppedBy: result.stoppedBy };
    if (taken < lots) break;
  }
  const last = book.submit({ ...order, lots: left });
  return { ...last, fills: [...fills, ...last.fills] };
}
