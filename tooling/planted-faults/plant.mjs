/**
 * Replaces the only occurrence of a string.
 *
 * @param {string} source
 * @param {{ find: string, replace: string }} fault
 * @throws {RangeError} if the string does not occur exactly once, or its replacement changes nothing
 */
export function plant(source, { find, replace }) {
  const [before = '', after, ...more] = source.split(find);
  if (find === '' || after === undefined || more.length > 0) {
    const count = find === '' ? 'no' : String(source.split(find).length - 1);
    throw new RangeError(
      `The string must occur exactly once; got ${count} occurrences of ${JSON.stringify(find)}.`,
    );
  }
  if (find === replace) throw new RangeError(`The replacement of ${JSON.stringify(find)} changes nothing.`);
  return before + replace + after;
}
