/**
 * How often something may be guessed at: ten times in fifteen minutes, whatever it is.
 *
 * 1. A try is counted, and the count committed, before it is looked at whether it is right: a hundred at once are no
 *    more guesses than ten.
 * 2. What is not there counts like what is: being refused tells nothing of it.
 * 3. A success forgets the tries before it.
 */
import { createHash } from 'node:crypto';
import { DomainError } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';

const ATTEMPTS_MAX = 10;
const WINDOW_MINUTES = 15;

export class SignInAttempts {
  constructor(private readonly platform: Platform) {}

  /** Counts one more. @throws {DomainError} `rate_limited` where it is one too many, until the first is forgotten */
  async consume(subject: string): Promise<void> {
    // More than the most are not counted, lest an attacker who goes on counts beyond the column.
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
    const message = `At most ${ATTEMPTS_MAX} tries in ${WINDOW_MINUTES} minutes are taken. Wait for Retry-After.`;
    throw new DomainError('rate_limited', message, [], { retryAfterSeconds: Math.max(1, wait_seconds) });
  }

  async clear(tx: Tx, subject: string): Promise<void> {
    await tx.query('DELETE FROM sign_in_attempts WHERE subject = $1', [hashOf(subject)]);
  }
}

/** What was typed into the field of an address may be anything, a password too: it is not kept. */
function hashOf(subject: string): Buffer {
  return createHash('sha256').update(subject).digest();
}
