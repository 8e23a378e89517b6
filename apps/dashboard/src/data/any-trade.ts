'use client';
import { api } from './api';
import { queryOptions, useQuery } from './query';

export const anyTradeQuery = queryOptions({
  queryKey: ['trades', 'any'],
  queryFn: async ({ signal }) => (await api().trades.list({ limit: 1 }, { signal })).data.length,
});

/** The number of orders of the account, at most one: whether there is any. */
export const useAnyTrade = () => useQuery(anyTradeQuery);
