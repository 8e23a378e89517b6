/** Key pairs: 32 secret bytes, and the compressed point as 66 lower-case hex characters, its only form on the wire. */
import * as secp256k1 from '@noble/secp256k1';
import { bytesToHex, isLowerHex } from './encoding.js';

/** 32 fresh random bytes, a valid scalar. Whoever reads them can act for their owner: keep them off every log. */
export function generatePrivateKey(): Uint8Array {
  return secp256k1.utils.randomSecretKey();
}

/** @throws RangeError when the private key is no scalar from 1 to n−1 in 32 bytes */
export function publicKeyOf(privateKey: Uint8Array): string {
  if (!secp256k1.utils.isValidSecretKey(privateKey)) {
    throw new RangeError('a private key is 32 bytes of a scalar from 1 to n−1');
  }
  return bytesToHex(secp256k1.getPublicKey(privateKey, true));
}

/**
 * May this key be registered? Compressed, lower case and on the curve: the point is really decompressed, so a key
 * that no signature could ever match is refused when it is linked, not at its first request.
 */
export function isValidPublicKey(publicKey: string): boolean {
  if (!isLowerHex(publicKey, 33)) return false;
  try {
    secp256k1.Point.fromHex(publicKey).assertValidity();
    return true;
  } catch {
    return false;
  }
}
