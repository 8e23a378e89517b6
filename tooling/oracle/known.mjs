/**
 * Differences that are findings and not fixed yet. README.md lists each with the sentence that the product contradicts. They
 * are counted and printed, but do not fail a run. Remove an entry together with its fix.
 *
 * @typedef {{ differences?: import('./compare.mjs').Difference[], decision?: any, isCut?: boolean }} Report
 *   `isCut`: an order of the exit is for less than the exit asked for
 * @type {readonly { name: string, explains: (difference: import('./compare.mjs').Difference, report: Report) => boolean }[]}
 */
const KNOWN = [];

/**
 * Returns the known finding that explains every difference of a report; undefined if a difference remains.
 *
 * @param {Report} report
 */
export function knownFinding(report) {
  const { differences = [] } = report;
  const names = differences.map(
    (difference) => KNOWN.find(({ explains }) => explains(difference, report))?.name,
  );
  return names.includes(undefined) ? undefined : names[0];
}
