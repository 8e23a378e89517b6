import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../launch/paths.mjs';

// Before any class with decorators, as the dispatcher does it.
createRequire(join(root, 'apps', 'webhook-dispatcher', 'package.json'))('reflect-metadata');

/**
 * The module that the sabotaged process will import itself, and so the very same classes.
 *
 * @param {string} path of a built file, from the top of the clone
 * @returns {Promise<any>}
 */
export const builtModule = (path) => import(pathToFileURL(join(root, path)).href);
