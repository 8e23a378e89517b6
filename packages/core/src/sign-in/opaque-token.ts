/**
 * Secrets that are generated here and shown once: refresh tokens and tickets.
 *
 * A token is a prefix for its kind, then 32 random bytes. A slow hash is unnecessary for 256 random bits: the SHA-256
 * is stored.
 */
import { createHash, randomBytes } from 'node:crypto';

export function generateOpaqueToken(kind: 'refresh' | 'ticket'): string {
  return `${kind}_${randomBytes(32).toString('base64url')}`;
}

/** Hashes the encoded string, not the decoded bytes: base64url can encode the same bytes in several ways. */
export function hashToken(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
