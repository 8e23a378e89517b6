/**
 * Bundles the page of GraphiQL into `dist/graphiql`, as part of the app's build.
 *
 * - All files are in one folder, so that the server needs no nested paths.
 * - Parts that the page imports dynamically are separate files, which the browser loads when it needs them.
 */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

const source = import.meta.dirname;
const target = join(source, '..', 'dist', 'graphiql');

/** Resolves the modules of the editor from the package that uses them, so that the workers have its version. */
const graphiql = createRequire(createRequire(import.meta.url).resolve('graphiql'));
const editor = createRequire(graphiql.resolve('@graphiql/react'));

/** @type {import('esbuild').Plugin} */
const withoutEditorStyles = {
  name: 'without-editor-styles',
  setup({ onLoad }) {
    // The stylesheet of GraphiQL contains the styles of the editor.
    onLoad({ filter: /[\\/]monaco-editor[\\/].*\.css$/ }, () => ({ contents: '', loader: 'empty' }));
  },
};

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
await build({
  entryPoints: [
    { out: 'page', in: join(source, 'page.ts') },
    { out: 'page', in: join(source, 'page.css') },
    { out: 'editor.worker', in: editor.resolve('monaco-editor/esm/vs/editor/editor.worker.js') },
    { out: 'graphql.worker', in: editor.resolve('monaco-graphql/esm/graphql.worker.js') },
    { out: 'json.worker', in: editor.resolve('monaco-editor/esm/vs/language/json/json.worker.js') },
  ],
  outdir: target,
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  chunkNames: '[name]-[hash]',
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [withoutEditorStyles],
  logLevel: 'warning',
});
copyFileSync(join(source, 'index.html'), join(target, 'index.html'));
