/**
 * Generates and hashes recovery codes. Each code replaces a lost second factor once.
 *
 * 1. A code is 80 random bits in Crockford's base32, in groups of four. A slow hash is unnecessary for so many bits: a
 *    SHA-256 of the user and the code is stored.
 * 2. Case, spaces and hyphens are ignored, and letters that look like digits are read as digits.
 */
import { createHash, randomBytes } from 'node:crypto';

const CODE_COUNT = 10;
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 16;

export function generateRecoveryCodes(): string[] {
  return Array.from({ length: CODE_COUNT }, generateCode);
}

export function hashOfRecoveryCode(userId: string, code: string): Buffer {
  const canonical = code.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  return createHash('sha256').update(`${userId}\n${canonical}`).digest();
}

function generateCode(): string {
  // 256 is a multiple of 32, so every character is equally likely.
  const text = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return text.match(/.{4}/g)!.join('-');
}
