/** @typedef {import('./defences.mjs').Defence} Defence */

/**
 * @param {readonly Defence[]} defences
 * @param {{ words: readonly string[], isSample: boolean }} selection
 * @throws {RangeError} if it selects nothing
 */
export function selectDefences(defences, { words, isSample }) {
  const selected = defences.filter(
    (defence) =>
      (!isSample || defence.isSample === true) &&
      (words.length === 0 || words.some((word) => `${defence.area}: ${defence.name}`.includes(word))),
  );
  if (selected.length === 0)
    throw new RangeError(
      `No defence has an area or name with ${words.join(' or ')}. Use a word of the table.`,
    );
  return selected;
}

/**
 * Groups defences by their specs, so that these run only once on the unmodified source. The largest groups come first, so that
 * copies that work at the same time end at about the same time.
 *
 * @param {readonly Defence[]} defences
 * @returns {{ tests: readonly string[], defences: readonly Defence[] }[]}
 */
export function groupsOf(defences) {
  /** @type {Map<string, Defence[]>} */
  const groups = new Map();
  for (const defence of defences) {
    const key = defence.tests.join('\n');
    groups.set(key, [...(groups.get(key) ?? []), defence]);
  }
  return [...groups]
    .map(([key, members]) => ({ tests: key.split('\n'), defences: members }))
    .sort((one, other) => other.defences.length - one.defences.length);
}
