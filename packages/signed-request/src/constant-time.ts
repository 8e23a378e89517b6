/**
 * Do two byte strings say the same? Of equal lengths every byte is read, wherever they differ: how long it takes
 * tells nothing of how much of a forgery was right. Lengths are no secret, and unequal ones are just different.
 */
export function equalInConstantTime(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index++) difference |= one[index]! ^ other[index]!;
  return difference === 0;
}
