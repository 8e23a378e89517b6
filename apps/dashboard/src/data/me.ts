'use client';
import { api } from './api';
/** The account and the credential of this session. All pages share the query. */
import { type LATE, useQuery } from './query';

export type Permission = 'READ' | 'TRADE' | 'WITHDRAW' | 'ADMIN';

const STALE_MS = 5 * 60_000;

export function useMe(meta?: typeof LATE) {
  return useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => api().me.get({ signal }),
    staleTime: STALE_MS,
    meta,
  });
}

/** Returns whether this session has a permission; undefined while it is loading. The API decides in any case. */
export function useMay(permission: Permission): boolean | undefined {
  const granted: readonly string[] | undefined = useMe().data?.credential.permissions;
  if (granted === undefined) return undefined;
  return granted.includes('ADMIN') || granted.includes(permission);
}

/** Returns whether this session may trade; true while it is loading. */
export function useMayTrade(): boolean {
  return useMay('TRADE') !== false;
}

/** Why this session may not trade; undefined if it may, and while it is loading. */
export function useTradeRefusal(): string | undefined {
  return useMayTrade() ? undefined : 'This session may only read. Sign in with a key that may trade.';
}
