'use client';
/** As `query.ts`, for a query of several pages. */
import { useInfiniteQuery as useInfiniteQueryInBrowser } from '@tanstack/react-query';
import { useArrivedResult, useServerData } from './server-data';
import type { PageQuery } from './server-page';

export { infiniteQueryOptions } from '@tanstack/react-query';

export const useInfiniteQuery = ((options: Parameters<typeof useInfiniteQueryInBrowser>[0]) => {
  useServerData([options as PageQuery]);
  return useArrivedResult(options as PageQuery, useInfiniteQueryInBrowser(options));
}) as typeof useInfiniteQueryInBrowser;
