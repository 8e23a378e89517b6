/**
 * Creates a random number generator (mulberry32). The same seed gives the same numbers.
 *
 * @param {number} seed
 */
export function seeded(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    /**
     * @param {number} from
     * @param {number} to
     */
    between: (from, to) => from + next() * (to - from),
    /**
     * @template T
     * @param {readonly T[]} items
     * @returns {T}
     */
    pick: (items) => /** @type {T} */ (items[Math.floor(next() * items.length)]),
    /** @param {number} chance */
    happens: (chance) => next() < chance,
  };
}

/** @typedef {ReturnType<typeof seeded>} Random */
