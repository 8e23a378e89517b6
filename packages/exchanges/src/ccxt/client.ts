import type { TradingType } from '@trading-automation/contracts';
import {
  type Balances,
  type CredentialsReport,
  type ExchangeClient,
  ExchangeError,
  type OrderKey,
  type OrderRequest,
  type VenueFill,
  type VenueOrder,
} from '../port.js';
import type { Adapter, OpenedClient, TradingMode } from './adapters.js';
import type { CallKind } from './call.js';
import type { ClientLibrary } from './client-library.js';
import { readBalances } from './markets.js';
import { expectCancelled, orderArguments, readFills, readOpenOrders, readOrder } from './orders.js';

/** What an account needs of its exchange. */
export interface VenueCalls {
  readonly adapter: Adapter;
  run<T>(kind: CallKind, library: ClientLibrary, work: () => Promise<T>): Promise<T>;
}

/** One account, by ccxt's unified calls. */
export class AccountClient implements ExchangeClient {
  readonly #library: ClientLibrary;
  readonly #mode: TradingMode | undefined;

  constructor(
    private readonly venue: VenueCalls,
    private readonly opened: OpenedClient,
    private readonly tradingType: TradingType,
  ) {
    this.#library = opened.library;
    this.#mode = venue.adapter.tradingTypes[tradingType];
  }

  testCredentials(): Promise<CredentialsReport> {
    return this.#run('read', () => this.opened.inspectCredentials());
  }

  fetchBalances(): Promise<Balances> {
    return this.#run('read', async () =>
      readBalances(await this.#library.fetchBalance(), this.venue.adapter),
    );
  }

  placeOrder(order: OrderRequest): Promise<VenueOrder> {
    return this.#run('write', async () => {
      const { type, side, price, params } = orderArguments(order, this.tradingType === 'spot');
      const answer = await this.#library.createOrder(order.symbol, type, side, order.amount, price, {
        ...params,
        ...this.#mode?.params,
      });
      return readOrder(answer, order.symbol, order.venueClientOrderId);
    });
  }

  cancelOrder({ symbol, venueClientOrderId }: OrderKey): Promise<void> {
    return this.#run('write', async () => {
      const answer = await this.#library.cancelOrder('', symbol, {
        ...this.#mode?.params,
        clientOrderId: venueClientOrderId,
      });
      expectCancelled(answer, symbol);
    });
  }

  async findOrder({ symbol, venueClientOrderId }: OrderKey): Promise<VenueOrder | null> {
    try {
      return await this.#run('read', async () =>
        readOrder(
          await this.#library.fetchOrder('', symbol, {
            ...this.#mode?.params,
            clientOrderId: venueClientOrderId,
          }),
          symbol,
          venueClientOrderId,
        ),
      );
    } catch (error) {
      if (error instanceof ExchangeError && error.code === 'order_not_found') return null;
      throw error;
    }
  }

  fetchOpenOrders(symbol: string): Promise<readonly VenueOrder[]> {
    return this.#run('read', async () =>
      readOpenOrders(
        await this.#library.fetchOpenOrders(symbol, undefined, undefined, { ...this.#mode?.params }),
        symbol,
      ),
    );
  }

  fetchFills(key: {
    readonly symbol: string;
    readonly exchangeOrderId: string;
  }): Promise<readonly VenueFill[]> {
    return this.#run('read', () => this.#allFills(key.symbol, key.exchangeOrderId));
  }

  async #allFills(symbol: string, exchangeOrderId: string): Promise<readonly VenueFill[]> {
    const { pageSize, after } = this.venue.adapter.fills;
    const fills = new Map<string, VenueFill>();
    let next: Readonly<Record<string, unknown>> = {};
    for (;;) {
      const answer = await this.#library.fetchOrderTrades(exchangeOrderId, symbol, undefined, pageSize, {
        ...this.#mode?.params,
        ...next,
      });
      const page = readFills(answer, symbol, exchangeOrderId);
      const known = fills.size;
      for (const fill of page) fills.set(fill.exchangeFillId, fill);
      const last = page.at(-1);
      // A page of nothing new ends it too, lest an exchange that heeds no position is asked for ever.
      if (last === undefined || page.length < pageSize || fills.size === known) break;
      next = after(last.exchangeFillId);
    }
    return [...fills.values()].sort((a, b) => a.executedAt.getTime() - b.executedAt.getTime());
  }

  /** Connections are the venue's; an account holds none. */
  async close(): Promise<void> {}

  #run<T>(kind: CallKind, work: () => Promise<T>): Promise<T> {
    return this.venue.run(kind, this.#library, work);
  }
}
