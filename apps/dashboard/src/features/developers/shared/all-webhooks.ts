'use client';
import { api } from '../../../data/api';
import { queryOptions } from '../../../data/query';

const WEBHOOKS_MAX = 200;

/** All webhooks of the account. */
export const allWebhooksQuery = queryOptions({
  queryKey: ['webhooks', 'all'],
  queryFn: ({ signal }) => api().webhooks.list({ limit: 100 }, { signal }).toArray({ limit: WEBHOOKS_MAX }),
});
