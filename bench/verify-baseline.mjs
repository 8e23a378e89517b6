/**
 * The bare peers of `verify.mjs`: each library called as shortly as its documentation allows, with every
 * conversion done beforehand and nothing checked around the call.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';
import * as noble from '@noble/secp256k1';

const SPKI_PREFIX = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex');

noble.hashes.sha256 = sha256;

/** libsecp256k1 on a digest that is already made: not even the hash is counted. */
export async function bareNative() {
  const { default: secp256k1 } = await import('secp256k1/bindings.js');
  return ({ signature, digest, publicKey }) => secp256k1.ecdsaVerify(signature, digest, publicKey);
}

/** libsecp256k1 and the hash of the message before it: the same work as the engine's. */
export async function bareNativeWithHash() {
  const { default: secp256k1 } = await import('secp256k1/bindings.js');
  return ({ signature, message, publicKey }) =>
    secp256k1.ecdsaVerify(signature, createHash('sha256').update(message).digest(), publicKey);
}

/** OpenSSL with key objects built before the clock starts; it hashes the message itself. */
export async function bareNodeCrypto(samples) {
  const keys = new Map();
  for (const { publicKey } of samples) {
    const key = Buffer.concat([SPKI_PREFIX, publicKey]);
    keys.set(publicKey, createPublicKey({ key, format: 'der', type: 'spki' }));
  }
  return ({ signature, message, publicKey }) =>
    verify('sha256', message, { key: keys.get(publicKey), dsaEncoding: 'ieee-p1363' }, signature);
}

/** noble on a digest that is already made. */
export async function bareNoble() {
  return ({ signature, digest, publicKey }) =>
    noble.verify(signature, digest, publicKey, { prehash: false, lowS: false });
}
