'use client';
import { wordsOf } from '../format/words';
import { api } from './api';
import { queryOptions, useQuery } from './query';

export const supportedExchangesQuery = queryOptions({
  queryKey: ['exchanges', 'supported'],
  queryFn: ({ signal }) => api().supportedExchanges.list({ limit: 100 }, { signal }).toArray({ limit: 500 }),
  staleTime: 10 * 60_000,
});

/** The exchanges whose accounts can be connected. */
export const useSupportedExchanges = () => useQuery(supportedExchangesQuery);

/** Returns a function that names an exchange, such as "Paper Exchange" for `paper`. */
export function useExchangeNames(): (id: string) => string {
  const { data } = useSupportedExchanges();
  return (id) => data?.find((exchange) => exchange.id === id)?.name ?? wordsOf(id);
}
