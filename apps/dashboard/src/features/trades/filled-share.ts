/** The filled share of an order, in whole percent; 100 only if all of it is filled. */
export function filledShare(filled: string, amount: string): number {
  if (filled === amount) return 100;
  // A double is precise enough for whole percent.
  return Math.min(Math.floor((Number(filled) / Number(amount)) * 100), 99);
}
