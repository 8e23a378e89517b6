import { EMAIL_MAX } from '@trading-automation/contracts';
import { newUuid, type Tx } from '@trading-automation/persistence';
import { z } from 'zod';

/** The channel that receives a notification with an empty payload at every commit that queues mail. */
export const MAIL_CHANNEL = 'mails_queued';

const SUBJECT_MAX = 200;
const CONTROL = /\p{Cc}/u;
const address = z.email().max(EMAIL_MAX);

export interface NewMail {
  /** The uuid of the recipient's account; null if the address has no account yet. */
  readonly userId: string | null;
  /** One address, without a name. */
  readonly to: string;
  readonly subject: string;
  /** Plain text with `\n` line ends. It is deleted once the mail is sent or has failed. */
  readonly text: string;
  /** The uuid of the event that the mail is about, if any. An event has at most one mail. */
  readonly eventId?: string;
}

/**
 * Queues a mail in the caller's transaction, so that the mail and the transaction's other writes commit together. The
 * mail waits until a process can send it, and is sent at least once.
 *
 * @throws {TypeError} if the address is invalid, or the subject is not a single line of at most 200 characters
 */
export async function queueMail(tx: Tx, mail: NewMail): Promise<void> {
  const { userId, to, subject, text, eventId = null } = mail;
  if (!address.safeParse(to).success) throw new TypeError('expected an e-mail address');
  if (subject.length > SUBJECT_MAX || CONTROL.test(subject))
    throw new TypeError(`expected a subject of one line with at most ${SUBJECT_MAX} characters`);
  await tx.query(
    `INSERT INTO mails (id, user_id, recipient, subject, body, event_id) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (event_id) DO NOTHING`,
    [newUuid(), userId, to, subject, text, eventId],
  );
  await tx.query(`NOTIFY ${MAIL_CHANNEL}`);
}
