import { runFault, runUnmodified } from '../planted-faults/run.mjs';

/**
 * Removes the defences of all groups, one at a time in each copy, until the time is over. The specs of a group must first
 * pass on the unmodified source.
 *
 * @param {readonly import('../planted-faults/run.mjs').WorkspaceCopy[]} copies
 * @param {readonly { tests: readonly string[], defences: readonly import('./defences.mjs').Defence[] }[]} groups
 * @param {{
 *   progress: Pick<ReturnType<typeof import('./progress.mjs').openProgress>, 'record'>,
 *   isCheckedBefore: boolean, endsAtMs: number, print: (line: string) => void,
 *   runs?: { runFault: typeof runFault, runUnmodified: typeof runUnmodified },
 * }} options `isCheckedBefore`: whether the specs are known to pass on the unmodified source; `endsAtMs`: when the last
 *   removal may begin, by `performance.now()`
 */
export async function removeAll(copies, groups, { progress, isCheckedBefore, endsAtMs, print, runs }) {
  const { runFault: remove, runUnmodified: check } = runs ?? { runFault, runUnmodified };
  const waiting = [...groups];
  /** The specs that pass on the unmodified source. @type {Set<string>} */
  const passing = new Set();
  const isOver = () => performance.now() >= endsAtMs;

  /** @param {import('../planted-faults/run.mjs').WorkspaceCopy} copy */
  async function removeInCopy(copy) {
    for (let group = waiting.shift(); group !== undefined && !isOver(); group = waiting.shift()) {
      const { tests, defences } = group;
      const isPassing = isCheckedBefore || (await passes(copy, tests));
      for (const defence of defences) {
        if (isOver()) return;
        if (isPassing) await removeOne(copy, defence);
        else report(defence, { kind: 'unproven', by: 'the specs fail on the unmodified source', seconds: 0 });
      }
    }
  }

  /**
   * Returns whether the specs pass on the unmodified source.
   *
   * @param {import('../planted-faults/run.mjs').WorkspaceCopy} copy
   * @param {readonly string[]} tests
   */
  async function passes(copy, tests) {
    const unchecked = tests.filter((test) => !passing.has(test));
    if (unchecked.length === 0) return true;
    const { kind } = await check(copy, unchecked);
    if (kind === 'missed') for (const test of unchecked) passing.add(test);
    return kind === 'missed';
  }

  /**
   * @param {import('../planted-faults/run.mjs').WorkspaceCopy} copy
   * @param {import('./defences.mjs').Defence} defence
   */
  async function removeOne(copy, defence) {
    const { outcome, seconds } = await remove(copy, defence);
    if (outcome.kind === 'found') report(defence, { kind: 'held', by: outcome.by, seconds });
    else if (outcome.kind === 'missed') report(defence, { kind: 'survived', by: '', seconds });
    else report(defence, { kind: 'unproven', by: outcome.why, seconds });
  }

  /**
   * @param {import('./defences.mjs').Defence} defence
   * @param {import('./progress.mjs').Result} result
   */
  function report(defence, result) {
    // A run that proves nothing is repeated when the command is started again.
    if (result.kind !== 'unproven') progress.record(defence, result);
    const by = result.by === '' ? '' : `: ${result.by}`;
    print(`${defence.area}: ${defence.name}: ${result.kind}${by} (${result.seconds} s)`);
  }

  await Promise.all(copies.map(removeInCopy));
}
