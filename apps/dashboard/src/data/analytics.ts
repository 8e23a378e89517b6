'use client';
import type { Analytics, TradesAnalyticsQuery } from '@trading-automation/sdk';
import { api } from './api';
import { keepPreviousData, type LATE, queryOptions, useQuery } from './query';

export type Figures = Analytics<'string'>;

/** The query of all results. */
export const ALL_TIME: TradesAnalyticsQuery = {};

export const analyticsQuery = (query: TradesAnalyticsQuery) =>
  queryOptions({
    queryKey: ['analytics', query],
    queryFn: ({ signal }) => api().trades.analytics(query, { signal }),
  });

/** Results of the user's trades. While another selection is loading, the figures of the last one stay. */
export const useAnalytics = (query: TradesAnalyticsQuery, meta?: typeof LATE) =>
  useQuery({ ...analyticsQuery(query), meta, placeholderData: keepPreviousData });
