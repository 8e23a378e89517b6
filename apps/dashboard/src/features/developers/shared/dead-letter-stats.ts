'use client';
import { api } from '../../../data/api';
import { queryOptions } from '../../../data/query';

/** The numbers of the dead letters of a webhook. */
export const deadLetterStatsQuery = (id: string) =>
  queryOptions({
    queryKey: ['dead-letters', id, 'stats'],
    queryFn: ({ signal }) => api().webhooks.deadLetters.stats(id, { signal }),
  });
