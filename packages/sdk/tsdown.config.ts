import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'tsdown';

/** The entry points, as separate modules: a client with an API key does not load the code for signing. */
const entry = {
  index: 'src/index.ts',
  realtime: 'src/realtime/index.ts',
  signer: 'src/signer/index.ts',
  testing: 'src/testing/index.ts',
  webhooks: 'src/webhooks/index.ts',
};
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'));
const shared = {
  entry,
  define: { SDK_VERSION: JSON.stringify(version) },
  dts: true,
  platform: 'neutral',
  target: 'es2022',
  fixedExtension: true,
} as const;

/**
 * Workspace packages are bundled, because they are not published. noble is ESM only: the CommonJS
 * build bundles it, because not every runtime can require it; the ESM build imports it. Nothing is
 * minified, so that stack traces are readable. Users' bundlers minify; the size limits measure
 * their output.
 */
export default defineConfig([
  { ...shared, format: 'esm', deps: { neverBundle: [/^@noble\//] } },
  { ...shared, format: 'cjs', clean: false, deps: { alwaysBundle: [/^@noble\//] } },
]);
