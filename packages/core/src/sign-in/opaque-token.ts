/**
 * Secrets that are generated here and shown once: refresh tokens and tickets.
 *
 * A token consists of a prefix for its kind and 32 random bytes. Its SHA-256 is stored: 256 random bits need no slow
 * hash.
 */
import { createHash, randomBytes } from 'node:crypto';

export function generateOpaqueToken(kind: 'refresh' | 'ticket'): string {
  return `${kind}_${randomBytes(32).toString('base64url')}`;
}

/** Hashes the encoded string, not the decoded bytes: base64url can encode the same bytes in several ways. */
export function hashToken(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
