/**
 * The trading worker's changes to trades. This class writes state only; it never sends an order.
 *
 * 1. Before an order is sent, the worker that owns the account sets `submitted_at` and the venue client order id in a
 *    separate transaction. A worker that finds `submitted_at` set probes for the order instead of sending it.
 * 2. Each change locks the trades, decides by trade.rules.ts, and writes state, fills, lots and events together.
 * 3. A fill is identified by the exchange's fill id: a repeated report changes nothing.
 * 4. A probe that finds no order counts only if the order must have arrived by then, and only if `claimDueChecks`
 *    scheduled the probe. Several unscheduled probes within a second could all miss an order that the exchange shows a
 *    second later.
 * 5. A rejection applies only to the submission that `begunAt` identifies, because a stalled worker may report the
 *    rejection of an earlier submission.
 * 6. An order is resubmitted only under its first venue client order id, only until `resend_until`, and only if it is
 *    certainly not at the exchange. A user's own order has no `resend_until` and is never resubmitted.
 * 7. An order whose look-up proves nothing is decided by the exchange's lists of open orders and fills, once it can no
 *    longer arrive. It is never resubmitted.
 */
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { DatabaseUnavailable, inTransaction, queryPrepared } from '@trading-automation/persistence';
import { lockOwnerships, type Ownership } from '../exchange-accounts/index.js';
import type { Platform } from '../platform/index.js';
import { adoptOrders } from './adopt-orders.js';
import { type ClaimedSubmission, claimTrades } from './claim-submissions.js';
import { endDelistedTrade } from './end-delisted.js';
import { knownOrderIds, type ListingRequest, listingRequestOf } from './order-listing.queries.js';
import type { OrderListing } from './order-listing.rules.js';
import { type StoredListing, storeListing } from './store-order-listing.js';
import {
  applyTransition,
  lockOpenTrade,
  lockOpenTrades,
  lockTradesWithLotBooks,
  type OrderReport,
  PROBE_INTERVAL_MS,
  stateOf,
  storeReports,
  writeChanges,
} from './store-order-reports.js';
import {
  findInFlightOrders,
  type InFlightOrder,
  isCertainlyAbsent,
  storeCertainAbsence,
} from './takeover.queries.js';
import { isTerminal, stageOf, transitionOn } from './trade.rules.js';
import {
  cancelUnsent,
  changeAfterAbsence,
  changeOnAbsence,
  changeOnRejection,
  failTrade,
  keepOpen,
  markTradeUnknown,
  type OrderFailure,
} from './trade-changes.js';
import { claimDueChecks } from './trades.queries.js';
import { type TradeForExecution, tradesForExecution } from './trades-for-execution.queries.js';

/** A trade whose submission no worker has claimed. */
export interface UnsentTrade {
  readonly id: string;
  readonly accountId: string;
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly isExit: boolean;
}

export class TradeExecution {
  constructor(private readonly platform: Platform) {}

  /** Returns null if the trade does not exist. */
  async find(id: string): Promise<TradeForExecution | null> {
    const [trade] = await this.findMany([id]);
    return trade ?? null;
  }

  /** Returns the trades in any order, without those that do not exist. */
  async findMany(ids: readonly string[]): Promise<readonly TradeForExecution[]> {
    return tradesForExecution(this.platform.database.manager, ids);
  }

  /**
   * Claims open trades that are due for a check, for `leaseMs`: those of this process's accounts, and those of accounts
   * without a live owner.
   *
   * @param isAcknowledged whether to claim the trades whose order the exchange has acknowledged, or the others
   */
  async claimDueChecks(leaseMs: number, limit: number, isAcknowledged: boolean): Promise<readonly string[]> {
    const { database, instance: worker } = this.platform;
    return inTransaction(database, (tx) => claimDueChecks(tx, { worker, leaseMs, limit, isAcknowledged }));
  }

  /**
   * Makes the next check due in at most 2 s. Called if a claimed check could not be made; without this call, the next
   * check would be due when the lease expires.
   */
  async recheckSoon(id: string): Promise<void> {
    await this.platform.database.query(
      `UPDATE trades SET look_at = least(look_at, clock_timestamp() + $2 * interval '1 millisecond') WHERE id = $1`,
      [id, PROBE_INTERVAL_MS],
    );
  }

