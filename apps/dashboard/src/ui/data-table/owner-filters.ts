'use client';
import { useSearchParams } from 'next/navigation';
import { useMemo } from 'react';
import { accountsQuery, strategiesQuery } from '../../data/names';
import { LATE, useQuery } from '../../data/query';
import type { Filter } from './columns';

const ACCOUNT = 'exchange_account_id';
const STRATEGY = 'strategy_id';

/** The filters by account and by strategy, with the names of the user's own. */
export function useOwnerFilters(): readonly Filter[] {
  const address = useSearchParams();
  // A list that is not filtered by them does not wait for their options.
  const when = address.has(ACCOUNT) || address.has(STRATEGY) ? {} : { meta: LATE };
  const accounts = useQuery({ ...accountsQuery, ...when }).data;
  const strategies = useQuery({ ...strategiesQuery, ...when }).data;
  return useMemo(
    () => [
      {
        name: ACCOUNT,
        label: 'Account',
        options: (accounts ?? []).map(({ id, account_name }) => ({ value: id, label: account_name })),
      },
      {
        name: STRATEGY,
        label: 'Strategy',
        options: (strategies ?? []).map(({ id, name }) => ({ value: id, label: name })),
      },
    ],
    [accounts, strategies],
  );
}
