'use client';
import type { Position } from '@trading-automation/sdk';
import { api } from './api';
import { queryOptions, useQuery } from './query';

export type PositionRow = Position<'string'>;

/** The most positions that a page loads at once. */
export const POSITIONS_MAX = 500;
/** Mark prices are read about every 30 s, and no event reports them. */
const READ_EVERY_MS = 30_000;

export const positionsQuery = queryOptions({
  queryKey: ['positions', 'open'],
  queryFn: ({ signal }) => api().positions.list({ limit: 100 }, { signal }).toArray({ limit: POSITIONS_MAX }),
  refetchInterval: READ_EVERY_MS,
});

/** The open positions of the user in perpetuals, newest first. */
export const usePositions = (isEnabled = true) => useQuery({ ...positionsQuery, enabled: isEnabled });
