/**
 * Recovery codes: each stands in once for a second factor that was lost.
 *
 * 1. A code is 80 random bits in Crockford's base32, in groups of four. That many need no slow hash: stored is a
 *    SHA-256 of the user and the code.
 * 2. Case, spaces and hyphens don't count, and letters that look like digits are read as them.
 */
import { createHash, randomBytes } from 'node:crypto';

const CODES = 10;
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 16;

export function generateRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, generateCode);
}

export function hashOfRecoveryCode(userId: string, code: string): Buffer {
  const read = code.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  return createHash('sha256').update(`${userId}\n${read}`).digest();
}

function generateCode(): string {
  // 256 is a multiple of 32: no character is likelier than another.
  const text = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return text.match(/.{4}/g)!.join('-');
}
