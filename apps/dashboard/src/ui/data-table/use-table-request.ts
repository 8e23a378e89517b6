'use client';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import type { Filter } from './columns';

const ORDERS = ['asc', 'desc'] as const;

export interface Sorting {
  readonly sort: string;
  readonly order: 'asc' | 'desc';
}

/** How a list is sorted at first. */
export const NEWEST = { sort: 'created_at', order: 'desc' } as const satisfies Sorting;

/** Filters and sorting of a list, kept in the address of the page. */
export function useTableRequest(filters: readonly Filter[], defaults: Sorting, hasSearch: boolean) {
  const parsers = useMemo(
    () => ({
      ...Object.fromEntries(
        filters.map(({ name, options }) => [name, parseAsStringLiteral(options.map(({ value }) => value))]),
      ),
      ...(hasSearch ? { search: parseAsString } : {}),
      sort: parseAsString.withDefault(defaults.sort),
      order: parseAsStringLiteral(ORDERS).withDefault(defaults.order),
    }),
    [filters, hasSearch, defaults.sort, defaults.order],
  );
  const [values, change] = useQueryStates(parsers, { history: 'replace' });
  const request = useMemo(
    () =>
      Object.fromEntries(
        Object.entries(values as Record<string, string | null>).filter(
          ([, value]) => value !== null && value !== '',
        ),
      ) as Record<string, string>,
    [values],
  );
  return { request, change: change as (changes: Record<string, string | null>) => void };
}
