'use client';
/**
 * The queries of TanStack Query, loaded by the server too: a page arrives with its data instead of loading them after its
 * scripts. Each kind has its own file, so that a page has the code only of the kinds that it uses.
 */
import { useQuery as useQueryInBrowser } from '@tanstack/react-query';
import { useArrivedResult, useServerData } from './server-data';
import type { PageQuery } from './server-page';

export { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';

/** Of a query that the browser loads after the page, because it is not what a person looks at first. */
export const LATE = { isLate: true };

export const useQuery = ((options: Parameters<typeof useQueryInBrowser>[0]) => {
  useServerData([options as PageQuery]);
  return useArrivedResult(options as PageQuery, useQueryInBrowser(options));
}) as typeof useQueryInBrowser;
