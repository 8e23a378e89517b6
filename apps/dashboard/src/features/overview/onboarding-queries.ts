'use client';
import { anyTradeQuery } from '../../data/any-trade';
import { api } from '../../data/api';
import { accountsQuery, strategiesQuery } from '../../data/names';
import { queryOptions } from '../../data/query';
import { webhooksQuery } from './use-webhooks';

// The list has no failure for a setting that was never set.
export const settingsQuery = queryOptions({
  queryKey: ['settings', 'all'],
  queryFn: ({ signal }) => api().settings.list({ limit: 100 }, { signal }).toArray({ limit: 1_000 }),
});
export const anyCopierQuery = queryOptions({
  queryKey: ['copiers', 'any'],
  queryFn: async ({ signal }) => (await api().copiers.list({ limit: 1 }, { signal })).data.length,
});

/** They decide which of the first steps are done. */
export const ONBOARDING_QUERIES = [
  settingsQuery,
  accountsQuery,
  strategiesQuery,
  webhooksQuery,
  anyTradeQuery,
  anyCopierQuery,
];
