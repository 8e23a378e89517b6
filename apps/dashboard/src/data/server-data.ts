'use client';
/**
 * Data that the server loads while it renders a page.
 *
 * 1. On the server a view waits for its queries. One that fails or takes too long is rendered as loading, and the browser
 *    loads it.
 * 2. The page is sent when its data are complete. They are in its head as JSON, which the browser reads before it renders the
 *    same views.
 * 3. A view that is late (late.ts), as the list behind a drawer, loads nothing on the server.
 * 4. A part whose code arrives later begins with the data with which the page arrived, even if they have changed since.
 */
import { hashKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { createContext, use, useContext } from 'react';
import { type LoadedQuery, type PageQuery, serverPage } from './server-page';
import { useIsHydrated } from './use-is-hydrated';

/** The attribute of the element with the data. */
export const DATA_MARK = 'data-queries';

const isServer = typeof window === 'undefined';

/** On the server: waits for the data of queries. */
export function useServerData(options: readonly PageQuery[]): void {
  const queries = useQueryClient();
  const page = useServerPage();
  if (page === undefined) return;
  // All begin before the first one is waited for.
  for (const loading of options.map((one) => page.load(queries, one))) use(loading);
}

/** On the server: begins to load what other views of the page will wait for, so that none of them waits for another. */
export function useEarlyData(options: readonly PageQuery[]): void {
  const queries = useQueryClient();
  const page = useServerPage();
  for (const one of options) void page?.load(queries, one);
}

/** Returns the page that the server renders; undefined in the browser, and for a view that is late. */
function useServerPage() {
  const page = serverPage();
  return useContext(ArrivedContext) && page;
}

/**
 * Returns the result of a query as the server rendered it, while the browser takes over what the server rendered; the result
 * itself in all other cases.
 */
export function useArrivedResult<T extends object>({ queryKey, meta }: PageQuery, result: T): T {
  const arrived = useContext(ArrivedContext);
  const isLate = !arrived || meta?.isLate === true;
  if (useIsHydrated() || (isServer && !isLate)) return result;
  // Another view may have loaded the same query, at any time while this one was rendered.
  const one = isLate ? undefined : arrived?.get(queryKey);
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

  /** Takes over the data that are in the document. */
  constructor(queries: QueryClient) {
    const text = isServer ? null : document.querySelector(`[${DATA_MARK}]`)?.textContent;
    for (const one of JSON.parse(text ?? '[]') as LoadedQuery[]) {
      this.byHash.set(hashKey(one.key), one);
      queries.setQueryData(one.key, one.data, { updatedAt: one.at });
    }
  }

  get = (key: QueryKey) => this.byHash.get(hashKey(key));
}

/** The data of this document; undefined for a view that is late (late.ts). */
export const ArrivedContext = createContext<ArrivedData | undefined>(undefined);
