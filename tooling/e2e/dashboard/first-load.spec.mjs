/** The scripts that each page of the dashboard needs before it works, read from the build: no page becomes heavy unnoticed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';

const build = join(import.meta.dirname, '..', '..', '..', 'apps', 'dashboard', '.next');
const OVERVIEW_MAX_KIB = 180;
const PAGE_MAX_KIB = 220;

/** @type {Map<string, number>} */
const sizes = new Map();
function gzipBytes(file) {
  const known = sizes.get(file) ?? gzipSync(readFileSync(join(build, file)), { level: 9 }).length;
  sizes.set(file, known);
  return known;
}

/** Returns the route of a page and the scripts that its document names. Scripts that are loaded later are not among them. */
function pageOf(manifestFile) {
  const scope = { globalThis: { __RSC_MANIFEST: {} } };
  runInNewContext(readFileSync(manifestFile, 'utf8'), scope);
  const [[route, { entryJSFiles }]] = Object.entries(scope.globalThis.__RSC_MANIFEST);
  const { rootMainFiles } = JSON.parse(readFileSync(join(build, 'build-manifest.json'), 'utf8'));
  const files = new Set([...rootMainFiles, ...Object.values(entryJSFiles).flat()]);
  const bytes = [...files].reduce((sum, file) => sum + gzipBytes(file), 0);
  return { route: route.replaceAll(/\/\([^)]+\)/g, '').replace(/\/page$/, '') || '/', kib: bytes / 1024 };
}

const app = join(build, 'server', 'app');
const pages = readdirSync(app, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('page_client-reference-manifest.js'))
  .map((file) => pageOf(join(app, file)));

it('are within the limits of the overview and of every other page', () => {
  expect(pages.length).toBeGreaterThan(40);
  const heavy = pages.filter(({ route, kib }) => kib > (route === '/' ? OVERVIEW_MAX_KIB : PAGE_MAX_KIB));
  expect(heavy).toEqual([]);
  // React and Next.js alone are more than half: a smaller sum would mean that the build was not read.
  expect(pages.filter(({ kib }) => kib < 120)).toEqual([]);
  expect(pages.some(({ route }) => route === '/')).toBe(true);
});
