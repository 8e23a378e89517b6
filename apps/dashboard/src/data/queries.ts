'use client';
/** As `query.ts`, for several queries at once. */
import { useQueries as useQueriesInBrowser } from '@tanstack/react-query';
import { useServerData } from './server-data';
import type { PageQuery } from './server-page';

export const useQueries = ((options: { readonly queries: readonly PageQuery[] }) => {
  useServerData(options.queries);
  return useQueriesInBrowser(options as Parameters<typeof useQueriesInBrowser>[0]);
}) as typeof useQueriesInBrowser;
