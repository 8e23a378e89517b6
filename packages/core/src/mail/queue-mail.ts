import { EMAIL_MAX } from '@trading-automation/contracts';
import { newUuid, type Tx } from '@trading-automation/persistence';
import { z } from 'zod';

/** Told, with an empty payload, of every commit that queued mail. */
export const MAIL_CHANNEL = 'mails_queued';

const SUBJECT_MAX = 200;
const CONTROL = /\p{Cc}/u;
const address = z.email().max(EMAIL_MAX);

export interface NewMail {
  /** Whose mail it is: a uuid. */
  readonly userId: string;
  /** One address, without a name. */
  readonly to: string;
  readonly subject: string;
  /** Plain text, lines ended by `\n`. It is kept until the mail is sent or has failed, no longer. */
  readonly text: string;
  /** Of which event it tells, if of one: there is one mail of an event at most. A uuid. */
  readonly eventId?: string;
}

/**
 * Queues a mail in the transaction of what it tells of: both stand or neither does. It is sent at least once, by
 * whoever has a way to send mail; until there is one, it waits.
 *
 * @throws {TypeError} where the address is none, or the subject would not be one line
 */
export async function queueMail(tx: Tx, mail: NewMail): Promise<void> {
  const { userId, to, subject, text, eventId = null } = mail;
  if (!address.safeParse(to).success) throw new TypeError('expected an e-mail address');
  if (subject.length > SUBJECT_MAX || CONTROL.test(subject))
    throw new TypeError('expected a subject of one line');
  await tx.query(
    `INSERT INTO mails (id, user_id, recipient, subject, body, event_id) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (event_id) DO NOTHING`,
    [newUuid(), userId, to, subject, text, eventId],
  );
  await tx.query(`NOTIFY ${MAIL_CHANNEL}`);
}
