import type { Platform } from '@trading-automation/core';
import {
  AccountOwnership,
  AccountRights,
  type AccountSyncService,
  type DueAccount,
  type OwnedAccount,
  storeStreamStatuses,
} from '@trading-automation/core/exchange-accounts';
import { FundingReads, FundingReports } from '@trading-automation/core/funding';
import { MarginEstimates, PositionReports } from '@trading-automation/core/positions';
import { notifyAccountWork } from '@trading-automation/core/trades';
import type { Logger } from '@trading-automation/runtime';
import { AccountStreams } from '../streams/account-streams.js';
import { AccountClients } from './account-clients.js';
import { BalanceStore } from './balance-store.js';
import { BalanceSync } from './balance-sync.js';
import { FundingReader } from './funding-reader.js';
import { KeyRights } from './key-rights.js';
import { MarginEstimator } from './margin-estimator.js';
import { PositionSync } from './position-sync.js';
import type { Venues } from './venues.js';

/** Creates the components for exchange accounts: their ownership, clients, streams and balances. */
export class ExchangeAccounts {
  readonly ownership: AccountOwnership;
  readonly clients: AccountClients;
  readonly streams = new AccountStreams();
  readonly balances: BalanceStore;
  readonly balanceSync: BalanceSync;
  readonly positions: PositionSync;
  private readonly keyRights: KeyRights;
  readonly funding: FundingReader;
  private readonly margins: MarginEstimator;

  constructor(
    private readonly platform: Platform,
    private readonly accountSync: AccountSyncService,
    readonly venues: Venues,
    readonly logger: Logger,
  ) {
    const { streams } = this;
    this.ownership = new AccountOwnership(platform, {
      exchanges: venues.all.map(({ id }) => id),
      onLost: (ids) => streams.remove(ids),
    });
    const rights = new AccountRights(platform);
    this.clients = new AccountClients(accountSync, rights, venues);
    this.keyRights = new KeyRights(rights, this.clients, streams);
    this.funding = new FundingReader(
      new FundingReads(platform),
      new FundingReports(platform),
      this.clients,
      streams,
    );
    this.balances = new BalanceStore(accountSync, this.ownership);
    this.balanceSync = new BalanceSync(
      this.balances,
      this.clients,
      {
        isLive: (id) => streams.isLive(id),
        isReporting: (id) => streams.isReporting(id) && !this.hasLoans(id),
        reconcileSoon: (id) => streams.reconcileSoon(id),
      },
      logger,
    );
    this.margins = new MarginEstimator(new MarginEstimates(platform), venues, logger);
    this.positions = new PositionSync(new PositionReports(platform), this.clients, streams, logger);
  }

  /** Returns the accounts that this worker owns at this moment. */
  owned(): ReadonlyMap<string, OwnedAccount> {
    return this.ownership.ownedAccounts();
  }

  /** Whether orders of the account may borrow or repay. No stream reports loans. */
  private hasLoans(accountId: string): boolean {
    return this.owned().get(accountId)?.tradingType === 'margin';
  }

  /** Notifies the owner of an account that the account has unsent orders. */
  async notifyOwner(accountId: string): Promise<void> {
    await notifyAccountWork(this.platform.database.manager, [accountId]);
  }

  /**
   * Returns owned accounts that are due for a balance sync: a sync was requested, or their stream is lost and the last
   * sync is older than `ageMaxMs`. Other accounts are read when they are reconciled.
   */
  dueForSync(ageMaxMs: number, limit: number): Promise<readonly DueAccount[]> {
    const owned = [...this.owned().keys()];
    const reconciled = owned.filter((id) => this.streams.isSupervised(id));
    return this.accountSync.dueForSync(ageMaxMs, limit, owned, reconciled);
  }

  /** Reads the rights of the owned accounts' credentials that are due. */
  readDueRights(): Promise<void> {
    return this.keyRights.readDue([...this.owned().keys()]);
  }

  /** Reads the funding and the interest of the owned accounts that are due. */
  readDueFunding(): Promise<void> {
    return this.funding.readDue([...this.owned().keys()]);
  }

  /** Returns the owned accounts with an open position whose margin has to be read now. */
  dueForMargin(): Promise<readonly string[]> {
    return this.margins.due([...this.owned().keys()]);
  }

  /** Stores and logs the stream status of this worker's accounts, for monitoring. */
  async reportStreamHealth(): Promise<void> {
    const health = this.streams.health();
    await storeStreamStatuses(this.platform, health);
    const counts: Record<string, number> = {};
    for (const { state } of health) counts[state] = (counts[state] ?? 0) + 1;
    this.logger.info(
      { event: 'stream_status.reported', accounts: counts, workers: this.ownership.liveWorkerCount },
      'Stored the status of account streams.',
    );
  }

  /** Waits until all balances are stored, then closes every connection. */
  async close(): Promise<void> {
    await this.balanceSync.drain();
    await this.positions.drain();
    await this.clients.close();
    await this.venues.close();
  }
}
