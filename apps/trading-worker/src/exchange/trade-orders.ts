import type { TradeForExecution } from '@trading-automation/core/trades';
import {
  type CallPurpose,
  type ExchangeClient,
  ExchangeError,
  type OrderLookup,
} from '@trading-automation/exchanges';
import type { OrderUpdateWriter } from '../streams/order-update-writer.js';
import type { AccountClients } from './account-clients.js';
import type { OrderListings } from './order-listings.js';

/** Finds and cancels the orders of trades at their exchanges, and stores the orders that it finds. */
export class TradeOrders {
  constructor(
    private readonly clients: AccountClients,
    private readonly updates: OrderUpdateWriter,
    private readonly listings: OrderListings,
  ) {}

  /** Decides by the exchange's lists what became of an order whose look-up proves nothing; see `OrderListings`. */
  decideByLists(trade: TradeForExecution): Promise<void> {
    return this.listings.decide(trade);
  }

  /**
   * @param purpose the share of the call budget that look-ups use
   * @throws {ExchangeError} if the client of the trade's account cannot be opened
   */
  async open(trade: TradeForExecution, purpose: CallPurpose): Promise<TradeOrder> {
    const { client } = await this.clients.open(trade.accountId);
    return this.openWith(client.as(purpose), trade);
  }

  /** Returns the order of a trade; `client` must belong to the trade's account. */
  openWith(client: ExchangeClient, trade: TradeForExecution): TradeOrder {
    return new TradeOrder(client, trade, this.updates);
  }
}

/** The order of one trade at its exchange. */
class TradeOrder {
  constructor(
    private readonly client: ExchangeClient,
    private readonly trade: TradeForExecution,
    private readonly updates: OrderUpdateWriter,
  ) {}

  /** Stores the order's state if the exchange has the order; returns the outcome of the look-up. */
  async refresh(): Promise<OrderLookup['outcome']> {
    const lookup = await this.find();
    if (lookup.outcome === 'FOUND') await this.updates.storeFound(this.trade, this.client, lookup.order);
    return lookup.outcome;
  }

  /**
   * Requests the cancellation, by the id that {@link find} uses. Returns true if the exchange accepted it or has no open order with this id; the next
   * check reads the result. Returns false if the request may not have arrived; it is safe to repeat it.
   */
  async cancel(): Promise<boolean> {
    const { symbol, isOurs, venueClientOrderId, exchangeOrderId } = this.trade;
    try {
      if (isOurs && venueClientOrderId !== null)
        await this.client.cancelOrder({ symbol, venueClientOrderId });
      else if (exchangeOrderId !== null)
        await this.client.cancelOrderByExchangeId({ symbol, exchangeOrderId });
      else return false;
      return true;
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.outcome === 'fatal') throw error;
      return error.outcome === 'rejected';
    }
  }

  /**
   * Finds the order at the exchange. Orders of the product are found by client order id. External orders are found by
   * exchange order id, because their client order id may be reused or absent.
   */
  private async find(): Promise<OrderLookup> {
    const { symbol, isOurs, venueClientOrderId, exchangeOrderId, submittedAt } = this.trade;
    if (isOurs && venueClientOrderId !== null)
      return this.client.findOrder({ symbol, venueClientOrderId, sentAt: submittedAt ?? undefined });
    if (exchangeOrderId === null) return { outcome: 'ABSENT' };
    const order = await this.client.findOrderByExchangeId({ symbol, exchangeOrderId });
    return order === null ? { outcome: 'ABSENT' } : { outcome: 'FOUND', order };
  }
}
