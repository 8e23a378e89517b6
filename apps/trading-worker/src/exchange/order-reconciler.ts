/**
 * Determines the state of orders at the exchange, and cancels orders.
 *
 * 1. A missing or inconclusive response is not a failure. The order is probed by its client order id until the exchange
 *    reports it, or it is certain that the exchange never received it.
 * 2. Core stores each report and decides what it means for the trade.
 * 3. An order whose look-up proves nothing is decided by the exchange's lists, see `OrderListings`.
 * 4. This class places no orders. Only `OrderSubmitter` of the worker that owns the account places them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TradeExecution } from '@trading-automation/core/trades';
import { type ExchangeClient, ExchangeError } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import { type Backoff, backoffMs } from '@trading-automation/runtime/backoff';
import { probeDelisted } from './delisted-trades.js';
import type { TradeOrders } from './trade-orders.js';

const CANCEL_POLL: Backoff = { firstMs: 100, maxMs: 1_000 };

export class OrderReconciler {
  constructor(
    private readonly execution: TradeExecution,
    private readonly orders: TradeOrders,
    /** Requests the submission of a trade whose order was never sent. */
    private readonly onUnsent: (accountId: string) => void,
    private readonly logger: Logger,
  ) {}

  /** Reads the state of an open trade's order; requests its submission if it was never sent. */
  async checkTrade(tradeId: string): Promise<void> {
    try {
      await this.checkOnce(tradeId);
    } catch (error) {
      await this.execution.recheckSoon(tradeId);
      throw error;
    }
  }

  private async checkOnce(tradeId: string): Promise<void> {
    const { execution } = this;
    const trade = await execution.find(tradeId);
    if (trade === null || !trade.isOpen) return;
    if (!trade.isSubmitted) return this.onUnsent(trade.accountId);
    // A look-up by the pair fails. Reconciliation reads the account's open orders, and ends the trade.
    if (trade.isPairDelisted) return;
    // Later orders and copiers wait for an outcome that is unknown. What else is missing can wait for background work.
    const order = await this.orders.open(trade, trade.isAcknowledged ? 'check' : 'resume');
    // Request a cancellation again if its response is missing. A second cancellation has no effect.
    if (trade.isCancelRequested && trade.isAcknowledged) await order.cancel();
    const begunAtMs = performance.now();
    const outcome = await order.refresh();
    if (outcome === 'ABSENT') await execution.storeAbsence(tradeId, begunAtMs);
    // An order that may exist is looked up again when the lease of this check ends, at the latest.
    if (outcome === 'NOT_KNOWN') await this.orders.decideByLists(trade);
  }

  /**
   * Cancels an open trade. Returns when the trade has ended, or when `signal` is aborted because no caller waits any
   * more; scheduled checks then complete the cancellation. If the exchange does not find the order, the order may still
   * be in flight, so this method draws no conclusion. The scheduled checks decide when the order is absent.
   */
  async cancel(tradeId: string, signal: AbortSignal): Promise<void> {
    const { execution, logger } = this;
    let isRequested = false;
    for (let attempt = 1; !signal.aborted; attempt++) {
      const step = await execution.requestCancellation(tradeId);
      const trade = await execution.find(tradeId);
      if (step === 'done' || trade === null) return;
      try {
        const order = await this.orders.open(trade, 'user');
        if (step === 'send' && !isRequested) isRequested = await order.cancel();
        await order.refresh();
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

  /** Probes the order of a trade. Draws a conclusion from its absence only if the exchange no longer lists the pair. */
  async probe(client: ExchangeClient, tradeId: string): Promise<void> {
    const trade = await this.execution.find(tradeId);
    if (trade?.isOpen !== true) return;
    const order = this.orders.openWith(client, trade);
    if (trade.isPairDelisted) await probeDelisted(this.execution, tradeId, order);
    else await order.refresh();
  }
}
