/**
 * Sealing of what the APIs themselves must read again: private keys of tokens, secrets of second factors.
 *
 * 1. The key is derived from the server's key for this purpose alone. The first server key seals, all of them open, so
 *    that a key can be replaced in use.
 * 2. A box is bound to the text that names its place: moved to another row, it opens for nobody.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { ServerKeys } from '../platform/index.js';

const CIPHER = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

export class ServerKeySealer {
  private readonly keys: readonly Buffer[];

  constructor(serverKeys: ServerKeys) {
    this.keys = serverKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'sign-in secrets v1', 32)));
  }

  seal(context: string, secret: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_LENGTH);
    const cipher = createCipheriv(CIPHER, this.keys[0]!, nonce);
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** What was sealed for the place, or null where none of the keys opens it. */
  open(context: string, sealed: Buffer): Buffer | null {
    const nonce = sealed.subarray(0, NONCE_LENGTH);
    const tag = sealed.subarray(NONCE_LENGTH, NONCE_LENGTH + TAG_LENGTH);
    for (const key of this.keys) {
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(tag);
      const secret = decipher.update(sealed.subarray(NONCE_LENGTH + TAG_LENGTH));
      try {
        return Buffer.concat([secret, decipher.final()]);
      } catch {
        // Not this key; nothing of `secret` leaves unauthenticated.
      }
    }
    return null;
  }
}
