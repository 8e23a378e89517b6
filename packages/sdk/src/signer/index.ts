/**
 * Signs with a private key in memory, using the noble library. A client with an API key does not need this module. For
 * a key in a keyring or a hardware module, implement {@link Signer}.
 */
import {
  generatePrivateKey,
  identityMessage,
  isValidPublicKey,
  nobleEngine,
  publicKeyOf,
} from '@trading-automation/signed-request/browser';
import { hexOf, type Signer } from '../core/signer.js';
import type { CliIdentityCreate } from '../generated/records.js';

export type { Signer } from '../core/signer.js';
export { generatePrivateKey, isValidPublicKey, publicKeyOf };

/**
 * Creates a signer from a private key: 32 bytes, or 64 hex characters.
 *
 * @example
 * import { Client } from '@trading-automation/sdk';
 * import { createSigner } from '@trading-automation/sdk/signer';
 *
 * const client = new Client({ baseURL, signer: createSigner(process.env.SVC_PRIVATE_KEY!) });
 *
 * @throws {TypeError} if the key is neither 32 bytes nor 64 hex characters
 * @throws {RangeError} if the key is not a number from 1 to n−1, where n is the order of secp256k1
 */
export function createSigner(privateKey: Uint8Array | string): Signer {
  const key = bytesOf(privateKey);
  return { publicKey: publicKeyOf(key), sign: (message) => nobleEngine.sign(message, key) };
}

/**
 * Signs a challenge. Returns the body, without `label`, for `client.auth.cliIdentity`, which links the public key to an
 * account.
 *
 * @example
 * import { signChallenge } from '@trading-automation/sdk/signer';
 *
 * const { challenge } = await client.auth.cliChallenge();
 * await client.auth.cliIdentity({ ...(await signChallenge(challenge, signer)), label: 'laptop' });
 */
export async function signChallenge(
  challenge: string,
  signer: Signer,
): Promise<Omit<CliIdentityCreate, 'label'>> {
  const { publicKey: pubkey } = signer;
  const signature = await signer.sign(new TextEncoder().encode(identityMessage(challenge, pubkey)));
  return { challenge, pubkey, signature: hexOf(signature) };
}

function bytesOf(key: Uint8Array | string): Uint8Array {
  if (key instanceof Uint8Array && key.length === 32) return key.slice();
  if (typeof key !== 'string' || !/^[0-9a-fA-F]{64}$/.test(key))
    throw new TypeError('The private key must be 32 bytes or 64 hex characters.');
  return Uint8Array.from(key.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}
