/** @typedef {{ passed: number, failed: number }} Total */

/**
 * Returns the numbers of passed and failed tests from Jest's result file. A run that ended with an error counts as
 * one failure if no test failed. A suite that could not be loaded has no tests and counts as one failure.
 *
 * @param {number} exitCode
 * @param {{ numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number } | null} result
 * null if Jest wrote no result
 * @returns {Total}
 */
export function jestTotals(exitCode, result) {
  if (result === null) return { passed: 0, failed: 1 };
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed: result.numPassedTests, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
}

/**
 * Returns the last line of a run, from which CI reads the result.
 *
 * @param {Total} total
 */
export const totalLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;
