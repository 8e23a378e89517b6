/**
 * Builds the pages and the process. The standalone build gets its static files, so that its folder is complete, and their
 * compressed forms.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Higher ones take several times longer, for a few percent. */
const BROTLI_QUALITY = 9;

/** More than the parts of any page. */
const MAX_PAGE_BYTES = 4_194_304;

const app = join(import.meta.dirname, '..');
const run = (/** @type {string} */ command, /** @type {string[]} */ args) => {
  const { status } = spawnSync(join(app, 'node_modules', '.bin', command), args, {
    cwd: app,
    stdio: 'inherit',
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
  });
  if (status !== 0) process.exit(status ?? 1);
};

rmSync(join(app, '.next', 'standalone'), { recursive: true, force: true });
run('tsc', ['-p', 'tsconfig.build.json']);
run('next', ['build']);
const standalone = join(app, '.next', 'standalone', 'apps', 'dashboard');
const files = join(standalone, '.next', 'static');
cpSync(join(app, '.next', 'static'), files, { recursive: true });
sendWholePages(join(app, '.next', 'standalone', 'node_modules', '.pnpm'));
await Promise.all(
  readdirSync(files, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:js|css|json|svg|map|txt)$/.test(name))
    .map((name) => compress(join(files, name))),
);
writeFileSync(join(standalone, '.next', 'page-files.json'), JSON.stringify(pageFiles(join(app, '.next'))));
if (existsSync(join(app, 'public')))
  cpSync(join(app, 'public'), join(standalone, 'public'), { recursive: true });

/**
 * Raises the size from which React sends parts whose code is loaded on demand behind the page. The browser would show
 * them up to 300 ms after the rest. Next.js has no setting for it (docs/adr/0049-pages-arrive-with-their-data.md).
 */
function sendWholePages(/** @type {string} */ packages) {
  const renderers = readdirSync(packages)
    .filter((name) => name.startsWith('next@'))
    .map((name) => join(packages, name, 'node_modules/next/dist/compiled/next-server'))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => /app-page[^/]*\.prod\.js$/.test(file));
  const limit = /(progressiveChunkSize=void 0===\w+\?)12800\b/g;
  for (const file of renderers) {
    const code = readFileSync(file, 'utf8');
    if (code.match(limit)?.length !== 1)
      throw new Error(`${file} has no limit of parts that React sends behind a page.`);
    rmSync(file);
    writeFileSync(file, code.replace(limit, `$1${MAX_PAGE_BYTES}`));
  }
  if (renderers.length === 0) throw new Error('The build contains no renderer of Next.js.');
}

/** Returns the styles and fonts of the pages of a session, from what Next.js knows of them. */
function pageFiles(/** @type {string} */ built) {
  const read = (/** @type {string} */ file) => readFileSync(join(built, 'server', file), 'utf8');
  const path = '/(signed-in)/page';
  /** @type {{ globalThis?: object, __RSC_MANIFEST: Record<string, any> }} */
  const scope = { __RSC_MANIFEST: {} };
  scope.globalThis = scope;
  runInNewContext(read(`app${path}_client-reference-manifest.js`), scope);
  const styles = Object.values(scope.__RSC_MANIFEST[path].entryCSSFiles).flat();
  const fonts = Object.values(JSON.parse(read('next-font-manifest.json')).app).flat();
  const files = { styles: [...new Set(styles.map((entry) => entry.path))], fonts: [...new Set(fonts)] };
  if (files.styles.length === 0 || files.fonts.length === 0)
    throw new Error('The build names no styles or fonts of the pages of a session.');
  return files;
}

/** Writes the forms that the process sends to browsers that accept them. */
async function compress(/** @type {string} */ file) {
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(content, { params }));
}
