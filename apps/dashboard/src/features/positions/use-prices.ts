'use client';
import { api } from '../../data/api';
import { usePair } from '../../data/pairs';
import { useQueries } from '../../data/queries';
import { useQuery } from '../../data/query';
import type { Quotes } from './close.rules';

const PRICE_MS = 3_000;

const priceQuery = (pairId: string) => ({
  queryKey: ['market', 'ticker', pairId],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => api().tradePairs.ticker(pairId, { signal }),
  staleTime: PRICE_MS,
  refetchInterval: PRICE_MS,
});

/** The current price of a pair. */
export function usePrice(pairId: string) {
  return useQuery(priceQuery(pairId));
}

/** The current prices of several pairs, by the id of the pair. */
export function usePrices(pairIds: readonly string[]): {
  readonly prices: ReadonlyMap<string, Quotes>;
  readonly isPending: boolean;
} {
  return useQueries({
    queries: pairIds.map((id) => priceQuery(id)),
    combine: (results) => ({
      prices: new Map(
        results.flatMap(({ data }): [string, Quotes][] =>
          data === undefined ? [] : [[data.trade_pair_id, data]],
        ),
      ),
      isPending: results.some(({ isPending }) => isPending),
    }),
  });
}

/** The limits of a pair; undefined while they are loading. */
export function useLimits(pairId: string) {
  return usePair(pairId).data;
}
