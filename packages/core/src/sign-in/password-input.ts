/** Reads e-mail addresses and passwords as users type them. */
import { DomainError, EMAIL_MAX } from '@trading-automation/contracts';
import { z } from 'zod';
import { normalisePassword, PASSWORD_RULE, type PasswordHasher } from './password-hasher.js';

const emailAddress = z.email().max(EMAIL_MAX);

/** Returns the address as stored, with a lower-case domain; null if it is invalid. */
export function normaliseEmail(text: string): string | null {
  const { success, data } = emailAddress.safeParse(text.trim());
  if (!success) return null;
  const at = data.lastIndexOf('@');
  return data.slice(0, at) + data.slice(at).toLowerCase();
}

/** Returns the address as stored. @throws {DomainError} `validation_failed` if it is invalid */
export function parseEmail(text: string): string {
  const email = normaliseEmail(text);
  if (email === null) throw invalidField('email', 'email must be an e-mail address.');
  return email;
}

/** Returns the hash of a new password. @throws {DomainError} `validation_failed` if its length is not allowed */
export async function hashNewPassword(
  hasher: Pick<PasswordHasher, 'hash'>,
  text: string,
  field: string,
): Promise<string> {
  const password = normalisePassword(text);
  if (password === null) throw invalidField(field, PASSWORD_RULE);
  return hasher.hash(password);
}

export function invalidField(field: string, message: string): DomainError {
  return new DomainError('validation_failed', undefined, [{ field, code: 'invalid', message }]);
}
