/**
 * The baselines of `verify.mjs`: each library is called as directly as its documentation allows. All conversions are done
 * beforehand, and the baseline checks nothing else.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';
import * as noble from '@noble/secp256k1';

const SPKI_PREFIX = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex');

noble.hashes.sha256 = sha256;

/** libsecp256k1 with a precomputed digest, so that hashing is not measured. */
export async function bareNative() {
  const { default: secp256k1 } = await import('secp256k1/bindings.js');
  return ({ signature, digest, publicKey }) => secp256k1.ecdsaVerify(signature, digest, publicKey);
}

/** libsecp256k1 with hashing of the message, which is the same work as in the engine. */
export async function bareNativeWithHash() {
  const { default: secp256k1 } = await import('secp256k1/bindings.js');
  return ({ signature, message, publicKey }) =>
    secp256k1.ecdsaVerify(signature, createHash('sha256').update(message).digest(), publicKey);
}

/** OpenSSL with key objects that are created before the measurement. It hashes the message itself. */
export async function bareNodeCrypto(samples) {
  const keys = new Map();
  for (const { publicKey } of samples) {
    const key = Buffer.concat([SPKI_PREFIX, publicKey]);
    keys.set(publicKey, createPublicKey({ key, format: 'der', type: 'spki' }));
  }
  return ({ signature, message, publicKey }) =>
    verify('sha256', message, { key: keys.get(publicKey), dsaEncoding: 'ieee-p1363' }, signature);
}

/** noble with a precomputed digest. */
export async function bareNoble() {
  return ({ signature, digest, publicKey }) =>
    noble.verify(signature, digest, publicKey, { prehash: false, lowS: false });
}
