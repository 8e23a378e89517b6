/**
 * Room for so many acts at once: one that finds none waits for its turn.
 *
 * @param {number} atOnce
 */
export function roomFor(atOnce) {
  let free = atOnce;
  /** @type {((value: undefined) => void)[]} */
  const waiting = [];
  /**
   * @template R
   * @param {() => Promise<R>} act
   */
  return async function inTurn(act) {
    if (free > 0) free--;
    else await new Promise((resolve) => waiting.push(resolve));
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next(undefined);
    }
  };
}

/**
 * Acts on each of the items, on so many of them at once.
 *
 * @template T, R
 * @param {number} atOnce
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<R>} act
 * @returns {Promise<R[]>} in the order of the items
 */
export async function sideBySide(atOnce, items, act) {
  const inTurn = roomFor(atOnce);
  return await Promise.all(items.map((item) => inTurn(() => act(item))));
}
