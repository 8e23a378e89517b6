import { setTimeout as sleep } from 'node:timers/promises';
import type { BalanceSnapshot } from '@trading-automation/core/exchange-accounts';
import type { CallPurpose } from '@trading-automation/exchanges';
import { createLogger } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import type { AccountClients } from './account-clients.js';
import type { BalanceStore } from './balance-store.js';
import { BalanceSync } from './balance-sync.js';

/** Creates a sync over an exchange that counts its reads. */
function syncUnderTest(isReporting: boolean) {
  const seen = {
    reading: 0,
    mostConcurrent: 0,
    stored: [] as string[],
    doubted: [] as string[],
    /** Holds up the reads of a purpose. */
    holdUp: (_purpose: CallPurpose): Promise<void> | undefined => undefined,
  };
  const clientFor = (purpose: CallPurpose) => ({
    as: clientFor,
    fetchBalances: async () => {
      await seen.holdUp(purpose);
      seen.mostConcurrent = Math.max(seen.mostConcurrent, ++seen.reading);
      await sleep(5);
      seen.reading--;
      return { balances: {} };
    },
  });
  const client = clientFor('check');
  const clients = {
    open: async (id: string) => ({ account: { id, credentialsSealed: 'sealed' }, client }),
  };
  const store = {
    databaseTime: async () => 'now',
    holdingsOf: async () => null,
    storeSnapshot: async ({ accountId }: BalanceSnapshot) => void seen.stored.push(accountId),
    storeUpdate: async () => {
      throw new Error('The database is unavailable.');
    },
    drain: async () => undefined,
  };
  const streams = {
    isLive: () => isReporting,
    isReporting: () => isReporting,
    reconcileSoon: (id: string) => void seen.doubted.push(id),
  };
  const balanceSync = new BalanceSync(
    store as unknown as BalanceStore,
    clients as unknown as AccountClients,
    streams,
    createLogger('balance-sync-spec', 'error'),
  );
  return { seen, balanceSync };
}

const ids = Array.from({ length: 200 }, (_, i) => `account-${i}`);

describe('changes of balances', () => {
  it('are read at most eight at a time, and once for each changed account, if no stream reports them', async () => {
    const { seen, balanceSync } = syncUnderTest(false);
    for (const id of [...ids, ...ids]) balanceSync.onBalanceChange(id);
    await eventually(() => seen.stored.length >= ids.length);
    await balanceSync.drain();
    expect(seen.mostConcurrent).toBeGreaterThan(1);
    expect(seen.mostConcurrent).toBeLessThanOrEqual(8);
    expect(seen.stored.toSorted()).toEqual(ids.toSorted());
  });

  it('cost no request if the stream reports them: one signal to 200 accounts reads no balances', async () => {
    const { seen, balanceSync } = syncUnderTest(true);
    for (const id of ids) balanceSync.onBalanceChange(id);
    await balanceSync.drain();
    await balanceSync.sync('account-0');
    expect(seen.stored).toEqual(['account-0']);
  });

  it('do not delay a copy that waits for balances', async () => {
    const { seen, balanceSync } = syncUnderTest(false);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    seen.holdUp = (purpose) => (purpose === 'check' ? held : undefined);
    balanceSync.onBalanceChange('account-0');
    await balanceSync.sync('account-0', 'copy_read');
    expect(seen.stored).toEqual(['account-0']);
    release();
    await balanceSync.drain();
    expect(seen.stored).toEqual(['account-0', 'account-0']);
  });

  it('that a stream reports and that cannot be stored are a doubt: the account is reconciled', async () => {
    const { seen, balanceSync } = syncUnderTest(true);
    balanceSync.onStreamUpdate('account-0', { balances: {}, at: new Date(), seen: [] });
    await eventually(() => seen.doubted.length > 0);
    expect(seen.doubted).toEqual(['account-0']);
  });
});
