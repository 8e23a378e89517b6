/**
 * Stores the links that open an account or reset a password.
 *
 * 1. A code is 32 random bytes, stored as a hash. A link works once.
 * 2. The request of a link that is not sent, for example to reset the password of an unknown address, is stored, too: it
 *    takes the same work, and counts toward the same limit, so neither reveals which addresses are known.
 * 3. A mailbox receives at most five such mails per hour, however its address is written.
 * 4. The hash of a registration's password is deleted once the link is used or replaced; the row is deleted when it
 *    expires.
 */
import { randomBytes } from 'node:crypto';
import { DomainError } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { mailboxOf } from '../access/index.js';
import { hashToken } from './opaque-token.js';

const CODE_BYTES = 32;
const CODE = /^[A-Za-z0-9_-]{43}$/;
const MAILS_PER_HOUR = 5;

export const REGISTRATION_HOURS = 24;
export const PASSWORD_RESET_HOURS = 1;

/**
 * The SQL condition that the address of the login `l` was verified. Logins of the previous release have no
 * `verified_at`.
 */
const VERIFIED_LOGIN = `(l.verified_at IS NOT NULL OR EXISTS (SELECT FROM users u
  WHERE u.id = l.user_id AND u.email = l.email AND u.email_verified_at IS NOT NULL))`;

/** Returns the user who signs in with a verified address; null if no user does. */
export async function findVerifiedLogin(tx: Tx, email: string): Promise<string | null> {
  const [login] = await tx.query(
    `SELECT l.user_id FROM password_logins l WHERE l.email = $1 AND ${VERIFIED_LOGIN}`,
    [email],
  );
  return login?.user_id ?? null;
}

/** Removes a login whose address was never verified. Its account keeps its other credentials. */
export async function removeUnverifiedLogin(tx: Tx, email: string): Promise<void> {
  await tx.query(`DELETE FROM password_logins l WHERE l.email = $1 AND NOT ${VERIFIED_LOGIN}`, [email]);
}

/** Serializes the changes of one address, until the transaction ends. */
export async function lockAddress(tx: Tx, email: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `sign-in links of ${mailboxOf(email)}`,
  ]);
}

export type NewLink = { readonly email: string } & (
  | { readonly purpose: 'REGISTRATION'; readonly passwordHash: string }
  | { readonly purpose: 'PASSWORD_RESET'; readonly userId: string }
  /** Only counts toward the limit. */
  | { readonly purpose: 'NONE' }
);

/**
 * Stores a link and returns its code. The caller holds the address's lock.
 *
 * @throws {DomainError} `rate_limited` if the mailbox has received all mails of this hour
 */
export async function insertLink(tx: Tx, link: NewLink): Promise<string> {
  const mailbox = mailboxOf(link.email);
  await assertWithinLimit(tx, mailbox);
  const code = randomBytes(CODE_BYTES).toString('base64url');
  await tx.query(
    `INSERT INTO sign_in_links (code_hash, purpose, email, mailbox, password_hash, user_id, created_at, expires_at)
     SELECT $1, $2, $3, $4, $5, $6, at, at + $7 * interval '1 hour' FROM clock_timestamp() AS at`,
    [
      hashToken(code),
      link.purpose,
      link.email,
      mailbox,
      link.purpose === 'REGISTRATION' ? link.passwordHash : null,
      link.purpose === 'PASSWORD_RESET' ? link.userId : null,
      link.purpose === 'REGISTRATION' ? REGISTRATION_HOURS : PASSWORD_RESET_HOURS,
    ],
  );
  return code;
}

async function assertWithinLimit(tx: Tx, mailbox: string): Promise<void> {
  const [{ count, wait_seconds }] = await tx.query(
    `SELECT count(*)::int AS count,
       ceil(extract(epoch FROM min(created_at) + interval '1 hour' - clock_timestamp()))::int AS wait_seconds
     FROM (SELECT created_at FROM sign_in_links
           WHERE mailbox = $1 AND created_at > clock_timestamp() - interval '1 hour'
           ORDER BY created_at DESC LIMIT $2) AS recent`,
    [mailbox, MAILS_PER_HOUR],
  );
  if (count < MAILS_PER_HOUR) return;
  const message = `An address receives at most ${MAILS_PER_HOUR} such mails per hour. Wait for Retry-After.`;
  throw new DomainError('rate_limited', message, [], { retryAfterSeconds: Math.max(1, wait_seconds) });
}

export interface Registration {
  readonly email: string;
  readonly passwordHash: string;
}

/** Returns the registration of a code. @throws {DomainError} `not_found` if the link is unknown, used or expired */
export async function findRegistration(tx: Tx, code: string): Promise<Registration> {
  const [row] = await findLink(tx, code, 'REGISTRATION');
  if (row?.password_hash == null) throw unknownLink();
  return { email: row.email, passwordHash: row.password_hash };
}

export interface PasswordReset {
  readonly email: string;
  readonly userId: string;
}

/** Returns the password reset of a code. @throws {DomainError} `not_found` if the link is unknown, used or expired */
export async function findPasswordReset(tx: Tx, code: string): Promise<PasswordReset> {
  const [row] = await findLink(tx, code, 'PASSWORD_RESET');
  if (row === undefined) throw unknownLink();
  return { email: row.email, userId: String(row.user_id) };
}

interface LinkRow {
  readonly email: string;
  readonly password_hash: string | null;
  readonly user_id: string | null;
}

async function findLink(
  tx: Tx,
  code: string,
  purpose: 'REGISTRATION' | 'PASSWORD_RESET',
): Promise<readonly LinkRow[]> {
  if (!CODE.test(code)) return [];
  return tx.query(
    `SELECT email, password_hash, user_id FROM sign_in_links
     WHERE code_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > clock_timestamp()`,
    [hashToken(code), purpose],
  );
}

/** Marks all registrations of the address as used, and deletes their passwords. */
export async function endRegistrations(tx: Tx, email: string): Promise<void> {
  await tx.query(
    `UPDATE sign_in_links SET used_at = clock_timestamp(), password_hash = NULL
     WHERE email = $1 AND purpose = 'REGISTRATION' AND used_at IS NULL`,
    [email],
  );
}

/** Marks all password resets of the user as used. */
export async function endPasswordResets(tx: Tx, userId: string): Promise<void> {
  await tx.query(
    `UPDATE sign_in_links SET used_at = clock_timestamp() WHERE user_id = $1 AND used_at IS NULL`,
    [userId],
  );
}

function unknownLink(): DomainError {
  return new DomainError('not_found', 'The link is invalid, used or expired. Request a new one.');
}
