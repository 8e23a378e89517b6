'use client';
import { api } from '../../data/api';
import { useQuery } from '../../data/query';

/** The number that the bell shows; 0 while it is loading. */
export function useUnreadCount(): number {
  const { data } = useQuery({
    queryKey: ['notifications', 'count'],
    queryFn: ({ signal }) => api().notifications.count({ signal }),
  });
  return data?.unread ?? 0;
}
