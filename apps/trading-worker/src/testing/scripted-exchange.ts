import {
  type AccountStreamHandler,
  type BalanceReport,
  type Balances,
  type BestPrices,
  type BookSides,
  type CallPurpose,
  type Candle,
  type CandleRange,
  type CredentialsReport,
  type ExchangeClient,
  type ExchangeCredentials,
  ExchangeError,
  type ExchangeOrderKey,
  type ExchangeVenue,
  type FundingRate,
  type LoanClient,
  type Market,
  type OrderKey,
  type OrderLookup,
  type OrderRequest,
  type Ticker,
  type VenueFill,
  type VenueOrder,
  type VenueStream,
} from '@trading-automation/exchanges';

/**
 * Simulates an exchange. It stores the orders that it accepts and behaves correctly unless the test scripts a
 * response.
 */
export class ScriptedExchange implements ExchangeVenue, ExchangeClient {
  readonly id = 'paper';
  readonly name = 'Paper';
  readonly tradingTypes = ['spot'] as const;
  readonly stages = { spot: 'STABLE' } as const;
  readonly credentialForm = { secret: 'HMAC_SECRET', hasPassphrase: false, permissions: {} } as const;
  readonly isCertified = true;
  hasStream = false;
  openOrdersLockBalances = false;
  fillsListedForMs = Number.POSITIVE_INFINITY;
  /** Whether no look-up by client order id finds an order or proves its absence. */
  lookUpsProveNothing = false;

  /** The requests of all `placeOrder` calls, in the order of the calls. */
  readonly placed: OrderRequest[] = [];
  readonly cancelled: string[] = [];
  /** The purposes for which a client was requested. */
  readonly purposes: CallPurpose[] = [];
  readonly connectedWith: ExchangeCredentials[] = [];
  balanceReads = 0;
  closeCount = 0;
  /** Set for an account with loans. */
  loans: LoanClient | undefined;
  balances: Balances = { USDT: { free: '100000', locked: '0' } };
  markets: readonly Market[] = [marketOf('BTC')];
  prices: Readonly<Record<string, string>> = {};
  book: BookSides = { bids: [['99.9', '1']], asks: [['100.1', '2']] };
  ticker: Ticker = {
    last: '100',
    bid: '99.9',
    ask: '100.1',
    open: '80',
    high: '120',
    low: '70',
    volume: '5',
    quoteVolume: '500',
  };
  candles: readonly Candle[] = [];

  /** Responds to a request for the best prices. */
  onBestPrices: () => Promise<BestPrices> = async () => ({ bid: '99.9', ask: '100.1' });
  /** Responds to a new order. By default, accepts it and leaves it open. */
  onPlace: (order: OrderRequest) => Promise<VenueOrder> = async (order) => this.accept(order);
  /** Called before the response to each of these calls. If it throws, the call fails with that error. */
  onCall: (
    name:
      | 'testCredentials'
      | 'cancelOrder'
      | 'findOrder'
      | 'fetchOpenOrders'
      | 'fetchFills'
      | 'fetchBalances'
      | 'fetchBook'
      | 'fetchTicker'
      | 'fetchCandles',
  ) => unknown = () => undefined;

  /** Symbols that the exchange no longer lists. As with a real client, calls that name one of them fail. */
  readonly delisted = new Set<string>();

  private readonly orders = new Map<string, VenueOrder>();
  private readonly fills = new Map<string, VenueFill[]>();

  accept({ reduceOnly: _, isExit: __, ...terms }: OrderRequest, now = new Date()): VenueOrder {
    return this.put({
      ...terms,
      exchangeOrderId: `order-${terms.venueClientOrderId}`,
      status: 'OPEN',
      filledAmount: '0',
      createdAt: now,
      updatedAt: now,
    });
  }

  /** Fills the whole amount of a buy order at `price`. */
  fill(order: VenueOrder, price = '100'): VenueOrder {
    const { exchangeOrderId, symbol, amount } = order;
    const fill: VenueFill = {
      exchangeFillId: `fill-${exchangeOrderId}`,
      exchangeOrderId,
      symbol,
      side: 'BUY',
      price,
      amount,
      fee: { amount: '0.1', currency: 'USDT' },
      liquidity: 'TAKER',
      executedAt: new Date(),
    };
    this.fills.set(exchangeOrderId, [fill]);
    return this.put({ ...order, status: 'FILLED', filledAmount: amount });
  }

  /** Removes a market with its orders. */
  delist(symbol: string): void {
    this.delisted.add(symbol);
    for (const [id, order] of this.orders) if (order.symbol === symbol) this.orders.delete(id);
  }

  /** Returns the last order that the exchange accepted. */
  get last(): VenueOrder {
    const order = [...this.orders.values()].at(-1);
    if (order === undefined) throw new Error('no order was accepted yet');
    return order;
  }

  private assertListed(symbol: string): void {
    if (this.delisted.has(symbol))
      throw new ExchangeError('rejected', 'not_supported', 'The exchange does not support this request.');
  }

  private put(order: VenueOrder): VenueOrder {
    this.orders.set(order.venueClientOrderId, order);
    return order;
  }

  clientOrderIdFor(seed: string): string {
    return `venue-${seed}`;
  }

  connect(credentials: ExchangeCredentials): ExchangeClient {
    this.connectedWith.push(credentials);
    return this;
  }

