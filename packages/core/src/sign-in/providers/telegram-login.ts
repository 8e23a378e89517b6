/**
 * Verifies the data of Telegram's login widget, as Telegram specifies it. The hash is an HMAC-SHA-256 over the
 * fields, one line `name=value` for each, sorted by name. Its key is the SHA-256 of the bot's token.
 *
 * 1. Every received field is verified: an added, removed or changed field is rejected.
 * 2. Values contain no line breaks, and names contain only lower-case letters and underscores, so that a signed string
 *    has only one meaning.
 * 3. Data older than ten minutes, or more than a minute ahead of our clock, is rejected.
 * 4. The data can be used once: `ProviderSignInService` stores its hash until the data expires.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError } from '@trading-automation/contracts';
import type { ProviderIdentity } from './provider-sign-in.service.js';

const MAX_AGE_MS = 600_000;
const AHEAD_MAX_MS = 60_000;
/** How long a hash is stored after its data has expired, in case the database's clock is ahead of ours. */
const RETENTION_MARGIN_MS = 60_000;
const FIELDS_MAX = 20;
const NAME = /^[a-z_]{1,64}$/;
const VALUE = /^[^\r\n]{0,2048}$/;
const HASH = /^[0-9a-f]{64}$/;
const USER_ID = /^[1-9]\d{0,18}$/;
const UNIX_SECONDS = /^[1-9]\d{0,11}$/;

/** Returns the identity that the data proves. @throws {DomainError} `invalid_login` */
export function telegramIdentity(
  fields: Readonly<Record<string, string>>,
  botToken: string,
  now: Date,
): ProviderIdentity {
  const { hash = '', ...signed } = fields;
  const { id = '', auth_date: authDate = '' } = signed;
  if (!isSigned(signed, hash, botToken) || !USER_ID.test(id) || !UNIX_SECONDS.test(authDate))
    throw invalidLoginData();
  const authenticatedMs = Number(authDate) * 1_000;
  const ageMs = now.getTime() - authenticatedMs;
  if (ageMs >= MAX_AGE_MS || ageMs < -AHEAD_MAX_MS) throw invalidLoginData();
  return {
    provider: 'telegram',
    subject: id,
    emailVerified: false,
    proof: {
      hash: Buffer.from(hash, 'hex'),
      expiresAt: new Date(authenticatedMs + MAX_AGE_MS + RETENTION_MARGIN_MS),
    },
  };
}

function isSigned(signed: Readonly<Record<string, string>>, hash: string, botToken: string): boolean {
  const entries = Object.entries(signed);
  const isReadable = entries.every(([name, value]) => NAME.test(name) && VALUE.test(value));
  if (!isReadable || entries.length > FIELDS_MAX || !HASH.test(hash)) return false;
  const lines = entries.map(([name, value]) => `${name}=${value}`).sort();
  const key = createHash('sha256').update(botToken).digest();
  const expected = createHmac('sha256', key).update(lines.join('\n')).digest();
  return timingSafeEqual(expected, Buffer.from(hash, 'hex'));
}

function invalidLoginData(): DomainError {
  return new DomainError(
    'invalid_login',
    'The login data of Telegram is invalid or has expired. Sign in at Telegram again.',
  );
}
