/** Tests the exact requests on the wire, and that parsed responses keep every digit. */
import { gzipSync } from 'node:zlib';
import { createVenue, venueConfig } from '../src/ccxt/index.js';
import type { ExchangeClient, ExchangeVenue, OrderRequest } from '../src/index.js';
import { foundOrder } from './conformance-fixture.js';
import { type Reaction, respondWith, ScriptedExchangeServer } from './scripted-exchange.js';

const ORDER = '/api/v3/order';

const order: OrderRequest = {
  symbol: 'BTC/USDT',
  venueClientOrderId: 'ta0123456789abcdef0123456789abcdef01',
  type: 'LIMIT',
  side: 'BUY',
  timeInForce: 'GTC',
  amount: '123456789.12345678',
  price: '98765432.00000001',
  reduceOnly: false,
};

const acceptedOrder = {
  symbol: 'BTCUSDT',
  orderId: 28,
  clientOrderId: order.venueClientOrderId,
  price: order.price,
  origQty: order.amount,
  executedQty: '0.00000000',
  cummulativeQuoteQty: '0.00000000',
  status: 'NEW',
  timeInForce: 'GTC',
  type: 'LIMIT',
  side: 'BUY',
  time: 1_700_000_000_000,
  updateTime: 1_700_000_000_001,
};

const fill = (id: number) => ({
  symbol: 'BTCUSDT',
  id,
  orderId: 28,
  price: '98765432.00000001',
  qty: '0.00000001',
  quoteQty: '0.98765432',
  commission: '0.00000001',
  commissionAsset: 'BNB',
  time: 1_700_000_000_000 + id,
  isBuyer: true,
  isMaker: id % 2 === 0,
  isBestMatch: true,
});

