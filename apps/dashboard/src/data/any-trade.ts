'use client';
import { useQuery } from '@tanstack/react-query';
import { api } from './api';

/** The number of orders of the account, at most one: whether there is any. */
export function useAnyTrade() {
  return useQuery({
    queryKey: ['trades', 'any'],
    queryFn: async ({ signal }) => (await api().trades.list({ limit: 1 }, { signal })).data.length,
  });
}
