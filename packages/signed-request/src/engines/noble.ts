/**
 * @noble/secp256k1 with @noble/hashes, in pure JavaScript: the only engine in browsers, the fallback on servers, and the
 * default signer.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import * as secp256k1 from '@noble/secp256k1';
import { bytesToHex } from '../encoding.js';
import { hasVerifiableLengths, type MessageSigner, type VerifyEngine } from '../engine.js';

// noble 3 contains no hash functions. It needs these two to derive the nonces of RFC 6979.
secp256k1.hashes.sha256 = sha256;
secp256k1.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message);

export const nobleEngine: VerifyEngine & MessageSigner = {
  name: 'noble',

  sha256Hex: (data) => bytesToHex(sha256(data)),

  verify(message, signature, publicKey) {
    if (!hasVerifiableLengths(signature, publicKey)) return false;
    return secp256k1.verify(signature, sha256(message), publicKey, { prehash: false, lowS: false });
  },

  sign: (message, privateKey) =>
    secp256k1.sign(sha256(message), privateKey, { prehash: false, lowS: true, extraEntropy: false }),
};
