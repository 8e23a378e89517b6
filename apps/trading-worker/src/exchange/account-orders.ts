import type { OwnedAccount } from '@trading-automation/core/exchange-accounts';
import type { TradeExecution } from '@trading-automation/core/trades';
import type { Logger } from '@trading-automation/runtime';
import { errorLogger } from '../error-logger.js';
import { StreamWait } from '../ownership/stream-wait.js';
import { Takeover } from '../ownership/takeover.js';
import type { AwaitedTakeover } from '../streams/account-supervisor.js';
import { OrderUpdateWriter } from '../streams/order-update-writer.js';
import { OrderSubmitter } from '../submission/order-submitter.js';
import type { ExchangeAccounts } from './exchange-accounts.js';
import { OrderFills } from './order-fills.js';
import { OrderListings } from './order-listings.js';
import { OrderReconciler } from './order-reconciler.js';
import { RestingOrderChecker } from './resting-order-checker.js';
import { TradeOrders } from './trade-orders.js';

/**
 * Creates the components for the orders of exchange accounts: they submit orders, store order reports and check the
 * state of orders.
 */
export class AccountOrders implements AwaitedTakeover {
  readonly updates: OrderUpdateWriter;
  readonly resting: RestingOrderChecker;
  readonly submitter: OrderSubmitter;
  readonly reconciler: OrderReconciler;
  readonly takeover: Takeover;
  private readonly streamWait: StreamWait;

  constructor(
    private readonly execution: TradeExecution,
    private readonly accounts: ExchangeAccounts,
    logger: Logger,
    /** How long new orders of an account that was taken over wait for its stream. */
    streamWaitMs: number,
  ) {
    const { clients, streams, balanceSync } = accounts;
    const fills = new OrderFills(streams, logger);
    this.resting = new RestingOrderChecker(execution, clients, (accountId) => streams.isLive(accountId));
    this.updates = new OrderUpdateWriter(execution, fills, balanceSync, this.resting);
    const listings = new OrderListings(execution, clients, this.updates, logger);
    const orders = new TradeOrders(clients, this.updates, listings);
    const wake = (accountId: string) => this.submitter.wake([accountId]);
    this.takeover = new Takeover(
      execution,
      orders,
      wake,
      errorLogger('takeover.failed', 'Could not judge the orders of a former owner.', logger),
    );
    this.streamWait = new StreamWait({
      waitMs: streamWaitMs,
      hasStream: (accountId) => streams.isWorking(accountId),
      onEnd: wake,
    });
    this.submitter = new OrderSubmitter(execution, accounts, this.updates, (account, isExit) =>
      this.maySend(account, isExit),
    );
    this.reconciler = new OrderReconciler(execution, orders, wake, logger);
  }

  /** Judges the accounts that this worker took over since the last call; see `Takeover.setAccounts`. */
  async setAccounts(owned: ReadonlyMap<string, OwnedAccount>): Promise<void> {
    this.streamWait.setAccounts(owned);
    await this.takeover.setAccounts(owned);
  }

  /** Whether a new order of the account may be sent. */
  maySend(account: OwnedAccount, isExit: boolean): boolean {
    if (this.streamWait.isWaiting(account.accountId)) return false;
    return isExit || this.takeover.mayEnter(account);
  }

  untilLookedUp(accountId: string): Promise<void> {
    return this.takeover.untilLookedUp(accountId);
  }

  onStreamWorks(accountId: string): void {
    this.streamWait.onStreamWorks(accountId);
  }

  /** Stops judging accounts; see `Takeover.stop`. */
  async stopTakeovers(): Promise<void> {
    this.streamWait.stop();
    await this.takeover.stop();
  }

  /** Submits an unsent trade if this worker owns its account; otherwise notifies the worker that owns it. */
  async requestSubmission(tradeId: string): Promise<void> {
    const trade = await this.execution.find(tradeId);
    if (trade === null || !trade.isOpen || trade.isSubmitted) return;
    if (this.accounts.owned().has(trade.accountId)) this.submitter.wake([trade.accountId]);
    else await this.accounts.notifyOwner(trade.accountId);
  }

  /** Claims trades that are due for a check and that the exchange has not acknowledged. Returns their ids. */
  claimUnanswered(leaseMs: number, limit: number): Promise<readonly string[]> {
    return this.execution.claimDueChecks(leaseMs, limit, false);
  }

  /**
   * Claims acknowledged trades that are due for a check, and checks resting orders in bulk. Returns the ids of the trades
   * that still need to be checked one by one.
   */
  async claimChecks(
    leaseMs: number,
    limit: number,
    onError: (error: unknown) => void,
  ): Promise<readonly string[]> {
    const due = await this.execution.claimDueChecks(leaseMs, limit, true);
    return this.resting.filterChanged(due, onError);
  }
}
