'use client';
import { api } from '../../data/api';
import { useQuery } from '../../data/query';

const ADDRESSES_MAX = 20;

/** The addresses of the user. Needs the permission WITHDRAW. */
export function useAddresses(isEnabled = true) {
  return useQuery({
    queryKey: ['withdrawals', 'addresses'],
    queryFn: ({ signal }) =>
      api().withdrawalAddresses.list({ limit: ADDRESSES_MAX }, { signal }).toArray({ limit: ADDRESSES_MAX }),
    enabled: isEnabled,
  });
}

/** The latest withdrawal, whose fee and network are those of the next one unless the operator changes them. */
export function useLatestWithdrawal() {
  return useQuery({
    queryKey: ['withdrawals', 'latest'],
    queryFn: async ({ signal }) => {
      const { data } = await api().withdrawals.list({ limit: 1 }, { signal });
      return data[0] ?? null;
    },
  });
}
