import { createRequestSigner } from '@trading-automation/signed-request';

/**
 * Requests byte for byte, for what the SDK can't be made to say: what is malformed, doubled or altered, and decimals in
 * every form that JSON allows. Whatever is well-formed goes through the SDK (client.mjs).
 *
 * @typedef {{ status: number, headers: Headers, text: string, body: any }} Answer
 */

/**
 * @param {{ restUrl: string, apiKey?: string, privateKey?: Uint8Array }} options with a private key every request is signed
 */
export function openWire({ restUrl, apiKey, privateKey }) {
  const sign = privateKey === undefined ? undefined : createRequestSigner(privateKey);

  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: string, headers?: Record<string, string> }} [rest]
   * @returns {Promise<Answer>}
   */
  return async function send(method, path, { body, headers } = {}) {
    const answer = await fetch(restUrl + path, {
      method,
      body,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
        ...sign?.({ method, path, body }),
        ...headers,
      },
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
  };
}
