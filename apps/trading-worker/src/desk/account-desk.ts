import type { AccountUpkeep } from '@trading-automation/core/exchange-accounts';
import { ExchangeError } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { AccountClients } from './account-clients.js';

/** The look at an account that is under way, and the one that follows it where somebody waits for it. */
interface Looks {
  readonly current: Promise<void>;
  next: Promise<void> | null;
}

/** Reads balances, one look at an account at a time. */
export class AccountDesk {
  private readonly looks = new Map<string, Looks>();

  constructor(
    private readonly upkeep: AccountUpkeep,
    private readonly clients: AccountClients,
    private readonly logger: Logger,
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
    void this.sync(accountId).catch((error) =>
      this.logger.warn({ err: error, account_id: accountId }, 'balances not read'),
    );
  }

  /** Resolves when every look that is under way or waited for has ended. */
  async settle(): Promise<void> {
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
      await this.upkeep.storeBalances(accountId, await client.fetchBalances(), takenAt);
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
