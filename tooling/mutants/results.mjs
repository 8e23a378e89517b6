import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launch/paths.mjs';

/**
 * Stores the mutants of each area in `.data/mutants`, so that a run that was interrupted need not repeat them.
 *
 * @typedef {{ fingerprint: string, mutants: import('./judge.mjs').Mutant[], seconds: number }} Result
 */

/**
 * Returns a hash of everything that a result depends on: the sources of the area's packages and of `contracts`, which
 * all of them use, the test vectors, the installed versions, and this tool.
 *
 * @param {import('./areas.mjs').Area} area
 */
export function fingerprintOf({ files, specs }) {
  const packages = [...files, ...specs].map((file) => `${file.split('/src/')[0]}/src`);
  const helpers = ['packages/signed-request/test', 'packages/signed-request/vectors'];
  const folders = new Set([...packages, 'packages/contracts/src', ...helpers]);
  const hash = createHash('sha256').update(JSON.stringify([files, specs]));
  const tool = ['judge', 'load-hooks', 'run-area', 'spec-files', 'unit-spec-runner'];
  const paths = [
    'pnpm-lock.yaml',
    ...tool.map((name) => `tooling/mutants/${name}.mjs`),
    ...[...folders].sort().flatMap(filesIn),
  ];
  for (const path of paths)
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}

/** @param {string} folder */
function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.int.spec.'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

/**
 * Returns the stored result of an area; undefined if these sources were not run yet.
 *
 * @param {string} folder
 * @param {string} area
 * @param {string} fingerprint
 * @returns {Result | undefined}
 */
export function readResult(folder, area, fingerprint) {
  const file = join(folder, `${area}.json`);
  if (!existsSync(file)) return undefined;
  /** @type {Result} */
  const result = JSON.parse(readFileSync(file, 'utf8'));
  return result.fingerprint === fingerprint ? result : undefined;
}

/**
 * @param {string} folder
 * @param {string} area
 * @param {Result} result
 */
export function storeResult(folder, area, result) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${area}.json`), `${JSON.stringify(result)}\n`);
}
