import { signRequest } from '@trading-automation/signed-request';
import { until } from '../../launch/first-trade/scenario.mjs';

/**
 * @typedef {import('./participants.mjs').Api} Api
 */

const target = '/v1/me';

/**
 * Sends the same signed request to one API after the other. @returns the two responses' codes; `ok` for a success
 *
 * @param {Uint8Array} privateKey
 * @param {Api} first
 * @param {Api} second
 */
export async function replay(privateKey, first, second) {
  const headers = signRequest({ method: 'GET', path: target, privateKey });
  return [await codeOf(first, headers), await codeOf(second, headers)];
}

/**
 * Waits until an API accepts signed requests. @returns after how many seconds it did
 *
 * @param {Uint8Array} privateKey
 * @param {Api} api
 */
export async function untilSigned(privateKey, api) {
  const startedAt = performance.now();
  await until(
    () => codeOf(api, signRequest({ method: 'GET', path: target, privateKey })),
    (code) => code === 'ok',
    150_000,
  );
  return Math.round((performance.now() - startedAt) / 1_000);
}

/**
 * Returns the status of signed requests in the health of an API.
 *
 * @param {Api} api
 * @returns {Promise<string | undefined>}
 */
export async function signedRequestsOf({ restUrl }) {
  const { data } = /** @type {any} */ (await (await fetch(`${restUrl}/v1/health/detailed`)).json());
  return data.services['signed-requests']?.status;
}

/**
 * @param {Api} api
 * @param {object} headers
 * @returns {Promise<string>}
 */
async function codeOf({ restUrl }, headers) {
  const response = await fetch(`${restUrl}${target}`, { headers: { ...headers } });
  const body = /** @type {any} */ (await response.json());
  return response.ok ? 'ok' : body.error.code;
}
