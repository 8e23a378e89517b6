import type { Batcher } from '@trading-automation/core';
import type { AccountUpkeep, BalanceReading } from '@trading-automation/core/exchange-accounts';
import { ExchangeError } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { AccountClients } from './account-clients.js';

/** The look at an account that is under way, and the one that follows it where somebody waits for it. */
interface Looks {
  readonly current: Promise<void>;
  next: Promise<void> | null;
}

/** Within which time the balances of an account are read whose stream tells of what becomes free meanwhile. */
const READ_WITHIN_MS = 4_000;
const READ_AFTER_MS = 1_500;
/** Of those reads: the copies of one signal change a thousand accounts, whose orders come first. */
const READS_AT_ONCE = 8;

/** Reads balances, one look at an account at a time. */
export class AccountDesk {
  private readonly looks = new Map<string, Looks>();
  private readonly later = new Map<string, NodeJS.Timeout>();
  /** Accounts whose time to be read has come. */
  private readonly due = new Set<string>();
  private readingDue = 0;

  constructor(
    private readonly upkeep: Pick<AccountUpkeep, 'time' | 'storeFailure'>,
    private readonly readings: Pick<Batcher<BalanceReading>, 'add'>,
    private readonly clients: AccountClients,
    private readonly logger: Logger,
    private readonly isLive: (accountId: string) => boolean = () => false,
  ) {}

  /** Reads and stores the account's balances. @throws {ExchangeError} after the failure is stored */
  sync(accountId: string): Promise<void> {
    const looks = this.looks.get(accountId);
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
  onChange(accountId: string): void {
    if (this.later.has(accountId) || this.due.has(accountId)) return;
    if (!this.isLive(accountId)) {
      this.syncSoon(accountId);
      return;
    }
    const read = () => {
      this.later.delete(accountId);
      this.due.add(accountId);
      this.readDue();
    };
    const timer = setTimeout(read, READ_AFTER_MS + Math.random() * (READ_WITHIN_MS - READ_AFTER_MS));
    timer.unref();
    this.later.set(accountId, timer);
  }

  private readDue(): void {
    for (const accountId of this.due) {
      if (this.readingDue >= READS_AT_ONCE) return;
      this.due.delete(accountId);
      this.readingDue++;
      void this.trySync(accountId).finally(() => {
        this.readingDue--;
        this.readDue();
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
  async settle(): Promise<void> {
    for (const timer of this.later.values()) clearTimeout(timer);
    this.later.clear();
    this.due.clear();
    await Promise.allSettled([...this.looks.values()].map(({ current, next }) => next ?? current));
  }

  private begin(accountId: string): Promise<void> {
    const looks: Looks = {
      current: this.look(accountId).finally(() => {
        if (looks.next === null) this.looks.delete(accountId);
      }),
      next: null,
    };
    this.looks.set(accountId, looks);
    return looks.current;
  }

  private async look(accountId: string): Promise<void> {
    let used: string | null = null;
    try {
      const { account, client } = await this.clients.open(accountId);
      used = account.credentialsSealed;
      const takenAt = await this.upkeep.time();
      await this.readings.add({ accountId, balances: await client.fetchBalances(), takenAt });
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
    await this.upkeep.storeFailure(accountId, isRefused ? used : null);
  }
}
