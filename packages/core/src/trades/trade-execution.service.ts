/**
 * What the trading worker does to trades. It never sends anything itself.
 *
 * 1. `submitted_at` is set, with the exchange's client order id, in a transaction of its own before the order is sent,
 *    by the worker that owns the account and by no other. Whoever finds it set looks for the order at the exchange.
 * 2. Each change locks the trades, decides by trade.rules.ts, and writes state, fills, lots and events together.
 * 3. A fill is known by the exchange's id for it: told again, it changes nothing.
 * 4. That the exchange does not know an order counts only once the order must have arrived, and only from looks that
 *    `claimDueChecks` spaced out: asked in quick succession, an exchange says five times what it would take back a second later.
 * 5. What becomes of a sending counts for that one alone: whoever stood still meanwhile may tell of an older one.
 * 6. An order is sent again only under the id that it had, only while its time lasts (`resend_until`; a user's own
 *    order has none), and only where it certainly is not at the exchange.
 */
import { canonicalDecimal, type Decimal } from '@trading-automation/contracts';
import type { OrderRequest, VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { DatabaseUnavailable, inTransaction, queryPrepared, type Tx } from '@trading-automation/persistence';
import { In } from 'typeorm';
import { lockOwnerships, type Ownership } from '../exchange-accounts/index.js';
import type { Platform } from '../platform/index.js';
import { adoptOrders } from './adopt-orders.js';
import { leaderEquities } from './leader-equity.queries.js';
import {
  ACK_TIMEOUT_MS,
  applyTransition,
  lockOpenTrade,
  lockOpenTrades,
  lockTradesWithLotBooks,
  type OrderReport,
  PROBE_INTERVAL_MS,
  stateOf,
  storeReports,
  type TradeChange,
  writeChanges,
} from './store-order-reports.js';
import { TradeEntity } from './trade.entity.js';
import { isTerminal, stageOf, transitionOn, triggerAfterProbes } from './trade.rules.js';
import { claimDueChecks, type LockedTrade } from './trades.queries.js';

/** How long a refused order waits before it may be sent again. */
const RESEND_AFTER_MS = 1_000;

/** What the worker has to know of a trade to act on it. */
export interface TradeForExecution {
  readonly id: string;
  readonly accountId: string;
  readonly symbol: string;
  readonly clientOrderId: string;
  /** Whether the product placed its order. */
  readonly isOurs: boolean;
  readonly venueClientOrderId: string | null;
  readonly exchangeOrderId: string | null;
  readonly isSubmitted: boolean;
  readonly isAcknowledged: boolean;
  readonly isCancelRequested: boolean;
  readonly isOpen: boolean;
  readonly filledAmount: Decimal;
}

/** A trade that nobody has begun to send. */
export interface UnsentTrade {
  readonly id: string;
  readonly accountId: string;
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly isExit: boolean;
}

/** A trade that is to be sent now, by whoever was given this and by nobody else. */
export interface ClaimedSubmission {
  readonly id: string;
  readonly order: OrderRequest;
  /** By which this sending is told from a later one. */
  readonly begunAt: Date;
}

export interface OrderFailure {
  readonly code: string;
  /** Our own words. */
  readonly message: string;
  /** Whether the same may work later: it certainly had no effect now. */
  readonly isRetryable?: boolean;
}

export class TradeExecution {
  constructor(private readonly platform: Platform) {}

  async find(id: string): Promise<TradeForExecution | null> {
    const trade = await this.platform.database.manager.findOneBy(TradeEntity, { id });
    return trade === null ? null : toTradeForExecution(trade);
  }

  async findMany(ids: readonly string[]): Promise<readonly TradeForExecution[]> {
    const trades = await this.platform.database.manager.findBy(TradeEntity, { id: In([...ids]) });
    return trades.map(toTradeForExecution);
  }

  /** Open trades to look at, each given to one worker for `leaseMs`. */
  async claimDueChecks(leaseMs: number, limit: number): Promise<readonly string[]> {
    return inTransaction(this.platform.database, (tx) => claimDueChecks(tx, leaseMs, limit));
  }

  /** Gives a look back that could not be made: the next one comes soon, and not only when the lease is over. */
  async recheckSoon(id: string): Promise<void> {
    await this.platform.database.query(
      `UPDATE trades SET look_at = least(look_at, clock_timestamp() + $2 * interval '1 millisecond') WHERE id = $1`,
      [id, PROBE_INTERVAL_MS],
    );
  }

  /** Trades of these accounts that wait to be sent: exits first, then the oldest. They are given to nobody by this. */
  async findUnsent(accountIds: readonly string[], limit: number): Promise<readonly UnsentTrade[]> {
    return queryPrepared<UnsentTrade & Record<string, unknown>>(
      this.platform.database.manager,
      `SELECT id, exchange_account_id AS "accountId", client_order_id AS "clientOrderId", symbol, is_exit AS "isExit"
       FROM trades
       WHERE exchange_account_id = ANY ($1) AND status = 'PENDING' AND submitted_at IS NULL
         AND (send_after IS NULL OR send_after <= clock_timestamp())
       ORDER BY is_exit DESC, created_at, id LIMIT $2`,
      [accountIds, limit],
    );
  }

  /**
   * The orders to send, of any accounts. Left out is what was or is being sent by somebody, what is not to be sent any
   * more, and all of accounts that are no longer the caller's. What waited longer than it may ends here.
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
   * What the exchange told of orders and their fills, in one transaction. Answers with the ids of the trades that it
   * changed. A report that can't be stored holds back no other: those are stored without it, and then its error is
   * thrown.
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

  /** As {@link storeOrders}, of one. True where that changed the trade. */
  async storeOrder(id: string, order: VenueOrder, fills: readonly VenueFill[]): Promise<boolean> {
    const changed = await this.storeOrders([{ tradeId: id, order, fills }]);
    return changed.has(id);
  }

  /**
   * Orders and fills of an account, whoever placed them. Those that the product did not place become trades of origin
   * EXTERNAL; a fill whose order is a trade of ours goes to that. Answers with the ids of the trades that it changed.
   * Left out are fills of orders that are neither given nor known, and pairs that the product does not know.
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

  /** The order can't be sent, and nobody has begun to: where somebody has, what becomes of it counts, not this. */
  async failUnsent(id: string, failure: OrderFailure): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      const locked = await lockOpenTrade(tx, id);
      if (locked === null || stageOf(stateOf(locked.trade)) !== 'UNSENT') return;
      await writeChanges(tx, [failed(locked.trade, 'UNSENDABLE', failure)]);
    });
  }

  /**
   * The exchange refused the order that the caller sent: it was never accepted. Where the same may work later, and the
   * order's time lasts, it is sent again.
   *
   * @param begunAt - of the sending that was refused: where it is another's by now, that one is on its way, and this
   *   says nothing of it
   */
  async storeRejection(id: string, failure: OrderFailure, begunAt?: Date): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      const locked = await lockOpenTrade(tx, id);
      if (locked === null || !['UNSENT', 'SENT'].includes(stageOf(stateOf(locked.trade)))) return;
      if (begunAt !== undefined && locked.trade.submittedAt?.getTime() !== begunAt.getTime()) return;
      const isPutBack = failure.isRetryable === true && canBeSentAgain(locked);
      const change = isPutBack
        ? requeue(locked.trade, 'REJECTED_RETRYABLE')
        : failed(locked.trade, 'REFUSED', failure);
      await writeChanges(tx, [change]);
    });
  }

  /** Nobody knows what became of the orders: the exchange is asked until it tells. */
  async markUnknown(ids: string | readonly string[]): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      const locked = await lockOpenTrades(tx, [ids].flat());
      const unknown = locked.filter(({ trade }) => stageOf(stateOf(trade)) === 'SENT');
      const changes = unknown.map(({ trade }) => pending(trade, 'NO_ACK', becomeUnknown(trade)));
      await writeChanges(tx, changes);
    });
  }

  /** A due look found that the exchange has no such order. True where the trade ended by it. */
  async storeAbsence(id: string): Promise<boolean> {
    return inTransaction(this.platform.database, async (tx) => {
      const [locked] = await lockTradesWithLotBooks(tx, [id]);
      if (locked === undefined) return false;
      const { trade, isInFlight } = locked;
      if (isTerminal(trade.status) || trade.submittedAt === null) return false;
      // What has no name at the exchange can't have been looked for by it.
      if (trade.venueClientOrderId === null && trade.exchangeOrderId === null) return false;
      // Its answer can still be expected, so that its absence says nothing yet.
      if (isInFlight) {
        await writeChanges(tx, [pending(trade, 'NOT_FOUND', false)]);
        return false;
      }
      trade.probes += 1;
      const change = absent(locked);
      await writeChanges(tx, [change]);
      return isTerminal(trade.status);
    });
  }

  /**
   * What there is to cancel: `done` where the trade ended here and now or before, `wait` where the order is on its
   * way, `send` where the exchange has to be told. The wish is kept: a look that finds the order open cancels it, even
   * when nobody waits for that any more.
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
        const lookInMs = isAtVenue ? PROBE_INTERVAL_MS : undefined;
        await writeChanges(tx, [{ ...change, isChanged: true, nextCheckInMs: lookInMs }]);
      }
      return isAtVenue ? 'send' : 'wait';
    });
  }
}

async function claimTrades(
  tx: Tx,
  wanted: readonly { readonly id: string; readonly venueClientOrderId: string }[],
  accountIds: ReadonlySet<string>,
): Promise<ClaimedSubmission[]> {
  const venueIds = new Map(wanted.map(({ id, venueClientOrderId }) => [id, venueClientOrderId]));
  const locked = await lockOpenTrades(tx, [...venueIds.keys()]);
  const unsent = locked.filter(
    ({ trade }) => stageOf(stateOf(trade)) === 'UNSENT' && accountIds.has(trade.exchangeAccountId),
  );
  const expired = unsent.filter(({ hasExpired }) => hasExpired);
  const fresh = unsent.filter(({ hasExpired }) => !hasExpired);
  const equities = await leaderEquities(tx, fresh);
  const changes: TradeChange[] = expired.map(({ trade }) => ({
    ...applyTransition(trade, transitionOn(stateOf(trade), 'EXPIRED')),
    isChanged: true,
  }));
  for (const { trade } of fresh) {
    const change = applyTransition(trade, transitionOn(stateOf(trade), 'SUBMISSION_CLAIMED'));
    trade.subStatus = 'SUBMITTING';
    // An order that is sent again goes under the id that it had.
    trade.venueClientOrderId ??= venueIds.get(trade.id)!;
    trade.leaderEquity = equities.get(trade.id) ?? trade.leaderEquity;
    changes.push({ ...change, submission: 'begun', nextCheckInMs: ACK_TIMEOUT_MS, isChanged: true });
  }
  const written = await writeChanges(tx, changes);
  const begun = new Set(fresh.map(({ trade }) => trade.id));
  return wanted.flatMap(({ id }) => {
    const trade = written.get(id);
    return trade === undefined || !begun.has(id)
      ? []
      : [{ id, order: orderOf(trade), begunAt: trade.submittedAt! }];
  });
}

function orderOf(trade: TradeEntity): OrderRequest {
  return {
    symbol: trade.symbol,
    venueClientOrderId: trade.venueClientOrderId!,
    type: trade.type,
    side: trade.side,
    timeInForce: trade.timeInForce,
    amount: canonicalDecimal(trade.amount),
    price: trade.price === null ? undefined : canonicalDecimal(trade.price),
    stopPrice: trade.stopPrice === null ? undefined : canonicalDecimal(trade.stopPrice),
    reduceOnly: trade.reduceOnly,
    isExit: trade.isExit,
  };
}

/** Ends locked trades that nobody has begun to send: nobody will. */
export async function cancelUnsent(tx: Tx, trades: readonly TradeEntity[]): Promise<void> {
  const changes = trades.map((trade) => ({
    ...applyTransition(trade, transitionOn(stateOf(trade), 'CANCEL_REQUESTED')),
    isChanged: true,
  }));
  await writeChanges(tx, changes);
}

