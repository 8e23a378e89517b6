import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Exports the SDK. Tests get the SDK that was packed for their run, as users install it (`TEST_PACKED_SDK`, see
 * tooling/jest/services.mjs). Other programs get the build of the workspace.
 */

const folder = process.env.TEST_PACKED_SDK;
if (folder === '')
  throw new Error(
    'No SDK was packed for this test run; the beginning of its output shows why. Run: npm run build',
  );

/**
 * Imports an entry point of the packed SDK.
 *
 * @param {string} file
 */
const packed = (file) => import(pathToFileURL(join(/** @type {string} */ (folder), file)).href);

/** @type {typeof import('@trading-automation/sdk')} */
const core = folder === undefined ? await import('@trading-automation/sdk') : await packed('sdk.mjs');
/** @type {typeof import('@trading-automation/sdk/signer')} */
const signer =
  folder === undefined ? await import('@trading-automation/sdk/signer') : await packed('sdk-signer.mjs');
/** @type {typeof import('@trading-automation/sdk/realtime')} */
const realtime =
  folder === undefined ? await import('@trading-automation/sdk/realtime') : await packed('sdk-realtime.mjs');

export const {
  ApiError,
  AuthenticationError,
  Client,
  ConnectionError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} = core;
export const { Realtime } = realtime;
export const { createSigner, generatePrivateKey, signChallenge } = signer;
