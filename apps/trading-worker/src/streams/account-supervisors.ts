/** The supervisors of this worker's accounts, one for each account. */

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
import pLimit from 'p-limit';
import type { AccountClients, OpenAccount } from '../exchange/account-clients.js';
import type { BalanceSync } from '../exchange/balance-sync.js';
import type { AccountReconciler } from './account-reconciler.js';
import {
  AccountSupervisor,
  type StreamState,
  SUPERVISOR_TIMES,
  type SupervisorTimes,
} from './account-supervisor.js';
import type { OrderUpdateWriter } from './order-update-writer.js';

export interface AccountSupervisorsDependencies {
  readonly clients: AccountClients;
  readonly balanceSync: Pick<BalanceSync, 'onBalanceChange'>;
  readonly accountReconciler: AccountReconciler;
  readonly orderUpdates: OrderUpdateWriter;
  readonly accountSync: AccountSyncService;
  /** The database's time or slightly earlier; null while it is unknown. */
  readonly databaseTime: () => Date | null;
  readonly logger: Logger;
  readonly times?: Partial<SupervisorTimes>;
}

/** The number of concurrent repairs; each costs a few calls to the exchange. */
const REPAIR_CONCURRENCY = 16;

const STREAM_FAILED = 'The account stream was lost, or the account could not be reconciled; trying again.';

export class AccountSupervisors {
  private readonly supervisors = new Map<string, AccountSupervisor>();
  private readonly sinceMs = new Map<string, number>();
  private readonly limitRepairs = pLimit(REPAIR_CONCURRENCY);
  private readonly ending = new Set<Promise<void>>();
  private readonly balanceUpdates: Batcher<BalanceUpdate>;
  private isStopped = false;

  constructor(private readonly parts: AccountSupervisorsDependencies) {
    this.balanceUpdates = Batcher.of((updates) => parts.accountSync.storeUpdates(updates));
  }

  /** Supervises exactly these accounts from now on; accounts with changed credentials are restarted. */
  setAccounts(owned: ReadonlyMap<string, OwnedAccount>): void {
    for (const [id, { account }] of this.supervisors) {
      const now = owned.get(id);
      if (now === undefined || !now.isActive || !isSame(now, account)) this.remove(id);
    }
    if (this.isStopped) return;
    for (const account of owned.values()) {
      if (account.isActive && !this.supervisors.has(account.accountId)) this.start(account);
    }
  }

  /** Stops supervising accounts that this worker no longer owns. */
  removeAccounts(accountIds: readonly string[]): void {
    for (const id of accountIds) this.remove(id);
  }

  isLive(accountId: string): boolean {
    return this.supervisors.get(accountId)?.isLive ?? false;
  }

  /** Registers fills that are known from another source: a live stream must report them, too. */
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

  private start(account: OwnedAccount): void {
    const { clients, accountReconciler, orderUpdates, times } = this.parts;
    const { accountId } = account;
    let open: OpenAccount | undefined;
    const supervisor = new AccountSupervisor(account, {
      times: { ...SUPERVISOR_TIMES, ...times },
      limitRepairs: this.limitRepairs,
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

  private remove(accountId: string): void {
    const supervisor = this.supervisors.get(accountId);
    if (supervisor === undefined) return;
    this.supervisors.delete(accountId);
    this.sinceMs.delete(accountId);
    const ended = supervisor.stop().finally(() => this.ending.delete(ended));
    this.ending.add(ended);
  }

  private onBalances(accountId: string, balances: Balances): void {
    this.parts.balanceSync.onBalanceChange(accountId);
    const receivedAt = this.parts.databaseTime();
    if (receivedAt === null) return;
    this.balanceUpdates.add({ accountId, balances, receivedAt }).catch((error) => {
      this.parts.logger.warn(
        { event: 'balance_update.not_stored', err: error, account_id: accountId },
        'Could not store balances from the account stream.',
      );
    });
  }

  /** An update that could not be stored is found by the reconciliation. */
  private onStoreFailed(accountId: string, error: unknown): void {
    this.parts.logger.error(
      { event: 'order_update.not_stored', err: error, account_id: accountId },
      'Could not store an order from the account stream; reconciling the account.',
    );
    this.reconcileSoon(accountId);
  }

  private onState(accountId: string, state: StreamState, error: unknown): void {
    const { logger } = this.parts;
    this.sinceMs.set(accountId, performance.now());
    if (error === undefined) {
      logger.debug(
        { event: 'account_stream.state_changed', account_id: accountId, state },
        'The state of the account stream changed.',
      );
    } else if (error instanceof ExchangeError) {
      const { outcome, code } = error;
      logger.warn(
        { event: 'account_stream.failed', account_id: accountId, state, outcome, code },
        STREAM_FAILED,
      );
    } else {
      logger.warn(
        { event: 'account_stream.failed', err: error, account_id: accountId, state },
        STREAM_FAILED,
      );
    }
  }
}

/** An account with another fence was owned by another worker meanwhile and is a new account. */
const isSame = (a: OwnedAccount, b: OwnedAccount) =>
  a.credentialsHash === b.credentialsHash && a.fence === b.fence;
