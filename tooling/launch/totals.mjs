/** @typedef {{ passed: number, failed: number }} Total */

/**
 * What Jest's own result file says, and what it cannot say: a run that broke down counts as a failure even when
 * no single test did. A suite that could not be loaded has no tests, and counts as one failure.
 *
 * @param {number} exitCode
 * @param {{ numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number } | null} result
 * null when Jest wrote none
 * @returns {Total}
 */
export function jestTotals(exitCode, result) {
  if (result === null) return { passed: 0, failed: 1 };
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed: result.numPassedTests, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
}

/**
 * The last line of a run, by which it is judged.
 *
 * @param {Total} total
 */
export const totalLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;