  as(purpose: CallPurpose): ExchangeClient {
    this.purposes.push(purpose);
    return this;
  }

  async placeOrder(order: OrderRequest): Promise<VenueOrder> {
    this.placed.push(order);
    return this.onPlace(order);
  }

  async cancelOrder({ symbol, venueClientOrderId }: OrderKey): Promise<void> {
    this.assertListed(symbol);
    this.cancelled.push(venueClientOrderId);
    await this.onCall('cancelOrder');
    const order = this.orders.get(venueClientOrderId);
    if (order?.status === 'OPEN') this.put({ ...order, status: 'CANCELLED' });
  }

  async cancelOrderByExchangeId({ exchangeOrderId }: ExchangeOrderKey): Promise<void> {
    this.cancelled.push(exchangeOrderId);
    await this.onCall('cancelOrder');
    const order = [...this.orders.values()].find((each) => each.exchangeOrderId === exchangeOrderId);
    if (order?.status === 'OPEN') this.put({ ...order, status: 'CANCELLED' });
  }

  async findOrder({ symbol, venueClientOrderId }: OrderKey): Promise<OrderLookup> {
    await this.onCall('findOrder');
    this.assertListed(symbol);
    const order = this.orders.get(venueClientOrderId);
    if (this.lookUpsProveNothing) return { outcome: 'NOT_KNOWN' };
    return order === undefined ? { outcome: 'ABSENT' } : { outcome: 'FOUND', order };
  }

  async findOrderByExchangeId(key: ExchangeOrderKey): Promise<VenueOrder | null> {
    await this.onCall('findOrder');
    this.assertListed(key.symbol);
    const orders = [...this.orders.values()];
    return orders.find(({ exchangeOrderId }) => exchangeOrderId === key.exchangeOrderId) ?? null;
  }

  async fetchOpenOrders(symbol?: string): Promise<readonly VenueOrder[]> {
    await this.onCall('fetchOpenOrders');
    if (symbol !== undefined) this.assertListed(symbol);
    return [...this.orders.values()].filter(
      (order) => order.symbol === (symbol ?? order.symbol) && order.status === 'OPEN',
    );
  }

  async fetchFillsSince(query: {
    readonly symbol: string;
    readonly since: Date;
  }): Promise<readonly VenueFill[]> {
    await this.onCall('fetchFills');
    this.assertListed(query.symbol);
    return [...this.fills.values()]
      .flat()
      .filter(({ symbol, executedAt }) => symbol === query.symbol && executedAt >= query.since);
  }

  watch(_handler: AccountStreamHandler): VenueStream {
    throw new Error('no stream is scripted');
  }

  watchBook(): VenueStream {
    throw new Error('no book is scripted');
  }

  watchPrices(): VenueStream {
    throw new Error('no prices are scripted');
  }

  async fetchFills({ symbol, exchangeOrderId }: ExchangeOrderKey): Promise<readonly VenueFill[]> {
    await this.onCall('fetchFills');
    this.assertListed(symbol);
    return this.fills.get(exchangeOrderId) ?? [];
  }

  async fetchBalances(): Promise<BalanceReport> {
    this.balanceReads++;
    const { balances } = this;
    const at = new Date();
    await this.onCall('fetchBalances');
    return { balances, at, until: at };
  }

  async testCredentials(): Promise<CredentialsReport> {
    await this.onCall('testCredentials');
    return { tradingTypes: this.tradingTypes, canTrade: true, canWithdraw: false };
  }

  async fetchMarkets(): Promise<readonly Market[]> {
    return this.markets;
  }

  async fetchBestPrices(): Promise<BestPrices> {
    return this.onBestPrices();
  }

  async fetchBook(): Promise<BookSides> {
    await this.onCall('fetchBook');
    return this.book;
  }

  async fetchMarkPrices(): Promise<Readonly<Record<string, string>>> {
    return {};
  }

  async fetchFundingRates(): Promise<readonly FundingRate[]> {
    return [];
  }

  async fetchTicker(): Promise<Ticker> {
    await this.onCall('fetchTicker');
    return this.ticker;
  }

  async fetchCandles(_symbol: string, { from }: CandleRange): Promise<readonly Candle[]> {
    await this.onCall('fetchCandles');
    return this.candles.filter(({ openedAt }) => openedAt >= from);
  }

  async fetchPriceAt(symbol: string): Promise<string | null> {
    return this.prices[symbol] ?? null;
  }

  async fetchPrices(): Promise<Readonly<Record<string, string>>> {
    return this.prices;
  }

  async close(): Promise<void> {
    this.closeCount++;
  }
}

/** Creates the market of `base` and USDT. Its price tick and its amount step are 0.01. */
export function marketOf(base: string): Market {
  return {
    symbol: `${base}/USDT`,
    exchangeSymbol: `${base}USDT`,
    base,
    quote: 'USDT',
    tradingType: 'spot',
    priceTick: '0.01',
    amountStep: '0.01',
    minAmount: '0.01',
    minNotional: '1',
    orderTypes: ['LIMIT', 'MARKET', 'STOP_LIMIT', 'STOP_MARKET'],
    timeInForces: ['GTC', 'IOC', 'FOK', 'POST_ONLY'],
    isActive: true,
  };
}
