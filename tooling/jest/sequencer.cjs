const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that mostly wait, for example for leases or restarts. Other workers use the CPU meanwhile. */
const WAITING = [
  'tooling/e2e/delivery-faults.e2e.spec.mjs',
  'tooling/e2e/chaos.e2e.spec.mjs',
  'tooling/e2e/chaos-perpetual.e2e.spec.mjs',
];

/**
 * Sorts long files first, even on a machine without recorded durations: if a long file started last, the other cores would
 * be idle until the end. Integration tests run between end-to-end tests, because several products at the same time would
 * slow down each other's restarts.
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
    // Files of one kind keep Jest's order: failed ones first, then the slowest, then the largest.
    return longestFirst(super.sort(tests));
  }
};
module.exports.longestFirst = longestFirst;
