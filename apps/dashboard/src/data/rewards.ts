'use client';
/** The balance of reward tokens, which rewards and withdrawals show. */
import { useQuery } from '@tanstack/react-query';
import { api } from './api';

export function useRewardBalance() {
  return useQuery({
    queryKey: ['rewards', 'balance'],
    queryFn: ({ signal }) => api().rewards.balance({ signal }),
  });
}
