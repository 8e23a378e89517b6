'use client';
import { api } from '../../../data/api';
import { LATE, useQuery } from '../../../data/query';

type Query = NonNullable<Parameters<ReturnType<typeof api>['webhooks']['deadLetters']['list']>[1]>;
export type RetryFilter = Pick<Query, 'from' | 'to' | 'event_type'>;

/** Counts the pending dead letters that a retry with this filter would send; null if the API does not count them. */
export function useMatchingCount(webhookId: string, filter: RetryFilter, isEnabled: boolean) {
  return useQuery({
    queryKey: ['dead-letters', webhookId, 'matching', filter],
    queryFn: async ({ signal }) => {
      const query = { ...filter, status: 'PENDING', limit: 1, include: 'total' } as const;
      return (await api().webhooks.deadLetters.list(webhookId, query, { signal })).pagination.total ?? null;
    },
    enabled: isEnabled,
    // Others may have been added or retried since the dialog was open last.
    staleTime: 0,
    meta: LATE,
  });
}
