/**
 * Limits guessing: each subject has ten attempts in fifteen minutes. A subject names what is guessed, for example the
 * second factor of a user, or the password of an e-mail address as guessed from one network.
 *
 * 1. The count is committed before the attempt is checked: of a hundred concurrent attempts only ten are checked.
 * 2. Unknown subjects are counted like known ones, so that a rejection reveals nothing.
 * 3. A success resets the count.
 * 4. A guess that anybody may make counts twice: for its network, and for the account with a limit of 100. The second
 *    limit bounds guesses from many networks. It does not apply to a network from which the account was signed in to
 *    within 30 days, so strangers cannot lock its owner out there.
 */
import { createHash } from 'node:crypto';
import { DomainError } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';

const ATTEMPTS_MAX = 10;
const WINDOW_MINUTES = 15;
const ATTEMPTS_FROM_EVERYWHERE_MAX = 100;
const KNOWN_DAYS = 30;

export class SignInAttempts {
  constructor(private readonly platform: Platform) {}

  /** Counts an attempt. @throws {DomainError} `rate_limited` if the limit is exceeded, until the window ends */
  async consume(subject: string, max = ATTEMPTS_MAX): Promise<void> {
    // Stop counting just above the limit, so that a persistent attacker cannot overflow the column.
    const [{ attempts, wait_seconds }] = await this.platform.database.query(
      `INSERT INTO sign_in_attempts AS a (subject, attempts, expires_at)
       VALUES ($1, 1, clock_timestamp() + interval '${WINDOW_MINUTES} minutes')
       ON CONFLICT (subject) DO UPDATE SET
         attempts = CASE WHEN a.expires_at > clock_timestamp() THEN least(a.attempts, $2::int) ELSE 0 END + 1,
         expires_at = CASE WHEN a.expires_at > clock_timestamp() THEN a.expires_at ELSE excluded.expires_at END
       RETURNING attempts, ceil(extract(epoch FROM expires_at - clock_timestamp()))::int AS wait_seconds`,
      [hashOf(subject), max],
    );
    if (attempts <= max) return;
    const message = `At most ${max} attempts are allowed in ${WINDOW_MINUTES} minutes. Wait for Retry-After.`;
    throw new DomainError('rate_limited', message, [], { retryAfterSeconds: Math.max(1, wait_seconds) });
  }

  /**
   * Counts a guess that anybody may make. @param network the caller's, as limits group addresses
   *
   * @throws {DomainError} `rate_limited` if the network or, from unknown networks, the account has no attempt left
   */
  async consumeFrom(network: string, subject: string): Promise<void> {
    await this.consume(fromNetwork(network, subject));
    if (await this.isKnown(network, subject)) return;
    await this.consume(subject, ATTEMPTS_FROM_EVERYWHERE_MAX);
  }

  /** Resets the network's count, and remembers the network as one of the account's owner. */
  async recordSuccess(tx: Tx, network: string, subject: string): Promise<void> {
    await this.clear(tx, fromNetwork(network, subject));
    await tx.query(
      `INSERT INTO sign_in_attempts (subject, attempts, expires_at)
       VALUES ($1, 0, clock_timestamp() + interval '${KNOWN_DAYS} days')
       ON CONFLICT (subject) DO UPDATE SET expires_at = excluded.expires_at`,
      [hashOf(knownNetwork(network, subject))],
    );
  }

  private async isKnown(network: string, subject: string): Promise<boolean> {
    const known = await this.platform.database.query(
      'SELECT FROM sign_in_attempts WHERE subject = $1 AND expires_at > clock_timestamp()',
      [hashOf(knownNetwork(network, subject))],
    );
    return known.length > 0;
  }

  /** Resets the subject's count. */
  async clear(tx: Tx, subject: string): Promise<void> {
    await tx.query('DELETE FROM sign_in_attempts WHERE subject = $1', [hashOf(subject)]);
  }
}

const fromNetwork = (network: string, subject: string) => `${subject} from ${network}`;
const knownNetwork = (network: string, subject: string) => `${subject} known at ${network}`;

/** Hashes the subject, because a user may have typed a password as the e-mail address by mistake. */
function hashOf(subject: string): Buffer {
  return createHash('sha256').update(subject).digest();
}
