const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that mostly wait (for leases, restarts, storms): the other workers use the processor meanwhile. */
const WAITING = ['tooling/e2e/delivery-faults.e2e.spec.mjs', 'tooling/e2e/chaos.e2e.spec.mjs'];

/**
 * Starts the files that take longest first, also on a machine that never timed them: end to end, then integration, then
 * the rest. A long file that starts last would leave one core idle to the end of the run.
 *
 * @param {string} path
 */
function rank(path) {
  if (WAITING.some((file) => path.endsWith(file))) return 0;
  if (path.includes('.e2e.spec.')) return 1;
  return path.includes('.int.spec.') ? 2 : 3;
}

module.exports = class LongestFirst extends Sequencer {
  /** @param {{ path: string }[]} tests */
  sort(tests) {
    // Stable: within a rank, Jest's own order remains (failed last time, slowest, largest).
    return [...super.sort(tests)].sort((a, b) => rank(a.path) - rank(b.path));
  }
};
