import { Batcher, type Platform } from '@trading-automation/core';
import {
  AccountOwnership,
  type AccountSyncService,
  type BalanceSnapshot,
} from '@trading-automation/core/exchange-accounts';
import type { Opener } from '@trading-automation/core/sealing';
import type { PairCatalogue } from '@trading-automation/core/trade-pairs';
import { notifyAccountWork, type Reconciliation, type TradeExecution } from '@trading-automation/core/trades';
import { ExchangeError, type ExchangeVenue } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import { AccountReconciler } from '../streams/account-reconciler.js';
import type { SupervisorTimes } from '../streams/account-supervisor.js';
import { AccountSupervisors } from '../streams/account-supervisors.js';
import { OrderUpdateWriter } from '../streams/order-update-writer.js';
import { OrderSubmitter } from '../submission/order-submitter.js';
import { AccountClients } from './account-clients.js';
import { BalanceSync } from './balance-sync.js';
import { CredentialsTester } from './credentials-tester.js';
import { OrderReconciler } from './order-reconciler.js';
import { RestingOrderChecker } from './resting-order-checker.js';
import { Venues } from './venues.js';

export interface ExchangeGatewayDependencies {
  readonly platform: Platform;
  readonly venues: readonly ExchangeVenue[];
  readonly opener: Opener;
  readonly logger: Logger;
  readonly accountSync: AccountSyncService;
  readonly execution: TradeExecution;
  readonly reconciliation: Reconciliation;
  readonly pairs: PairCatalogue;
  readonly times?: Partial<SupervisorTimes>;
}

/** Owns every component that calls exchanges, and the set of accounts that this worker owns. */
export class ExchangeGateway {
  readonly venues: Venues;
  readonly ownership: AccountOwnership;
  readonly balanceSync: BalanceSync;
  readonly orderReconciler: OrderReconciler;
  readonly credentials: CredentialsTester;
  readonly restingOrders: RestingOrderChecker;
  readonly supervisors: AccountSupervisors;
  readonly orderSubmitter: OrderSubmitter;
  private readonly clients: AccountClients;
  private readonly orderUpdates: OrderUpdateWriter;

  constructor(private readonly parts: ExchangeGatewayDependencies) {
    const { platform, venues, opener, logger, accountSync, execution, reconciliation, pairs, times } = parts;
    this.venues = new Venues(venues);
    this.ownership = new AccountOwnership(platform, {
      exchanges: venues.map(({ id }) => id),
      onLost: (ids) => this.supervisors.removeAccounts(ids),
    });
    this.clients = new AccountClients(accountSync, this.venues, opener);
    const isLive = (accountId: string) => this.supervisors.isLive(accountId);
    const snapshots = Batcher.of<BalanceSnapshot>((together) => accountSync.storeSnapshots(together));
    this.balanceSync = new BalanceSync(accountSync, snapshots, this.clients, logger, isLive);
    this.orderUpdates = new OrderUpdateWriter(execution, (accountId) =>
      this.balanceSync.onBalanceChange(accountId),
    );
    const { clients, balanceSync, orderUpdates } = this;
    this.orderReconciler = new OrderReconciler({
      execution,
      clients,
      balanceSync: balanceSync,
      orderUpdates: orderUpdates,
      streams: { isLive, expectFills: (accountId, fills) => this.supervisors.expectFills(accountId, fills) },
      onResting: (tradeId) => this.restingOrders.markResting(tradeId),
      onUnsent: (accountId) => this.orderSubmitter.wake([accountId]),
      logger,
    });
    this.restingOrders = new RestingOrderChecker(execution, clients, isLive);
    this.credentials = new CredentialsTester(this.venues, opener);
    this.supervisors = new AccountSupervisors({
      clients,
      balanceSync: balanceSync,
      accountReconciler: new AccountReconciler({
        reconciliation,
        accountSync: accountSync,
        snapshots: snapshots,
        pairs,
        orderReconciler: this.orderReconciler,
        logger,
      }),
      orderUpdates: orderUpdates,
      accountSync: accountSync,
      databaseTime: () => this.ownership.databaseTime(),
      logger,
      ...(times === undefined ? {} : { times }),
    });
    this.orderSubmitter = new OrderSubmitter({
      execution,
      clients,
      orderReconciler: this.orderReconciler,
      ownedAccounts: () => this.ownership.ownedAccounts(),
      logger,
      onError: this.errorLogger('order_submission.failed', 'Could not submit an order.'),
    });
  }

  /**
   * Returns an error handler that logs with the event name `event`. Errors of an exchange are warnings: an exchange
   * that is unavailable is not an internal error.
   */
  errorLogger(event: string, message: string): (error: unknown) => void {
    const { logger } = this.parts;
    return (error) => {
      if (error instanceof ExchangeError)
        logger.warn({ event, outcome: error.outcome, code: error.code }, message);
      else logger.error({ event, err: error }, message);
    };
  }

  /** Renews this worker's lease, and claims its share of the accounts. */
  async renewOwnership(): Promise<void> {
    await this.ownership.renewLease();
    await this.ownership.rebalance();
    await this.ownership.claim();
  }

  /** Submits an unsent trade, or notifies the worker that owns its account. */
  async requestSubmission(tradeId: string): Promise<void> {
    const { execution, platform } = this.parts;
    const trade = await execution.find(tradeId);
    if (trade === null || !trade.isOpen || trade.isSubmitted) return;
    if (this.ownership.ownedAccounts().has(trade.accountId)) this.orderSubmitter.wake([trade.accountId]);
    else await notifyAccountWork(platform.database.manager, [trade.accountId]);
  }

  /** Starts nothing any more and releases all accounts immediately; work in flight continues. */
  async releaseAccounts(): Promise<void> {
    this.orderSubmitter.halt();
    await this.ownership.release();
  }

  /** Waits until all work in flight is stored, then closes every connection. */
  async close(): Promise<void> {
    this.orderSubmitter.halt();
    await this.orderSubmitter.drain();
    await this.supervisors.stop();
    await this.orderUpdates.drain();
    await this.balanceSync.drain();
    await this.clients.close();
    await this.venues.close();
  }
}
