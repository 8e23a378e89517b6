import { createHash } from 'node:crypto';
import { run } from '../launch/commands.mjs';
import { readJsonIfExists, writePrivateFile } from '../launch/files.mjs';

/**
 * The result of removing a defence. `held`: an assertion of a test failed. `survived`: every test passed. `unproven`: the run
 * proves nothing, for example because a test timed out.
 *
 * @typedef {{ kind: 'held' | 'survived' | 'unproven', by: string, seconds: number }} Result
 * @typedef {{ fingerprint: string | null, results: Record<string, Result> }} State
 */

/** What the specs read. The table itself is not included: each of its entries is part of the key of its result. */
const SOURCES = ['apps', 'packages', 'tooling', 'pnpm-lock.yaml', 'jest.config.mjs', ':!tooling/defences'];

/**
 * Returns a hash of the source of the workspace, with uncommitted changes; null if git is not available.
 *
 * @returns {Promise<string | null>}
 */
export async function readFingerprint() {
  const hash = createHash('sha256');
  for (const args of [['ls-files', '--stage'], ['diff'], ['ls-files', '--others', '--exclude-standard']]) {
    const { code, stdout } = await run('git', [...args, '--', ...SOURCES]);
    if (code !== 0) return null;
    hash.update(stdout);
  }
  return hash.digest('hex');
}

/**
 * Opens the stored results of an interrupted run. Results of another source are dropped.
 *
 * @param {{ file: string | null, fingerprint: string | null }} options `file`: null to store nothing
 */
export function openProgress({ file, fingerprint }) {
  /** @type {State | null} */
  const stored = file === null || fingerprint === null ? null : readJsonIfExists(file);
  /** @type {Record<string, Result>} */
  const results = stored?.fingerprint === fingerprint ? { ...stored?.results } : {};
  return {
    /** @param {import('./defences.mjs').Defence} defence */
    resultOf: (defence) => results[keyOf(defence)],
    /** @param {readonly import('./defences.mjs').Defence[]} defences those to remove again */
    forget(defences) {
      for (const defence of defences) delete results[keyOf(defence)];
    },
    /**
     * @param {import('./defences.mjs').Defence} defence
     * @param {Result} result
     */
    record(defence, result) {
      results[keyOf(defence)] = result;
      if (file !== null) writePrivateFile(file, `${JSON.stringify({ fingerprint, results }, null, 2)}\n`);
    },
  };
}

/** @param {import('./defences.mjs').Defence} defence */
function keyOf({ file, find, replace, tests, title }) {
  return createHash('sha256')
    .update(JSON.stringify([file, find, replace, tests, title]))
    .digest('hex');
}
