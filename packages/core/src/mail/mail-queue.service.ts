/**
 * The queue of mail, for the process that sends.
 *
 * 1. A claim is a lease by the database's clock: one sender at a time has a mail, and a sender that dies gives it back.
 * 2. What became of a claim is written only while it stands: a sender that was too slow changes nothing.
 * 3. A mail is sent at least once. A second time carries the same id, by which mailboxes tell it is the same mail.
 * 4. No transaction is open while a mail is under way.
 * 5. The text goes when the mail is over: it may hold a code that nobody else may read.
 * 6. A mail that could not be sent in three days has failed: what it tells of is no news any more, and a server that
 *    is there again after a month must not be handed a month's mail.
 */
import type { Platform } from '../platform/index.js';
import { mailRetryDelayMs } from './mail.rules.js';
import { MAIL_CHANNEL } from './queue-mail.js';

export interface ClaimedMail {
  /** A uuid. */
  readonly id: string;
  /** Which claim of the mail this is: 1 and up. */
  readonly claim: number;
  /** Refusals so far. */
  readonly attempts: number;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** How a try to send ended. `error` is a short word for the operator, without addresses. */
export type MailOutcome =
  | { readonly kind: 'sent' }
  /** The server will never take this mail. */
  | { readonly kind: 'rejected'; readonly error: string }
  /** The server did not take this mail now. */
  | { readonly kind: 'deferred'; readonly error: string }
  /** No server was reached: that says nothing of the mail. */
  | { readonly kind: 'unreachable'; readonly error: string };

const UNREACHABLE_DELAY_MS = 30_000;
const LATE_DAYS = 3;

type ClaimedRow = ClaimedMail & { readonly is_late: boolean };

export class MailQueue {
  constructor(private readonly platform: Platform) {}

  /** The mail that has waited longest, until `leaseMs` from now the caller's alone; undefined where none is due. */
  async claim(leaseMs: number): Promise<ClaimedMail | undefined> {
    for (;;) {
      const row = await this.claimNext(leaseMs);
      if (row === undefined) return undefined;
      const { is_late, ...mail } = row;
      if (!is_late) return mail;
      await this.end(mail, 'failed_at', 'too late');
    }
  }

  private async claimNext(leaseMs: number): Promise<ClaimedRow | undefined> {
    const [rows] = await this.platform.database.query(
      `UPDATE mails SET claims = claims + 1, next_at = clock_timestamp() + $1 * interval '1 millisecond'
       WHERE id = (SELECT id FROM mails WHERE next_at <= clock_timestamp()
                   ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, claims AS claim, attempts, recipient AS "to", subject, body AS text,
         created_at < clock_timestamp() - interval '${LATE_DAYS} days' AS is_late`,
      [leaseMs],
    );
    return rows[0];
  }

  /** False where the claim had ended, and nothing was written. */
  async record(mail: ClaimedMail, outcome: MailOutcome): Promise<boolean> {
    if (outcome.kind === 'sent') return this.end(mail, 'sent_at', null);
    if (outcome.kind === 'rejected') return this.end(mail, 'failed_at', outcome.error);
    if (outcome.kind === 'unreachable')
      return this.postpone(mail, mail.attempts, UNREACHABLE_DELAY_MS, outcome.error);
    const attempts = mail.attempts + 1;
    const delayMs = mailRetryDelayMs(attempts);
    return delayMs === null
      ? this.end(mail, 'failed_at', outcome.error)
      : this.postpone(mail, attempts, delayMs, outcome.error);
  }

  /** Calls `onQueued` when mail was committed just now, by any process. */
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
    attempts: number,
    delayMs: number,
    error: string,
  ): Promise<boolean> {
    const [, count] = await this.platform.database.query(
      `UPDATE mails SET attempts = $3, next_at = clock_timestamp() + $4 * interval '1 millisecond', last_error = $5
       WHERE id = $1 AND claims = $2 AND next_at IS NOT NULL`,
      [id, claim, attempts, delayMs, error],
    );
    return count === 1;
  }
}
