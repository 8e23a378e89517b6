'use client';
import type { DeadLetter } from '@trading-automation/sdk';
import { LATE, useQuery } from '../../../data/query';
import { Detail } from '../../../ui/details';
import { Skeleton } from '../../../ui/skeleton';
import { eventAttemptsQuery } from '../webhooks/event-attempts';
import { failureWords } from '../webhooks/failure-words.rules';
import { lastAttemptOf } from './last-attempt.rules';

interface LastAttemptProps {
  readonly webhookId: string;
  readonly letter: DeadLetter;
}

/** What the receiver did before its webhook was deactivated. */
export function LastAttempt({ webhookId, letter }: LastAttemptProps) {
  const attempts = useQuery({ ...eventAttemptsQuery(webhookId, letter.event_id), meta: LATE });
  const last = lastAttemptOf(letter, attempts.data ?? []);
  return (
    <Detail name="Last attempt">
      {attempts.isPending ? (
        <Skeleton className="inline-block h-4 w-40" />
      ) : (
        ((last && failureWords({ reason: last.error_reason, statusCode: last.status_code })) ??
        'No longer known')
      )}
    </Detail>
  );
}
