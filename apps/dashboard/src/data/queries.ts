'use client';
/** As `query.ts`, for several queries at once. */
import { useQueries as useQueriesInBrowser } from '@tanstack/react-query';
import type { PageQuery } from '../process/page-data';
import { useServerData } from './server-data';

export const useQueries = ((options: { readonly queries: readonly PageQuery[] }) => {
  useServerData(options.queries);
  return useQueriesInBrowser(options as Parameters<typeof useQueriesInBrowser>[0]);
}) as typeof useQueriesInBrowser;
