import { readdirSync } from 'node:fs';
import { hasExpectedResult } from './table.mjs';

/**
 * Loads the faults from the files f01.mjs, f02.mjs and so on.
 *
 * @param {readonly string[]} [ids] for example `F3`; all faults if empty
 * @returns {Promise<import('./environment.mjs').Fault[]>}
 */
export async function loadFaults(ids = []) {
  const files = readdirSync(import.meta.dirname).filter((name) => /^f\d\d\.mjs$/.test(name));
  /** @type {import('./environment.mjs').Fault[]} */
  const faults = [];
  // One after another, because Jest's loader confuses modules that are imported concurrently.
  for (const name of files.sort()) faults.push((await import(`./${name}`)).fault);
  const unknown = ids.filter((id) => faults.every((fault) => fault.id !== id));
  if (unknown.length > 0) throw new Error(`no such fault: ${unknown.join(', ')}`);
  return faults.filter(({ id }) => ids.length === 0 || ids.includes(id));
}

/**
 * Runs a fault with each seed, and once without its defence.
 *
 * @param {import('./environment.mjs').Fault} fault
 * @param {{
 *   size: 'short' | 'long', seeds: readonly number[], modes: readonly ('with' | 'without')[],
 *   print: (line: string) => void,
 * }} options
 * @returns {Promise<import('./table.mjs').Row>}
 */
export async function runFault(fault, { size, seeds, modes, print }) {
  /** @param {number} seed @param {boolean} isDefended @returns {Promise<import('./table.mjs').RunResult>} */
  const runOnce = async (seed, isDefended) => {
    const startedAt = performance.now();
    const name = `${fault.id} seed ${seed}${isDefended ? '' : ` without ${fault.defence}`}`;
    print(name);
    const outcome = await fault
      .run({ size: fault.sizes[size], seed, isDefended, print: (line) => print(`  ${line}`) })
      .catch(abortedRun);
    const seconds = (performance.now() - startedAt) / 1_000;
    print(
      `  ${outcome.violations.length === 0 ? 'passed' : outcome.violations.join(', ')} (${seconds.toFixed(1)} s)`,
    );
    return { ...outcome, seed, seconds };
  };
  const defended = [];
  if (modes.includes('with')) for (const seed of seeds) defended.push(await runOnce(seed, true));
  const undefended = modes.includes('without') ? await runOnce(seeds[0] ?? 1, false) : undefined;
  const row = { fault, defended, undefended };
  if (!hasExpectedResult(row)) print(`${fault.id} DID NOT HAVE THE EXPECTED RESULT`);
  return row;
}

/** @param {unknown} error */
function abortedRun(error) {
  console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  return { figures: {}, violations: [`ABORTED: ${message}`], isAborted: true };
}
