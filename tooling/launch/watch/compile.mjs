import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';

/** The options of tooling/tsconfig/base.json, for one file at a time. */
const options = /** @type {const} */ ({
  swcrc: false,
  sourceMaps: true,
  module: { type: 'es6' },
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2022',
    keepClassNames: true,
  },
});

/**
 * Compiles the changed TypeScript files of one app or package into `dist`. If one file does not
 * compile, nothing is written. Types are not checked.
 *
 * @param {string} folder the folder of the app or package
 * @param {string[]} files changed files; for a removed file, the output is removed
 * @throws {Error} with file, line and reason, if a file does not compile
 */
export async function compileInto(folder, files) {
  const outputs = await Promise.all(
    files.filter((file) => isCompiled(file)).map((file) => compileFile(folder, file)),
  );
  if (outputs.length === 0) return;
  // The build info describes the sources of the last full build. Without it, the next full build writes every file.
  rmSync(join(folder, 'dist', '.tsbuildinfo'), { force: true });
  for (const output of outputs) {
    if (output.code === undefined) {
      for (const end of ['.js', '.js.map', '.d.ts']) rmSync(output.stem + end, { force: true });
      continue;
    }
    mkdirSync(dirname(output.stem), { recursive: true });
    writeFileSync(`${output.stem}.js`, output.code);
    if (output.map !== undefined) writeFileSync(`${output.stem}.js.map`, output.map);
  }
}

/** @param {string} file */
export const isCompiled = (file) =>
  /\.ts$/.test(file) && !/\.d\.ts$/.test(file) && !/\.spec\.ts$/.test(file) && /[\\/]src[\\/]/.test(file);

/**
 * @param {string} folder
 * @param {string} file
 * @returns {Promise<{ stem: string, code?: string, map?: string | undefined }>}
 */
async function compileFile(folder, file) {
  const stem = join(folder, 'dist', relative(join(folder, 'src'), file).replace(/\.ts$/, ''));
  if (!existsSync(file)) return { stem };
  const sourceFileName = relative(dirname(stem), file);
  const { code, map } = await transformFile(file, { ...options, sourceFileName });
  return { stem, code: `${code}//# sourceMappingURL=${basename(stem)}.js.map\n`, map };
}
