import type { TradingType } from '@trading-automation/contracts';
import type { CallPurpose } from '../call-budget.js';
import {
  type AccountStreamHandler,
  type BalanceReport,
  type CredentialsReport,
  type ExchangeClient,
  ExchangeError,
  type OrderKey,
  type OrderRequest,
  type PlaceOrderOptions,
  type VenueFill,
  type VenueOrder,
  type VenueStream,
} from '../port.js';
import type { Adapter, VenueSession } from './adapter.js';
import type { CallAccount, CallRequest } from './call.js';
import type { CcxtClient } from './ccxt-client.js';
import { failure } from './failures.js';
import { readAllFills, readFillsSince } from './fill-pages.js';
import { readBalances } from './markets.js';
import { expectCancelled, type OrderLookup, orderArguments, readOpenOrders, readOrder } from './orders.js';
import type { AccountStreams } from './streams/account-streams.js';

/** The members of a venue that an account client uses. */
export interface VenueCalls {
  readonly adapter: Adapter;
  readonly accountStreams: AccountStreams | undefined;
  run<T>(
    request: CallRequest,
    tradingType: TradingType,
    work: (session: VenueSession) => Promise<T>,
  ): Promise<T>;
}

interface SharedState {
  /** The purpose of reads. */
  readonly purpose: CallPurpose | undefined;
  /** The open streams, which all clients of the account from {@link ExchangeClient.as} share. */
  readonly streams: Set<VenueStream>;
}

/**
 * The client of one account at an exchange; it calls ccxt's unified API. Its only state is the account's credentials
 * and open streams.
 */
export class AccountClient implements ExchangeClient {
  readonly hasStream: boolean;
  readonly openOrdersLockBalances: boolean;
  readonly #params: Readonly<Record<string, unknown>>;

  constructor(
    private readonly venue: VenueCalls,
    private readonly account: CallAccount,
    private readonly tradingType: TradingType,
    private readonly shared: SharedState = { purpose: undefined, streams: new Set() },
  ) {
    this.hasStream = venue.accountStreams !== undefined;
    this.openOrdersLockBalances = venue.adapter.lockingTypes.has(tradingType);
    this.#params = venue.adapter.tradingTypes[tradingType]?.params ?? {};
  }

  get egress(): string | undefined {
    return this.account.egress;
  }

  as(purpose: CallPurpose): ExchangeClient {
    const { venue, account, tradingType, shared } = this;
    return new AccountClient(venue, account, tradingType, { ...shared, purpose });
  }

  testCredentials(): Promise<CredentialsReport> {
    return this.#run({ kind: 'read' }, ({ inspectCredentials }) => inspectCredentials());
  }

  fetchBalances(): Promise<BalanceReport> {
    return this.#read(async (ccxt) => {
      const requestedAt = venueTime(ccxt);
      const response = await ccxt.fetchBalance();
      return readBalances(response, this.venue.adapter, { requestedAt, respondedAt: venueTime(ccxt) });
    });
  }

  placeOrder(order: OrderRequest, { sendByMs }: PlaceOrderOptions = {}): Promise<VenueOrder> {
    const { isExit, isCopy } = order;
    const purpose = isCopy === true ? 'copy' : 'user';
    return this.#run({ kind: 'write', isOrder: true, isExit, purpose, sendByMs }, async ({ ccxt }) => {
      const { type, side, price, params } = orderArguments(order, this.tradingType === 'spot');
      const response = await ccxt.createOrder(order.symbol, type, side, order.amount, price, {
        ...params,
        ...this.#params,
      });
      return readOrder(response, order);
    });
  }

  /** A cancellation reduces risk, so it has the priority of an exit. */
  cancelOrder({ symbol, venueClientOrderId }: OrderKey): Promise<void> {
    return this.#run({ kind: 'write', isExit: true }, async ({ ccxt }) => {
      const params = { ...this.#params, clientOrderId: venueClientOrderId };
      expectCancelled(await ccxt.cancelOrder('', symbol, params), symbol);
    });
  }

  findOrder({ symbol, venueClientOrderId }: OrderKey): Promise<VenueOrder | null> {
    return this.#find({ symbol, venueClientOrderId }, '', { clientOrderId: venueClientOrderId });
  }

  findOrderByExchangeId({
    symbol,
    exchangeOrderId,
  }: {
    readonly symbol: string;
    readonly exchangeOrderId: string;
  }): Promise<VenueOrder | null> {
    return this.#find({ symbol, exchangeOrderId }, exchangeOrderId, {});
  }

  fetchOpenOrders(symbol?: string): Promise<readonly VenueOrder[]> {
    return this.#read(async (ccxt) =>
      readOpenOrders(await ccxt.fetchOpenOrders(symbol, undefined, undefined, { ...this.#params }), symbol),
    );
  }

  fetchFills({
    symbol,
    exchangeOrderId,
  }: {
    readonly symbol: string;
    readonly exchangeOrderId: string;
  }): Promise<readonly VenueFill[]> {
    return this.#read((ccxt) =>
      readAllFills({ ccxt, rules: this.venue.adapter.fills, symbol, params: this.#params }, exchangeOrderId),
    );
  }

  fetchFillsSince({
    symbol,
    since,
  }: {
    readonly symbol: string;
    readonly since: Date;
  }): Promise<readonly VenueFill[]> {
    return this.#read((ccxt) =>
      readFillsSince({ ccxt, rules: this.venue.adapter.fills, symbol, params: this.#params }, since),
    );
  }

  watch(handler: AccountStreamHandler): VenueStream {
    const { accountStreams } = this.venue;
    if (accountStreams === undefined) throw failure(['rejected', 'not_supported']);
    const stream = accountStreams.open(this.account, this.tradingType, handler);
    const { streams } = this.shared;
    streams.add(stream);
    return {
      close: () => {
        streams.delete(stream);
        return stream.close();
      },
    };
  }

  async close(): Promise<void> {
    const streams = [...this.shared.streams];
    this.shared.streams.clear();
    await Promise.all(streams.map((stream) => stream.close()));
  }

  async #find(
    lookup: OrderLookup,
    id: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<VenueOrder | null> {
    try {
      return await this.#read(async (ccxt) =>
        readOrder(await ccxt.fetchOrder(id, lookup.symbol, { ...this.#params, ...params }), lookup),
      );
    } catch (error) {
      if (error instanceof ExchangeError && error.code === 'order_not_found') return null;
      throw error;
    }
  }

  #read<T>(work: (ccxt: CcxtClient) => Promise<T>): Promise<T> {
    return this.#run({ kind: 'read' }, ({ ccxt }) => work(ccxt));
  }

  #run<T>(request: CallRequest, work: (session: VenueSession) => Promise<T>): Promise<T> {
    const { purpose } = this.shared;
    return this.venue.run({ purpose, ...request, account: this.account }, this.tradingType, work);
  }
}

/** Returns the exchange's time, by the clock offset that was measured when the markets were loaded. */
function venueTime({ options }: CcxtClient): Date {
  const { timeDifference } = options;
  return new Date(Date.now() - (typeof timeDifference === 'number' ? timeDifference : 0));
}
