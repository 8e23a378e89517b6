/**
 * Hashes passwords with Argon2id, with the minimum memory and passes that OWASP recommends.
 *
 * 1. A password has 10 to 128 characters. A longer one is rejected, never truncated.
 * 2. Passwords are normalised to Unicode NFKC: the same letters typed on another keyboard are the same password.
 * 3. `verify` does the same work without a stored hash, so that its duration does not reveal which accounts exist.
 */
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

const LENGTH_MIN = 10;
const LENGTH_MAX = 128;
/** Argon2id (2), with the memory in KiB and the time in passes over it. */
const COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;

export const PASSWORD_RULE = `A password must have ${LENGTH_MIN} to ${LENGTH_MAX} characters.`;

/** Returns the normalised password, or null if its length is not allowed. */
export function normalisePassword(text: string): string | null {
  const password = text.normalize('NFKC');
  const { length } = [...password];
  return length >= LENGTH_MIN && length <= LENGTH_MAX ? password : null;
}

export class PasswordHasher {
  /** The hash of a random password that no account has. */
  private readonly dummyHash = this.hash(randomBytes(32).toString('hex'));

  hash(password: string): Promise<string> {
    return hash(password, COST);
  }

  /** Returns whether the password matches the hash; false if either is null. */
  async verify(storedHash: string | null, password: string | null): Promise<boolean> {
    const isSame = await this.compare(storedHash ?? (await this.dummyHash), password ?? '');
    return isSame && storedHash !== null && password !== null;
  }

  protected compare(storedHash: string, password: string): Promise<boolean> {
    return verify(storedHash, password);
  }
}
