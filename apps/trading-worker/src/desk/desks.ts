import { Batcher, type Platform } from '@trading-automation/core';
import {
  AccountOwnership,
  type AccountUpkeep,
  type BalanceReading,
} from '@trading-automation/core/exchange-accounts';
import type { Opener } from '@trading-automation/core/sealing';
import type { PairCatalogue } from '@trading-automation/core/trade-pairs';
import { notifyWork, type Reconciliation, type TradeExecution } from '@trading-automation/core/trades';
import { ExchangeError, type ExchangeVenue } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import { AccountRepair } from '../streams/account-repair.js';
import type { SupervisorTimes } from '../streams/account-supervisor.js';
import { AccountSupervisors } from '../streams/account-supervisors.js';
import { OrderIntake } from '../streams/order-intake.js';
import { Submissions } from '../submission/submissions.js';
import { AccountClients } from './account-clients.js';
import { AccountDesk } from './account-desk.js';
import { CredentialsDesk } from './credentials-desk.js';
import { RestingOrders } from './resting-orders.js';
import { TradeDesk } from './trade-desk.js';
import { Venues } from './venues.js';

export interface DesksParts {
  readonly platform: Platform;
  readonly venues: readonly ExchangeVenue[];
  readonly opener: Opener;
  readonly logger: Logger;
  readonly upkeep: AccountUpkeep;
  readonly execution: TradeExecution;
  readonly reconciliation: Reconciliation;
  readonly pairs: PairCatalogue;
  readonly times?: Partial<SupervisorTimes>;
}

/** Everything that talks to exchanges, and the accounts that this worker may begin something on. */
export class Desks {
  readonly venues: Venues;
  readonly ownership: AccountOwnership;
  readonly accounts: AccountDesk;
  readonly trades: TradeDesk;
  readonly credentials: CredentialsDesk;
  readonly restingOrders: RestingOrders;
  readonly supervisors: AccountSupervisors;
  readonly submissions: Submissions;
  private readonly clients: AccountClients;
  private readonly orders: OrderIntake;

  constructor(private readonly parts: DesksParts) {
    const { platform, venues, opener, logger, upkeep, execution, reconciliation, pairs, times } = parts;
    this.venues = new Venues(venues);
    this.ownership = new AccountOwnership(platform, {
      exchanges: venues.map(({ id }) => id),
      onLost: (ids) => this.supervisors.forget(ids),
    });
    this.clients = new AccountClients(upkeep, this.venues, opener);
    const isLive = (accountId: string) => this.supervisors.isLive(accountId);
    const readings = Batcher.of<BalanceReading>((together) => upkeep.storeReadings(together));
    this.accounts = new AccountDesk(upkeep, readings, this.clients, logger, isLive);
    this.orders = new OrderIntake(execution, (accountId) => this.accounts.onChange(accountId));
    const { clients, accounts, orders } = this;
    this.trades = new TradeDesk({
      execution,
      clients,
      accounts,
      orders,
      streams: { isLive, owes: (accountId, fills) => this.supervisors.owes(accountId, fills) },
      onResting: (tradeId) => this.restingOrders.noteResting(tradeId),
      onUnsent: (accountId) => this.submissions.wake([accountId]),
      logger,
    });
    this.restingOrders = new RestingOrders(execution, clients, isLive);
    this.credentials = new CredentialsDesk(this.venues, opener);
    this.supervisors = new AccountSupervisors({
      clients,
      accounts,
      repair: new AccountRepair({ reconciliation, upkeep, readings, pairs, trades: this.trades, logger }),
      orders,
      upkeep,
      databaseTime: () => this.ownership.databaseTime(),
      logger,
      ...(times === undefined ? {} : { times }),
    });
    this.submissions = new Submissions({
      execution,
      clients,
      trades: this.trades,
      mine: () => this.ownership.mine(),
      logger,
      onError: this.errorsOf('an order was not sent'),
    });
  }

  /** Writes errors to the log: an exchange that is away is no fault of ours. */
  errorsOf(what: string): (error: unknown) => void {
    const { logger } = this.parts;
    return (error) => {
      if (error instanceof ExchangeError) logger.warn({ outcome: error.outcome, code: error.code }, what);
      else logger.error({ err: error }, what);
    };
  }

  /** Shows that this worker lives, and takes its part of the accounts. */
  async own(): Promise<void> {
    await this.ownership.keepLease();
    await this.ownership.shareOut();
    await this.ownership.claim();
  }

  /** Has a trade sent that nobody has begun to send: here, or by the worker whose account it is. */
  async sendSoon(tradeId: string): Promise<void> {
    const { execution, platform } = this.parts;
    const trade = await execution.find(tradeId);
    if (trade === null || !trade.isOpen || trade.isSubmitted) return;
    if (this.ownership.mine().has(trade.accountId)) this.submissions.wake([trade.accountId]);
    else await notifyWork(platform.database.manager, [trade.accountId]);
  }

  /** Begins nothing any more, and gives the accounts to others at once; what was begun goes on. */
  async release(): Promise<void> {
    this.submissions.halt();
    await this.ownership.release();
  }

  /** Lets what is being sent and read be stored, then closes every connection. */
  async close(): Promise<void> {
    this.submissions.halt();
    await this.submissions.settle();
    await this.supervisors.stop();
    await this.orders.settle();
    await this.accounts.settle();
    await this.clients.close();
    await this.venues.close();
  }
}
