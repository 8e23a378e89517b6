'use client';
/** Pairs. Exchanges list thousands of them, so a page searches them, and loads only those that it shows. */
import type { TradePair } from '@trading-automation/sdk';
import { api } from './api';
import { useQueries } from './queries';
import { queryOptions, useQuery } from './query';
import { firstTraded, type Market, searchOrder } from './search-pairs.rules';

export type Pair = TradePair<'string'>;

/** The rules of a pair seldom change. */
const STALE_MS = 10 * 60_000;
export const FOUND_MAX = 50;
/** What the symbol of a reader's first pair begins with, the best first. */
const FIRST_PAIRS = ['btc/usdt', 'btc/usd', ''];

export const pairQuery = (id: string) =>
  queryOptions({
    queryKey: ['pairs', 'one', id],
    queryFn: ({ signal }) => api().tradePairs.get(id, { signal }),
    staleTime: STALE_MS,
  });

export const usePair = (id: string) => useQuery(pairQuery(id));

/** Several pairs. `data` has those that are loaded, and `isPending` says whether others will follow. */
export function usePairsById(ids: readonly string[]) {
  return useQueries({
    queries: ids.map((id) => pairQuery(id)),
    combine: (results) => ({
      data: results.flatMap(({ data }) => data ?? []),
      isPending: results.some(({ isPending }) => isPending),
      error: results.find(({ error }) => error !== null)?.error ?? null,
    }),
  });
}

/**
 * The active pairs of some markets whose symbol begins with a string, by symbol; at most 50 of each market. Without markets,
 * those of all.
 */
export const pairSearchQuery = (search: string, markets: readonly Market[]) =>
  queryOptions({
    queryKey: ['pairs', 'search', search, markets],
    queryFn: ({ signal }) => findPairs(search, markets, signal),
    staleTime: STALE_MS,
  });

/** The pair that a reader without a choice most probably wants; null if there is no pair. */
export const firstPairQuery = (markets: readonly Market[]) =>
  queryOptions({
    queryKey: ['pairs', 'first', markets],
    queryFn: async ({ signal }): Promise<Pair | null> => {
      for (const search of FIRST_PAIRS) {
        const [first] = await findPairs(search, markets, signal);
        if (first !== undefined) return first;
      }
      return null;
    },
    staleTime: STALE_MS,
  });

async function findPairs(search: string, markets: readonly Market[], signal: AbortSignal): Promise<Pair[]> {
  // One page is enough, unless pairs on it are not traded.
  const query = {
    sort: 'symbol',
    order: 'asc',
    limit: FOUND_MAX,
    ...(search.trim() !== '' && { search: search.trim() }),
  } as const;
  const found = await Promise.all(
    (markets.length === 0 ? [{}] : markets).map((market) =>
      firstTraded(api().tradePairs.list({ ...query, ...market }, { signal }), FOUND_MAX),
    ),
  );
  return found.flat().sort(searchOrder);
}
