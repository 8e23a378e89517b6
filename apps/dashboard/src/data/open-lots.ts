'use client';
import type { Lot } from '@trading-automation/sdk';
import { api } from './api';
import { queryOptions, useQuery } from './query';

export type LotRow = Lot<'string'>;

/** The most lots that a page loads at once. */
export const OPEN_LOTS_MAX = 1_000;

export const openLotsQuery = queryOptions({
  queryKey: ['lots', 'open'],
  queryFn: ({ signal }) =>
    api().lots.list({ status: 'OPEN', limit: 100 }, { signal }).toArray({ limit: OPEN_LOTS_MAX }),
});

/** The open lots of the user, newest first. */
export const useOpenLots = (isEnabled = true) => useQuery({ ...openLotsQuery, enabled: isEnabled });
