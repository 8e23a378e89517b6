import { ApiError, Client, createSigner, signChallenge } from '../sdk.mjs';

/**
 * Creates a client of the SDK, from an address and a credential.
 *
 * @param {{
 *   restUrl: string, graphqlUrl?: string, apiKey?: string, privateKey?: Uint8Array, maxRetries?: number,
 * }} options with `privateKey`, every request is signed; without `apiKey` and `privateKey`, no credential is sent, not even one from
 *   the environment; `maxRetries: 0` is for callers that expect a temporary error
 */
export function createClient({ restUrl, graphqlUrl, apiKey, privateKey, maxRetries }) {
  return new Client({
    baseURL: restUrl,
    ...(graphqlUrl === undefined ? {} : { graphqlURL: graphqlUrl }),
    ...(privateKey === undefined ? { apiKey: apiKey ?? null } : { signer: createSigner(privateKey) }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
  });
}

/**
 * Opens an account for a key pair by signing a challenge. The returned client signs every request. With an ADMIN
 * API key, the key pair is linked to the account of that API key instead.
 *
 * @param {{ restUrl: string, privateKey: Uint8Array, label?: string, apiKey?: string }} options
 */
export async function openAccount({ restUrl, privateKey, label = 'first trade', apiKey }) {
  const initial = createClient({ restUrl, apiKey });
  const signer = createSigner(privateKey);
  const { challenge } = await initial.auth.cliChallenge({ pubkey: signer.publicKey });
  const identity = await initial.auth.cliIdentity({ ...(await signChallenge(challenge, signer)), label });
  return { identity, api: createClient({ restUrl, privateKey }) };
}

/**
 * Returns the outcome of a call, both for a success and for an error response.
 *
 * @typedef {{ status: number, headers: Headers, data?: any, code?: string, details?: readonly any[] }} Outcome
 *
 * @param {import('@trading-automation/sdk').ApiPromise<any>} call
 * @returns {Promise<Outcome>}
 */
export async function outcomeOf(call) {
  try {
    const { data, response } = await call.withResponse();
    return { status: response.status, headers: response.headers, data };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, headers, code, details } = error;
    return { status, headers, code, details };
  }
}
