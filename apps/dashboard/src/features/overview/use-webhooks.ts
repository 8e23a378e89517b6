'use client';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../data/api';

const LISTED_MAX = 100;

export function useWebhooks() {
  return useQuery({
    queryKey: ['webhooks', 'overview'],
    queryFn: async ({ signal }) => (await api().webhooks.list({ limit: LISTED_MAX }, { signal })).data,
  });
}
