/**
 * Decides by the exchange's lists what became of an order whose look-up proves nothing. Otherwise, the trade of an order
 * that never arrived would stay open for ever, and with it the lot of a copy.
 *
 * 1. The lists are read only after the order can no longer arrive, and only if they reach back to its submission.
 * 2. The open orders are read before the fills: an order that ends between the two calls is in the list of fills.
 * 3. If a read fails, nothing is concluded.
 * 4. When the trade has ended, the orders without a client order id that could have been its own are external.
 */
import {
  isListingComplete,
  type ListingRequest,
  type TradeExecution,
  type TradeForExecution,
} from '@trading-automation/core/trades';
import { type ExchangeClient, ExchangeError, type VenueOrder } from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import type { OrderUpdateWriter } from '../streams/order-update-writer.js';
import type { AccountClients } from './account-clients.js';

/** The maximum number of orders that one reading looks up, the oldest first. The fills of the others stay unexplained. */
const LOOK_UPS_MAX = 10;

export class OrderListings {
  constructor(
    private readonly execution: TradeExecution,
    private readonly clients: AccountClients,
    private readonly updates: OrderUpdateWriter,
    private readonly logger: Logger,
  ) {}

  /** @throws {ExchangeError} if the client of the trade's account cannot be opened */
  async decide(trade: TradeForExecution): Promise<void> {
    const request = await this.execution.listingRequestOf(trade.id);
    if (request === null) return;
    const { client: opened } = await this.clients.open(trade.accountId);
    const client = opened.as('check');
    if (!isListingComplete(request.sinceAgoMs, client.fillsListedForMs)) return;
    try {
      await this.decideBy(client, trade, request);
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.outcome === 'fatal') throw error;
      this.logger.warn(
        { event: 'order_listing.failed', trade_id: trade.id, outcome: error.outcome, code: error.code },
        'Could not read the lists that decide about an order; a later check reads them again.',
      );
    }
  }

  private async decideBy(
    client: ExchangeClient,
    trade: TradeForExecution,
    request: ListingRequest,
  ): Promise<void> {
    const { symbol, since } = request;
    const openOrders = await client.fetchOpenOrders(symbol);
    const fills = await client.fetchFillsSince({ symbol, since });
    const ids = new Set(fills.map(({ exchangeOrderId }) => exchangeOrderId));
    const candidates = [...ids].filter(
      (id) => trade.exchangeOrderId === null || id === trade.exchangeOrderId,
    );
    const ordersOfFills = await this.findUnknown(client, request, candidates);
    const listing = { openOrders, fills, ordersOfFills };
    const verdict = await this.execution.storeListing(request, listing);
    if (verdict.outcome === 'FOUND') await this.updates.storeFound(trade, client, verdict.order);
    // Adoption left these orders out while they could be the trade's.
    if (verdict.outcome === 'ENDED')
      await this.execution.adopt(
        trade.accountId,
        [...ordersOfFills.values()],
        fills.filter(({ exchangeOrderId }) => ordersOfFills.has(exchangeOrderId)),
      );
    if (verdict.outcome === 'FILLED')
      await this.execution.storeOrders([{ tradeId: trade.id, order: null, fills: verdict.fills }]);
    const { outcome } = verdict;
    this.logger.info(
      { event: 'order_listing.read', trade_id: trade.id, outcome },
      'Read the lists of the exchange, because the look-up of an order proves nothing.',
    );
  }

  /** Returns the orders that belong to no other trade, as far as the exchange finds them. */
  private async findUnknown(
    client: ExchangeClient,
    request: ListingRequest,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, VenueOrder>> {
    const known = await this.execution.knownOrderIds(request, ids);
    const orders = new Map<string, VenueOrder>();
    for (const exchangeOrderId of ids.filter((id) => !known.has(id)).slice(0, LOOK_UPS_MAX)) {
      const order = await client.findOrderByExchangeId({ symbol: request.symbol, exchangeOrderId });
      if (order !== null) orders.set(exchangeOrderId, order);
    }
    return orders;
  }
}
