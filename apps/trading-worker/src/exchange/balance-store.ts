import { Batcher } from '@trading-automation/core';
import type {
  AccountHoldings,
  AccountOwnership,
  AccountSyncService,
  BalanceSnapshot,
  BalanceUpdate,
} from '@trading-automation/core/exchange-accounts';

/** Balances that an account stream reported. */
export type StreamBalances = Pick<BalanceUpdate, 'balances' | 'at' | 'seen'>;

/** Stores balances in batches. A batch contains the balances of many accounts. */
export class BalanceStore {
  private readonly snapshots: Batcher<BalanceSnapshot>;
  private readonly updates: Batcher<BalanceUpdate>;

  constructor(
    private readonly accountSync: AccountSyncService,
    private readonly clock: Pick<AccountOwnership, 'databaseTime'>,
  ) {
    this.snapshots = Batcher.of((snapshots) => accountSync.storeSnapshots(snapshots));
    this.updates = Batcher.of((updates) => accountSync.storeUpdates(updates));
  }

  /** Returns the time of the database. Callers read this time before they fetch the balances of a snapshot. */
  databaseTime(): Promise<string> {
    return this.accountSync.databaseTime();
  }

  /** Returns what is stored; null if the account does not exist or is removed, or its balances were never read. */
  holdingsOf(accountId: string): Promise<AccountHoldings | null> {
    return this.accountSync.holdingsOf(accountId);
  }

  /** Stores all balances of an account. */
  storeSnapshot(snapshot: BalanceSnapshot): Promise<void> {
    return this.snapshots.add(snapshot);
  }

  /** Stores the balances that a stream reports now. Does nothing while the database's time is unknown. */
  async storeUpdate(accountId: string, update: StreamBalances): Promise<void> {
    const receivedAt = this.clock.databaseTime();
    if (receivedAt !== null) await this.updates.add({ accountId, ...update, receivedAt });
  }

  /**
   * Records a failed sync.
   *
   * @param rejectedCredentials the sealed credentials that the exchange rejected; null for another failure
   * @param graceMs a sync that was requested more recently than this stays due
   */
  recordSyncFailure(accountId: string, rejectedCredentials: string | null, graceMs = 0): Promise<void> {
    return this.accountSync.recordSyncFailure(accountId, rejectedCredentials, graceMs);
  }

  /** Resolves when every update is stored. */
  drain(): Promise<void> {
    return this.updates.drain();
  }
}
