/**
 * Generates and hashes refresh tokens and sign-in tickets. Each is shown to its user once.
 *
 * A token consists of a prefix for its kind and 32 random bytes. Only its SHA-256 is stored. A slow hash is unnecessary
 * for 256 random bits.
 */
import { createHash, randomBytes } from 'node:crypto';

export function generateOpaqueToken(kind: 'refresh' | 'ticket'): string {
  return `${kind}_${randomBytes(32).toString('base64url')}`;
}

/** Hashes the encoded string, not the decoded bytes: base64url can encode the same bytes in several ways. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
