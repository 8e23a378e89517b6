/** The committed vectors with their types, and helpers for the tests that use them. */
import { createPublicKey, ECDH, type KeyObject, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SignatureRefusalCode } from '../src/index.js';
import type { WebhookRefusalCode } from '../src/webhooks.js';

interface VectorFile<Vector> {
  readonly about: string;
  readonly vectors: readonly Vector[];
}

export interface RequestVector {
  readonly name: string;
  readonly private_scalar: string;
  readonly method: string;
  readonly path: string;
  readonly timestamp: string | null;
  readonly nonce: string | null;
  readonly body: { readonly encoding: 'utf8' | 'hex'; readonly value: string };
  readonly body_sha256: string;
  readonly canonical_string: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly nonce_claimed_before: boolean;
  readonly expected: 'accepted' | SignatureRefusalCode;
}

interface RequestVectorFile extends VectorFile<RequestVector> {
  readonly server_time_ms: number;
  readonly known_public_keys: readonly string[];
}

export interface SignatureVector {
  readonly name: string;
  readonly message: string;
  readonly public_key: string;
  readonly signature: string;
  readonly valid: boolean;
}

export interface IdentityVector extends SignatureVector {
  readonly challenge: string;
}

function read<File>(name: string): File {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as File;
}

export const acceptedRequests = read<RequestVectorFile>('requests-accepted');
export const refusedRequests = read<RequestVectorFile>('requests-refused');
export const bareSignatures = read<VectorFile<SignatureVector>>('signatures');
export const cliIdentities = read<VectorFile<IdentityVector>>('cli-identities');

/** Returns the raw body of a request or a webhook. */
export function bodyOf(vector: Pick<RequestVector, 'body'>): Uint8Array {
  return Uint8Array.from(Buffer.from(vector.body.value, vector.body.encoding));
}

/** Returns the private key of the scalar 1, 2 or 3. */
export function privateKeyOfScalar(scalar: string | number): Uint8Array {
  const privateKey = new Uint8Array(32);
  privateKey[31] = Number(scalar);
  return privateKey;
}

/**
 * Returns whether node:crypto accepts a signature and a key in hex. Unlike the engine `node:crypto`, this function decompresses
 * the key with ECDH and imports it as a JWK.
 */
export function nodeCryptoVerifies(message: string, signature: string, publicKey: string): boolean {
  const key = keyFromCompressed(publicKey);
  if (key === null || signature.length !== 128) return false;
  return verify(
    'sha256',
    Buffer.from(message),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'hex'),
  );
}

function keyFromCompressed(publicKey: string): KeyObject | null {
  if (!/^0[23][0-9a-f]{64}$/.test(publicKey)) return null;
  try {
    const point = Buffer.from(
      ECDH.convertKey(publicKey, 'secp256k1', 'hex', 'hex', 'uncompressed') as string,
      'hex',
    );
    const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
    return createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x, y }, format: 'jwk' });
  } catch {
    return null;
  }
}

interface WebhookVector {
  readonly name: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestVector['body'];
  readonly expected: 'accepted' | WebhookRefusalCode;
}

interface WebhookVectorFile extends VectorFile<WebhookVector> {
  readonly now_seconds: number;
  readonly tolerance_seconds: number;
}

export const webhooks = read<WebhookVectorFile>('webhooks');
