/**
 * Key pairs. A private key is a number from 1 to n−1 in 32 bytes, where n is the order of the curve. A public key is
 * always the compressed point as 66 lower-case hex characters.
 */
import * as secp256k1 from '@noble/secp256k1';
import { bytesToHex, isLowerHex } from './encoding.js';

/** Generates a random valid private key. Never log it: it gives full access to the account. */
export function generatePrivateKey(): Uint8Array {
  return secp256k1.utils.randomSecretKey();
}

/** Returns the public key of a private key. @throws RangeError if the private key is invalid */
export function publicKeyOf(privateKey: Uint8Array): string {
  if (!secp256k1.utils.isValidSecretKey(privateKey)) {
    throw new RangeError(
      'The private key must be a number from 1 to n−1 in 32 bytes; n is the order of secp256k1.',
    );
  }
  return bytesToHex(secp256k1.getPublicKey(privateKey, true));
}

/**
 * Returns whether a public key is valid: compressed, lower-case and on the curve. The point is decompressed, so that an
 * unusable key is rejected when it is linked, not at its first request.
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
