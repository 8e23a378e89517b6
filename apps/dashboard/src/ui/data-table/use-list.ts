'use client';
import { type QueryKey } from '@tanstack/react-query';
import type { PagePromise, RequestOptions } from '@trading-automation/sdk';
import { useMemo } from 'react';
import { infiniteQueryOptions, useInfiniteQuery } from '../../data/infinite-query';

/** A page of a list, and the items of all pages from it on: a `PagePromise`, or a selection of its items. */
type ListPages<T> = PromiseLike<Pick<Awaited<PagePromise<T>>, 'data' | 'pagination'>> & AsyncIterable<T>;

/** Reads a list of the API, for example `(query, options) => api().trades.list(query, options)`. */
export type ListReader<T> = (query: Record<string, unknown>, options: RequestOptions) => ListPages<T>;

/** The first page has more rows than most windows show, and the document that arrives has no more than that. */
const FIRST_PAGE_SIZE = 30;
const PAGE_SIZE = 50;

export const listQuery = <T>(
  queryKey: QueryKey,
  read: ListReader<T>,
  query: Readonly<Record<string, unknown>>,
) =>
  infiniteQueryOptions({
    queryKey: [...queryKey, query],
    queryFn: async ({ pageParam, signal }) => {
      const page = pageParam === '' ? { limit: FIRST_PAGE_SIZE } : { limit: PAGE_SIZE, cursor: pageParam };
      const { data, pagination } = await read({ ...query, ...page }, { signal });
      return { data, pagination };
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => (pagination.has_more ? pagination.next_cursor : null),
  });

/** Loads a list page by page. */
export function useList<T>(
  queryKey: QueryKey,
  read: ListReader<T>,
  query: Readonly<Record<string, unknown>>,
) {
  const result = useInfiniteQuery(listQuery(queryKey, read, query));
  const rows = useMemo(() => result.data?.pages.flatMap(({ data }) => data) ?? [], [result.data]);
  return { list: result, rows, total: result.data?.pages[0]?.pagination.total };
}
