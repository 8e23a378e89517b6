'use client';
/**
 * Data that the server loads while it renders a page.
 *
 * 1. On the server a view waits for its queries. One that fails or takes too long is rendered as loading, and the browser
 *    loads it.
 * 2. The loaded data are in the page as JSON, which the browser reads before it renders the same views.
 * 3. A part whose code arrives later begins with the data with which the page arrived, even if they have changed since.
 */
import { hashKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { use } from 'react';
import type { LoadedQuery, PageQuery } from '../process/page-data';
import { dashboardRuntime } from '../process/runtime';
import { useIsHydrated } from '../ui/use-is-hydrated';

/** The attribute of the elements with the data. */
export const DATA_MARK = 'data-queries';

const isServer = typeof window === 'undefined';

/** On the server: waits for the data of queries. In the browser: takes over what the server loaded. */
export function useServerData(options: readonly PageQuery[]): void {
  const queries = useQueryClient();
  if (!isServer) return void takeOver(queries);
  const data = dashboardRuntime().pageRequest()?.data;
  if (data === undefined) return;
  // All begin before the first one is waited for.
  for (const loading of options.map((one) => data.load(queries, one))) use(loading);
}

/**
 * Returns the result of a query as the server rendered it, while the browser takes over what the server rendered; the result
 * itself in all other cases.
 */
export function useArrivedResult<T extends object>(queryKey: QueryKey, result: T): T {
  if (useIsHydrated() || isServer) return result;
  const one = arrived.get(hashKey(queryKey));
  const isPending = one === undefined;
  // Reading the members of a result makes its view follow them, so they are not copied.
  return Object.assign(Object.create(result), {
    status: isPending ? 'pending' : 'success',
    data: one?.data,
    error: null,
    isPending,
    isSuccess: !isPending,
    isError: false,
  });
}

/** What has arrived with the page, by the hash of its key. */
const arrived = new Map<string, LoadedQuery>();
let isComplete = false;

/** Takes over the data that has arrived with the page. More may arrive until the document is complete. */
function takeOver(queries: QueryClient): void {
  if (isComplete) return;
  isComplete = document.readyState !== 'loading';
  for (const element of document.querySelectorAll(`[${DATA_MARK}]`)) {
    element.remove();
    for (const one of JSON.parse(element.textContent ?? '[]') as LoadedQuery[]) {
      const { key, data, at } = one;
      arrived.set(hashKey(key), one);
      if ((queries.getQueryState(key)?.dataUpdatedAt ?? 0) < at)
        queries.setQueryData(key, data, { updatedAt: at });
    }
  }
}
