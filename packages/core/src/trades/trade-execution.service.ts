/**
 * What the trading worker does to trades. It never sends anything itself.
 *
 * 1. `submitted_at` is set once, with the exchange's client order id, in a transaction of its own before the order
 *    is sent. Whoever finds it set looks for the order at the exchange; nobody sends it again.
 * 2. Each change locks the trade, decides by trade.rules.ts, and writes state, fills and event together.
 * 3. A fill is known by the exchange's id for it: told again, it changes nothing.
 * 4. That the exchange does not know an order counts only once the order must have arrived, and only from looks that
 *    `takeDue` spaced out: asked in quick succession, an exchange says five times what it would take back a second later.
 */
import {
  type CancelReason,
  canonicalDecimal,
  type Decimal,
  type EventType,
  type TradeSide,
  type TradeType,
  trade as tradeSchema,
} from '@trading-automation/contracts';
import type { OrderRequest, VenueFill, VenueOrder } from '@trading-automation/exchanges';
import { inTransaction, type Tx } from '@trading-automation/persistence';
import { In } from 'typeorm';
import { announce } from '../announce.js';
import { Exact } from '../decimal-arithmetic.js';
import type { Platform } from '../platform.js';
import { FillEntity } from './fill.entity.js';
import { TradeEntity } from './trade.entity.js';
import { decide, decideAbsent, isTerminal, sumFees, type TradeState } from './trade.rules.js';
import { viewTrade } from './trade.view.js';
import {
  insertFills,
  type TradeChanges,
  takeDueLooks,
  updateTrade,
  wasSubmittedWithin,
} from './trades.queries.js';

/** How long an order may be on its way before the exchange is asked for it. */
const ANSWER_EXPECTED_MS = 5_000;
const PROBE_EVERY_MS = 2_000;
const OPEN_LOOK_MIN_MS = 500;
const OPEN_LOOK_MAX_MS = 15_000;
/** A resting order is looked at the less often the longer it rests: every twentieth of its age. */
const OPEN_LOOK_SHARE = 20;

/** What the worker has to know of a trade to act on it. */
export interface TradeToWork {
  readonly id: string;
  readonly accountId: string;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly venueClientOrderId: string | null;
  readonly isSubmitted: boolean;
  readonly isAcknowledged: boolean;
  readonly isCancelAsked: boolean;
  readonly isOpen: boolean;
  readonly filledAmount: Decimal;
}

export interface Failure {
  readonly code: string;
  /** Our own words. */
  readonly message: string;
}

export class TradeExecution {
  constructor(private readonly platform: Platform) {}

  async find(id: string): Promise<TradeToWork | null> {
    const trade = await this.platform.database.manager.findOneBy(TradeEntity, { id });
    return trade === null ? null : toWork(trade);
  }

  async findMany(ids: readonly string[]): Promise<readonly TradeToWork[]> {
    const trades = await this.platform.database.manager.findBy(TradeEntity, { id: In([...ids]) });
    return trades.map(toWork);
  }

  /** Open trades to look at, each given to one worker for `leaseMs`. */
  async takeDue(leaseMs: number, limit: number): Promise<readonly string[]> {
    return inTransaction(this.platform.database, (tx) => takeDueLooks(tx, leaseMs, limit));
  }

  /** Gives a look back that could not be made: the next one comes soon, and not only when the lease is over. */
  async lookAgainSoon(id: string): Promise<void> {
    await this.platform.database.query(
      `UPDATE trades SET look_at = least(look_at, clock_timestamp() + $2 * interval '1 millisecond') WHERE id = $1`,
      [id, PROBE_EVERY_MS],
    );
  }

  /** The order to send, or null where it was or is being sent by somebody, or is not to be sent any more. */
  async beginSubmission(id: string, venueClientOrderId: string): Promise<OrderRequest | null> {
    return inTransaction(this.platform.database, async (tx) => {
      const trade = await lock(tx, id);
      if (trade === null || trade.status !== 'PENDING' || trade.submittedAt !== null) return null;
      trade.subStatus = 'SUBMITTING';
      trade.venueClientOrderId = venueClientOrderId;
      await updateTrade(tx, trade, { submittedNow: true, lookInMs: ANSWER_EXPECTED_MS });
      return {
        symbol: trade.symbol,
        venueClientOrderId,
        type: trade.type as TradeType,
        side: trade.side as TradeSide,
        timeInForce: trade.timeInForce,
        amount: new Exact(trade.amount).toString(),
        price: trade.price === null ? undefined : new Exact(trade.price).toString(),
        stopPrice: trade.stopPrice === null ? undefined : new Exact(trade.stopPrice).toString(),
        reduceOnly: trade.reduceOnly,
      };
    });
  }

