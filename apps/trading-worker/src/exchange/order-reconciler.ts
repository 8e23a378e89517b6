/**
 * Finds out what became of orders, and cancels them.
 *
 * 1. No answer, or one that says nothing, is not a failure: the exchange is asked for the order by its client order
 *    id, until it tells or has certainly never seen it.
 * 2. Whatever is learned is stored by core, which decides what it means.
 * 3. Nothing is sent here: that is `Submissions`', for the owner of the account alone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TradeExecution, TradeForExecution } from '@trading-automation/core/trades';
import {
  type ExchangeClient,
  ExchangeError,
  type VenueFill,
  type VenueOrder,
} from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { OrderUpdateWriter } from '../streams/order-update-writer.js';
import type { AccountClients } from './account-clients.js';
import type { BalanceSync } from './balance-sync.js';

/** The answer to an order; with every fill of it where the exchange tells them at once. */
type PlacedOrder = VenueOrder & { readonly fills?: readonly VenueFill[] | undefined };

/** What is known of the accounts that exchanges tell of by themselves. */
interface Streams {
  isLive(accountId: string): boolean;
  /** These fills are known from elsewhere: a stream that is alive tells of them, too. */
  expectFills(accountId: string, fills: readonly VenueFill[]): void;
}

export interface OrderReconcilerDependencies {
  readonly execution: TradeExecution;
  readonly clients: AccountClients;
  readonly balanceSync: BalanceSync;
  readonly orderUpdates: OrderUpdateWriter;
  readonly streams: Streams;
  /** Told of orders that were found open and as they were. */
  readonly onResting: (tradeId: string) => void;
  /** Has a trade sent that nobody has begun to send. */
  readonly onUnsent: (accountId: string) => void;
  readonly logger: Logger;
}

const CANCEL_POLL_MIN_MS = 100;
const CANCEL_POLL_MAX_MS = 1_000;

export class OrderReconciler {
  constructor(private readonly parts: OrderReconcilerDependencies) {}

  /** Finds out how an open trade stands; has it sent where nobody has begun to. */
  async checkTrade(tradeId: string): Promise<void> {
    try {
      await this.checkOnce(tradeId);
    } catch (error) {
      await this.parts.execution.recheckSoon(tradeId);
      throw error;
    }
  }

  private async checkOnce(tradeId: string): Promise<void> {
    const { execution, clients } = this.parts;
    const trade = await execution.find(tradeId);
    if (trade === null || !trade.isOpen) return;
    if (!trade.isSubmitted) return this.parts.onUnsent(trade.accountId);
    const { client } = await clients.open(trade.accountId);
    // A cancellation whose answer was lost is asked for again: it can't be done twice.
    if (trade.isCancelRequested && trade.isAcknowledged) await cancelAtVenue(client, trade);
    if (!(await this.find(client, trade))) await execution.storeAbsence(tradeId);
  }

  /**
   * Cancels what is open; returns when the trade has ended, or when `signal` says that nobody waits any more. What is
   * left to do then, the looks do. An order that can't be found here may be on its way: only looks count that.
   */
  async cancel(tradeId: string, signal: AbortSignal): Promise<void> {
    const { execution, clients, logger } = this.parts;
    let isTold = false;
    for (
      let waitMs = CANCEL_POLL_MIN_MS;
      !signal.aborted;
      waitMs = Math.min(waitMs * 2, CANCEL_POLL_MAX_MS)
    ) {
      const step = await execution.requestCancellation(tradeId);
      const trade = await execution.find(tradeId);
      if (step === 'done' || trade === null) return;
      try {
        const { client } = await clients.open(trade.accountId);
        if (step === 'send' && !isTold) isTold = await cancelAtVenue(client, trade);
        await this.find(client, trade);
      } catch (error) {
        if (!(error instanceof ExchangeError) || error.outcome === 'fatal') throw error;
        logger.warn({ trade_id: tradeId, outcome: error.outcome, code: error.code }, 'not cancelled yet');
      }
      if ((await execution.find(tradeId))?.isOpen !== true) return;
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Looks for the order of a trade, and concludes nothing where it isn't there. */
  async probe(client: ExchangeClient, tradeId: string): Promise<void> {
    const trade = await this.parts.execution.find(tradeId);
    if (trade?.isOpen === true) await this.find(client, trade);
  }

  /** The order that is sent next is this trade's: a stream may tell of it before its answer comes. */
  registerOrder(accountId: string, venueClientOrderId: string, tradeId: string): void {
    this.parts.orderUpdates.registerOrder(accountId, venueClientOrderId, tradeId);
  }

  /** The answer to an order that was sent. */
  async storePlaced(accountId: string, client: ExchangeClient, placed: PlacedOrder): Promise<void> {
    const { orderUpdates, streams } = this.parts;
    const isAllTold = placed.fills !== undefined || placed.filledAmount === '0' || streams.isLive(accountId);
    // Those that a stream is about to tell of need no call; should it not, the next look asks.
    const fills = placed.fills ?? (isAllTold ? [] : await this.fillsOf(client, placed));
    await orderUpdates.add({ accountId, order: placed, fills });
  }

  /** Stores the order as the exchange sees it; false where it has none. */
  private async find(client: ExchangeClient, trade: TradeForExecution): Promise<boolean> {
    const order = await findAtVenue(client, trade);
    if (order === null) return false;
    await this.storeFound(client, trade, order);
    return true;
  }

  private async storeFound(
    client: ExchangeClient,
    trade: TradeForExecution,
    order: VenueOrder,
  ): Promise<void> {
    const { execution, balanceSync, streams } = this.parts;
    const hasNews = order.filledAmount !== '0' && order.filledAmount !== trade.filledAmount;
    const fills = hasNews ? await this.fillsOf(client, order) : [];
    streams.expectFills(trade.accountId, fills);
    if (await execution.storeOrder(trade.id, order, fills)) balanceSync.onBalanceChange(trade.accountId);
    else if (order.status === 'OPEN' && !hasNews) this.parts.onResting(trade.id);
  }

  /** Without its fills an order can't end, so those that can't be read now are read at the next look. */
  private async fillsOf(client: ExchangeClient, order: VenueOrder): Promise<readonly VenueFill[]> {
    try {
      return await client.fetchFills({ symbol: order.symbol, exchangeOrderId: order.exchangeOrderId });
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      this.parts.logger.warn({ outcome: error.outcome, code: error.code }, 'fills not read');
      return [];
    }
  }
}

/** By our own id for it; what somebody else placed by the exchange's, since theirs may be used again, or be none. */
async function findAtVenue(
  client: ExchangeClient,
  { symbol, isOurs, venueClientOrderId, exchangeOrderId }: TradeForExecution,
): Promise<VenueOrder | null> {
  if (isOurs && venueClientOrderId !== null) return client.findOrder({ symbol, venueClientOrderId });
  return exchangeOrderId === null ? null : client.findOrderByExchangeId({ symbol, exchangeOrderId });
}

/**
 * True where the exchange has taken note, or has nothing open of this id: what became of it, the next look tells.
 * False where it may not have heard; it can be told again, since nothing is cancelled twice.
 */
async function cancelAtVenue(client: ExchangeClient, trade: TradeForExecution): Promise<boolean> {
  const { symbol, venueClientOrderId } = trade;
  if (venueClientOrderId === null) return false;
  try {
    await client.cancelOrder({ symbol, venueClientOrderId });
    return true;
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.outcome === 'fatal') throw error;
    return error.outcome === 'rejected';
  }
}
