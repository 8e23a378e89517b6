'use client';
import { api } from '../../data/api';
import { queryOptions, useQuery } from '../../data/query';

const LISTED_MAX = 100;

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'overview'],
  queryFn: async ({ signal }) => (await api().webhooks.list({ limit: LISTED_MAX }, { signal })).data,
});

export const useWebhooks = () => useQuery(webhooksQuery);
