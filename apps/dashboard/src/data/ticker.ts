'use client';
import { api } from './api';
import { queryOptions } from './query';

/** The prices of a pair now and over the last 24 hours. */
export const tickerQuery = (pairId: string) =>
  queryOptions({
    queryKey: ['market', 'ticker', pairId],
    queryFn: ({ signal }) => api().tradePairs.ticker(pairId, { signal }),
  });
