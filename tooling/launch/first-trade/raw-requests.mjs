import { createRequestSigner } from '@trading-automation/signed-request';

/**
 * Sends raw requests that the SDK cannot send: malformed, repeated or altered ones, and decimals in every notation of JSON.
 * Use the SDK (client.mjs) for all other requests.
 *
 * @typedef {{ status: number, headers: Headers, text: string, body: any }} RawResponse
 */

/**
 * @param {{ restUrl: string, apiKey?: string, privateKey?: Uint8Array }} options with a private key every request is signed
 */
export function openRawRequests({ restUrl, apiKey, privateKey }) {
  const sign = privateKey === undefined ? undefined : createRequestSigner(privateKey);

  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: string, headers?: Record<string, string> }} [options]
   * @returns {Promise<RawResponse>}
   */
  return async function send(method, path, { body, headers } = {}) {
    const response = await fetch(restUrl + path, {
      method,
      body,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
        ...sign?.({ method, path, body }),
        ...headers,
      },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
}