  /** The exchange told of the order and its fills. True where that changed the trade. */
  async storeOrder(id: string, order: VenueOrder, fills: readonly VenueFill[]): Promise<boolean> {
    return inTransaction(this.platform.database, async (tx) => {
      const trade = await lock(tx, id);
      if (trade === null) return false;
      const isFirst = trade.acknowledgedAt === null;
      await insertFills(tx, trade, fills);
      const known = await tx.findBy(FillEntity, { tradeId: id });
      const decision = decide(stateOf(trade), {
        orderStatus: order.status,
        orderFilledAmount: order.filledAmount,
        knownFilledAmount: sum(known.map(({ amount }) => amount)),
      });
      const hasGrown = !new Exact(decision.filledAmount).eq(trade.filledAmount);
      if (hasGrown) {
        trade.filledAmount = decision.filledAmount;
        trade.cost = sum(known.map(({ price, amount }) => new Exact(price).times(amount).toString()));
        trade.fees = sumFees(
          known.map(({ feeAmount, feeCurrency }) => ({ amount: feeAmount, currency: feeCurrency })),
        );
      }
      const isChanged =
        isFirst || hasGrown || decision.status !== trade.status || trade.subStatus === 'UNKNOWN';
      trade.exchangeOrderId = order.exchangeOrderId;
      trade.probes = 0;
      if (!isTerminal(trade.status))
        trade.subStatus = trade.subStatus === 'PENDING_CANCEL' ? 'PENDING_CANCEL' : 'ACCEPTED';
      if (decision.event === 'trade.failed') {
        trade.failureCode = 'refused';
        trade.failureMessage = 'The exchange refused the order.';
      }
      await conclude(tx, trade, decision.status, decision.cancelReason, {
        acknowledgedNow: isFirst,
        lookInMs: openLookMs(trade),
        isChanged,
      });
      if (decision.event !== null) await tell(tx, trade.id, decision.event);
      return isChanged;
    });
  }

  /** The order can't be sent, and nobody has begun to: where somebody has, what becomes of it counts, not this. */
  async refuseUnsent(id: string, failure: Failure): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      const trade = await lock(tx, id);
      if (trade === null || trade.status !== 'PENDING' || trade.submittedAt !== null) return;
      await this.fail(tx, trade, failure);
    });
  }

  /** The exchange refused the order that the caller sent: it was never accepted. */
  async storeRefusal(id: string, failure: Failure): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      const trade = await lock(tx, id);
      if (trade === null || trade.status !== 'PENDING' || trade.acknowledgedAt !== null) return;
      await this.fail(tx, trade, failure);
    });
  }

  /** Nobody knows what became of the order: the exchange is asked until it tells. */
  async storeUnknown(id: string): Promise<void> {
    await inTransaction(this.platform.database, async (tx) => {
      const trade = await lock(tx, id);
      if (trade === null || isTerminal(trade.status) || trade.acknowledgedAt !== null) return;
      const isChanged = becomeUnknown(trade);
      await updateTrade(tx, trade, { lookInMs: PROBE_EVERY_MS, isChanged });
    });
  }

  /** A due look found that the exchange has no such order. True where the trade ended by it. */
  async storeAbsence(id: string): Promise<boolean> {
    return inTransaction(this.platform.database, async (tx) => {
      const trade = await lock(tx, id);
      if (trade === null || isTerminal(trade.status) || trade.submittedAt === null) return false;
      // Its answer can still be expected, so that its absence says nothing yet.
      if (await wasSubmittedWithin(tx, id, ANSWER_EXPECTED_MS)) {
        await updateTrade(tx, trade, { lookInMs: PROBE_EVERY_MS, isChanged: false });
        return false;
      }
      trade.probes += 1;
      const decision = decideAbsent(stateOf(trade), trade.probes);
      if (decision === null) {
        const isChanged = becomeUnknown(trade);
        await updateTrade(tx, trade, { lookInMs: PROBE_EVERY_MS, isChanged });
        return false;
      }
      if (decision.status === 'FAILED') {
        await this.fail(tx, trade, {
          code: 'not_accepted',
          message: 'The exchange does not know the order: it never arrived, and was not sent again.',
        });
      } else {
        await conclude(tx, trade, decision.status, decision.cancelReason, { isChanged: true });
        if (decision.event !== null) await tell(tx, trade.id, decision.event);
      }
      return true;
    });
  }

  /**
   * What there is to cancel: `done` where the trade ended here and now or before, `wait` where the order is on its
   * way, `send` where the exchange has to be told. The wish is kept: a look that finds the order open cancels it, even
   * when nobody waits for that any more.
   */
  async beginCancellation(id: string): Promise<'done' | 'wait' | 'send'> {
    return inTransaction(this.platform.database, async (tx) => {
      const trade = await lock(tx, id);
      if (trade === null || isTerminal(trade.status)) return 'done';
      if (trade.submittedAt === null) {
        await cancelUnsent(tx, trade);
        return 'done';
      }
      const isSent = trade.acknowledgedAt !== null;
      if (trade.subStatus !== 'PENDING_CANCEL') {
        trade.subStatus = 'PENDING_CANCEL';
        await updateTrade(tx, trade, isSent ? { lookInMs: PROBE_EVERY_MS } : {});
      }
      return isSent ? 'send' : 'wait';
    });
  }

  private async fail(tx: Tx, trade: TradeEntity, { code, message }: Failure): Promise<void> {
    trade.failureCode = code;
    trade.failureMessage = message;
    await conclude(tx, trade, 'FAILED', null, { isChanged: true });
    await tell(tx, trade.id, 'trade.failed');
  }
}

