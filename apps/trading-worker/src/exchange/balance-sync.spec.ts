import { setTimeout as sleep } from 'node:timers/promises';
import type { BalanceSnapshot } from '@trading-automation/core/exchange-accounts';
import { createLogger } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import type { AccountClients } from './account-clients.js';
import type { BalanceStore } from './balance-store.js';
import { BalanceSync } from './balance-sync.js';

describe('balance reads of accounts with a live stream', () => {
  it('run at most eight at a time, and once for each changed account', async () => {
    let reading = 0;
    let mostConcurrent = 0;
    const stored: string[] = [];
    const client = {
      fetchBalances: async () => {
        mostConcurrent = Math.max(mostConcurrent, ++reading);
        await sleep(5);
        reading--;
        return {};
      },
    };
    const clients = {
      open: async (id: string) => ({ account: { id, credentialsSealed: 'sealed' }, client }),
    };
    const store = {
      databaseTime: async () => 'now',
      storeSnapshot: async ({ accountId }: BalanceSnapshot) => void stored.push(accountId),
      drain: async () => undefined,
    };
    const balanceSync = new BalanceSync(
      store as unknown as BalanceStore,
      clients as unknown as AccountClients,
      { isLive: () => true },
      createLogger('balance-sync-spec', 'error'),
    );
    const ids = Array.from({ length: 200 }, (_, i) => `account-${i}`);
    for (const id of [...ids, ...ids]) balanceSync.onBalanceChange(id);
    await eventually(() => stored.length >= ids.length);
    await balanceSync.drain();
    expect(mostConcurrent).toBeGreaterThan(1);
    expect(mostConcurrent).toBeLessThanOrEqual(8);
    expect(stored.toSorted()).toEqual(ids.toSorted());
  });
});
