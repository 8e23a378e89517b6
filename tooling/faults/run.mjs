import { readdirSync } from 'node:fs';
import { isAsPromised } from './table.mjs';

/**
 * Every fault there is: the files f01.mjs, f02.mjs and so on.
 *
 * @param {readonly string[]} [ids] all unless given: `F3`
 * @returns {Promise<import('./world.mjs').Fault[]>}
 */
export async function loadFaults(ids = []) {
  const files = readdirSync(import.meta.dirname).filter((name) => /^f\d\d\.mjs$/.test(name));
  /** @type {import('./world.mjs').Fault[]} */
  const faults = [];
  // One after the other: Jest's loader mixes up modules that are asked for at once.
  for (const name of files.sort()) faults.push((await import(`./${name}`)).fault);
  const unknown = ids.filter((id) => faults.every((fault) => fault.id !== id));
  if (unknown.length > 0) throw new Error(`no such fault: ${unknown.join(', ')}`);
  return faults.filter(({ id }) => ids.length === 0 || ids.includes(id));
}

/**
 * Runs a fault with each seed, and once with its defence taken away.
 *
 * @param {import('./world.mjs').Fault} fault
 * @param {{
 *   size: 'short' | 'long', seeds: readonly number[], modes: readonly ('with' | 'without')[],
 *   say: (line: string) => void,
 * }} options
 * @returns {Promise<import('./table.mjs').Row>}
 */
export async function runFault(fault, { size, seeds, modes, say }) {
  /** @param {number} seed @param {boolean} isDefended @returns {Promise<import('./table.mjs').RunResult>} */
  const tell = async (seed, isDefended) => {
    const startedAt = performance.now();
    const name = `${fault.id} seed ${seed}${isDefended ? '' : ` without ${fault.defence}`}`;
    say(name);
    const outcome = await fault
      .run({ size: fault.sizes[size], seed, isDefended, say: (line) => say(`  ${line}`) })
      .catch(failed);
    const seconds = (performance.now() - startedAt) / 1_000;
    say(`  ${outcome.verdict.length === 0 ? 'held' : outcome.verdict.join(', ')} (${seconds.toFixed(1)} s)`);
    return { ...outcome, seed, seconds };
  };
  const defended = [];
  if (modes.includes('with')) for (const seed of seeds) defended.push(await tell(seed, true));
  const undefended = modes.includes('without') ? await tell(seeds[0] ?? 1, false) : undefined;
  const row = { fault, defended, undefended };
  if (!isAsPromised(row)) say(`${fault.id} IS NOT AS PROMISED`);
  return row;
}

/** @param {unknown} error */
function failed(error) {
  console.error(error);
  const message = error instanceof Error ? error.message : String(error);
  return { figures: {}, verdict: [`BROKE OFF: ${message}`], isBroken: true };
}
