import { queryPrepared, type Tx } from '@trading-automation/persistence';

/** What somebody would like to be sent mail about. */
export interface MailAllowanceRequest {
  /** A uuid. */
  readonly userId: string;
  /** What is counted together: a kind of event, one webhook. */
  readonly topic: string;
  /** 1 and up. */
  readonly count: number;
}

export interface MailAllowance {
  readonly userId: string;
  readonly topic: string;
  /** How many of the wished mails may be sent. */
  readonly granted: number;
  /** How many of the day's these are, with them; the day begins with its first mail. */
  readonly used: number;
}

/**
 * Takes from what each topic may have in a day, in one statement: however many ask at once, `perDay` in 24 hours is
 * never passed. It is taken in the caller's transaction, with the mail that it is for. Each topic is named once.
 */
export function takeMailAllowance(
  tx: Tx,
  perDay: number,
  wishes: readonly MailAllowanceRequest[],
): Promise<readonly MailAllowance[]> {
  // Sorted, so that two at once never wait for each other.
  return queryPrepared<MailAllowance & Record<string, unknown>>(
    tx,
    `INSERT INTO mail_allowances AS a (user_id, topic, since, used, granted)
     SELECT user_id, topic, clock_timestamp(), least(count, $4::int), least(count, $4::int)
     FROM unnest($1::uuid[], $2::text[], $3::int[]) AS wish (user_id, topic, count) ORDER BY user_id, topic
     ON CONFLICT (user_id, topic) DO UPDATE SET (since, used, granted) = (
       SELECT next.since, next.used + next.granted, next.granted
       FROM (SELECT past.since, past.used, greatest(0, least(excluded.granted, $4::int - past.used)) AS granted
             FROM (SELECT CASE WHEN is_over THEN excluded.since ELSE a.since END AS since,
                     CASE WHEN is_over THEN 0 ELSE a.used END AS used
                   FROM (SELECT a.since <= excluded.since - interval '1 day' AS is_over) AS day) AS past) AS next)
     RETURNING user_id AS "userId", topic, granted, used`,
    [
      wishes.map(({ userId }) => userId),
      wishes.map(({ topic }) => topic),
      wishes.map(({ count }) => count),
      perDay,
    ],
  );
}
