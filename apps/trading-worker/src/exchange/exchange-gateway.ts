import type { AccountOwnership } from '@trading-automation/core/exchange-accounts';
import type { Logger } from '@trading-automation/runtime';
import { errorLogger } from '../error-logger.js';
import type { AccountSupervisors } from '../streams/account-supervisors.js';
import type { OrderSubmitter } from '../submission/order-submitter.js';
import type { AccountOrders } from './account-orders.js';
import type { BalanceSync } from './balance-sync.js';
import { CredentialsTester } from './credentials-tester.js';
import type { ExchangeAccounts } from './exchange-accounts.js';
import type { OrderReconciler } from './order-reconciler.js';
import type { Venues } from './venues.js';

/** Gives access to every component that calls exchanges, and to the accounts that this worker owns. */
export class ExchangeGateway {
  readonly venues: Venues;
  readonly ownership: AccountOwnership;
  readonly balanceSync: BalanceSync;
  readonly orderReconciler: OrderReconciler;
  readonly credentials: CredentialsTester;
  readonly orderSubmitter: OrderSubmitter;

  constructor(
    readonly accounts: ExchangeAccounts,
    readonly orders: AccountOrders,
    readonly supervisors: AccountSupervisors,
    private readonly logger: Logger,
  ) {
    this.venues = accounts.venues;
    this.ownership = accounts.ownership;
    this.balanceSync = accounts.balanceSync;
    this.orderReconciler = orders.reconciler;
    this.orderSubmitter = orders.submitter;
    this.credentials = new CredentialsTester(accounts.venues);
  }

  /** Returns an error handler that uses the worker's logger. See the function `errorLogger`. */
  errorLogger(event: string, message: string): (error: unknown) => void {
    return errorLogger(event, message, this.logger);
  }

  /** Renews this worker's lease, and claims its share of the accounts. Returns what `claimAccounts` returns. */
  async renewOwnership(): Promise<boolean> {
    await this.ownership.renewLease();
    await this.ownership.rebalance();
    return this.claimAccounts();
  }

  /**
   * Claims this worker's share of the accounts, and judges the orders of their former owners.
   *
   * @returns whether another worker may have ended, so that its accounts can be claimed soon
   */
  async claimAccounts(): Promise<boolean> {
    const mayFollow = await this.ownership.endLostLeases();
    await this.ownership.claim();
    await this.orders.setAccounts(this.ownership.ownedAccounts());
    return mayFollow;
  }

  /** Submits an unsent trade if this worker owns its account; otherwise notifies the worker that owns it. */
  requestSubmission(tradeId: string): Promise<void> {
    return this.orders.requestSubmission(tradeId);
  }

  /** Stops submitting orders and releases all accounts immediately. Work in flight continues. */
  async releaseAccounts(): Promise<void> {
    this.orderSubmitter.halt();
    await this.ownership.release();
  }

  /** Waits until all work in flight is stored, then closes every connection. */
  async close(): Promise<void> {
    this.orderSubmitter.halt();
    await this.orders.stopTakeovers();
    await this.orderSubmitter.drain();
    await this.supervisors.stop();
    await this.orders.updates.drain();
    await this.accounts.close();
  }
}
