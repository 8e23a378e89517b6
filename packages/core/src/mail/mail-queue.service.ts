/**
 * Claims queued mails and records their results, for the process that sends mail.
 *
 * 1. A claim is a lease by the database's clock: one sender at a time holds a mail, and the lease of a dead sender
 *    expires.
 * 2. A result is ignored if another sender has claimed the mail meanwhile, or if the mail is already sent or has
 *    failed.
 * 3. A mail is sent at least once. A repeated mail has the same id, by which mailboxes recognise duplicates.
 * 4. Users take turns: in a turn, one mail of each user is claimed. Another user's backlog thus delays a mail by one mail.
 * 5. No transaction is open while a mail is being sent.
 * 6. The body is deleted once the mail is sent or has failed, because it may contain a secret code.
 * 7. A mail that could not be sent within three days has failed. By then it is outdated, and a mail server that
 *    recovers after a month must not receive the mail of a month.
 */
import type { Platform } from '../platform/index.js';
import { mailRetryDelayMs } from './mail.rules.js';
import { MAIL_CHANNEL } from './queue-mail.js';

export interface ClaimedMail {
  /** A uuid. */
  readonly id: string;
  /** The number of this claim, from 1. */
  readonly claim: number;
  /** The number of earlier deferrals of this mail. */
  readonly deferrals: number;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The result of an attempt to send. `error` is a short code for the operator, without addresses. */
export type MailOutcome =
  | { readonly kind: 'sent' }
  /** The server rejected this mail permanently. */
  | { readonly kind: 'rejected'; readonly error: string }
  /** The server rejected this mail temporarily. */
  | { readonly kind: 'deferred'; readonly error: string }
  /** The server was unreachable and has not seen the mail. */
  | { readonly kind: 'unreachable'; readonly error: string };

const UNREACHABLE_DELAY_MS = 30_000;
const LATE_DAYS = 3;
/** A turn ends at the latest once this many users have been served. */
const USERS_PER_TURN_MAX = 1_000;

type ClaimedRow = ClaimedMail & { readonly is_late: boolean; readonly user_id: string };

export class MailQueue {
  /** The users whose mail was claimed in this turn. */
  private readonly served = new Set<string>();

  constructor(private readonly platform: Platform) {}

  /**
   * Claims, for `leaseMs`, the mail that has been due longest among the users who were not served in this turn. Returns
   * undefined if no mail is due.
   */
  async claim(leaseMs: number): Promise<ClaimedMail | undefined> {
    for (;;) {
      const row = await this.claimNext(leaseMs);
      if (row === undefined) return undefined;
      const { is_late, user_id: _, ...mail } = row;
      if (!is_late) return mail;
      await this.end(mail, 'failed_at', 'too late');
    }
  }

  private async claimNext(leaseMs: number): Promise<ClaimedRow | undefined> {
    const served = [...this.served];
    let row = await this.claimOldest(leaseMs, served);
    if (row === undefined && served.length > 0) {
      this.served.clear();
      row = await this.claimOldest(leaseMs, []);
    }
    if (row === undefined) return undefined;
    if (this.served.size >= USERS_PER_TURN_MAX) this.served.clear();
    this.served.add(row.user_id);
    return row;
  }

  private async claimOldest(leaseMs: number, served: readonly string[]): Promise<ClaimedRow | undefined> {
    const [rows] = await this.platform.database.query(
      `UPDATE mails SET claims = claims + 1, next_at = clock_timestamp() + $1 * interval '1 millisecond'
       WHERE id = (SELECT id FROM mails WHERE next_at <= clock_timestamp() AND user_id <> ALL ($2::uuid[])
                   ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, claims AS claim, attempts AS deferrals, recipient AS "to", subject, body AS text,
         created_at < clock_timestamp() - interval '${LATE_DAYS} days' AS is_late, user_id`,
      [leaseMs, served],
    );
    return rows[0];
  }

  /** Records the result of a claim. Returns false, and changes nothing, if the claim is no longer current. */
  async record(mail: ClaimedMail, outcome: MailOutcome): Promise<boolean> {
    if (outcome.kind === 'sent') return this.end(mail, 'sent_at', null);
    if (outcome.kind === 'rejected') return this.end(mail, 'failed_at', outcome.error);
    if (outcome.kind === 'unreachable')
      return this.postpone(mail, mail.deferrals, UNREACHABLE_DELAY_MS, outcome.error);
    const deferrals = mail.deferrals + 1;
    const delayMs = mailRetryDelayMs(deferrals);
    return delayMs === null
      ? this.end(mail, 'failed_at', outcome.error)
      : this.postpone(mail, deferrals, delayMs, outcome.error);
  }

  /** Calls `onQueued` when any process commits a new mail. Returns a function that unsubscribes. */
  subscribe(onQueued: () => void): () => void {
    return this.platform.listener.subscribe(MAIL_CHANNEL, onQueued);
  }

  private async end(
    { id, claim }: ClaimedMail,
    column: 'sent_at' | 'failed_at',
    error: string | null,
  ): Promise<boolean> {
    const [, count] = await this.platform.database.query(
      `UPDATE mails SET ${column} = clock_timestamp(), attempts = attempts + 1, next_at = NULL, body = NULL,
         last_error = $3
       WHERE id = $1 AND claims = $2 AND next_at IS NOT NULL`,
      [id, claim, error],
    );
    return count === 1;
  }

  private async postpone(
    { id, claim }: ClaimedMail,
    deferrals: number,
    delayMs: number,
    error: string,
  ): Promise<boolean> {
    const [, count] = await this.platform.database.query(
      `UPDATE mails SET attempts = $3, next_at = clock_timestamp() + $4 * interval '1 millisecond', last_error = $5
       WHERE id = $1 AND claims = $2 AND next_at IS NOT NULL`,
      [id, claim, deferrals, delayMs, error],
    );
    return count === 1;
  }
}
