import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

/**
 * Loads TypeScript sources. A module that is imported with a query such as `?load=2` passes the query on to the modules
 * of the workspace that it imports, so that all of them are evaluated again. Installed packages and other workspace
 * packages, which contain no mutants, are evaluated once.
 */

/** @type {Map<string, Promise<string>>} */
const compiled = new Map();
let workspace = '';

/** @param {{ workspace: string }} data the URL of the folder whose modules are evaluated again, with a final slash */
export function initialize(data) {
  workspace = data.workspace;
}

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, next) {
  const [parent = '', query] = (context.parentURL ?? '').split('?', 2);
  const source = sourceOf(specifier, parent);
  const resolved = source === undefined ? await next(specifier, context) : { url: source };
  const isReloaded = query !== undefined && isInWorkspace(resolved.url);
  const url = isReloaded ? `${resolved.url.split('?', 1)[0]}?${query}` : resolved.url;
  return { ...resolved, url, shortCircuit: true };
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  const [file = ''] = url.split('?', 1);
  if (!file.endsWith('.ts')) return next(url, context);
  const code = compiled.get(file) ?? compile(fileURLToPath(file));
  compiled.set(file, code);
  return { format: 'module', source: await code, shortCircuit: true };
}

/** Returns the TypeScript source that a relative import of a `.js` file means. */
function sourceOf(/** @type {string} */ specifier, /** @type {string} */ parent) {
  if (!specifier.startsWith('.') || !specifier.endsWith('.js') || !parent.endsWith('.ts')) return undefined;
  const url = new URL(`${specifier.slice(0, -'.js'.length)}.ts`, parent);
  return existsSync(url) ? url.href : undefined;
}

const isInWorkspace = (/** @type {string} */ url) =>
  url.startsWith(workspace) && !url.includes('/node_modules/');

async function compile(/** @type {string} */ file) {
  const { code } = await transform(readFileSync(file, 'utf8'), {
    filename: file,
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      target: 'es2022',
      keepClassNames: true,
    },
    module: { type: 'es6' },
  });
  return code;
}
