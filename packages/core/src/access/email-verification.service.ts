/**
 * Verifies that an account's e-mail address reaches its owner.
 *
 * 1. A new address is pending until it is confirmed on the page behind the link that was sent to it. Until then mail
 *    goes to the previously verified address, if any. Reading the page verifies nothing, because mail scanners open links.
 * 2. A code is 32 random bytes, stored as a hash and valid for 24 hours. It is valid only while the account's address
 *    is the address that the code was sent to. Confirming an address twice succeeds twice.
 * 3. An account may send five verification mails per hour, and an address receives at most ten from all accounts.
 *    These limits protect other people's addresses, because anyone can open accounts. Addresses that reach one mailbox
 *    count as one (`mailboxOf`).
 */
import { createHash, randomBytes } from 'node:crypto';
import { accessOperations, DomainError, type Me, type MePatch } from '@trading-automation/contracts';
import { inTransaction, type Tx } from '@trading-automation/persistence';
import { queueMail } from '../mail/index.js';
import { type Actor, authorise, type CommandRunner } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { meView } from './access.view.js';
import { emailChangedMail } from './email-changed-mail.js';
import { mailboxOf } from './mailbox.rules.js';
import { UserEntity } from './user.entity.js';
import { lockUser } from './user-lock.queries.js';

/** The path of the page that verifies an address, with the query parameter `code`. */
export const EMAIL_VERIFICATION_PATH = '/email-verification';

const CODE_BYTES = 32;
const CODE = /^[A-Za-z0-9_-]{43}$/;
const CODE_HOURS = 24;
const MAILS_PER_HOUR = 5;
const MAILS_PER_HOUR_TO_ADDRESS = 10;
const CLEANUP_BATCH_SIZE = 100;

export interface EmailVerificationDependencies {
  readonly platform: Platform;
  readonly commands: CommandRunner;
  /** The origin of links in mails, without a trailing slash. */
  readonly publicUrl: () => string;
}

export class EmailVerificationService {
  constructor(private readonly dependencies: EmailVerificationDependencies) {}

  async update(actor: Actor, input: MePatch): Promise<Me> {
    authorise(actor, accessOperations.updateMe.access);
    return this.dependencies.commands.run(actor.idempotency, async (tx) => {
      await lockUser(tx, actor.userId);
      if (input.email !== undefined) await this.changeEmail(tx, actor.userId, input.email);
      const user = await tx.findOneByOrFail(UserEntity, { id: actor.userId });
      return meView(user, actor, this.dependencies.platform.world);
    });
  }

  /**
   * Returns the address that the code was sent to. Changes nothing.
   *
   * @throws {DomainError} `not_found` if the code is unknown or expired
   */
  async byCode(code: string): Promise<{ readonly email: string }> {
    return findSent(this.dependencies.platform.database.manager, code);
  }

  /**
   * Verifies the address that the code was sent to.
   *
   * @throws {DomainError} `not_found` if the code is unknown, expired or superseded
   */
  async verify(code: string): Promise<{ email_verified: true }> {
    return inTransaction(this.dependencies.platform.database, async (tx) => {
      const sent = await findSent(tx, code);
      await lockUser(tx, sent.user_id);
      const { email: formerEmail } = await tx.findOneByOrFail(UserEntity, { id: sent.user_id });
      await tx.query(
        `UPDATE users SET email = pending_email, email_verified_at = clock_timestamp(), pending_email = NULL,
           updated_at = clock_timestamp()
         WHERE id = $1 AND pending_email = $2`,
        [sent.user_id, sent.email],
      );
      const user = await tx.findOneByOrFail(UserEntity, { id: sent.user_id });
      if (user.email !== sent.email || user.emailVerifiedAt === null) throw unknownCode();
      if (formerEmail !== null && formerEmail !== user.email)
        await queueMail(tx, emailChangedMail(user.id, formerEmail));
      return { email_verified: true };
    });
  }

  /**
   * Makes an address pending and sends a verification link to it. If the address is already the verified one, only
   * discards the pending address. The caller holds the user's lock, or created the user in this transaction.
   *
   * @throws {DomainError} `rate_limited`
   */
  async changeEmail(tx: Tx, userId: string, email: string): Promise<void> {
    const user = await tx.findOneByOrFail(UserEntity, { id: userId });
    if (user.email === email && user.emailVerifiedAt !== null) {
      await setPendingEmail(tx, userId, null);
      return;
    }
    await assertUserWithinMailLimit(tx, userId);
    await assertAddressWithinMailLimit(tx, email);
    await setPendingEmail(tx, userId, email);
    await this.sendLink(tx, userId, email);
  }

