/**
 * Passwords as they are kept: Argon2id, with the memory and the passes that OWASP asks for at least.
 *
 * 1. A password has 10 to 128 characters. A longer one is refused, never cut.
 * 2. It is read in Unicode's form NFKC: the same letters from another keyboard are the same password.
 * 3. `verify` does its whole work where there is no hash to compare with: how long it takes tells of nobody.
 */
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

const LENGTH_MIN = 10;
const LENGTH_MAX = 128;
/** Argon2id, in KiB and passes. */
const COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;

export const PASSWORD_RULE = `Expected ${LENGTH_MIN} to ${LENGTH_MAX} characters.`;

/** The password as it is hashed, or null where none is like that. */
export function readPassword(text: string): string | null {
  const password = text.normalize('NFKC');
  const { length } = [...password];
  return length >= LENGTH_MIN && length <= LENGTH_MAX ? password : null;
}

export class PasswordHasher {
  /** Of a password that nobody has. */
  private readonly dummyHash = this.hash(randomBytes(32).toString('hex'));

  hash(password: string): Promise<string> {
    return hash(password, COST);
  }

  /** Whether the hash is of the password; false where either is null. */
  async verify(kept: string | null, password: string | null): Promise<boolean> {
    const isSame = await this.compare(kept ?? (await this.dummyHash), password ?? '');
    return isSame && kept !== null && password !== null;
  }

  protected compare(kept: string, password: string): Promise<boolean> {
    return verify(kept, password);
  }
}
