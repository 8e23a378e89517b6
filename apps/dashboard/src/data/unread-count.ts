'use client';
import { api } from './api';
import { type LATE, useQuery } from './query';

/** Returns the number of unread notifications; 0 while it is loading. */
export function useUnreadCount(meta?: typeof LATE): number {
  const { data } = useQuery({
    queryKey: ['notifications', 'count'],
    queryFn: ({ signal }) => api().notifications.count({ signal }),
    meta,
  });
  return data?.unread ?? 0;
}
