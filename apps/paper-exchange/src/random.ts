/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** Returns a generator whose numbers depend only on `seed` (mulberry32, 32-bit). It must not be used for security. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