  private async sendLink(tx: Tx, userId: string, email: string): Promise<void> {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    await tx.query(
      `DELETE FROM email_verifications WHERE code_hash IN
         (SELECT code_hash FROM email_verifications WHERE expires_at < clock_timestamp()
          LIMIT ${CLEANUP_BATCH_SIZE} FOR UPDATE SKIP LOCKED)`,
    );
    await tx.query(
      `INSERT INTO email_verifications (code_hash, user_id, email, mailbox, created_at, expires_at)
       SELECT $1, $2, $3, $4, at, at + ${CODE_HOURS} * interval '1 hour' FROM clock_timestamp() AS at`,
      [hashOf(code), userId, email, mailboxOf(email)],
    );
    const link = `${this.dependencies.publicUrl()}${EMAIL_VERIFICATION_PATH}?code=${code}`;
    await queueMail(tx, { userId, to: email, subject: 'Verify your e-mail address', text: mailText(link) });
  }
}

/** @throws {DomainError} `not_found` if the code is unknown or expired */
async function findSent(tx: Tx, code: string): Promise<{ readonly user_id: string; readonly email: string }> {
  if (!CODE.test(code)) throw unknownCode();
  const [sent] = await tx.query(
    'SELECT user_id, email FROM email_verifications WHERE code_hash = $1 AND expires_at > clock_timestamp()',
    [hashOf(code)],
  );
  if (sent === undefined) throw unknownCode();
  return sent;
}

/** The caller holds the user's lock. */
async function assertUserWithinMailLimit(tx: Tx, userId: string): Promise<void> {
  const message = `An account may send at most ${MAILS_PER_HOUR} verification mails per hour. Wait for Retry-After.`;
  await assertWithinHourlyLimit(tx, 'user_id = $1', userId, { max: MAILS_PER_HOUR, message });
}

/** Locks the address. The caller already holds the user's lock; the order prevents deadlocks. */
async function assertAddressWithinMailLimit(tx: Tx, email: string): Promise<void> {
  const address = mailboxOf(email);
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `verification mail to ${address}`,
  ]);
  const message = `An address receives at most ${MAILS_PER_HOUR_TO_ADDRESS} verification mails per hour. Wait for Retry-After.`;
  await assertWithinHourlyLimit(tx, 'mailbox = $1', address, {
    max: MAILS_PER_HOUR_TO_ADDRESS,
    message,
  });
}

async function assertWithinHourlyLimit(
  tx: Tx,
  condition: string,
  param: string,
  { max, message }: { readonly max: number; readonly message: string },
): Promise<void> {
  const [{ count, wait_seconds }] = await tx.query(
    `SELECT count(*)::int AS count,
       ceil(extract(epoch FROM min(created_at) + interval '1 hour' - clock_timestamp()))::int AS wait_seconds
     FROM (SELECT created_at FROM email_verifications
           WHERE ${condition} AND created_at > clock_timestamp() - interval '1 hour'
           ORDER BY created_at DESC LIMIT $2) AS recent`,
    [param, max],
  );
  if (count < max) return;
  throw new DomainError('rate_limited', message, [], { retryAfterSeconds: Math.max(1, wait_seconds) });
}

async function setPendingEmail(tx: Tx, userId: string, email: string | null): Promise<void> {
  await tx.query('UPDATE users SET pending_email = $2, updated_at = clock_timestamp() WHERE id = $1', [
    userId,
    email,
  ]);
}

/** Hashes the encoded string, not the decoded bytes: base64url can encode the same bytes in several ways. */
function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

function unknownCode(): DomainError {
  return new DomainError(
    'not_found',
    'The link is invalid or has expired. Request a new one with PATCH /v1/me.',
  );
}

function mailText(link: string): string {
  return [
    'Open this link and confirm that this address is yours:',
    '',
    link,
    '',
    `The link is valid for ${CODE_HOURS} hours. If you did not request it, ignore this mail.`,
    '',
  ].join('\n');
}
