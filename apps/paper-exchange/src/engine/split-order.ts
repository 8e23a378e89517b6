import type { Book, BookFill, BookOrder, BookResult } from './book.js';

/** Splits an amount of `lots` amount steps into three parts. An amount of one or two steps is not split. */
export function splitInThree(lots: number): readonly number[] {
  const part = Math.floor(lots / 3);
  return part === 0 ? [lots] : [part, part, lots - 2 * part];
}

/**
 * Submits an order as several consecutive orders, so that it fills in smaller parts. All parts except the last are IOC.
 * Their unfilled lots are added to the last part, which may rest in the book.
 */
export function submitSplit(book: Book, order: BookOrder, parts: readonly number[]): BookResult {
  const fills: BookFill[] = [];
  let remainingLots = order.lots;
  for (const lots of parts.slice(0, -1)) {
    const result = book.submit({ ...order, lots, timeInForce: 'IOC' });
    fills.push(...result.fills);
    const filledLots = result.fills.reduce((sum, fill) => sum + fill.lots, 0);
    remainingLots -= filledLots;
    if (result.stoppedBy !== undefined) return { fills, stoppedBy: result.stoppedBy };
    if (filledLots < lots) break;
  }
  const last = book.submit({ ...order, lots: remainingLots });
  return { ...last, fills: [...fills, ...last.fills] };
}
