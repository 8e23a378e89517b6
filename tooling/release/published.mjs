import { join, resolve } from 'node:path';
import { run } from '../launch/commands.mjs';

/** Folders of the packages that are published, in the order in which they have to be: the CLI needs the SDK. */
export const PUBLISHED = ['sdk', 'cli'];

/**
 * What a folder of packed packages holds, in the order of {@link PUBLISHED}.
 *
 * @param {string} folder
 * @returns {Promise<{ tarball: string, name: string, version: string }[]>} as their own manifests say
 */
export function packedIn(folder) {
  return Promise.all(
    PUBLISHED.map(async (packed) => {
      const tarball = join(resolve(folder), `${packed}.tgz`);
      const { code, stdout, stderr } = await run('tar', ['-xzOf', tarball, 'package/package.json']);
      if (code !== 0) throw new Error(`${tarball} can't be read: ${stderr}`);
      const { name, version } = JSON.parse(stdout);
      return { tarball, name, version };
    }),
  );
}
