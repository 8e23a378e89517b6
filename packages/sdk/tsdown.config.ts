import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'tsdown';

/** The entries, each a module of its own: whoever uses an API key does not load what signs with a private one. */
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
 * Workspace packages are bundled: what is published depends on none of them. noble is ESM alone, so that CommonJS, which
 * can't require it everywhere, gets it bundled; ESM imports it. Nothing is minified: a stack that a user reads names what
 * it went through, and bundlers minify anyway (the size limits count what they make of it).
 */
export default defineConfig([
  { ...shared, format: 'esm', deps: { neverBundle: [/^@noble\//] } },
  { ...shared, format: 'cjs', clean: false, deps: { alwaysBundle: [/^@noble\//] } },
]);
