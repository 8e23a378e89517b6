import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../launch/paths.mjs';

// reflect-metadata must be loaded before any class with decorators, as in the dispatcher.
createRequire(join(root, 'apps', 'webhook-dispatcher', 'package.json'))('reflect-metadata');

/**
 * Imports a built module from the same URL as the app, so that the sabotage changes the classes that the app uses.
 *
 * @param {string} path of a built file, relative to the repository root
 * @returns {Promise<any>}
 */
export const builtModule = (path) => import(pathToFileURL(join(root, path)).href);
