/**
 * Sends orders and finds out what became of them.
 *
 * 1. An order is sent once: after `beginSubmission` has written so, and never by anybody who finds it written.
 * 2. No answer, or one that says nothing, is not a failure: the exchange is asked for the order by its client order
 *    id, until it tells or has certainly never seen it.
 * 3. Whatever is learned is stored by core, which decides what it means.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountUpkeep } from '@trading-automation/core/exchange-accounts';
import type { Failure, TradeExecution, TradeToWork } from '@trading-automation/core/trades';
import {
  type ExchangeClient,
  ExchangeError,
  type OrderRequest,
  type VenueFill,
  type VenueOrder,
} from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { AccountClients, OpenAccount } from './account-clients.js';
import type { AccountDesk } from './account-desk.js';

export interface TradeDeskParts {
  readonly execution: TradeExecution;
  readonly upkeep: AccountUpkeep;
  readonly clients: AccountClients;
  readonly accounts: AccountDesk;
  readonly logger: Logger;
}

const CANCEL_POLL_MIN_MS = 100;
const CANCEL_POLL_MAX_MS = 1_000;

export class TradeDesk {
  constructor(private readonly parts: TradeDeskParts) {}

  /** Sends a trade that nobody has sent yet. */
  async submit(tradeId: string): Promise<void> {
    const { execution, clients } = this.parts;
    const trade = await execution.find(tradeId);
    if (trade === null || !trade.isOpen || trade.isSubmitted) return;
    let order: OrderRequest | null;
    let open: OpenAccount;
    try {
      open = await clients.open(trade.accountId);
      const venueClientOrderId = open.venue.clientOrderIdFor(`${trade.accountId}/${trade.clientOrderId}`);
      order = await execution.beginSubmission(tradeId, venueClientOrderId);
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.outcome !== 'fatal') throw error;
      await execution.refuseUnsent(tradeId, failureOf(error));
      return;
    }
    if (order !== null) await this.send(trade, open, order);
  }

  /** Finds out how an open trade stands; sends it where nobody has. */
  async look(tradeId: string): Promise<void> {
    try {
      await this.lookOnce(tradeId);
    } catch (error) {
      await this.parts.execution.lookAgainSoon(tradeId);
      throw error;
    }
  }

  private async lookOnce(tradeId: string): Promise<void> {
    const { execution, clients } = this.parts;
    const trade = await execution.find(tradeId);
    if (trade === null || !trade.isOpen) return;
    if (!trade.isSubmitted) return this.submit(tradeId);
    const { client } = await clients.open(trade.accountId);
    // A cancellation whose answer was lost is asked for again: it can't be done twice.
    if (trade.isCancelAsked && trade.isAcknowledged) await cancelAtVenue(client, trade);
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
      const step = await execution.beginCancellation(tradeId);
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

  private async send(trade: TradeToWork, open: OpenAccount, order: OrderRequest): Promise<void> {
    const { execution, upkeep, logger } = this.parts;
    const { account, client } = open;
    let placed: VenueOrder;
    try {
      placed = await client.placeOrder(order);
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      logger.warn({ trade_id: trade.id, outcome: error.outcome, code: error.code }, 'order not confirmed');
      if (error.outcome === 'unknown' || error.code === 'duplicate_client_order_id') {
        await execution.storeUnknown(trade.id);
        return;
      }
      // It certainly had no effect. A user's order is not sent again behind the user's back: it failed.
      await execution.storeRefusal(trade.id, failureOf(error));
      if (error.code === 'credentials_rejected')
        await upkeep.storeFailure(account.id, account.credentialsSealed);
      return;
    }
    await this.absorb(client, trade, placed);
  }

  /** Stores the order as the exchange sees it; false where it has none. */
  private async find(client: ExchangeClient, trade: TradeToWork): Promise<boolean> {
    const { symbol, venueClientOrderId } = trade;
    if (venueClientOrderId === null) return false;
    const order = await client.findOrder({ symbol, venueClientOrderId });
    if (order === null) return false;
    await this.absorb(client, trade, order);
    return true;
  }

  private async absorb(client: ExchangeClient, trade: TradeToWork, order: VenueOrder): Promise<void> {
    const fills = order.filledAmount === '0' ? [] : await this.fillsOf(client, order);
    const isChanged = await this.parts.execution.storeOrder(trade.id, order, fills);
    if (isChanged) this.parts.accounts.syncSoon(trade.accountId);
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

/**
 * True where the exchange has taken note, or has nothing open of this id: what became of it, the next look tells.
 * False where it may not have heard; it can be told again, since nothing is cancelled twice.
 */
async function cancelAtVenue(client: ExchangeClient, trade: TradeToWork): Promise<boolean> {
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

function failureOf({ code, message }: ExchangeError): Failure {
  const codes: Partial<Record<typeof code, string>> = {
    credentials_rejected: 'exchange_credentials_rejected',
    insufficient_balance: 'insufficient_balance',
    rule_violated: 'exchange_rule_violated',
    unreachable: 'exchange_unavailable',
    no_answer: 'exchange_unavailable',
    rate_limited: 'exchange_unavailable',
    bad_answer: 'exchange_unavailable',
  };
  return { code: codes[code] ?? code, message };
}
