import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { statementsOf } from './find-statements.mjs';

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, next) {
  if (
    specifier.startsWith('.') &&
    specifier.endsWith('.js') &&
    context.parentURL?.split('?')[0]?.endsWith('.ts')
  ) {
    const url = new URL(`${specifier.slice(0, -'.js'.length)}.ts`, context.parentURL);
    if (existsSync(url)) return { url: url.href, shortCircuit: true };
  }
  return next(specifier, context);
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const file = fileURLToPath(url);
  const { code } = await transform(`${readFileSync(file, 'utf8')}\n${exportsOf(file)}`, {
    filename: file,
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      target: 'es2022',
      keepClassNames: true,
    },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}

function exportsOf(/** @type {string} */ file) {
  const statements = statementsOf(file);
  if (statements.length === 0) return '';
  return `const __unresolved = (why: string): never => { throw new Error(why); };
    export const __statements = (__database: any, __self: any, __samples: any) =>
      [${statements.map(({ variants }) => `() => ${variants}`).join(',\n')}];`;
}