/** Ends a trade that is locked and that nobody has begun to send: nobody will. */
export async function cancelUnsent(tx: Tx, trade: TradeEntity): Promise<void> {
  await conclude(tx, trade, 'CANCELLED', 'USER', { isChanged: true });
  await tell(tx, trade.id, 'trade.cancelled');
}

async function conclude(
  tx: Tx,
  trade: TradeEntity,
  status: TradeEntity['status'],
  cancelReason: CancelReason | null,
  changes: TradeChanges,
): Promise<void> {
  const hasEnded = !isTerminal(trade.status) && isTerminal(status);
  trade.status = status;
  if (hasEnded) {
    trade.subStatus = null;
    trade.cancelReason = cancelReason;
  }
  await updateTrade(tx, trade, { ...changes, endedNow: hasEnded });
}

async function lock(tx: Tx, id: string): Promise<TradeEntity | null> {
  return tx.findOne(TradeEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
}

async function tell(tx: Tx, id: string, type: EventType): Promise<void> {
  const trade = await tx.findOneByOrFail(TradeEntity, { id });
  await announce(tx, { userId: trade.userId, type, schema: tradeSchema, record: viewTrade(trade) });
}

/** True where readers see it: a wish to cancel outweighs it. */
function becomeUnknown(trade: TradeEntity): boolean {
  if (trade.subStatus === 'PENDING_CANCEL' || trade.subStatus === 'UNKNOWN') return false;
  trade.subStatus = 'UNKNOWN';
  return true;
}

function stateOf(trade: TradeEntity): TradeState {
  return {
    status: trade.status,
    amount: trade.amount,
    filledAmount: trade.filledAmount,
    timeInForce: trade.timeInForce,
    isCancelAsked: trade.subStatus === 'PENDING_CANCEL',
    isAcknowledged: trade.acknowledgedAt !== null,
  };
}

function toWork(trade: TradeEntity): TradeToWork {
  return {
    id: trade.id,
    accountId: trade.exchangeAccountId,
    symbol: trade.symbol,
    clientOrderId: trade.clientOrderId,
    venueClientOrderId: trade.venueClientOrderId,
    isSubmitted: trade.submittedAt !== null,
    isAcknowledged: trade.acknowledgedAt !== null,
    isCancelAsked: trade.subStatus === 'PENDING_CANCEL',
    isOpen: !isTerminal(trade.status),
    filledAmount: canonicalDecimal(trade.filledAmount),
  };
}

/** Whoever wants an order cancelled waits for it, however long it has rested. */
function openLookMs(trade: TradeEntity): number {
  if (trade.subStatus === 'PENDING_CANCEL') return PROBE_EVERY_MS;
  const ageMs = Date.now() - trade.createdAt.getTime();
  return Math.min(OPEN_LOOK_MAX_MS, Math.max(OPEN_LOOK_MIN_MS, ageMs / OPEN_LOOK_SHARE));
}

function sum(amounts: readonly string[]): string {
  return amounts.reduce((total, amount) => total.plus(amount), new Exact(0)).toString();
}
