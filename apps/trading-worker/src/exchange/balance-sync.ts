import type { Batcher } from '@trading-automation/core';
import type { AccountSyncService, BalanceSnapshot } from '@trading-automation/core/exchange-accounts';
import { ExchangeError } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { AccountClients } from './account-clients.js';

/** The look at an account that is under way, and the one that follows it where somebody waits for it. */
interface PendingSyncs {
  readonly current: Promise<void>;
  next: Promise<void> | null;
}

/** Within which time the balances of an account are read whose stream tells of what becomes free meanwhile. */
const READ_WITHIN_MS = 4_000;
const READ_AFTER_MS = 1_500;
/** Of those reads: the copies of one signal change a thousand accounts, whose orders come first. */
const READS_AT_ONCE = 8;

/** Reads balances, one look at an account at a time. */
export class BalanceSync {
  private readonly syncs = new Map<string, PendingSyncs>();
  private readonly deferred = new Map<string, NodeJS.Timeout>();
  /** Accounts whose time to be read has come. */
  private readonly due = new Set<string>();
  private readingDue = 0;

  constructor(
    private readonly accountSync: Pick<AccountSyncService, 'databaseTime' | 'recordSyncFailure'>,
    private readonly snapshots: Pick<Batcher<BalanceSnapshot>, 'add'>,
    private readonly clients: AccountClients,
    private readonly logger: Logger,
    private readonly isLive: (accountId: string) => boolean = () => false,
  ) {}

  /** Reads and stores the account's balances. @throws {ExchangeError} after the failure is stored */
  sync(accountId: string): Promise<void> {
    const looks = this.syncs.get(accountId);
    if (looks === undefined) return this.begin(accountId);
    // A look that has begun may have read what was there before: one more follows it, shared by all who ask meanwhile.
    looks.next ??= looks.current.catch(() => undefined).then(() => this.begin(accountId));
    return looks.next;
  }

  /** Has the account looked at after what was just learned of it; nobody waits for that. */
  syncSoon(accountId: string): void {
    void this.trySync(accountId);
  }

  /**
   * The account's balances are others by what was just learned. They are read at once; of an account whose stream is
   * alive a little later and once for many changes, so that a signal's copies don't all stand behind such reads.
   */
  onBalanceChange(accountId: string): void {
    if (this.deferred.has(accountId) || this.due.has(accountId)) return;
    if (!this.isLive(accountId)) {
      this.syncSoon(accountId);
      return;
    }
    const read = () => {
      this.deferred.delete(accountId);
      this.due.add(accountId);
      this.syncDue();
    };
    const timer = setTimeout(read, READ_AFTER_MS + Math.random() * (READ_WITHIN_MS - READ_AFTER_MS));
    timer.unref();
    this.deferred.set(accountId, timer);
  }

  private syncDue(): void {
    for (const accountId of this.due) {
      if (this.readingDue >= READS_AT_ONCE) return;
      this.due.delete(accountId);
      this.readingDue++;
      void this.trySync(accountId).finally(() => {
        this.readingDue--;
        this.syncDue();
      });
    }
  }

  private async trySync(accountId: string): Promise<void> {
    try {
      await this.sync(accountId);
    } catch (error) {
      this.logger.warn({ err: error, account_id: accountId }, 'balances not read');
    }
  }

  /** Resolves when every look that is under way or waited for has ended. */
  async drain(): Promise<void> {
    for (const timer of this.deferred.values()) clearTimeout(timer);
    this.deferred.clear();
    this.due.clear();
    await Promise.allSettled([...this.syncs.values()].map(({ current, next }) => next ?? current));
  }

  private begin(accountId: string): Promise<void> {
    const looks: PendingSyncs = {
      current: this.syncNow(accountId).finally(() => {
        if (looks.next === null) this.syncs.delete(accountId);
      }),
      next: null,
    };
    this.syncs.set(accountId, looks);
    return looks.current;
  }

  private async syncNow(accountId: string): Promise<void> {
    let used: string | null = null;
    try {
      const { account, client } = await this.clients.open(accountId);
      used = account.credentialsSealed;
      const takenAt = await this.accountSync.databaseTime();
      await this.snapshots.add({ accountId, balances: await client.fetchBalances(), takenAt });
    } catch (error) {
      if (error instanceof ExchangeError) await this.storeFailure(accountId, error, used);
      throw error;
    }
  }

  /** `used`: the sealed credentials that the exchange was asked with; null where it was not asked. */
  private async storeFailure(accountId: string, error: ExchangeError, used: string | null): Promise<void> {
    const isRefused = error.outcome === 'fatal' && error.code === 'credentials_rejected';
    // An account that was found unusable is stored as such, and may have new credentials by now.
    if (isRefused && used === null) return;
    await this.accountSync.recordSyncFailure(accountId, isRefused ? used : null);
  }
}