describe('the client of an exchange', () => {
  let exchange: ScriptedExchangeServer;
  let venue: ExchangeVenue;
  let client: ExchangeClient;
  beforeEach(async () => {
    exchange = await ScriptedExchangeServer.start();
    exchange.on(ORDER, respondWith(acceptedOrder));
    venue = createVenue(
      venueConfig.parse({
        id: 'x',
        name: 'X',
        adapter: 'binance',
        tradingTypes: ['spot'],
        url: exchange.url,
      }),
    );
    client = venue.connect({ apiKey: 'key', apiSecret: 'secret' }, 'spot');
  });
  afterEach(async () => {
    await venue.close();
    await exchange.close();
  });

  async function sentParams(request: Partial<OrderRequest>): Promise<Record<string, string>> {
    await client.placeOrder({ ...order, ...request });
    const { timestamp, signature, recvWindow, ...params } = Object.fromEntries(
      exchange.requestsTo(ORDER).at(-1)!.params,
    );
    expect([timestamp, signature, recvWindow]).not.toContain(undefined);
    return params;
  }

  const common = {
    symbol: 'BTCUSDT',
    side: 'BUY',
    quantity: '123456789.12345678',
    newClientOrderId: order.venueClientOrderId,
    newOrderRespType: 'RESULT',
  };

  it.each([
    ['GTC', { type: 'LIMIT', timeInForce: 'GTC' }],
    ['IOC', { type: 'LIMIT', timeInForce: 'IOC' }],
    ['FOK', { type: 'LIMIT', timeInForce: 'FOK' }],
    ['POST_ONLY', { type: 'LIMIT_MAKER' }],
  ] as const)(
    'sends a %s limit order with every digit and the client order id',
    async (timeInForce, expected) => {
      expect(await sentParams({ timeInForce })).toEqual({
        ...common,
        price: '98765432.00000001',
        ...expected,
      });
    },
  );

  it.each(['GTC', 'IOC'] as const)(
    'sends a %s market order by its amount, never by its cost',
    async (timeInForce) => {
      expect(await sentParams({ type: 'MARKET', timeInForce, price: undefined })).toEqual({
        ...common,
        type: 'MARKET',
      });
    },
  );

  it('sends stop orders with their stop price', async () => {
    const stopPrice = '98765431.00000009';
    expect(await sentParams({ type: 'STOP_LIMIT', stopPrice })).toEqual({
      ...common,
      type: 'STOP_LOSS_LIMIT',
      timeInForce: 'GTC',
      price: '98765432.00000001',
      stopPrice,
    });
    expect(await sentParams({ type: 'STOP_MARKET', side: 'SELL', price: undefined, stopPrice })).toEqual({
      ...common,
      side: 'SELL',
      type: 'STOP_LOSS',
      stopPrice,
    });
  });

  it('sends small numbers without an exponent', async () => {
    expect(await sentParams({ amount: '0.00000001', price: '0.0000001' })).toMatchObject({
      quantity: '0.00000001',
      price: '0.0000001',
    });
  });

  it('finds and cancels an order by its client order id only', async () => {
    await client.findOrder(order);
    await client.cancelOrder(order);
    for (const { params } of exchange.requestsTo(ORDER)) {
      expect(params.get('origClientOrderId')).toBe(order.venueClientOrderId);
      expect(params.has('orderId')).toBe(false);
    }
  });

  it('loads the rules of markets once for all clients, and without credentials', async () => {
    const clients = ['a', 'b', 'c'].map((apiKey) => venue.connect({ apiKey, apiSecret: 's' }, 'spot'));
    await Promise.all(clients.map((each) => each.findOrder(order)));
    await Promise.all(clients.map((each) => each.findOrder(order)));
    expect(exchange.requestsTo('/api/v3/exchangeInfo').map(({ apiKey }) => apiKey)).toEqual([undefined]);
    expect(exchange.requestsTo('/api/v3/time').map(({ apiKey }) => apiKey)).toEqual([undefined]);
    expect(
      exchange
        .requestsTo(ORDER)
        .map(({ apiKey }) => apiKey)
        .sort(),
    ).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
    expect(exchange.requests).toHaveLength(8);
  });

  it('passes reloaded rules to existing clients', async () => {
    await client.findOrder(order);
    exchange.on('/api/v3/exchangeInfo', respondWith({ symbols: [] }));
    expect(await venue.fetchMarkets()).toEqual([]);
    await expect(client.placeOrder(order)).rejects.toMatchObject({
      outcome: 'rejected',
      code: 'not_supported',
    });
  });

  it('rejects a list without pairs of one trading type, because the caller would take all of them for delisted', async () => {
    const config = {
      id: 'x',
      name: 'X',
      adapter: 'binance',
      tradingTypes: ['spot', 'margin'],
      url: exchange.url,
    };
    const both = createVenue(venueConfig.parse(config));
    try {
      await expect(both.fetchMarkets()).rejects.toMatchObject({ outcome: 'retryable', code: 'bad_answer' });
      exchange.on('/api/v3/exchangeInfo', respondWith({ symbols: [] }));
      expect(await both.fetchMarkets()).toEqual([]);
    } finally {
      await both.close();
    }
  });

  it('omits a maximum that the exchange reports as zero', async () => {
    const [market] = await venue.fetchMarkets();
    expect(market).toMatchObject({ priceTick: '0.00000001', maxAmount: '999999999999', minNotional: '5' });
    expect(market?.maxNotional).toBeUndefined();
  });

  it.each<[string, Reaction]>([
    ['as strings', respondWith({ ...acceptedOrder, executedQty: '1234567890.12345678' })],
    [
      'as numbers',
      respondWith(
        JSON.stringify({ ...acceptedOrder, executedQty: 0 }).replace(
          '"executedQty":0',
          '"executedQty":1234567890.12345678',
        ),
      ),
    ],
    [
      'compressed',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        response.end(gzipSync(JSON.stringify({ ...acceptedOrder, executedQty: '1234567890.12345678' })));
      },
    ],
  ])('reads digits that no double can represent: %s', async (_how, reaction) => {
    exchange.on(ORDER, reaction);
    expect(await foundOrder(client, order)).toMatchObject({ filledAmount: '1234567890.12345678' });
  });

  it('reads an id that is larger than the exact integers of a double', async () => {
    exchange.on(
      ORDER,
      respondWith(JSON.stringify(acceptedOrder).replace('"orderId":28', '"orderId":9007199254740993')),
    );
    expect(await foundOrder(client, order)).toMatchObject({ exchangeOrderId: '9007199254740993' });
  });

  it('reads balances in exponent notation and as numbers without loss', async () => {
    exchange.on(
      '/api/v3/account',
      respondWith(
        `{"canTrade":true,"balances":[{"asset":"BTC","free":1e-8,"locked":"1.23456789012345678e-1"},{"asset":"USDT","free":12345678901234567.5,"locked":0},{"asset":"ETH","free":"0.00","locked":"0"}]}`,
      ),
    );
    expect((await client.fetchBalances()).balances).toEqual({
      BTC: { free: '0.00000001', locked: '0.123456789012345678' },
      USDT: { free: '12345678901234567.5', locked: '0' },
    });
  });

  it('rejects a response about another order', async () => {
    exchange.on(ORDER, respondWith({ ...acceptedOrder, clientOrderId: 'another' }));
    await expect(client.findOrder(order)).rejects.toMatchObject({ outcome: 'retryable', code: 'bad_answer' });
    await expect(client.placeOrder(order)).rejects.toMatchObject({ outcome: 'unknown', code: 'bad_answer' });
  });

  it('reads every fill of an order, also over several pages', async () => {
    const fills = Array.from({ length: 2_300 }, (_, i) => fill(i + 1));
    exchange.on('/api/v3/myTrades', (response, request) => {
      const params = new URL(request.url!, 'http://x').searchParams;
      const from = fills.findIndex(({ id }) => id >= Number(params.get('fromId') ?? 0));
      const page = from < 0 ? [] : fills.slice(from, from + Number(params.get('limit')));
      respondWith(params.get('orderId') === '28' ? page : [])(response, request);
    });
    const read = await client.fetchFills({ symbol: 'BTC/USDT', exchangeOrderId: '28' });
    expect(read.map(({ exchangeFillId }) => exchangeFillId)).toEqual(fills.map(({ id }) => String(id)));
    expect(read[0]).toEqual({
      exchangeFillId: '1',
      exchangeOrderId: '28',
      symbol: 'BTC/USDT',
      side: 'BUY',
      price: '98765432.00000001',
      amount: '0.00000001',
      fee: { amount: '0.00000001', currency: 'BNB' },
      liquidity: 'TAKER',
      executedAt: new Date(1_700_000_000_001),
    });
  });

  describe('that reads the fills of a symbol since a time', () => {
    const since = new Date(1_700_000_000_100);
    const fetchRecentFills = () => client.fetchFillsSince({ symbol: 'BTC/USDT', since });
    /** Serves fills like the exchange: the newest ones; from an id on or in a time range, the oldest ones. */
    const serveFills = (fills: readonly ReturnType<typeof fill>[]) =>
      exchange.on('/api/v3/myTrades', (response, request) => {
        const params = new URL(request.url!, 'http://x').searchParams;
        const [from, to] = [Number(params.get('startTime') ?? 0), Number(params.get('endTime') ?? Infinity)];
        const fromId = Number(params.get('fromId') ?? 0);
        const within = fills.filter(({ id, time }) => id >= fromId && time >= from && time <= to);
        const limit = Number(params.get('limit'));
        const isNewest = !params.has('fromId') && !params.has('startTime');
        respondWith(isNewest ? within.slice(-limit) : within.slice(0, limit))(response, request);
      });
    const idsOf = (fills: readonly { readonly exchangeFillId: string }[]) =>
      fills.map(({ exchangeFillId }) => Number(exchangeFillId));

    it('sends one request if the newest page reaches back to that time', async () => {
      serveFills(Array.from({ length: 1_050 }, (_, i) => fill(i + 1)));
      expect(idsOf(await fetchRecentFills())).toEqual(Array.from({ length: 951 }, (_, i) => i + 100));
      expect(exchange.requestsTo('/api/v3/myTrades')).toHaveLength(1);
    });

    it('reads all fills if they exceed one page, also after days without fills', async () => {
      const later = Array.from({ length: 2_500 }, (_, i) => ({
        ...fill(i + 500),
        time: Date.now() - 5_000 + i,
      }));
      serveFills([fill(1), ...later]);
      const threeDaysAgo = new Date(Date.now() - 3 * 86_400_000);
      const read = await client.fetchFillsSince({ symbol: 'BTC/USDT', since: threeDaysAgo });
      expect(idsOf(read)).toEqual(later.map(({ id }) => id));
    });

    it('reads both sides of a self-trade, also at a page boundary', async () => {
      const selfTrades = Array.from({ length: 2_400 }, (_, i) => ({
        ...fill(Math.floor(i / 2) + 200),
        time: Date.now() - 5_000 + i,
        orderId: 30 + (i % 2),
      }));
      serveFills(selfTrades);
      const read = await client.fetchFillsSince({ symbol: 'BTC/USDT', since: new Date(Date.now() - 60_000) });
      expect(read).toHaveLength(2_400);
    });
  });

  it('returns the rules of market orders, the order types and the fees', async () => {
    expect(await venue.fetchMarkets()).toMatchObject([
      {
        symbol: 'BTC/USDT',
        exchangeSymbol: 'BTCUSDT',
        orderTypes: ['LIMIT', 'MARKET', 'STOP_MARKET', 'STOP_LIMIT'],
        timeInForces: ['GTC', 'IOC', 'FOK', 'POST_ONLY'],
        marketAmountStep: '0.001',
        marketMaxAmount: '90',
        makerFee: '0.001',
        takerFee: '0.001',
      },
    ]);
  });

  it('reads the last price of each symbol that has one', async () => {
    exchange.on(
      '/api/v3/ticker/price',
      respondWith([
        { symbol: 'BTCUSDT', price: '60000.12345678' },
        { symbol: 'ETHUSDT', price: '3000' },
      ]),
    );
    expect(await venue.fetchPrices(['BTC/USDT', 'NOT/LISTED'])).toEqual({ 'BTC/USDT': '60000.12345678' });
    expect(await venue.fetchPrices([])).toEqual({});
    expect(exchange.requestsTo('/api/v3/ticker/price').map(({ apiKey }) => apiKey)).toEqual([undefined]);
  });

  it('reads the price of a past minute from the candles up to it, and skips minutes without trades', async () => {
    const minute = Date.UTC(2026, 0, 2, 3, 4);
    const candle = (openedAt: number, close: string) => [
      openedAt,
      '1.00000000',
      '9.00000000',
      '1.00000000',
      close,
      '5.0',
      openedAt + 59_999,
      '0',
      1,
      '0',
      '0',
      '0',
    ];
    const candles = [candle(minute - 180_000, '599.5'), candle(minute - 120_000, '600.12345678')];
    exchange.on('/api/v3/klines', respondWith(candles));
    expect(await venue.fetchPriceAt('BTC/USDT', new Date(minute + 30_000))).toBe('600.12345678');
    expect(await venue.fetchPriceAt('NOT/LISTED', new Date(minute))).toBeNull();
    const [request, ...others] = exchange.requestsTo('/api/v3/klines');
    expect(others).toEqual([]);
    expect(request).toMatchObject({ apiKey: undefined });
    expect(Object.fromEntries(request!.params)).toMatchObject({
      symbol: 'BTCUSDT',
      interval: '1m',
      startTime: String(minute - 59 * 60_000),
      endTime: String(minute + 59_999),
    });
    exchange.on('/api/v3/klines', respondWith([]));
    expect(await venue.fetchPriceAt('BTC/USDT', new Date(minute))).toBeNull();
  });

  it('returns the permissions of credentials: trading needs the permission of both the key and the account', async () => {
    exchange.on('/api/v3/account', respondWith({ canTrade: true, balances: [], uid: 354_937_868 }));
    const permissions = { enableReading: true, enableSpotAndMarginTrading: false, enableWithdrawals: true };
    exchange.on('/sapi/v1/account/apiRestrictions', respondWith(permissions));
    expect(await client.testCredentials()).toEqual({
      tradingTypes: ['spot'],
      canTrade: false,
      canWithdraw: true,
      venueAccountId: '354937868',
    });
  });

  it('derives a valid, unique and repeatable client order id from a trade id', () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => venue.clientOrderIdFor(`trd_${i}`, 'spot'));
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids) expect(id).toMatch(/^ta[0-9a-f]{34}$/);
    expect(venue.clientOrderIdFor('trd_7', 'spot')).toBe(ids[7]);
  });
});
