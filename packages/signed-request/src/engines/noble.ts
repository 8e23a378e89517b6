/**
 * Engine of last resort on servers and the only one in browsers: @noble/secp256k1 with @noble/hashes, pure
 * JavaScript, no native part. Also the default signer everywhere.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import * as secp256k1 from '@noble/secp256k1';
import { bytesToHex } from '../encoding.js';
import { hasVerifiableLengths, type MessageSigner, type VerifyEngine } from '../engine.js';

// noble 3 ships without hashes: RFC 6979 nonces need this slot filled before the first signature.
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
