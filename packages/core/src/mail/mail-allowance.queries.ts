import { queryPrepared, type Tx } from '@trading-automation/persistence';

/** A request to send mails about one topic. */
export interface MailAllowanceRequest {
  /** A uuid. */
  readonly userId: string;
  /** What the mails that are counted together are about: an event type, or one webhook. Not their subject line. */
  readonly topic: string;
  /** The number of mails, from 1. */
  readonly count: number;
}

export interface MailAllowance {
  readonly userId: string;
  readonly topic: string;
  /** The number of the requested mails that may be sent. */
  readonly granted: number;
  /** The number of mails used of the day's allowance, including those granted now. A day starts with its first mail. */
  readonly used: number;
}

/**
 * Takes mails from the daily allowance of each topic, in one statement. Concurrent callers together never take more
 * than `perDay` mails of a topic in 24 hours. The caller queues the mails in the same transaction. Each topic of a user
 * must occur only once.
 */
export function takeMailAllowance(
  tx: Tx,
  perDay: number,
  requests: readonly MailAllowanceRequest[],
): Promise<readonly MailAllowance[]> {
  // Sorted, so that concurrent calls never deadlock.
  return queryPrepared<MailAllowance & Record<string, unknown>>(
    tx,
    `INSERT INTO mail_allowances AS a (user_id, topic, since, used, granted)
     SELECT user_id, topic, clock_timestamp(), least(count, $4::int), least(count, $4::int)
     FROM unnest($1::uuid[], $2::text[], $3::int[]) AS request (user_id, topic, count) ORDER BY user_id, topic
     ON CONFLICT (user_id, topic) DO UPDATE SET (since, used, granted) = (
       SELECT next.since, next.used + next.granted, next.granted
       FROM (SELECT past.since, past.used, greatest(0, least(excluded.granted, $4::int - past.used)) AS granted
             FROM (SELECT CASE WHEN is_over THEN excluded.since ELSE a.since END AS since,
                     CASE WHEN is_over THEN 0 ELSE a.used END AS used
                   FROM (SELECT a.since <= excluded.since - interval '1 day' AS is_over) AS day) AS past) AS next)
     RETURNING user_id AS "userId", topic, granted, used`,
    [
      requests.map(({ userId }) => userId),
      requests.map(({ topic }) => topic),
      requests.map(({ count }) => count),
      perDay,
    ],
  );
}
