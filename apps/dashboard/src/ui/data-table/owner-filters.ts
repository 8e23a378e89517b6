'use client';
import { useMemo } from 'react';
import { useAccounts, useStrategies } from '../../data/names';
import type { Filter } from './columns';

/** The filters by account and by strategy, with the names of the user's own. */
export function useOwnerFilters(): readonly Filter[] {
  const accounts = useAccounts().data;
  const strategies = useStrategies().data;
  return useMemo(
    () => [
      {
        name: 'exchange_account_id',
        label: 'Account',
        options: (accounts ?? []).map(({ id, account_name }) => ({ value: id, label: account_name })),
      },
      {
        name: 'strategy_id',
        label: 'Strategy',
        options: (strategies ?? []).map(({ id, name }) => ({ value: id, label: name })),
      },
    ],
    [accounts, strategies],
  );
}