function failed(
  trade: TradeEntity,
  fact: 'UNSENDABLE' | 'REFUSED' | 'ABSENT',
  failure: OrderFailure,
): TradeChange {
  trade.failureCode = failure.code;
  trade.failureMessage = failure.message;
  return { ...applyTransition(trade, transitionOn(stateOf(trade), fact)), isChanged: true };
}

/** To be sent again, under the same id. */
function requeue(
  trade: TradeEntity,
  fact: 'REJECTED_RETRYABLE' | 'CONFIRMED_ABSENT_RESENDABLE',
): TradeChange {
  const change = applyTransition(trade, transitionOn(stateOf(trade), fact));
  trade.subStatus = null;
  trade.probes = 0;
  return { ...change, submission: 'undone', nextCheckInMs: RESEND_AFTER_MS, isChanged: true };
}

/** Still open, to be looked at again. */
function pending(trade: TradeEntity, fact: 'NO_ACK' | 'NOT_FOUND', isChanged: boolean): TradeChange {
  return {
    ...applyTransition(trade, transitionOn(stateOf(trade), fact)),
    isChanged,
    nextCheckInMs: PROBE_INTERVAL_MS,
  };
}

function absent(locked: LockedTrade): TradeChange {
  const { trade } = locked;
  const fact = triggerAfterProbes(trade.probes, canBeSentAgain(locked));
  if (fact === 'NOT_FOUND') return pending(trade, fact, becomeUnknown(trade));
  const stage = stageOf(stateOf(trade));
  if (stage !== 'SENT')
    return { ...applyTransition(trade, transitionOn(stateOf(trade), fact)), isChanged: true };
  if (fact === 'CONFIRMED_ABSENT_RESENDABLE') return requeue(trade, fact);
  return failed(trade, fact, {
    code: 'not_accepted',
    message: 'The exchange does not know the order: it never arrived, and is not sent again.',
  });
}

const canBeSentAgain = ({ trade, mayResend }: LockedTrade) =>
  mayResend && trade.subStatus !== 'PENDING_CANCEL';

/** True where readers see it: a wish to cancel outweighs it. */
function becomeUnknown(trade: TradeEntity): boolean {
  if (trade.subStatus === 'PENDING_CANCEL' || trade.subStatus === 'UNKNOWN') return false;
  trade.subStatus = 'UNKNOWN';
  return true;
}

function toTradeForExecution(trade: TradeEntity): TradeForExecution {
  return {
    id: trade.id,
    accountId: trade.exchangeAccountId,
    symbol: trade.symbol,
    clientOrderId: trade.clientOrderId,
    isOurs: trade.origin !== 'EXTERNAL',
    venueClientOrderId: trade.venueClientOrderId,
    exchangeOrderId: trade.exchangeOrderId,
    isSubmitted: trade.submittedAt !== null,
    isAcknowledged: trade.acknowledgedAt !== null,
    isCancelRequested: trade.subStatus === 'PENDING_CANCEL',
    isOpen: !isTerminal(trade.status),
    filledAmount: canonicalDecimal(trade.filledAmount),
  };
}
