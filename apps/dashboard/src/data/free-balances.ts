'use client';
import type { ExchangeAccount } from '@trading-automation/sdk';
import { useMemo } from 'react';
import { freeBalances } from './free-balance.rules';
import { useOpenOrdersOf } from './open-orders';

/** What open orders leave of each balance of an account; undefined until the orders are loaded. */
export function useFreeBalances(account: ExchangeAccount<'string'> | undefined) {
  const { data, error } = useOpenOrdersOf(account?.id);
  const free = useMemo(
    () => (account && data ? freeBalances(account.balance, data) : undefined),
    [account, data],
  );
  return { free, error };
}
