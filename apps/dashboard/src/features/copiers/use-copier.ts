'use client';
import type { Copier, Strategy } from '@trading-automation/sdk';
import { api } from '../../data/api';
import { type LATE, queryOptions, useQuery } from '../../data/query';
import { type Holdings, holdingsOf } from './open-lots.rules';

export type CopierRow = Copier<'string'>;
export type StrategyRecord = Strategy<'string'>;

const LOTS_MAX = 1_000;

export function useCopier(id: string | undefined) {
  return useQuery({
    queryKey: ['copiers', id],
    queryFn: ({ signal }) => api().copiers.get(id ?? '', { signal }),
    enabled: id !== undefined,
  });
}

/** The strategy of a copier: one of the user, or a public one. */
export function useStrategy(id: string | undefined, meta?: typeof LATE) {
  return useQuery({
    queryKey: ['strategies', id],
    queryFn: ({ signal }) => api().strategies.get(id ?? '', { signal }),
    enabled: id !== undefined,
    meta,
  });
}

export const holdingsQuery = (copierId: string) =>
  queryOptions({
    queryKey: ['lots', 'open-of-copier', copierId],
    queryFn: async ({ signal }): Promise<Holdings> =>
      holdingsOf(
        await api()
          .lots.list({ copier_id: copierId, status: 'OPEN', limit: 100 }, { signal })
          .toArray({ limit: LOTS_MAX }),
      ),
  });

/** What the copier holds now. */
export const useHoldings = (copierId: string) => useQuery(holdingsQuery(copierId));
