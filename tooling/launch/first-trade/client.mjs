import {
  createRequestSigner,
  identityMessage,
  publicKeyOf,
  signMessage,
} from '@trading-automation/signed-request';

/**
 * A client of the published REST interface and nothing else: it knows addresses, a credential, and JSON.
 *
 * @typedef {{ status: number, headers: Headers, body: any }} Answer
 */

/** An answer that says no. */
class Refused extends Error {
  /**
   * @param {string} request
   * @param {Answer} answer
   */
  constructor(request, answer) {
    super(`${request}: ${answer.status} ${JSON.stringify(answer.body)}`);
    this.answer = answer;
  }
}

/**
 * @param {{ restUrl: string, apiKey?: string, privateKey?: Uint8Array }} options with a private key every request is signed
 */
export function createClient({ restUrl, apiKey, privateKey }) {
  const sign = privateKey === undefined ? undefined : createRequestSigner(privateKey);

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body] a text is sent as it is
   * @param {Record<string, string>} [headers]
   * @returns {Promise<Answer>}
   */
  async function request(method, path, body, headers = {}) {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(restUrl + path, {
      method,
      body: text,
      headers: {
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
        ...sign?.({ method, path, body: text }),
        ...headers,
      },
    });
    return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {Record<string, string>} [headers]
   */
  async function data(method, path, body, headers) {
    const answer = await request(method, path, body, headers);
    if (answer.body.success !== true) throw new Refused(`${method} ${path}`, answer);
    return answer.body.data;
  }

  return {
    /** The answer as it is, whatever it says. */
    request,
    /** @param {string} path */
    get: (path) => data('GET', path),
    /**
     * @param {string} path
     * @param {unknown} [body]
     * @param {Record<string, string>} [headers]
     */
    post: (path, body, headers) => data('POST', path, body, headers),
    /** @param {string} path */
    delete: (path) => data('DELETE', path),
  };
}

/** @typedef {ReturnType<typeof createClient>} Client */

/**
 * Opens an account for a key pair: a challenge, signed. The client that comes back signs every request. With an ADMIN
 * API key beside it, the key pair is linked to that key's account instead.
 *
 * @param {{ restUrl: string, privateKey: Uint8Array, label?: string, apiKey?: string }} options
 */
export async function openAccount({ restUrl, privateKey, label = 'first trade', apiKey }) {
  const anybody = createClient({ restUrl, apiKey });
  const pubkey = publicKeyOf(privateKey);
  const { challenge } = await anybody.get(`/v1/auth/cli-challenge?pubkey=${pubkey}`);
  const signature = signMessage(identityMessage(challenge, pubkey), privateKey);
  const identity = await anybody.post('/v1/auth/cli-identity', { challenge, pubkey, signature, label });
  return { identity, api: createClient({ restUrl, privateKey }) };
}
