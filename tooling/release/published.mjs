import { join, resolve } from 'node:path';
import { run } from '../launch/commands.mjs';

/** The folders of published packages in the order of publication: the CLI needs the SDK. */
export const PUBLISHED = ['sdk', 'cli'];

/**
 * Reads the names and versions of the packed packages in a folder, in the order of {@link PUBLISHED}.
 *
 * @param {string} folder
 * @returns {Promise<{ tarball: string, name: string, version: string }[]>} `tarball`: an absolute path
 */
export function readPackedPackages(folder) {
  return Promise.all(
    PUBLISHED.map(async (packed) => {
      const tarball = join(resolve(folder), `${packed}.tgz`);
      const { code, stdout, stderr } = await run('tar', ['-xzOf', tarball, 'package/package.json']);
      if (code !== 0) throw new Error(`could not read ${tarball}: ${stderr}`);
      const { name, version } = JSON.parse(stdout);
      return { tarball, name, version };
    }),
  );
}
