import { type Loans, totalBalances } from '@trading-automation/core/exchange-accounts';
import { type CallPurpose, type ExchangeClient, ExchangeError } from '@trading-automation/exchanges';
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

/**
 * How long a requested sync waits for the rate limit before it fails. A user who adds many accounts at once uses up the
 * user's share of the limit.
 */
const RATE_LIMIT_GRACE_MS = 60_000;
/** The maximum number of concurrent reads after changes. */
const READ_CONCURRENCY = 8;

/** Reads balances from exchanges. An account has at most one running sync of each purpose. */
export class BalanceSync {
  /** By account and purpose, so that a sync does not wait for one that has a smaller share of the call budget. */
  private readonly syncs = new Map<string, PendingSyncs>();
  /** Accounts whose balances changed and wait to be read. */
  private readonly due = new Set<string>();
  private readonly limitReads = pLimit(READ_CONCURRENCY);

  constructor(
    private readonly store: BalanceStore,
    private readonly clients: AccountClients,
    /** `isReporting`: whether the stream reports every change of the account, its loans included. */
    private readonly streams: Pick<AccountStreams, 'isLive' | 'isReporting' | 'reconcileSoon'>,
    private readonly logger: Logger,
  ) {}

  /**
   * Reads and stores the account's balances.
   *
   * @param purpose the share of the call budget that the read uses
   * @throws {ExchangeError} after the failure is stored
   */
  sync(accountId: string, purpose: CallPurpose = 'check'): Promise<void> {
    const pending = this.syncs.get(syncKey(accountId, purpose));
    if (pending === undefined) return this.start(accountId, purpose);
    // The running sync may have read the balances before the change. One more sync follows, which all callers share.
    pending.next ??= pending.current.catch(() => undefined).then(() => this.start(accountId, purpose));
    return pending.next;
  }

  /** Starts a sync in the background. */
  syncSoon(accountId: string): void {
    void this.trySync(accountId);
  }

  /**
   * Reads the balances of an account after they changed, unless its stream reports them. Few are read at a time,
   * because one signal may change a thousand accounts.
   */
  onBalanceChange(accountId: string): void {
    if (this.due.has(accountId) || this.streams.isReporting(accountId)) return;
    this.due.add(accountId);
    void this.limitReads(() => {
      this.due.delete(accountId);
      return this.trySync(accountId);
    });
  }

  /** Stores the balances that a stream reports. If they cannot be stored, the account is reconciled. */
  onStreamUpdate(accountId: string, update: StreamBalances): void {
    this.store.storeUpdate(accountId, update).catch((error) => {
      this.logger.warn(
        { event: 'balance_update.not_stored', err: error, account_id: accountId },
        'Could not store balances from the account stream; reconciling the account.',
      );
      this.streams.reconcileSoon(accountId);
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

  /** Resolves when every running and requested sync has ended and every update is stored. */
  async drain(): Promise<void> {
    this.limitReads.clearQueue();
    this.due.clear();
    await Promise.allSettled([...this.syncs.values()].map(({ current, next }) => next ?? current));
    await this.store.drain();
  }

  private start(accountId: string, purpose: CallPurpose): Promise<void> {
    const pending: PendingSyncs = {
      current: this.syncNow(accountId, purpose).finally(() => {
        if (pending.next === null) this.syncs.delete(syncKey(accountId, purpose));
      }),
      next: null,
    };
    this.syncs.set(syncKey(accountId, purpose), pending);
    return pending.current;
  }

  private async syncNow(accountId: string, purpose: CallPurpose): Promise<void> {
    let usedCredentials: string | null = null;
    try {
      const { account, client } = await this.clients.open(accountId);
      usedCredentials = account.credentialsSealed;
      const takenAt = await this.store.databaseTime();
      const wasLive = this.streams.isLive(accountId);
      const known = wasLive ? await this.store.holdingsOf(accountId) : null;
      const reader = client.as(purpose);
      const report = await reader.fetchBalances();
      const loans = await readLoans(reader);
      await this.store.storeSnapshot({ accountId, ...report, loans, takenAt });
      // A live stream should have reported the difference. If it is only late, the reconciliation finds nothing.
      if (known !== null && !isEqual(totalBalances(known.balances), totalBalances(report.balances)))
        this.streams.reconcileSoon(accountId);
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
    const graceMs = error.code === 'rate_limited' ? RATE_LIMIT_GRACE_MS : 0;
    await this.store.recordSyncFailure(accountId, isRejected ? usedCredentials : null, graceMs);
  }
}

/** Returns what the account owes; undefined without loans, or if the rate limit leaves no call for them now. */
async function readLoans({ loans }: ExchangeClient): Promise<Loans | undefined> {
  try {
    return await loans?.fetchLoans();
  } catch (error) {
    if (error instanceof ExchangeError && error.code === 'rate_limited') return undefined;
    throw error;
  }
}

const syncKey = (accountId: string, purpose: CallPurpose) => `${accountId} ${purpose}`;

function isEqual(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  return [...Object.keys(a), ...Object.keys(b)].every((asset) => (a[asset] ?? '0') === (b[asset] ?? '0'));
}
