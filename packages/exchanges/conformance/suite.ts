/**
 * Requirements for every exchange that is offered, tested over its own wire format. A new exchange is offered only
 * after it passes these tests, even if its adapter is already in use.
 */
import {
  failureOf,
  foundOrder,
  setupConformanceFixture,
  type VenueUnderTest,
} from './conformance-fixture.js';

export function describeConformance(name: string, setup: () => Promise<VenueUnderTest>): void {
  describe(`a conforming exchange: ${name}`, () => {
    const fixture = setupConformanceFixture(setup);
    /** Places a sell order of half a BTC at each of two prices. */
    const placeOffers = async () => [
      await fixture.maker.placeOrder(fixture.order({ side: 'SELL', price: '60000' })),
      await fixture.maker.placeOrder(fixture.order({ side: 'SELL', price: '60100' })),
    ];

    it('[EX-MKT-01] returns its markets and their rules exactly', async () => {
      const market = (await fixture.subject.venue.fetchMarkets()).find(
        ({ symbol }) => symbol === fixture.subject.symbol,
      );
      expect(market).toMatchObject({
        base: 'BTC',
        quote: 'USDT',
        tradingType: 'spot',
        priceTick: '0.01',
        amountStep: '0.00001',
        minAmount: '0.00001',
        minNotional: '10',
        exchangeSymbol: expect.stringMatching(/BTC/),
        orderTypes: expect.arrayContaining(['LIMIT', 'MARKET', 'STOP_LIMIT', 'STOP_MARKET']),
        timeInForces: expect.arrayContaining(['GTC', 'IOC', 'FOK', 'POST_ONLY']),
        makerFee: expect.stringMatching(/^0\.\d+$/),
        takerFee: expect.stringMatching(/^0\.\d+$/),
      });
      expect(market?.marketMaxAmount).toEqual(expect.stringMatching(/^\d+$/));
    });

    it('[EX-MKT-02] returns the last traded price of a symbol', async () => {
      await placeOffers();
      await fixture.taker.placeOrder(fixture.order({ type: 'MARKET', amount: '0.6' }));
      expect(await fixture.subject.venue.fetchPrices([fixture.subject.symbol])).toEqual({
        [fixture.subject.symbol]: '60100',
      });
    });

    it('[EX-MKT-05] returns the price of a past minute; null without a trade in it or the hour before', async () => {
      const priceAt = (at: Date) => fixture.subject.venue.fetchPriceAt(fixture.subject.symbol, at);
      expect(await priceAt(new Date())).toBeNull();
      await placeOffers();
      await fixture.taker.placeOrder(fixture.order({ type: 'MARKET', amount: '0.6' }));
      const tradedAt = new Date();
      expect(await priceAt(tradedAt)).toBe('60100');
      expect(await priceAt(new Date(tradedAt.getTime() - 2 * 3_600_000))).toBeNull();
    });

    it('[EX-MKT-04] returns the best prices of an order book; null for a side without orders', async () => {
      const bestPrices = () => fixture.subject.venue.fetchBestPrices(fixture.subject.symbol);
      expect(await bestPrices()).toEqual({ bid: null, ask: null });
      await placeOffers();
      await fixture.taker.placeOrder(fixture.order({ side: 'BUY', price: '9999.5' }));
      await fixture.taker.placeOrder(fixture.order({ side: 'BUY', price: '59000.25' }));
      expect(await bestPrices()).toEqual({ bid: '59000.25', ask: '60000' });
    });

    it('[EX-MKT-06] returns an order book, at most as deep as requested', async () => {
      const book = (depth: number) => fixture.subject.venue.fetchBook(fixture.subject.symbol, depth);
      expect(await book(20)).toEqual({ bids: [], asks: [] });
      await placeOffers();
      await fixture.taker.placeOrder(fixture.order({ side: 'BUY', price: '9999.5' }));
      await fixture.taker.placeOrder(fixture.order({ side: 'BUY', price: '59000.25' }));
      const { bids, asks } = await book(20);
      expect(bids.map(([price]) => price)).toEqual(['59000.25', '9999.5']);
      expect(asks[0]![0]).toBe('60000');
      expect(await book(1)).toEqual({ bids: [bids[0]], asks: [asks[0]] });
    });

    it('[EX-MKT-07] returns the ticker of the last 24 hours; null for prices that do not exist', async () => {
      const ticker = () => fixture.subject.venue.fetchTicker(fixture.subject.symbol);
      expect(await ticker()).toMatchObject({ last: null, bid: null, ask: null, volume: '0' });
      await placeOffers();
      await fixture.taker.placeOrder(fixture.order({ type: 'MARKET', amount: '0.6' }));
      expect(await ticker()).toMatchObject({
        last: '60100',
        open: '60000',
        high: '60100',
        low: '60000',
        volume: '0.6',
        bid: null,
      });
    });

    it('[EX-MKT-08] returns the candles that open within a range', async () => {
      const DAY_MS = 86_400_000;
      const { venue, symbol } = fixture.subject;
      await placeOffers();
      await fixture.taker.placeOrder(fixture.order({ type: 'MARKET', amount: '0.6' }));
      const from = Math.floor(Date.now() / DAY_MS - 1) * DAY_MS;
      const candles = (days: number) =>
        venue.fetchCandles(symbol, {
          interval: '1d',
          from: new Date(from),
          to: new Date(from + days * DAY_MS),
        });
      // Two days, because the day may have ended since the trade.
      expect((await candles(3)).at(-1)).toMatchObject({
        open: '60000',
        high: '60100',
        low: '60000',
        close: '60100',
        volume: '0.6',
      });
      expect(await candles(0)).toEqual([]);
    });

    it('[EX-CRED-01] accepts valid credentials and returns their permissions', async () => {
      const report = await fixture.maker.testCredentials();
      expect(report).toMatchObject({ tradingTypes: ['spot'], canTrade: true, canWithdraw: false });
      const other = await fixture.taker.testCredentials();
      expect(report.venueAccountId).toEqual(expect.any(String));
      expect(other.venueAccountId).not.toBe(report.venueAccountId);
    });

    it('[EX-CRED-02] reports invalid credentials as rejected on every call', async () => {
      const good = await fixture.subject.openAccount({ USDT: 1 });
      for (const bad of [
        { ...good, apiSecret: 'wrong' },
        { ...good, apiKey: 'unknown' },
      ]) {
        const unauthorized = fixture.subject.venue.connect(bad, 'spot');
        expect(await failureOf(unauthorized.testCredentials())).toBe('fatal/credentials_rejected');
        expect(await failureOf(unauthorized.fetchBalances())).toBe('fatal/credentials_rejected');
        expect(await failureOf(unauthorized.placeOrder(fixture.order({})))).toBe(
          'fatal/credentials_rejected',
        );
      }
    });

    it('[EX-CRED-03] keeps the credentials of its clients separate, also in concurrent calls', async () => {
      const clients = await Promise.all(
        [1, 2, 3].map(async (balance) =>
          fixture.subject.venue.connect(await fixture.subject.openAccount({ USDT: balance }), 'spot'),
        ),
      );
      const seen = await Promise.all(clients.map((client) => client.fetchBalances()));
      expect(seen.map(({ balances }) => balances.USDT?.free)).toEqual(['1', '2', '3']);
    });

    it('[EX-CRED-04] keeps forty accounts separate, even if all concurrently read balances and place and cancel orders', async () => {
      const clients = await Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          const credentials = await fixture.subject.openAccount({ USDT: 1_000 + i });
          return { client: fixture.subject.venue.connect(credentials, 'spot'), balance: 1_000 + i };
        }),
      );
      const trade = async ({ client, balance }: (typeof clients)[number]) => {
        const request = fixture.order({ price: '50000', amount: '0.01' });
        const [placed, before] = await Promise.all([client.placeOrder(request), client.fetchBalances()]);
        expect(['OPEN', String(balance)]).toEqual([placed.status, totalOf(before.balances.USDT)]);
        const openOrders = await client.fetchOpenOrders();
        expect(openOrders.map(({ venueClientOrderId }) => venueClientOrderId)).toEqual([
          request.venueClientOrderId,
        ]);
        await client.cancelOrder(request);
        expect((await client.fetchBalances()).balances.USDT).toEqual({ free: String(balance), locked: '0' });
      };
      await Promise.all(clients.map(trade));
    });

    it('[EX-ORD-01] keeps a limit order open, locks its balance, finds it by its client order id and cancels it', async () => {
      const request = fixture.order({ price: '50000.01', amount: '0.00123' });
      const placed = await fixture.maker.placeOrder(request);
      expect(placed).toMatchObject({
        venueClientOrderId: request.venueClientOrderId,
        status: 'OPEN',
        amount: '0.00123',
        filledAmount: '0',
      });
      expect((await fixture.maker.fetchBalances()).balances).toEqual({
        BTC: { free: '2', locked: '0' },
        USDT: { free: '99938.4999877', locked: '61.5000123' },
      });
      expect(await foundOrder(fixture.maker, request)).toMatchObject({
        exchangeOrderId: placed.exchangeOrderId,
        status: 'OPEN',
      });
      await fixture.maker.cancelOrder(request);
      expect(await foundOrder(fixture.maker, request)).toMatchObject({
        status: 'CANCELLED',
        filledAmount: '0',
      });
      expect((await fixture.maker.fetchBalances()).balances.USDT).toEqual({ free: '100000', locked: '0' });
    });

    it('[EX-FILL-01] fills at several prices and returns each fill with its fee', async () => {
      const [first] = await placeOffers();
      const request = fixture.order({ type: 'MARKET', amount: '0.75' });
      const bought = await fixture.taker.placeOrder(request);
      expect(bought).toMatchObject({ status: 'FILLED', amount: '0.75', filledAmount: '0.75' });
      const fills = await fixture.taker.fetchFills(bought);
      expect(
        fills.map(({ price, amount, fee, liquidity, side }) => [price, amount, fee, liquidity, side]),
      ).toEqual([
        ['60000', '0.5', { amount: '0.0005', currency: 'BTC' }, 'TAKER', 'BUY'],
        ['60100', '0.25', { amount: '0.00025', currency: 'BTC' }, 'TAKER', 'BUY'],
      ]);
      expect(new Set(fills.map(({ exchangeFillId }) => exchangeFillId)).size).toBe(2);
      expect(await fixture.maker.fetchFills(first!)).toMatchObject([
        {
          price: '60000',
          amount: '0.5',
          fee: { amount: '30', currency: 'USDT' },
          liquidity: 'MAKER',
          side: 'SELL',
        },
      ]);
      expect((await fixture.taker.fetchBalances()).balances.BTC).toEqual({ free: '2.74925', locked: '0' });
    });

    it('[EX-ORD-02] lists only the open orders of the requested symbol and account', async () => {
      expect(await fixture.maker.fetchOpenOrders('BTC/USDT')).toEqual([]);
      const requests = [fixture.order({ price: '50000' }), fixture.order({ price: '50001' })];
      for (const request of requests) await fixture.maker.placeOrder(request);
      await fixture.maker.cancelOrder(requests[0]!);
      expect(await fixture.maker.fetchOpenOrders('BTC/USDT')).toMatchObject([
        { venueClientOrderId: requests[1]!.venueClientOrderId, status: 'OPEN', filledAmount: '0' },
      ]);
      expect(await fixture.maker.fetchOpenOrders('ETH/USDT')).toEqual([]);
      expect(await fixture.taker.fetchOpenOrders('BTC/USDT')).toEqual([]);
    });

    it('[EX-ORD-09] returns every kind of order with its terms, when it is placed and when it is looked up', async () => {
      await placeOffers();
      await fixture.taker.placeOrder(fixture.order({ type: 'MARKET', amount: '0.1' }));
      const kinds = [
        { type: 'LIMIT', timeInForce: 'GTC', price: '50000' },
        { type: 'LIMIT', timeInForce: 'POST_ONLY', price: '50000' },
        { type: 'LIMIT', timeInForce: 'IOC', price: '50000' },
        { type: 'LIMIT', timeInForce: 'FOK', price: '50000' },
        { type: 'MARKET', timeInForce: 'GTC', amount: '0.01' },
        { type: 'MARKET', timeInForce: 'IOC', amount: '0.01' },
        { type: 'STOP_LIMIT', timeInForce: 'GTC', stopPrice: '61000', price: '61100' },
        { type: 'STOP_LIMIT', timeInForce: 'IOC', stopPrice: '61000', price: '61100' },
        { type: 'STOP_LIMIT', timeInForce: 'FOK', stopPrice: '61000', price: '61100' },
        { type: 'STOP_MARKET', timeInForce: 'GTC', stopPrice: '61000' },
      ] as const;
      for (const kind of kinds) {
        const request = fixture.order({ amount: '0.02', ...kind });
        const placed = await fixture.taker.placeOrder(request);
        const { type, side, amount, price, stopPrice } = request;
        // A market order has no time in force of its own: it ends immediately.
        const timeInForce = type.endsWith('MARKET') ? placed.timeInForce : request.timeInForce;
        expect(placed).toMatchObject({
          type,
          side,
          amount,
          timeInForce,
          exchangeOrderId: expect.any(String),
        });
        expect([placed.price, placed.stopPrice]).toEqual([price, stopPrice]);
        const { updatedAt: _, createdAt, ...expected } = placed;
        expect(await foundOrder(fixture.taker, request)).toMatchObject(expected);
        expect(Math.abs(createdAt.getTime() - Date.now())).toBeLessThan(60_000);
      }
    });

    it('[EX-ORD-10] finds an order by its exchange order id, but not for another account or by another id', async () => {
      const request = fixture.order({ price: '50000' });
      const { exchangeOrderId } = await fixture.maker.placeOrder(request);
      const { symbol } = request;
      expect(await fixture.maker.findOrderByExchangeId({ symbol, exchangeOrderId })).toMatchObject({
        venueClientOrderId: request.venueClientOrderId,
        exchangeOrderId,
      });
      expect(await fixture.taker.findOrderByExchangeId({ symbol, exchangeOrderId })).toBeNull();
      expect(await fixture.maker.findOrderByExchangeId({ symbol, exchangeOrderId: '999999999' })).toBeNull();
    });

    it('[EX-ORD-11] lists the open orders of all symbols, including external ones', async () => {
      const requests = [
        fixture.order({ price: '50000', amount: '0.01' }),
        fixture.order({ symbol: 'ETH/USDT', price: '2000', venueClientOrderId: 'from-elsewhere' }),
      ];
      for (const request of requests) await fixture.maker.placeOrder(request);
      const open = await fixture.maker.fetchOpenOrders();
      expect(open.map(({ symbol, venueClientOrderId }) => [symbol, venueClientOrderId]).sort()).toEqual(
        requests.map(({ symbol, venueClientOrderId }) => [symbol, venueClientOrderId]),
      );
    });

    it('[EX-FILL-03] returns the fills of all orders of one symbol since a time, oldest first', async () => {
      await placeOffers();
      const first = await fixture.taker.placeOrder(fixture.order({ type: 'MARKET', amount: '0.2' }));
      const second = await fixture.taker.placeOrder(fixture.order({ type: 'MARKET', amount: '0.4' }));
      const expectedFills = [
        ...(await fixture.taker.fetchFills(first)),
        ...(await fixture.taker.fetchFills(second)),
      ];
      const since = expectedFills[0]!.executedAt;
      const { symbol } = fixture.subject;
      expect(await fixture.taker.fetchFillsSince({ symbol, since })).toEqual(expectedFills);
      expect(await fixture.taker.fetchFillsSince({ symbol, since: new Date(Date.now() + 60_000) })).toEqual(
        [],
      );
      expect(await fixture.taker.fetchFillsSince({ symbol: 'ETH/USDT', since })).toEqual([]);
      expect(await fixture.maker.fetchFillsSince({ symbol, since: new Date(0) })).toHaveLength(3);
    });

    it('[EX-FILL-02] returns a partially filled order as open, and its fills after a cancellation', async () => {
      await placeOffers();
      const request = fixture.order({ amount: '0.6', price: '60000' });
      const placed = await fixture.taker.placeOrder(request);
      expect(placed).toMatchObject({ status: 'OPEN', amount: '0.6', filledAmount: '0.5' });
      await fixture.taker.cancelOrder(request);
      expect(await foundOrder(fixture.taker, request)).toMatchObject({
        status: 'CANCELLED',
        filledAmount: '0.5',
      });
      expect(await fixture.taker.fetchFills(placed)).toHaveLength(1);
    });

    it('[EX-ORD-03] reports an unknown id, and a cancellation of a closed order, as not found', async () => {
      const absent = fixture.order({});
      expect(await fixture.maker.findOrder(absent)).toEqual({ outcome: 'ABSENT' });
      expect(await failureOf(fixture.maker.cancelOrder(absent))).toBe('rejected/order_not_found');
      await placeOffers();
      const filled = fixture.order({ price: '60000' });
      await fixture.taker.placeOrder(filled);
      expect(await failureOf(fixture.taker.cancelOrder(filled))).toBe('rejected/order_not_found');
      expect(await foundOrder(fixture.taker, filled)).toMatchObject({ status: 'FILLED' });
    });

    it("[EX-ORD-04] does not show an account another account's orders", async () => {
      const request = fixture.order({ price: '50000' });
      await fixture.maker.placeOrder(request);
      expect(await fixture.taker.findOrder(request)).toEqual({ outcome: 'ABSENT' });
      expect(await failureOf(fixture.taker.cancelOrder(request))).toBe('rejected/order_not_found');
    });

    it('[EX-ORD-05] rejects an order that exceeds the balance, and changes nothing', async () => {
      expect(await failureOf(fixture.maker.placeOrder(fixture.order({ amount: '5' })))).toBe(
        'rejected/insufficient_balance',
      );
      expect((await fixture.maker.fetchBalances()).balances.USDT).toEqual({ free: '100000', locked: '0' });
    });

    it('[EX-ORD-06] rejects an order that breaks a rule, and never rounds it', async () => {
      for (const overrides of [
        { amount: '0.0001', price: '60000' },
        { amount: '0.000015' },
        { price: '60000.001' },
        { amount: '100000' },
        { type: 'MARKET', amount: '0.123456' },
      ] as const)
        expect(await failureOf(fixture.maker.placeOrder(fixture.order(overrides)))).toBe(
          'rejected/rule_violated',
        );
      expect((await fixture.maker.fetchBalances()).balances.USDT).toEqual({ free: '100000', locked: '0' });
    });

    it('[EX-ORD-07] rejects a second open order with the same client order id', async () => {
      const request = fixture.order({ price: '50000' });
      await fixture.maker.placeOrder(request);
      expect(await failureOf(fixture.maker.placeOrder(request))).toBe('rejected/duplicate_client_order_id');
      expect((await fixture.maker.fetchBalances()).balances.USDT).toEqual({ free: '75000', locked: '25000' });
    });

    it('[EX-TIF-01] POST_ONLY: stays open, or is rejected if it would take liquidity', async () => {
      await placeOffers();
      expect(
        await fixture.taker.placeOrder(fixture.order({ timeInForce: 'POST_ONLY', price: '59999.99' })),
      ).toMatchObject({
        status: 'OPEN',
      });
      expect(
        await failureOf(
          fixture.taker.placeOrder(fixture.order({ timeInForce: 'POST_ONLY', price: '60000' })),
        ),
      ).toBe('rejected/would_not_fit_book');
    });

    it('[EX-TIF-02] IOC: takes the available amount and ends', async () => {
      await placeOffers();
      const request = fixture.order({ timeInForce: 'IOC', amount: '0.8', price: '60050' });
      expect(await fixture.taker.placeOrder(request)).toMatchObject({
        status: 'EXPIRED',
        filledAmount: '0.5',
      });
      expect((await fixture.taker.fetchBalances()).balances.USDT).toEqual({ free: '70000', locked: '0' });
    });

    it('[EX-TIF-03] FOK: fills completely or not at all', async () => {
      await placeOffers();
      const tooMuch = fixture.order({ timeInForce: 'FOK', amount: '1.1', price: '60100' });
      expect(await fixture.taker.placeOrder(tooMuch)).toMatchObject({ status: 'EXPIRED', filledAmount: '0' });
      const whole = fixture.order({ timeInForce: 'FOK', amount: '1', price: '60100' });
      expect(await fixture.taker.placeOrder(whole)).toMatchObject({ status: 'FILLED', filledAmount: '1' });
    });

    it('[EX-STOP-01] STOP_LIMIT and STOP_MARKET: wait for their stop price', async () => {
      await placeOffers();
      await fixture.taker.placeOrder(fixture.order({ price: '60000' }));
      const limit = fixture.order({ type: 'STOP_LIMIT', side: 'SELL', stopPrice: '59000', price: '58900' });
      const market = fixture.order({ type: 'STOP_MARKET', side: 'BUY', stopPrice: '61000', amount: '0.1' });
      for (const request of [limit, market]) {
        expect(await fixture.taker.placeOrder(request)).toMatchObject({ status: 'OPEN', filledAmount: '0' });
        await fixture.taker.cancelOrder(request);
      }
    });

    it('[EX-ORD-08] rejects an unsupported order instead of placing a similar one', async () => {
      for (const overrides of [
        { type: 'MARKET', timeInForce: 'FOK' },
        { type: 'MARKET', timeInForce: 'POST_ONLY' },
        { type: 'STOP_LIMIT', timeInForce: 'POST_ONLY', stopPrice: '61000' },
        { reduceOnly: true },
        { symbol: 'NOT/LISTED' },
      ] as const)
        expect(await failureOf(fixture.maker.placeOrder(fixture.order(overrides)))).toBe(
          'rejected/not_supported',
        );
      expect((await fixture.maker.fetchBalances()).balances.USDT).toEqual({ free: '100000', locked: '0' });
    });
  });
}

function totalOf(balance: { readonly free: string; readonly locked: string } | undefined): string {
  return String(Number(balance?.free ?? 0) + Number(balance?.locked ?? 0));
}
