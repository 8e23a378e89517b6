const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that mostly wait (for leases, restarts, storms): the other workers use the processor meanwhile. */
const WAITING = ['tooling/e2e/delivery-faults.e2e.spec.mjs', 'tooling/e2e/chaos.e2e.spec.mjs'];

/**
 * Long files first, also on a machine that never timed them: a long file that starts last would leave one core idle to
 * the end of the run. Integration tests run between end-to-end tests, because several products at once would slow each
 * other's restarts.
 *
 * @template {{ path: string }} T
 * @param {readonly T[]} tests
 * @returns {T[]}
 */
function longestFirst(tests) {
  const isWaiting = (/** @type {T} */ { path }) => WAITING.some((file) => path.endsWith(file));
  const isEndToEnd = (/** @type {T} */ { path }) => path.includes('.e2e.spec.');
  const isIntegration = (/** @type {T} */ { path }) => path.includes('.int.spec.');
  const waiting = tests.filter(isWaiting);
  const endToEnd = tests.filter((test) => isEndToEnd(test) && !isWaiting(test));
  const integration = tests.filter(isIntegration);
  const between = endToEnd.flatMap((test, i) => [test, ...integration.slice(i, i + 1)]);
  const others = tests.filter((test) => !isEndToEnd(test) && !isIntegration(test));
  return [...waiting, ...between, ...integration.slice(endToEnd.length), ...others];
}

module.exports = class LongestFirst extends Sequencer {
  /** @param {{ path: string }[]} tests */
  sort(tests) {
    // Among files of one kind, Jest's own order remains: failed last time, slowest, largest.
    return longestFirst(super.sort(tests));
  }
};
module.exports.longestFirst = longestFirst;
