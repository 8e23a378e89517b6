'use client';
import { api } from '../../../data/api';
import { useQuery } from '../../../data/query';

const LISTED_MAX = 200;

/** The open browser sessions. Using them changes them, so they are loaded again while they are shown. */
export function useSessions() {
  return useQuery({
    queryKey: ['sessions', 'list'],
    queryFn: ({ signal }) =>
      api().browserSessions.list({ limit: 100 }, { signal }).toArray({ limit: LISTED_MAX }),
    refetchInterval: 60_000,
  });
}