  /**
   * Returns at most `perAccount` unsent trades of each account, exits first, then the oldest. However many an account
   * has, it hides none of another account. Claims nothing.
   */
  async findUnsent(accountIds: readonly string[], perAccount: number): Promise<readonly UnsentTrade[]> {
    return queryPrepared<UnsentTrade & Record<string, unknown>>(
      this.platform.database.manager,
      `SELECT t.id, account_id AS "accountId", t.client_order_id AS "clientOrderId", t.symbol, t.is_exit AS "isExit"
       FROM unnest($1::uuid[]) AS account_id CROSS JOIN LATERAL (
         SELECT id, client_order_id, symbol, is_exit, created_at FROM trades
         WHERE exchange_account_id = account_id AND status = 'PENDING' AND submitted_at IS NULL
           AND (send_after IS NULL OR send_after <= clock_timestamp())
         ORDER BY is_exit DESC, created_at, id LIMIT $2) t
       ORDER BY t.is_exit DESC, t.created_at, t.id`,
      [accountIds, perAccount],
    );
  }

  /**
   * Claims the submission of orders of any accounts and returns the orders to send. It skips orders that are already
   * claimed, sent or ended, and orders of accounts that the caller no longer owns. It ends orders whose time limit has
   * passed.
   */
  async claimSubmissions(
    ownership: Ownership | readonly Ownership[],
    trades: readonly { readonly id: string; readonly venueClientOrderId: string }[],
  ): Promise<readonly ClaimedSubmission[]> {
    return inTransaction(this.platform.database, async (tx) => {
      const owned = await lockOwnerships(tx, [ownership].flat());
      if (owned.size === 0) return [];
      return claimTrades(tx, trades, owned);
    });
  }

  /**
   * Stores reports of orders and their fills in one transaction and returns the ids of the trades that changed.
   *
   * @throws the error of a report that cannot be stored, after all other reports are stored
   */
  async storeOrders(reports: readonly OrderReport[]): Promise<ReadonlySet<string>> {
    if (reports.length === 0) return new Set();
    try {
      return await inTransaction(this.platform.database, (tx) => storeReports(tx, reports));
    } catch (error) {
      if (reports.length === 1 || error instanceof DatabaseUnavailable) throw error;
      return this.storeBisected(reports);
    }
  }

