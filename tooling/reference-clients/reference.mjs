/** Runs tools of third parties on the REST reference, `apps/rest-api/openapi.json`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
export const referenceFile = join(root, 'apps', 'rest-api', 'openapi.json');

/**
 * Runs a program of this package's dependencies, without telemetry.
 *
 * @param {string} name
 * @param {string[]} args
 * @param {string} [bin] the folder of the program
 * @returns {Promise<{ code: number, output: string, errors: string }>}
 */
export function runTool(name, args, bin = join(import.meta.dirname, 'node_modules', '.bin')) {
  const env = { ...process.env, NODE_OPTIONS: '', REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(
      join(bin, name),
      args,
      { cwd: import.meta.dirname, env, maxBuffer: 64 * 1024 * 1024 },
      (error, output, errors) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, output, errors });
      },
    );
  });
}
