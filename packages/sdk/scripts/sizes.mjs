/**
 * Measures the size of the SDK in a web page: its entries, bundled with their static imports, minified and compressed
 * with gzip. Modules of dynamic imports are separate bundles and are not counted.
 * `node scripts/sizes.mjs [folder that has the SDK in its node_modules]` fails if an entry exceeds its limit.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import preset from '@size-limit/preset-small-lib';
import sizeLimit from 'size-limit';

const NAME = '@trading-automation/sdk';

/** The maximum sizes in bytes. */
const SIZE_LIMITS = [
  { entries: ['.'], limit: 10_000 },
  { entries: ['.', './signer'], limit: 26_000 },
  { entries: ['./webhooks'], limit: 6_000 },
  { entries: ['./realtime'], limit: 11_000 },
  { entries: ['.', './realtime'], limit: 20_000 },
];

/** An esbuild plugin that excludes modules which are imported dynamically. */
const excludeDynamicImports = {
  name: 'exclude-dynamic-imports',
  setup: (build) =>
    build.onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
};

const folder = mkdtempSync(join(resolve(process.argv[2] ?? join(import.meta.dirname, '..')), '.sizes-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
for (const { entries, limit } of SIZE_LIMITS) {
  const file = join(folder, 'entry.mjs');
  const lines = entries.map((entry) => `export * from '${NAME}${entry.slice(1)}';`);
  writeFileSync(file, lines.join('\n'));
  const [{ size }] = await sizeLimit([preset], {
    checks: [
      {
        files: [file],
        gzip: true,
        modifyEsbuildConfig: (config) => ({ ...config, format: 'esm', plugins: [excludeDynamicImports] }),
      },
    ],
  });
  console.log(`${entries.join(' + ')}: ${size} of ${limit} bytes`);
  if (size > limit) process.exitCode = 1;
}