  /** Stores each half of the reports separately, so that a report that cannot be stored does not affect the others. */
  private async storeBisected(reports: readonly OrderReport[]): Promise<ReadonlySet<string>> {
    const middle = Math.floor(reports.length / 2);
    const changed = new Set<string>();
    const failures: unknown[] = [];
    for (const half of [reports.slice(0, middle), reports.slice(middle)]) {
      try {
        for (const id of await this.storeOrders(half)) changed.add(id);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return changed;
  }

  /** Stores the report of one order as {@link storeOrders} does. Returns true if the trade changed. */
  async storeOrder(id: string, order: VenueOrder, fills: readonly VenueFill[]): Promise<boolean> {
    const changed = await this.storeOrders([{ tradeId: id, order, fills }]);
    return changed.has(id);
  }

  /**
   * Stores an account's orders and fills from any source and returns the ids of the trades that changed. External
   * orders become trades of origin EXTERNAL; fills of our own orders are added to our trades. It skips fills of orders
   * that are neither passed nor known, and orders of pairs that the product does not know.
   */
  async adopt(
    accountId: string,
    orders: readonly VenueOrder[],
    fills: readonly VenueFill[],
  ): Promise<readonly string[]> {
    return inTransaction(this.platform.database, (tx) =>
      adoptOrders(tx, { accountId, orders, fills, isReconciliation: false }),
    );
  }

  /** Fails a trade whose order cannot be sent. Does nothing if a worker has already claimed the submission. */
  async failUnsent(id: string, failure: OrderFailure): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      const locked = await lockOpenTrade(tx, id);
      if (locked === null || stageOf(stateOf(locked.trade)) !== 'UNSENT') return;
      await writeChanges(tx, [failTrade(locked.trade, 'UNSENDABLE', failure)]);
    });
  }

  /**
   * Stores that the exchange rejected an order and never accepted it. If the failure is retryable, the trade returns to
   * UNSENT, or ends as EXPIRED once its time limit has passed. Otherwise it fails.
   *
   * @param begunAt the submission that was rejected; the call has no effect if it is no longer the current one
   */
  async storeRejection(id: string, failure: OrderFailure, begunAt?: Date): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      const locked = await lockOpenTrade(tx, id);
      if (locked === null || !['UNSENT', 'SENT'].includes(stageOf(stateOf(locked.trade)))) return;
      if (begunAt !== undefined && locked.trade.submittedAt?.getTime() !== begunAt.getTime()) return;
      await writeChanges(tx, [changeOnRejection(locked, failure)]);
    });
  }

  /** Marks trades whose submission has an unknown result. Later checks probe the exchange for their orders. */
  async markUnknown(ids: string | readonly string[]): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      const locked = await lockOpenTrades(tx, [ids].flat());
      const unknown = locked.filter(({ trade }) => stageOf(stateOf(trade)) === 'SENT');
      const changes = unknown.map(({ trade }) => keepOpen(trade, 'NO_ACK', markTradeUnknown(trade)));
      await writeChanges(tx, changes);
    });
  }

  /**
   * Stores that a due probe found no order. Returns true if this ended the trade.
   *
   * @param begunAtMs the value of `performance.now()` when the probe began. A probe that began when the submission of a
   *   copy could no longer arrive is the last one; otherwise, the probes are counted.
   */
  async storeAbsence(id: string, begunAtMs = Number.NEGATIVE_INFINITY): Promise<boolean> {
    return inTransaction(this.platform.database, async (tx) => {
      const [locked] = await lockTradesWithLotBooks(tx, [id]);
      if (locked === undefined) return false;
      const { trade, isInFlight } = locked;
      if (isTerminal(trade.status) || trade.submittedAt === null) return false;
      // Without an id at the exchange, the order could not be probed.
      if (trade.venueClientOrderId === null && trade.exchangeOrderId === null) return false;
      // The submission is still in flight, so the order may arrive later.
      if (isInFlight) {
        await writeChanges(tx, [keepOpen(trade, 'NOT_FOUND', false)]);
        return false;
      }
      trade.probes += 1;
      // Measured after the lock was acquired, so that a wait for it does not make the probe look more recent.
      const change = isCertainlyAbsent(locked, performance.now() - begunAtMs)
        ? changeOnAbsence(locked, 0)
        : changeAfterAbsence(locked);
      await writeChanges(tx, [change]);
      return isTerminal(trade.status);
    });
  }

  /**
   * Ends a trade whose pair the exchange no longer lists. Does nothing if the pair was delisted less than an hour ago, or
   * if the submission is still in flight. Call it only if neither the exchange's open orders nor a look-up shows the order.
   */
  async endDelisted(id: string): Promise<void> {
    await inTransaction(this.platform.database, (tx) => endDelistedTrade(tx, id));
  }

  /**
   * Returns how to read the exchange's lists for an order whose look-up proves nothing. Returns null if the trade has
   * ended, or as long as its order may still arrive.
   */
  async listingRequestOf(id: string): Promise<ListingRequest | null> {
    return listingRequestOf(this.platform.database.manager, id);
  }

  /** Returns those of the exchange order ids that belong to other trades of the same exchange account. */
  async knownOrderIds(
    request: ListingRequest,
    exchangeOrderIds: readonly string[],
  ): Promise<ReadonlySet<string>> {
    return knownOrderIds(this.platform.database.manager, request, exchangeOrderIds);
  }

  /**
   * Stores what the lists show. If two consecutive readings show neither the order nor a fill of it, the trade ends and
   * its order is not sent again. An order or fills that are found have to be stored by the caller.
   */
  async storeListing(
    request: ListingRequest,
    listing: OrderListing<VenueOrder, VenueFill>,
  ): Promise<StoredListing> {
    return inTransaction(this.platform.database, (tx) => storeListing(tx, request, listing));
  }

  /** Returns the orders of these accounts that were sent and that the exchange has not confirmed. */
  async findInFlightOrders(accountIds: readonly string[]): Promise<readonly InFlightOrder[]> {
    return findInFlightOrders(this.platform.database.manager, accountIds);
  }

  /**
   * Stores that the exchange does not know a copy, and that its submission can no longer arrive. The copy is sent again
   * at once, or ends if its signal is too old. Has no effect if the submission `begunAt` is not certain to have ended.
   */
  async storeCertainAbsence(id: string, begunAt: Date): Promise<void> {
    await inTransaction(this.platform.database, (tx) => storeCertainAbsence(tx, id, begunAt));
  }

  /**
   * Requests the cancellation of an order and returns the next step: `done` if the trade has ended, `wait` if the order
   * is in flight, `send` if the exchange must cancel it. The request is stored, so a later check that finds the order
   * open cancels it, even if the caller no longer waits.
   */
  async requestCancellation(id: string): Promise<'done' | 'wait' | 'send'> {
    return inTransaction(this.platform.database, async (tx) => {
      const locked = await lockOpenTrade(tx, id);
      if (locked === null) return 'done';
      const { trade } = locked;
      if (trade.submittedAt === null) {
        await cancelUnsent(tx, [trade]);
        return 'done';
      }
      const isAtVenue = trade.acknowledgedAt !== null;
      if (trade.subStatus !== 'PENDING_CANCEL') {
        trade.subStatus = 'PENDING_CANCEL';
        const change = applyTransition(trade, transitionOn(stateOf(trade), 'CANCEL_REQUESTED'));
        const nextCheckInMs = isAtVenue ? PROBE_INTERVAL_MS : undefined;
        await writeChanges(tx, [{ ...change, isChanged: true, nextCheckInMs }]);
      }
      return isAtVenue ? 'send' : 'wait';
    });
  }
}
