'use client';
import type { Trade } from '@trading-automation/sdk';
import { api } from './api';
import { LATE, queryOptions, useQuery } from './query';

export type OpenOrder = Trade<'string'>;

const OPEN_ORDERS_MAX = 1_000;

/** The open orders of one account or of all. The API filters by one status, and two of them are open. */
const openOrdersQuery = (accountId?: string) =>
  queryOptions({
    queryKey: ['trades', 'open', accountId ?? 'all'],
    queryFn: async ({ signal }) => {
      const account = accountId === undefined ? {} : { exchange_account_id: accountId };
      const read = (status: 'PENDING' | 'PARTIALLY_FILLED') =>
        api()
          .trades.list({ ...account, status, limit: 100 }, { signal })
          .toArray({ limit: OPEN_ORDERS_MAX });
      return (await Promise.all([read('PENDING'), read('PARTIALLY_FILLED')])).flat();
    },
  });

/** The open orders of the user. `isLate`: the browser loads them after the page. */
export const useOpenOrders = (isLate: boolean) =>
  useQuery({ ...openOrdersQuery(), ...(isLate ? { meta: LATE } : {}) });

/** The open orders of an account, loaded after the page; of no account, nothing is loaded. */
export const useOpenOrdersOf = (accountId: string | undefined) =>
  useQuery({ ...openOrdersQuery(accountId), enabled: accountId !== undefined, meta: LATE });
