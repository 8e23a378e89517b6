/** The accounts of this worker, each heard of by a supervisor of its own. */

import { Batcher } from '@trading-automation/core';
import type {
  AccountStreamStatus,
  AccountSyncService,
  BalanceUpdate,
  OwnedAccount,
} from '@trading-automation/core/exchange-accounts';
import { fillKey } from '@trading-automation/core/trades';
import { type Balances, ExchangeError, type VenueFill } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { AccountClients, OpenAccount } from '../exchange/account-clients.js';
import type { BalanceSync } from '../exchange/balance-sync.js';
import type { AccountReconciler } from './account-reconciler.js';
import {
  AccountSupervisor,
  type StreamState,
  SUPERVISOR_TIMES,
  type SupervisorTimes,
} from './account-supervisor.js';
import { Semaphore } from './backoff.js';
import type { OrderUpdateWriter } from './order-update-writer.js';

export interface AccountSupervisorsDependencies {
  readonly clients: AccountClients;
  readonly balanceSync: Pick<BalanceSync, 'onBalanceChange'>;
  readonly accountReconciler: AccountReconciler;
  readonly orderUpdates: OrderUpdateWriter;
  readonly accountSync: AccountSyncService;
  /** The database's time or a little earlier; null while it is not known. */
  readonly databaseTime: () => Date | null;
  readonly logger: Logger;
  readonly times?: Partial<SupervisorTimes>;
}

/** Each costs a few calls at the exchange. */
const REPAIRS_AT_ONCE = 16;

export class AccountSupervisors {
  private readonly supervisors = new Map<string, AccountSupervisor>();
  private readonly sinceMs = new Map<string, number>();
  private readonly semaphore = new Semaphore(REPAIRS_AT_ONCE);
  private readonly ending = new Set<Promise<void>>();
  private readonly balanceUpdates: Batcher<BalanceUpdate>;
  private isStopped = false;

  constructor(private readonly parts: AccountSupervisorsDependencies) {
    this.balanceUpdates = Batcher.of((heard) => parts.accountSync.storeUpdates(heard));
  }

  /** Hears of exactly these accounts from now on; those whose credentials are others begin anew. */
  setAccounts(owned: ReadonlyMap<string, OwnedAccount>): void {
    for (const [id, { account }] of this.supervisors) {
      const now = owned.get(id);
      if (now === undefined || !now.isActive || !isSame(now, account)) this.end(id);
    }
    if (this.isStopped) return;
    for (const account of owned.values()) {
      if (account.isActive && !this.supervisors.has(account.accountId)) this.begin(account);
    }
  }

  /** Accounts that are not this worker's any more. */
  removeAccounts(accountIds: readonly string[]): void {
    for (const id of accountIds) this.end(id);
  }

  isLive(accountId: string): boolean {
    return this.supervisors.get(accountId)?.isLive ?? false;
  }

  /** These fills are known from elsewhere; a stream that is alive tells of them, too. */
  expectFills(accountId: string, fills: readonly VenueFill[]): void {
    this.supervisors.get(accountId)?.expectFills(fills.map(fillKey));
  }

  reconcileSoon(accountId: string): void {
    this.supervisors.get(accountId)?.reconcileSoon();
  }

  health(): readonly (AccountStreamStatus & { readonly state: StreamState })[] {
    return [...this.supervisors].map(([accountId, { state }]) => ({
      accountId,
      state,
      stateAgeMs: performance.now() - (this.sinceMs.get(accountId) ?? 0),
    }));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.removeAccounts([...this.supervisors.keys()]);
    await Promise.all(this.ending);
    await this.balanceUpdates.drain();
  }

  private begin(account: OwnedAccount): void {
    const { clients, accountReconciler, orderUpdates, times } = this.parts;
    const { accountId } = account;
    let open: OpenAccount | undefined;
    const supervisor = new AccountSupervisor(account, {
      times: { ...SUPERVISOR_TIMES, ...times },
      semaphore: this.semaphore,
      connect: async () => {
        open = await clients.openOwned(account);
        return open.client;
      },
      reconcile: (client) => accountReconciler.run(account, client),
      onOrder: (order, fills) => {
        orderUpdates.add({ accountId, order, fills }).catch((error) => this.onStoreFailed(accountId, error));
      },
      onBalances: (balances) => this.onBalances(accountId, balances),
      onState: (state, error) => {
        this.onState(accountId, state, error);
        if (error instanceof ExchangeError && open !== undefined)
          clients
            .onExchangeError(open.account, error)
            .catch((failure) => this.onState(accountId, state, failure));
      },
    });
    this.supervisors.set(accountId, supervisor);
  }

  private end(accountId: string): void {
    const supervisor = this.supervisors.get(accountId);
    if (supervisor === undefined) return;
    this.supervisors.delete(accountId);
    this.sinceMs.delete(accountId);
    const ended = supervisor.stop().finally(() => this.ending.delete(ended));
    this.ending.add(ended);
  }

  private onBalances(accountId: string, balances: Balances): void {
    this.parts.balanceSync.onBalanceChange(accountId);
    const heardAt = this.parts.databaseTime();
    if (heardAt === null) return;
    this.balanceUpdates.add({ accountId, balances, receivedAt: heardAt }).catch((error) => {
      this.parts.logger.warn({ err: error, account_id: accountId }, 'heard balances were not stored');
    });
  }

  /** What was heard and could not be stored is found by a comparison. */
  private onStoreFailed(accountId: string, error: unknown): void {
    this.parts.logger.error({ err: error, account_id: accountId }, 'a heard order was not stored');
    this.reconcileSoon(accountId);
  }

  private onState(accountId: string, state: StreamState, error: unknown): void {
    const { logger } = this.parts;
    this.sinceMs.set(accountId, performance.now());
    if (error === undefined) {
      logger.debug({ account_id: accountId, state }, 'account');
    } else if (error instanceof ExchangeError) {
      const { outcome, code } = error;
      logger.warn(
        { account_id: accountId, state, outcome, code },
        'an account is not heard of as it should be',
      );
    } else {
      logger.warn({ err: error, account_id: accountId, state }, 'an account is not heard of as it should be');
    }
  }
}

/** The fence counts as well: an account that was another worker's meanwhile is a new one. */
const isSame = (a: OwnedAccount, b: OwnedAccount) =>
  a.credentialsHash === b.credentialsHash && a.fence === b.fence;
