/** The accounts of this worker, each heard of by a supervisor of its own. */

import { Batcher } from '@trading-automation/core';
import type {
  AccountUpkeep,
  AccountWatch,
  HeardBalances,
  OwnedAccount,
} from '@trading-automation/core/exchange-accounts';
import { fillKey } from '@trading-automation/core/trades';
import { type Balances, ExchangeError, type VenueFill } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { AccountClients, OpenAccount } from '../desk/account-clients.js';
import type { AccountDesk } from '../desk/account-desk.js';
import type { AccountRepair } from './account-repair.js';
import {
  AccountSupervisor,
  SUPERVISOR_TIMES,
  type SupervisorTimes,
  type WatchState,
} from './account-supervisor.js';
import { Turns } from './backoff.js';
import type { OrderIntake } from './order-intake.js';

export interface AccountSupervisorsParts {
  readonly clients: AccountClients;
  readonly accounts: Pick<AccountDesk, 'onChange'>;
  readonly repair: AccountRepair;
  readonly orders: OrderIntake;
  readonly upkeep: AccountUpkeep;
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
  private readonly turns = new Turns(REPAIRS_AT_ONCE);
  private readonly ending = new Set<Promise<void>>();
  private readonly balances: Batcher<HeardBalances>;
  private isStopped = false;

  constructor(private readonly parts: AccountSupervisorsParts) {
    this.balances = Batcher.of((heard) => parts.upkeep.storeHeard(heard));
  }

  /** Hears of exactly these accounts from now on; those whose credentials are others begin anew. */
  follow(owned: ReadonlyMap<string, OwnedAccount>): void {
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
  forget(accountIds: readonly string[]): void {
    for (const id of accountIds) this.end(id);
  }

  isLive(accountId: string): boolean {
    return this.supervisors.get(accountId)?.isLive ?? false;
  }

  /** These fills are known from elsewhere; a stream that is alive tells of them, too. */
  owes(accountId: string, fills: readonly VenueFill[]): void {
    this.supervisors.get(accountId)?.owes(fills.map(fillKey));
  }

  repairSoon(accountId: string): void {
    this.supervisors.get(accountId)?.repairSoon();
  }

  health(): readonly (AccountWatch & { readonly state: WatchState })[] {
    return [...this.supervisors].map(([accountId, { state }]) => ({
      accountId,
      state,
      forMs: performance.now() - (this.sinceMs.get(accountId) ?? 0),
    }));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.forget([...this.supervisors.keys()]);
    await Promise.all(this.ending);
    await this.balances.settle();
  }

  private begin(account: OwnedAccount): void {
    const { clients, repair, orders, times } = this.parts;
    const { accountId } = account;
    let open: OpenAccount | undefined;
    const supervisor = new AccountSupervisor(account, {
      times: { ...SUPERVISOR_TIMES, ...times },
      turns: this.turns,
      connect: async () => {
        open = await clients.openAs(account);
        return open.client;
      },
      repair: (client) => repair.run(account, client),
      onOrder: (order, fills) => {
        orders.add({ accountId, order, fills }).catch((error) => this.onUnstored(accountId, error));
      },
      onBalances: (balances) => this.onBalances(accountId, balances),
      onState: (state, error) => {
        this.onState(accountId, state, error);
        if (error instanceof ExchangeError && open !== undefined)
          clients.onRefusal(open.account, error).catch((failure) => this.onState(accountId, state, failure));
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
    this.parts.accounts.onChange(accountId);
    const heardAt = this.parts.databaseTime();
    if (heardAt === null) return;
    this.balances.add({ accountId, balances, heardAt }).catch((error) => {
      this.parts.logger.warn({ err: error, account_id: accountId }, 'heard balances were not stored');
    });
  }

  /** What was heard and could not be stored is found by a comparison. */
  private onUnstored(accountId: string, error: unknown): void {
    this.parts.logger.error({ err: error, account_id: accountId }, 'a heard order was not stored');
    this.repairSoon(accountId);
  }

  private onState(accountId: string, state: WatchState, error: unknown): void {
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
  a.credentialsMark === b.credentialsMark && a.fence === b.fence;
