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
import { createContext, use, useContext } from 'react';
import { type LoadedQuery, type PageQuery, serverPage } from './server-page';
import { useIsHydrated } from './use-is-hydrated';

/** The attribute of the elements with the data. */
export const DATA_MARK = 'data-queries';

const isServer = typeof window === 'undefined';

/** On the server: waits for the data of queries. In the browser: takes over what the server loaded. */
export function useServerData(options: readonly PageQuery[]): void {
  const queries = useQueryClient();
  const arrived = useContext(ArrivedContext);
  arrived?.takeOver(queries);
  const page = serverPage();
  if (page === undefined) return;
  // All begin before the first one is waited for.
  for (const loading of options.map((one) => page.load(queries, one))) use(loading);
}

/**
 * Returns the result of a query as the server rendered it, while the browser takes over what the server rendered; the result
 * itself in all other cases.
 */
export function useArrivedResult<T extends object>(queryKey: QueryKey, result: T): T {
  const arrived = useContext(ArrivedContext);
  if (useIsHydrated() || isServer) return result;
  const one = arrived?.get(queryKey);
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

/** What has arrived with the page. */
export class ArrivedData {
  private readonly byHash = new Map<string, LoadedQuery>();
  private isComplete = false;

  get = (key: QueryKey) => this.byHash.get(hashKey(key));

  /** Takes over the data that are in the document. More may arrive until it is complete. */
  takeOver(queries: QueryClient): void {
    if (isServer || this.isComplete) return;
    this.isComplete = document.readyState !== 'loading';
    for (const element of document.querySelectorAll(`[${DATA_MARK}]`)) {
      // The element stays: React goes from one element to the next while it takes over the page.
      element.removeAttribute(DATA_MARK);
      for (const one of JSON.parse(element.textContent ?? '[]') as LoadedQuery[]) {
        const { key, data, at } = one;
        this.byHash.set(hashKey(key), one);
        if ((queries.getQueryState(key)?.dataUpdatedAt ?? 0) < at)
          queries.setQueryData(key, data, { updatedAt: at });
      }
    }
  }
}

/** The data of this document. */
export const ArrivedContext = createContext<ArrivedData | undefined>(undefined);
