/**
 * Signatures over a plain text, and the one text that is signed so: the proof that a caller of
 * `POST /v1/auth/cli-identity` holds the key it names.
 *
 * An identity signature can't serve as a request's, or the reverse: a canonical string begins with an
 * upper-case method, this text with a lower-case word.
 */
import { bytesToHex, hexToBytes, isLowerHex, toBytes } from './encoding.js';
import type { MessageSigner, VerifyEngine } from './engine.js';
import { nobleEngine } from './engines/noble.js';

/** The text a key signs to be linked: the server's challenge and the public key, both as they are sent. */
export function identityMessage(challenge: string, publicKey: string): string {
  return `svc-cli-identity\n${challenge}\n${publicKey}`;
}

/** Signs the UTF-8 bytes of a text: compact r‖s in lower-case hex, as `x-svc-sig` is. */
export function signMessage(
  message: Uint8Array | string,
  privateKey: Uint8Array,
  signer: MessageSigner = nobleEngine,
): string {
  return bytesToHex(signer.sign(toBytes(message), privateKey));
}

/**
 * Did `publicKey` sign `message`? Signature and key come as they stand on the wire; a wrong length, upper
 * case, DER or a key off the curve is false, never a throw.
 */
export function verifyMessage(
  signed: { readonly message: Uint8Array | string; readonly signature: string; readonly publicKey: string },
  engine: VerifyEngine,
): boolean {
  if (!isLowerHex(signed.signature, 64) || !isLowerHex(signed.publicKey, 33)) return false;
  return engine.verify(toBytes(signed.message), hexToBytes(signed.signature), hexToBytes(signed.publicKey));
}
