/**
 * Random numbers from a seed. Streams with different names are independent, so that a further draw in one part of the
 * data changes no other part.
 *
 * @typedef {ReturnType<typeof createRandom>} Random
 *
 * @param {string} name the seed with the name of the stream
 */
export function createRandom(name) {
  let state = hashOf(name);

  /** Returns a number in [0, 1). */
  function next() {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /**
   * @param {number} low
   * @param {number} high
   */
  const between = (low, high) => low + (high - low) * next();

  /** @param {number} digits */
  const hex = (digits) => Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('');

  return {
    next,
    between,
    hex,
    /** Returns an integer from `low` to `high`, both included. @param {number} low @param {number} high */
    integer: (low, high) => Math.floor(between(low, high + 1)),
    /** @param {number} probability */
    chance: (probability) => next() < probability,
    /** Returns a number of the standard normal distribution. */
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    /**
     * @template T
     * @param {readonly T[]} list
     * @returns {T}
     */
    pick(list) {
      const drawn = list[Math.floor(next() * list.length)];
      if (drawn === undefined) throw new RangeError('the list is empty');
      return drawn;
    },
    /** Returns a UUIDv7 of an instant. Ids of rows are in the order of their times, as in the product. @param {number} ms */
    uuid(ms) {
      const time = Math.floor(ms).toString(16).padStart(12, '0');
      const variant = '89ab'[Math.floor(next() * 4)];
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(12)}`;
    },
  };
}

/** Returns the 32-bit FNV-1a hash of a string. @param {string} text */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return hash;
}
