/**
 * Compares two byte strings in constant time. All bytes are read even after a difference, so that timing does not reveal
 * how much of a forgery matches. Lengths are not secret: strings of different lengths are unequal immediately.
 */
export function equalInConstantTime(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index++) difference |= one[index]! ^ other[index]!;
  return difference === 0;
}
