import { readIfExists, writePrivateFile } from '../files.mjs';

/**
 * Stores when each part of the nightly run last passed, and on which commit, in `.data/nightly.json`.
 *
 * @typedef {{ passedAt: string, commit: string, seconds: number }} Pass
 * @typedef {Record<string, Pass>} Passes by part
 */

/** @param {string} file @returns {Passes} */
export function readPasses(file) {
  return JSON.parse(readIfExists(file) ?? '{}');
}

/**
 * @param {string} file
 * @param {string} part
 * @param {Pass} pass
 */
export function recordPass(file, part, pass) {
  writePrivateFile(file, `${JSON.stringify({ ...readPasses(file), [part]: pass }, null, 2)}\n`);
}

/**
 * Returns whether a part has passed on exactly this commit, so that it need not run again. Always false with
 * uncommitted changes.
 *
 * @param {Pass | undefined} pass
 * @param {{ commit: string, isClean: boolean }} checkout
 */
export const isCurrent = (pass, { commit, isClean }) => isClean && pass?.commit === commit;

/**
 * Formats a table with one line per part.
 *
 * @param {readonly { name: string }[]} parts
 * @param {Passes} passes
 * @param {Record<string, string>} outcomes the outcomes of this run by part
 */
export function tableOf(parts, passes, outcomes) {
  const rows = [
    ['part', 'this run', 'last passed', 'commit', 'seconds'],
    ...parts.map(({ name }) => {
      const pass = passes[name];
      const last =
        pass === undefined ? ['never', '', ''] : [pass.passedAt, pass.commit, String(pass.seconds)];
      return [name, outcomes[name] ?? 'not run', ...last];
    }),
  ];
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
