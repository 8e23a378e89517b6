'use client';
import { api } from '../../data/api';
import { useQuery } from '../../data/query';
import type { AccountUse } from './account.rules';

/** Reads what depends on an account. */
export function useAccountUse(accountId: string, isNeeded: boolean) {
  return useQuery({
    queryKey: ['exchanges', 'use', accountId],
    queryFn: ({ signal }) => readUse(accountId, signal),
    enabled: isNeeded,
    staleTime: 0,
  });
}

async function readUse(exchange_account_id: string, signal: AbortSignal): Promise<AccountUse> {
  const client = api();
  const all = { limit: 1_000 };
  const ofAccount = { exchange_account_id, limit: 100 };
  const [pending, partial, lots, strategies, copiers] = await Promise.all([
    client.trades.list({ ...ofAccount, status: 'PENDING' }, { signal }).toArray(all),
    client.trades.list({ ...ofAccount, status: 'PARTIALLY_FILLED' }, { signal }).toArray(all),
    client.lots.list({ ...ofAccount, status: 'OPEN' }, { signal }).toArray(all),
    client.strategies.list({ limit: 100 }, { signal }).toArray(all),
    client.copiers.list(ofAccount, { signal }).toArray(all),
  ]);
  const own = strategies.filter((strategy) => strategy.exchange_account_id === exchange_account_id);
  const active = own.filter(({ status }) => status === 'ACTIVE').length;
  const paused = copiers.filter(({ status }) => status === 'PAUSED').length;
  return {
    openOrders: pending.length + partial.length,
    openLots: lots.length,
    activeStrategies: active,
    archivedStrategies: own.length - active,
    runningCopiers: copiers.length - paused,
    pausedCopiers: paused,
  };
}
