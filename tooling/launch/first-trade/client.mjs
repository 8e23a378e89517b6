import { ApiError, Client, createSigner, signChallenge } from '../sdk.mjs';

/**
 * The product as its users reach it: through the SDK, by an address and a credential.
 *
 * @param {{
 *   restUrl: string, graphqlUrl?: string, apiKey?: string, privateKey?: Uint8Array, maxRetries?: number,
 * }} options with a private key every request is signed; without a credential none is sent, whatever the environment
 *   holds; `maxRetries` is 0 for those who look at refusals that pass
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
 * Opens an account for a key pair: a challenge, signed. The client that comes back signs every request. With an ADMIN
 * API key beside it, the key pair is linked to that key's account instead.
 *
 * @param {{ restUrl: string, privateKey: Uint8Array, label?: string, apiKey?: string }} options
 */
export async function openAccount({ restUrl, privateKey, label = 'first trade', apiKey }) {
  const anybody = createClient({ restUrl, apiKey });
  const signer = createSigner(privateKey);
  const { challenge } = await anybody.auth.cliChallenge({ pubkey: signer.publicKey });
  const identity = await anybody.auth.cliIdentity({ ...(await signChallenge(challenge, signer)), label });
  return { identity, api: createClient({ restUrl, privateKey }) };
}

/**
 * What came of a call, whether it is allowed or refused, for those who count answers.
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
