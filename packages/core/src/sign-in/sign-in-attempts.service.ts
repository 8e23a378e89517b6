/**
 * Limits guessing: each subject has ten attempts in fifteen minutes. A subject names what is guessed, for example the
 * password of an e-mail address, or the second factor of a user.
 *
 * 1. The count is committed before the attempt is checked: of a hundred concurrent attempts only ten are checked.
 * 2. Unknown subjects are counted like known ones, so that a rejection reveals nothing.
 * 3. A success resets the count.
 */
import { createHash } from 'node:crypto';
import { DomainError } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';

const ATTEMPTS_MAX = 10;
const WINDOW_MINUTES = 15;

export class SignInAttempts {
  constructor(private readonly platform: Platform) {}

  /** Counts an attempt. @throws {DomainError} `rate_limited` if the limit is exceeded, until the window ends */
  async consume(subject: string): Promise<void> {
    // Stop counting just above the limit, so that a persistent attacker cannot overflow the column.
    const [{ attempts, wait_seconds }] = await this.platform.database.query(
      `INSERT INTO sign_in_attempts AS a (subject, attempts, expires_at)
       VALUES ($1, 1, clock_timestamp() + interval '${WINDOW_MINUTES} minutes')
       ON CONFLICT (subject) DO UPDATE SET
         attempts = CASE WHEN a.expires_at > clock_timestamp() THEN least(a.attempts, ${ATTEMPTS_MAX}) ELSE 0 END + 1,
         expires_at = CASE WHEN a.expires_at > clock_timestamp() THEN a.expires_at ELSE excluded.expires_at END
       RETURNING attempts, ceil(extract(epoch FROM expires_at - clock_timestamp()))::int AS wait_seconds`,
      [hashOf(subject)],
    );
    if (attempts <= ATTEMPTS_MAX) return;
    const message = `At most ${ATTEMPTS_MAX} attempts are allowed in ${WINDOW_MINUTES} minutes. Wait for Retry-After.`;
    throw new DomainError('rate_limited', message, [], { retryAfterSeconds: Math.max(1, wait_seconds) });
  }

  /** Resets the subject's count. */
  async clear(tx: Tx, subject: string): Promise<void> {
    await tx.query('DELETE FROM sign_in_attempts WHERE subject = $1', [hashOf(subject)]);
  }
}

/** Hashes the subject, because a user may have typed a password as the e-mail address by mistake. */
function hashOf(subject: string): Buffer {
  return createHash('sha256').update(subject).digest();
}
