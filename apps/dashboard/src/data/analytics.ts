'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Analytics, TradesAnalyticsQuery } from '@trading-automation/sdk';
import { api } from './api';

export type Figures = Analytics<'string'>;

/** Results of the user's trades. While another selection is loading, the figures of the last one stay. */
export function useAnalytics(query: TradesAnalyticsQuery) {
  return useQuery({
    queryKey: ['analytics', query],
    queryFn: ({ signal }) => api().trades.analytics(query, { signal }),
    placeholderData: keepPreviousData,
  });
}
