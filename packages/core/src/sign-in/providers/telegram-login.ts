/**
 * What Telegram's login widget gives a user, checked as Telegram publishes it: the hash is the HMAC-SHA-256 of a line
 * `name=value` for every field, in the order of their names, under the SHA-256 of the bot's token.
 *
 * 1. All that came takes part: a field added, taken away or changed is refused.
 * 2. No value holds a line break and no name anything but letters: one signed text has one reading.
 * 3. Refused once it is ten minutes old, or where it is more than a minute ahead of our clock.
 * 4. It is good once: `ProviderSignInService` remembers its hash for as long as it could come again.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError } from '@trading-automation/contracts';
import type { ProviderIdentity } from './provider-sign-in.service.js';

const MAX_AGE_MS = 600_000;
const AHEAD_MAX_MS = 60_000;
/** By which the database's clock may be ahead of ours, before it forgets what could come again. */
const REMEMBERED_MORE_MS = 60_000;
const FIELDS_MAX = 20;
const NAME = /^[a-z_]{1,64}$/;
const VALUE = /^[^\r\n]{0,2048}$/;
const HASH = /^[0-9a-f]{64}$/;
const USER_ID = /^[1-9]\d{0,18}$/;
const SECONDS = /^[1-9]\d{0,11}$/;

/** @throws {DomainError} `invalid_login` */
export function telegramIdentity(
  fields: Readonly<Record<string, string>>,
  botToken: string,
  now: Date,
): ProviderIdentity {
  const { hash = '', ...signed } = fields;
  const { id = '', auth_date: authDate = '' } = signed;
  if (!isSigned(signed, hash, botToken) || !USER_ID.test(id) || !SECONDS.test(authDate)) throw refused();
  const authenticatedMs = Number(authDate) * 1_000;
  const ageMs = now.getTime() - authenticatedMs;
  if (ageMs >= MAX_AGE_MS || ageMs < -AHEAD_MAX_MS) throw refused();
  return {
    provider: 'telegram',
    subject: id,
    emailVerified: false,
    proof: {
      hash: Buffer.from(hash, 'hex'),
      expiresAt: new Date(authenticatedMs + MAX_AGE_MS + REMEMBERED_MORE_MS),
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

function refused(): DomainError {
  return new DomainError('invalid_login', 'The login data of Telegram is not good. Sign in there again.');
}
