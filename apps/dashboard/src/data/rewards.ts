'use client';
import { api } from './api';
/** The balance of reward tokens, which rewards and withdrawals show. */
import { useQuery } from './query';

export function useRewardBalance() {
  return useQuery({
    queryKey: ['rewards', 'balance'],
    queryFn: ({ signal }) => api().rewards.balance({ signal }),
  });
}
