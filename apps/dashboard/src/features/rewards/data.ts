'use client';
import { api } from '../../data/api';
import { useQuery } from '../../data/query';

const LISTED_MAX = 10_000;

/** The rewards that are not claimed yet: claimable ones and those that become claimable later. */
export function useOpenRewards() {
  return useQuery({
    queryKey: ['rewards', 'open'],
    queryFn: async ({ signal }) => {
      const read = (status: 'CLAIMABLE' | 'PENDING') =>
        api().rewards.list({ status, limit: 100 }, { signal }).toArray({ limit: LISTED_MAX });
      const [claimable, pending] = await Promise.all([read('CLAIMABLE'), read('PENDING')]);
      return [...claimable, ...pending];
    },
  });
}

export function useRewardTypes() {
  return useQuery({
    queryKey: ['rewards', 'types'],
    queryFn: ({ signal }) => api().rewards.types({ limit: 100 }, { signal }).toArray({ limit: 100 }),
    staleTime: 10 * 60_000,
  });
}
