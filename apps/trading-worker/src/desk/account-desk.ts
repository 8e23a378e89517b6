import type { AccountUpkeep } from '@trading-automation/core/exchange-accounts';
import { ExchangeError } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { AccountClients } from './account-clients.js';

/** Reads balances, one look at an account at a time. */
export class AccountDesk {
  private readonly running = new Map<string, Promise<void>>();
  private readonly again = new Set<string>();

  constructor(
    private readonly upkeep: AccountUpkeep,
    private readonly clients: AccountClients,
    private readonly logger: Logger,
  ) {}

  /** Reads and stores the account's balances. @throws {ExchangeError} after the failure is stored */
  async sync(accountId: string): Promise<void> {
    const running = this.running.get(accountId);
    // A look that has begun may have read what was there before: a second one follows it, shared by all who wait.
    const next = (running ?? Promise.resolve()).catch(() => undefined).then(() => this.look(accountId));
    this.running.set(accountId, next);
    try {
      await next;
    } finally {
      if (this.running.get(accountId) === next) this.running.delete(accountId);
    }
  }

  /** Has the account looked at after what was just learned of it; nobody waits for it, and looks don't pile up. */
  syncSoon(accountId: string): void {
    if (this.again.has(accountId)) return;
    this.again.add(accountId);
    const settled = this.running.get(accountId) ?? Promise.resolve();
    void settled
      .catch(() => undefined)
      .then(() => {
        this.again.delete(accountId);
        return this.sync(accountId);
      })
      .catch((error) => this.logger.warn({ err: error, account_id: accountId }, 'balances not read'));
  }

  async settle(): Promise<void> {
    await Promise.allSettled(this.running.values());
  }

  private async look(accountId: string): Promise<void> {
    try {
      const { client } = await this.clients.open(accountId);
      const takenAt = await this.upkeep.time();
      await this.upkeep.storeBalances(accountId, await client.fetchBalances(), takenAt);
    } catch (error) {
      if (error instanceof ExchangeError) {
        const isRefused = error.outcome === 'fatal' && error.code === 'credentials_rejected';
        await this.upkeep.storeFailure(accountId, isRefused);
      }
      throw error;
    }
  }
}
