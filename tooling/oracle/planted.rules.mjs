/**
 * Returns the folder of the package or app of a file: `packages/core` for `packages/core/src/a.ts`.
 *
 * @param {string} file relative to the root of the workspace
 */
export function packageOf(file) {
  const [, folder] = /^((?:packages|apps)\/[^/]+)\/src\//.exec(file) ?? [];
  if (folder === undefined) throw new RangeError(`file must be below src of a package or app; got ${file}.`);
  return folder;
}

/**
 * Classifies a run of the oracle. Only a difference between the two counts as found: a run that ends with an error proves
 * nothing.
 *
 * @param {{ code: number, stdout: string, stderr: string }} run
 */
export function outcomeOfRun({ code, stdout, stderr }) {
  const total = /(\d+) decisions compared, (\d+) differences/.exec(stdout);
  if (total === null) return `UNUSABLE: ${stderr.trim().split('\n').at(-1) ?? ''}`;
  if (code === 0) return 'MISSED';
  const [, first = ''] = /DIFFERENCE (.*)/.exec(stdout) ?? [];
  return `found within ${total[1]} decisions: ${first.slice(0, 300)}`;
}
