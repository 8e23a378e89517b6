import { ExchangeError } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import pLimit from 'p-limit';
import type { AccountStreams } from '../streams/account-streams.js';
import type { AccountClients } from './account-clients.js';
import type { BalanceStore, StreamBalances } from './balance-store.js';

/** The running sync of an account, and the next one if a caller waits for it. */
interface PendingSyncs {
  readonly current: Promise<void>;
  next: Promise<void> | null;
}

/** The limits of the random delay between a change and the read of balances, for accounts with a live stream. */
const READ_DELAY_MAX_MS = 4_000;
const READ_DELAY_MIN_MS = 1_500;
/**
 * The maximum number of concurrent delayed reads. It is low, because one signal may change a thousand accounts, and
 * their orders are more urgent.
 */
const DELAYED_READ_CONCURRENCY = 8;

/** Reads balances from exchanges. An account has at most one running sync. */
export class BalanceSync {
  private readonly syncs = new Map<string, PendingSyncs>();
  /** The timers of delayed reads, by account. */
  private readonly delayedReads = new Map<string, NodeJS.Timeout>();
  /** Accounts whose delayed read is due. */
  private readonly due = new Set<string>();
  private readonly limitDelayedReads = pLimit(DELAYED_READ_CONCURRENCY);

  constructor(
    private readonly store: BalanceStore,
    private readonly clients: AccountClients,
    private readonly streams: Pick<AccountStreams, 'isLive'>,
    private readonly logger: Logger,
  ) {}

  /** Reads and stores the account's balances. @throws {ExchangeError} after the failure is stored */
  sync(accountId: string): Promise<void> {
    const pending = this.syncs.get(accountId);
    if (pending === undefined) return this.start(accountId);
    // The running sync may have read the balances before the change. One more sync follows, which all callers share.
    pending.next ??= pending.current.catch(() => undefined).then(() => this.start(accountId));
    return pending.next;
  }

  /** Starts a sync in the background. */
  syncSoon(accountId: string): void {
    void this.trySync(accountId);
  }

  /**
   * Reads the balances of an account after they changed. With a live stream, the read is delayed and shared by several
   * changes, so that it does not hold up the copies of a signal; otherwise it starts immediately.
   */
  onBalanceChange(accountId: string): void {
    if (this.delayedReads.has(accountId) || this.due.has(accountId)) return;
    if (!this.streams.isLive(accountId)) {
      this.syncSoon(accountId);
      return;
    }
    const read = () => {
      this.delayedReads.delete(accountId);
      this.due.add(accountId);
      void this.limitDelayedReads(() => {
        this.due.delete(accountId);
        return this.trySync(accountId);
      });
    };
    const timer = setTimeout(
      read,
      READ_DELAY_MIN_MS + Math.random() * (READ_DELAY_MAX_MS - READ_DELAY_MIN_MS),
    );
    timer.unref();
    this.delayedReads.set(accountId, timer);
  }

  /**
   * Stores the balances that a stream reports, and schedules a read of all balances. If they cannot be stored, the next
   * reconciliation stores the balances.
   */
  onStreamUpdate(accountId: string, update: StreamBalances): void {
    this.onBalanceChange(accountId);
    this.store.storeUpdate(accountId, update).catch((error) => {
      this.logger.warn(
        { event: 'balance_update.not_stored', err: error, account_id: accountId },
        'Could not store balances from the account stream.',
      );
    });
  }

  private async trySync(accountId: string): Promise<void> {
    try {
      await this.sync(accountId);
    } catch (error) {
      this.logger.warn(
        { event: 'balance_sync.failed', err: error, account_id: accountId },
        'Could not read the balances.',
      );
    }
  }

  /** Cancels delayed reads. Resolves when every running and requested sync has ended and every update is stored. */
  async drain(): Promise<void> {
    for (const timer of this.delayedReads.values()) clearTimeout(timer);
    this.delayedReads.clear();
    this.limitDelayedReads.clearQueue();
    this.due.clear();
    await Promise.allSettled([...this.syncs.values()].map(({ current, next }) => next ?? current));
    await this.store.drain();
  }

  private start(accountId: string): Promise<void> {
    const pending: PendingSyncs = {
      current: this.syncNow(accountId).finally(() => {
        if (pending.next === null) this.syncs.delete(accountId);
      }),
      next: null,
    };
    this.syncs.set(accountId, pending);
    return pending.current;
  }

  private async syncNow(accountId: string): Promise<void> {
    let usedCredentials: string | null = null;
    try {
      const { account, client } = await this.clients.open(accountId);
      usedCredentials = account.credentialsSealed;
      const takenAt = await this.store.databaseTime();
      await this.store.storeSnapshot({ accountId, ...(await client.fetchBalances()), takenAt });
    } catch (error) {
      if (error instanceof ExchangeError) await this.storeFailure(accountId, error, usedCredentials);
      throw error;
    }
  }

  /** Stores a failure. `usedCredentials` are the sealed credentials of the request; null if no request was sent. */
  private async storeFailure(
    accountId: string,
    error: ExchangeError,
    usedCredentials: string | null,
  ): Promise<void> {
    const isRejected = error.outcome === 'fatal' && error.code === 'credentials_rejected';
    // The rejection of the credentials is already stored, and the account may have new credentials by now.
    if (isRejected && usedCredentials === null) return;
    await this.store.recordSyncFailure(accountId, isRejected ? usedCredentials : null);
  }
}
