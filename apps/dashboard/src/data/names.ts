'use client';
import type { ExchangeAccount, Strategy, TradePair } from '@trading-automation/sdk';
import { api } from './api';
/** Names of records that other records mention by id. Each list is loaded once and shared by all pages. */
import { queryOptions, useQuery } from './query';

const LISTED_MAX = 1_000;

export const accountsQuery = queryOptions({
  queryKey: ['exchanges', 'all'],
  queryFn: ({ signal }) => api().exchanges.list({ limit: 100 }, { signal }).toArray({ limit: LISTED_MAX }),
});

/** The exchange accounts of the user. */
export const useAccounts = () => useQuery(accountsQuery);

export const strategiesQuery = queryOptions({
  queryKey: ['strategies', 'all'],
  queryFn: ({ signal }) => api().strategies.list({ limit: 100 }, { signal }).toArray({ limit: LISTED_MAX }),
});

/** The strategies of the user. */
export const useStrategies = () => useQuery(strategiesQuery);

type Named = Pick<ExchangeAccount | Strategy | TradePair, 'id'>;

/** Returns the record with an id; undefined while the list is loading, or if the record is not in it. */
export function byId<T extends Named>(list: readonly T[] | undefined, id: string | undefined): T | undefined {
  return list?.find((record) => record.id === id);
}
