/**
 * Generates clients of the REST reference with four generators, and compiles each. Prints one line for each; exits with
 * 1 if one of them fails.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referenceFile, root, runTool } from './reference.mjs';

/** In this folder, so that generated code finds its packages. */
const folder = mkdtempSync(join(import.meta.dirname, '.generated-'));
const orvalConfig = join(folder, 'orval.config.mjs');
const generators = [
  { name: 'openapi-typescript', args: [referenceFile, '-o', join(folder, 'types.ts')], file: 'types.ts' },
  {
    name: 'openapi-ts',
    args: ['-i', referenceFile, '-o', join(folder, 'hey-api')],
    file: 'hey-api/index.ts',
  },
  { name: 'orval', args: ['--config', orvalConfig], file: 'orval.ts' },
  { name: 'openapi-zod-client', args: [referenceFile, '-o', join(folder, 'zod.ts')], file: 'zod.ts' },
];
const compilerOptions = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--ignoreConfig',
  '--target',
  'es2022',
].concat(['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable']);

try {
  const output = { target: join(folder, 'orval.ts'), client: 'fetch', mode: 'single' };
  writeFileSync(
    orvalConfig,
    `export default ${JSON.stringify({ api: { input: referenceFile, output } })};\n`,
  );
  for (const { name, args, file } of generators) {
    const generated = await runTool(name, args);
    const result =
      generated.code === 0
        ? await runTool('tsc', [...compilerOptions, join(folder, file)], join(root, 'node_modules', '.bin'))
        : generated;
    console.log(`${name}: ${result.code === 0 ? 'compiles' : 'failed'}`);
    if (result.code === 0) continue;
    console.log(`${result.output}\n${result.errors}`.slice(0, 4_000));
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
