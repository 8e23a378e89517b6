/**
 * Seals secrets that the APIs themselves must read again: private keys of tokens, and secrets of second factors.
 *
 * 1. The key is derived from the server key for this purpose only. The first server key seals and all can open, so that
 *    operators can replace a key without downtime.
 * 2. A sealed secret is bound to its context: if it is moved to another row, it cannot be opened.
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

  /** Returns the secret that was sealed for the context, or null if no key opens it. */
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
        // Another key may open it. Discard the bytes of `secret`, which are not authenticated.
      }
    }
    return null;
  }
}
