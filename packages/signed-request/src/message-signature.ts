/**
 * Signatures of plain messages. A signature of the identity message proves that the caller of
 * `POST /v1/auth/cli-identity` has the private key.
 *
 * An identity signature cannot be used for a request, and vice versa: a canonical string starts with an upper-case method,
 * the identity message with a lower-case word.
 */
import { bytesToHex, hexToBytes, isLowerHex, toBytes } from './encoding.js';
import type { MessageSigner, VerifyEngine } from './engine.js';
import { nobleEngine } from './engines/noble.js';

/** Returns the message whose signature links a public key. It contains the server's challenge and the public key. */
export function identityMessage(challenge: string, publicKey: string): string {
  return `svc-cli-identity\n${challenge}\n${publicKey}`;
}

/** Signs a message. Returns compact r‖s in lower-case hex, the format of `x-svc-sig`. */
export function signMessage(
  message: Uint8Array | string,
  privateKey: Uint8Array,
  signer: MessageSigner = nobleEngine,
): string {
  return bytesToHex(signer.sign(toBytes(message), privateKey));
}

/**
 * Returns whether the private key of `publicKey` signed `message`. Signature and key are in the wire format. Returns
 * false for a wrong length, upper case, DER or a key that is not on the curve; never throws.
 */
export function verifyMessage(
  signed: { readonly message: Uint8Array | string; readonly signature: string; readonly publicKey: string },
  engine: VerifyEngine,
): boolean {
  if (!isLowerHex(signed.signature, 64) || !isLowerHex(signed.publicKey, 33)) return false;
  return engine.verify(toBytes(signed.message), hexToBytes(signed.signature), hexToBytes(signed.publicKey));
}
