'use client';
/** The user and the rights of this session. */
import { useQuery } from '@tanstack/react-query';
import { api } from './api';

export function useMe() {
  return useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => api().me.get({ signal }),
    staleTime: 5 * 60_000,
  });
}

/** Returns whether this session may trade; true while it is unknown, because the API decides anyway. */
export function useMayTrade(): boolean {
  const permissions = useMe().data?.credential.permissions;
  return permissions === undefined || permissions.includes('TRADE') || permissions.includes('ADMIN');
}
