/**
 * Secrets that are drawn here and shown once: refresh tokens and tickets.
 *
 * 1. 32 random bytes behind a prefix that says what it is. 256 random bits need no slow hash: stored is their SHA-256.
 */
import { createHash, randomBytes } from 'node:crypto';

export function generateOpaqueToken(kind: 'refresh' | 'ticket'): string {
  return `${kind}_${randomBytes(32).toString('base64url')}`;
}

/** Of the text, not of its bytes: base64url has several texts for some bytes. */
export function hashToken(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
