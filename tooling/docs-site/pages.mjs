import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the repository. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Patterns of Markdown files that are not pages: installed packages, build output, test data and generated reports. */
export const skipped = [
  '**/node_modules/**',
  '**/dist/**',
  '**/fixtures/**',
  'apps/*/test/**',
  'packages/sdk/etc/**',
  'patches/**',
];

const isSkipped = /(^|\/)(fixtures|patches)\/|^apps\/[^/]+\/test\/|^packages\/sdk\/etc\/|^\./;

/**
 * Returns the path of a Markdown file on the site: `docs/` is the top folder, a README is its folder's index, and the
 * pages of venues have a folder of their own.
 *
 * @param {string} file relative to the root, with slashes
 */
export function pageOf(file) {
  const path = file
    .replace(/^docs\//, '')
    .replace(/^packages\/exchanges\/src\/venues\/([^/]+)\/page\.md$/, 'venues/$1.md');
  return path.replace(/(^|\/)README\.md$/, '$1index.md');
}

/**
 * Returns the address of a Markdown file on the site, without `.md`.
 *
 * @param {string} file
 */
export const addressOf = (file) =>
  `/${pageOf(file)
    .replace(/\.md$/, '')
    .replace(/(^|\/)index$/, '$1')}`;

/** @returns {string[]} every Markdown file that becomes a page, relative to the root */
export function pages() {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed
    .split('\0')
    .filter((file) => file !== '' && !isSkipped.test(file) && existsSync(join(root, file)))
    .sort();
}

/**
 * Returns the first heading of a page, as text.
 *
 * @param {string} file
 */
export function titleOf(file) {
  const [, heading] = /^# +(.+)$/m.exec(readFileSync(join(root, file), 'utf8')) ?? [];
  if (heading === undefined) throw new Error(`${file} has no heading. Begin it with "# Title".`);
  return heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
