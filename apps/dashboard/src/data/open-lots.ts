'use client';
import type { Lot } from '@trading-automation/sdk';
import { api } from './api';
import { useQuery } from './query';

export type LotRow = Lot<'string'>;

/** The most lots that a page loads at once. */
export const OPEN_LOTS_MAX = 1_000;

/** The open lots of the user, newest first. */
export function useOpenLots(isEnabled = true) {
  return useQuery({
    queryKey: ['lots', 'open'],
    enabled: isEnabled,
    queryFn: ({ signal }) =>
      api().lots.list({ status: 'OPEN', limit: 100 }, { signal }).toArray({ limit: OPEN_LOTS_MAX }),
  });
}
