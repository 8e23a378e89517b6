/**
 * Determines the state of orders at the exchange, and cancels orders.
 *
 * 1. A missing or inconclusive response is not a failure: the order is probed by its client order id until the
 *    exchange reports it or has certainly never received it.
 * 2. Core stores each report and decides what it means for the trade.
 * 3. This class sends no orders; `OrderSubmitter` does, for the owner of the account only.
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
import { type Backoff, backoffMs } from '@trading-automation/runtime/backoff';
import type { OrderUpdateWriter } from '../streams/order-update-writer.js';
import type { AccountClients } from './account-clients.js';
import type { BalanceSync } from './balance-sync.js';

/** The response to an order, with all of its fills if the exchange includes them. */
type PlacedOrder = VenueOrder & { readonly fills?: readonly VenueFill[] | undefined };

/** The state of the account streams. */
interface Streams {
  isLive(accountId: string): boolean;
  /** Registers fills that are known from another source: a live stream must report them, too. */
  expectFills(accountId: string, fills: readonly VenueFill[]): void;
}

export interface OrderReconcilerDependencies {
  readonly execution: TradeExecution;
  readonly clients: AccountClients;
  readonly balanceSync: BalanceSync;
  readonly orderUpdates: OrderUpdateWriter;
  readonly streams: Streams;
  /** Called for orders that are open and unchanged. */
  readonly onResting: (tradeId: string) => void;
  /** Requests the submission of a trade whose order was never sent. */
  readonly onUnsent: (accountId: string) => void;
  readonly logger: Logger;
}

const CANCEL_POLL: Backoff = { firstMs: 100, maxMs: 1_000 };

export class OrderReconciler {
  constructor(private readonly parts: OrderReconcilerDependencies) {}

  /** Reads the state of an open trade's order; requests its submission if it was never sent. */
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
    // A cancellation without a response is requested again; a second cancellation has no effect.
    if (trade.isCancelRequested && trade.isAcknowledged) await cancelAtVenue(client, trade);
    if (!(await this.find(client, trade))) await execution.storeAbsence(tradeId);
  }

  /**
   * Cancels an open trade. Returns when the trade has ended, or when `signal` reports that no caller waits any more;
   * scheduled checks complete what is left. An order that is not found here may be in flight: only scheduled checks
   * count that.
   */
  async cancel(tradeId: string, signal: AbortSignal): Promise<void> {
    const { execution, clients, logger } = this.parts;
    let isRequested = false;
    for (let attempt = 1; !signal.aborted; attempt++) {
      const step = await execution.requestCancellation(tradeId);
      const trade = await execution.find(tradeId);
      if (step === 'done' || trade === null) return;
      try {
        const { client } = await clients.open(trade.accountId);
        if (step === 'send' && !isRequested) isRequested = await cancelAtVenue(client, trade);
        await this.find(client, trade);
      } catch (error) {
        if (!(error instanceof ExchangeError) || error.outcome === 'fatal') throw error;
        logger.warn(
          { event: 'cancellation.unconfirmed', trade_id: tradeId, outcome: error.outcome, code: error.code },
          'The exchange has not confirmed the cancellation yet; trying again.',
        );
      }
      if ((await execution.find(tradeId))?.isOpen !== true) return;
      await sleep(backoffMs(CANCEL_POLL, attempt), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Probes the order of a trade. Draws no conclusion if the exchange does not find it. */
  async probe(client: ExchangeClient, tradeId: string): Promise<void> {
    const trade = await this.parts.execution.find(tradeId);
    if (trade?.isOpen === true) await this.find(client, trade);
  }

  /** Registers the order that is sent next: a stream may report it before the response arrives. */
  registerOrder(accountId: string, venueClientOrderId: string, tradeId: string): void {
    this.parts.orderUpdates.registerOrder(accountId, venueClientOrderId, tradeId);
  }

  /** Stores the response to a submitted order. */
  async storePlaced(accountId: string, client: ExchangeClient, placed: PlacedOrder): Promise<void> {
    const { orderUpdates, streams } = this.parts;
    const hasAllFills =
      placed.fills !== undefined || placed.filledAmount === '0' || streams.isLive(accountId);
    // Fills that a live stream is about to report need no call; if it does not report them, the next check reads them.
    const fills = placed.fills ?? (hasAllFills ? [] : await this.fillsOf(client, placed));
    await orderUpdates.add({ accountId, order: placed, fills });
  }

  /** Stores the order's state at the exchange; returns false if the exchange does not know the order. */
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
    const hasNewFills = order.filledAmount !== '0' && order.filledAmount !== trade.filledAmount;
    const fills = hasNewFills ? await this.fillsOf(client, order) : [];
    streams.expectFills(trade.accountId, fills);
    if (await execution.storeOrder(trade.id, order, fills)) balanceSync.onBalanceChange(trade.accountId);
    else if (order.status === 'OPEN' && !hasNewFills) this.parts.onResting(trade.id);
  }

  /** A trade cannot end without its fills, so fills that cannot be read now are read at the next check. */
  private async fillsOf(client: ExchangeClient, order: VenueOrder): Promise<readonly VenueFill[]> {
    try {
      return await client.fetchFills({ symbol: order.symbol, exchangeOrderId: order.exchangeOrderId });
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      this.parts.logger.warn(
        { event: 'fill_read.failed', outcome: error.outcome, code: error.code },
        'Could not read the fills of an order; the next check reads them.',
      );
      return [];
    }
  }
}

/** Finds own orders by client order id, external ones by exchange order id: their client id may repeat or be absent. */
async function findAtVenue(
  client: ExchangeClient,
  { symbol, isOurs, venueClientOrderId, exchangeOrderId }: TradeForExecution,
): Promise<VenueOrder | null> {
  if (isOurs && venueClientOrderId !== null) return client.findOrder({ symbol, venueClientOrderId });
  return exchangeOrderId === null ? null : client.findOrderByExchangeId({ symbol, exchangeOrderId });
}

/**
 * Returns true if the exchange accepted the cancellation, or has no open order with this id; the next check reads the
 * result. Returns false if the request may not have arrived; repeating it is safe.
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
