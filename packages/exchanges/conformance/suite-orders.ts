/**
 * Requirements for every exchange and trading type that is offered, tested over its own wire format. A trading type is
 * offered only after it passes these tests.
 */
import type { ExchangeClient } from '../src/port.js';
import {
  failureOf,
  foundOrder,
  keepsUnfilledFok,
  quoteOf,
  setupConformanceFixture,
  statusesOfEnded,
  ticksAbove,
  timesInForceOf,
  type VenueUnderTest,
} from './conformance-fixture.js';

export function describeOrders(name: string, setup: () => Promise<VenueUnderTest>): void {
  describe(`a conforming exchange: ${name}`, () => {
    const fixture = setupConformanceFixture(setup);
    const hasFok = () => fixture.subject.traits.hasFok !== false;
    /** Places a sell order of half a BTC at each of two prices. */
    const placeOffers = async () => [
      await fixture.place(fixture.maker, fixture.order({ side: 'SELL', price: '60000' })),
      await fixture.place(fixture.maker, fixture.order({ side: 'SELL', price: '60100' })),
    ];

    it('[EX-MKT-01] returns its markets and their rules exactly', async () => {
      const market = (await fixture.subject.venue.fetchMarkets()).find(
        ({ symbol }) => symbol === fixture.subject.symbol,
      );
      const { rules, orderTypes, tradingType } = fixture.subject;
      expect(market).toMatchObject({
        base: 'BTC',
        quote: quoteOf(fixture.subject),
        tradingType,
        ...rules,
        // Some exchanges call it XBT. Some names are in lower case.
        exchangeSymbol: expect.stringMatching(/BTC|XBT/i),
        orderTypes: expect.arrayContaining([...orderTypes]),
        timeInForces: expect.arrayContaining(['GTC', 'IOC', 'POST_ONLY', ...(hasFok() ? ['FOK'] : [])]),
        makerFee: expect.stringMatching(/^0\.\d+$/),
        takerFee: expect.stringMatching(/^0\.\d+$/),
      });
      expect([...(market?.orderTypes ?? [])].sort()).toEqual([...orderTypes].sort());
      expect(market?.timeInForces.includes('FOK')).toBe(hasFok());
    });

    it('[EX-MKT-02] returns the last traded price of a symbol', async () => {
      await placeOffers();
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.6' }));
      expect(await fixture.subject.venue.fetchPrices([fixture.subject.symbol])).toEqual({
        [fixture.subject.symbol]: '60100',
      });
    });

    it('[EX-MKT-05] returns the price of a past minute; null without a trade in it or the hour before', async () => {
      const priceAt = (at: Date) => fixture.subject.venue.fetchPriceAt(fixture.subject.symbol, at);
      expect(await priceAt(new Date())).toBeNull();
      await placeOffers();
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.6' }));
      const tradedAt = new Date();
      expect(await priceAt(tradedAt)).toBe('60100');
      expect(await priceAt(new Date(tradedAt.getTime() - 2 * 3_600_000))).toBeNull();
    });

    it('[EX-MKT-04] returns the best prices of an order book; null for a side without orders', async () => {
      const bestPrices = () => fixture.subject.venue.fetchBestPrices(fixture.subject.symbol);
      expect(await bestPrices()).toEqual({ bid: null, ask: null });
      await placeOffers();
      await fixture.place(fixture.taker, fixture.order({ side: 'BUY', price: '9999.5' }));
      const bid = ticksAbove(fixture.subject, '59000', 25);
      await fixture.place(fixture.taker, fixture.order({ side: 'BUY', price: bid }));
      expect(await bestPrices()).toEqual({ bid, ask: '60000' });
    });

    it('[EX-MKT-06] returns an order book, at most as deep as requested', async () => {
      const book = (depth: number) => fixture.subject.venue.fetchBook(fixture.subject.symbol, depth);
      expect(await book(20)).toEqual({ bids: [], asks: [] });
      await placeOffers();
      await fixture.place(fixture.taker, fixture.order({ side: 'BUY', price: '9999.5' }));
      const bid = ticksAbove(fixture.subject, '59000', 25);
      await fixture.place(fixture.taker, fixture.order({ side: 'BUY', price: bid }));
      const { bids, asks } = await book(20);
      expect(bids.map(([price]) => price)).toEqual([bid, '9999.5']);
      expect(asks[0]![0]).toBe('60000');
      expect(await book(1)).toEqual({ bids: [bids[0]], asks: [asks[0]] });
    });

    it('[EX-MKT-07] returns the ticker of the last 24 hours; null for prices that do not exist', async () => {
      const ticker = () => fixture.subject.venue.fetchTicker(fixture.subject.symbol);
      expect(await ticker()).toMatchObject({ last: null, bid: null, ask: null, volume: '0' });
      await placeOffers();
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.6' }));
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
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.6' }));
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
      expect(report).toMatchObject({
        tradingTypes: [fixture.subject.tradingType],
        ...(fixture.subject.traits.reportsPermissions
          ? { canTrade: true, canWithdraw: false }
          : { canTrade: null, canWithdraw: null }),
      });
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
        const unauthorized = fixture.connect(bad);
        expect(await failureOf(unauthorized.testCredentials())).toBe('fatal/credentials_rejected');
        expect(await failureOf(unauthorized.fetchBalances())).toBe('fatal/credentials_rejected');
        expect(await failureOf(unauthorized.placeOrder(fixture.order({})))).toBe(
          'fatal/credentials_rejected',
        );
      }
    });

    it('[EX-ORD-02] lists only the open orders of the requested symbol and account', async () => {
      expect(await fixture.maker.fetchOpenOrders(fixture.subject.symbol)).toEqual([]);
      const requests = [fixture.order({ price: '50000' }), fixture.order({ price: '50001' })];
      for (const request of requests) await fixture.place(fixture.maker, request);
      await fixture.maker.cancelOrder(requests[0]!);
      expect(await fixture.maker.fetchOpenOrders(fixture.subject.symbol)).toMatchObject([
        { venueClientOrderId: requests[1]!.venueClientOrderId, status: 'OPEN', filledAmount: '0' },
      ]);
      expect(await fixture.maker.fetchOpenOrders(fixture.subject.otherSymbol)).toEqual([]);
      expect(await fixture.taker.fetchOpenOrders(fixture.subject.symbol)).toEqual([]);
    });

    it('[EX-ORD-09] returns every kind of order with its terms, when it is placed and when it is looked up', async () => {
      await placeOffers();
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.1' }));
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
      const { orderTypes } = fixture.subject;
      const isOffered = ({ type, timeInForce }: (typeof kinds)[number]) =>
        orderTypes.includes(type) && (timeInForce !== 'FOK' || keepsUnfilledFok(fixture.subject));
      for (const kind of kinds.filter(isOffered)) {
        const request = fixture.order({ amount: '0.02', ...kind });
        const placed = await fixture.place(fixture.taker, request);
        const { type, side, amount, price, stopPrice } = request;
        // A market order has no time in force of its own: it ends immediately.
        if (!type.endsWith('MARKET'))
          expect(timesInForceOf(fixture.subject, request)).toContain(placed.timeInForce);
        expect(placed).toMatchObject({ type, side, amount, exchangeOrderId: expect.any(String) });
        expect([placed.price, placed.stopPrice]).toEqual([price, stopPrice]);
        const { updatedAt: _, createdAt, ...expected } = placed;
        expect(await foundOrder(fixture.taker, request)).toMatchObject(expected);
        expect(Math.abs(createdAt.getTime() - Date.now())).toBeLessThan(60_000);
      }
    });

    it('[EX-ORD-10] finds an order by its exchange order id, but not for another account or by another id', async () => {
      const request = fixture.order({ price: '50000' });
      const { exchangeOrderId } = await fixture.place(fixture.maker, request);
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
        fixture.order({
          symbol: fixture.subject.otherSymbol,
          price: '2000',
          venueClientOrderId: 'fromelsewhere',
        }),
      ];
      for (const request of requests) await fixture.place(fixture.maker, request);
      const open = await fixture.maker.fetchOpenOrders();
      expect(open.map(({ symbol, venueClientOrderId }) => [symbol, venueClientOrderId]).sort()).toEqual(
        requests.map(({ symbol, venueClientOrderId }) => [symbol, venueClientOrderId]),
      );
    });

    it('[EX-FILL-03] returns the fills of all orders of one symbol since a time, oldest first', async () => {
      await placeOffers();
      const first = await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.2' }));
      const second = await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.4' }));
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
      expect(await fixture.taker.fetchFillsSince({ symbol: fixture.subject.otherSymbol, since })).toEqual([]);
      expect(await fixture.maker.fetchFillsSince({ symbol, since: hourAgo() })).toHaveLength(3);
    });

    it('[EX-FILL-02] returns a partially filled order as open, and its fills after a cancellation', async () => {
      await placeOffers();
      const request = fixture.order({ amount: '0.6', price: '60000' });
      const placed = await fixture.place(fixture.taker, request);
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
      await fixture.place(fixture.taker, filled);
      expect(await failureOf(fixture.taker.cancelOrder(filled))).toBe('rejected/order_not_found');
      expect(await foundOrder(fixture.taker, filled)).toMatchObject({ status: 'FILLED' });
    });

    it("[EX-ORD-04] does not show an account another account's orders", async () => {
      const request = fixture.order({ price: '50000' });
      await fixture.place(fixture.maker, request);
      expect(await fixture.taker.findOrder(request)).toEqual({ outcome: 'ABSENT' });
      expect(await failureOf(fixture.taker.cancelOrder(request))).toBe('rejected/order_not_found');
    });

    it('[EX-ORD-13] cancels an open order by its exchange order id, but no closed one and none of another account', async () => {
      const requests = [fixture.order({ price: '50000' }), fixture.order({ price: '50001' })];
      const [first, second] = [
        await fixture.place(fixture.maker, requests[0]!),
        await fixture.place(fixture.maker, requests[1]!),
      ];
      const { symbol } = fixture.subject;
      const cancel = (client: ExchangeClient, exchangeOrderId: string) =>
        client.cancelOrderByExchangeId({ symbol, exchangeOrderId });
      expect(await failureOf(cancel(fixture.taker, first.exchangeOrderId))).toBe('rejected/order_not_found');
      expect(await failureOf(cancel(fixture.maker, '999999999'))).toBe('rejected/order_not_found');
      await cancel(fixture.maker, first.exchangeOrderId);
      expect(await foundOrder(fixture.maker, requests[0]!)).toMatchObject({ status: 'CANCELLED' });
      expect(await fixture.maker.fetchOpenOrders(symbol)).toMatchObject([
        { exchangeOrderId: second.exchangeOrderId },
      ]);
      expect(await failureOf(cancel(fixture.maker, first.exchangeOrderId))).toBe('rejected/order_not_found');
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
      expect(await fixture.maker.fetchOpenOrders()).toEqual([]);
    });

    it('[EX-ORD-07] has one order at most with a client order id, as far as the exchange promises it', async () => {
      const { clientOrderIds } = fixture.subject.traits;
      const request = fixture.order({ price: '50000', amount: '0.1' });
      await fixture.place(fixture.maker, request);
      if (clientOrderIds === 'NOT_UNIQUE') {
        await fixture.maker.placeOrder(request);
        expect(await fixture.maker.fetchOpenOrders()).toHaveLength(2);
        return;
      }
      if (clientOrderIds === 'RETURNS_FIRST') await fixture.maker.placeOrder(request);
      else
        expect(await failureOf(fixture.maker.placeOrder(request))).toBe('rejected/duplicate_client_order_id');
      expect(await fixture.maker.fetchOpenOrders()).toHaveLength(1);
      await fixture.maker.cancelOrder(request);
      if (clientOrderIds === 'UNIQUE_FOR_EVER')
        expect(await failureOf(fixture.maker.placeOrder(request))).toBe('rejected/duplicate_client_order_id');
    });

    it('[EX-TIF-01] POST_ONLY: stays open, and is rejected or ends if it would take liquidity', async () => {
      await placeOffers();
      const resting = fixture.order({
        timeInForce: 'POST_ONLY',
        price: ticksAbove(fixture.subject, '60000', -1),
      });
      expect(await fixture.place(fixture.taker, resting)).toMatchObject({ status: 'OPEN' });
      const taking = fixture.order({ timeInForce: 'POST_ONLY', price: '60000' });
      const { postOnlyThatTakes } = fixture.subject.traits;
      if (postOnlyThatTakes === 'REFUSED')
        expect(await failureOf(fixture.taker.placeOrder(taking))).toBe('rejected/would_not_fit_book');
      else
        expect(await fixture.place(fixture.taker, taking)).toMatchObject({
          status: postOnlyThatTakes === 'ENDS' ? 'CANCELLED' : 'EXPIRED',
          filledAmount: '0',
        });
    });

    it('[EX-TIF-02] IOC: takes the available amount and ends', async () => {
      await placeOffers();
      const request = fixture.order({ timeInForce: 'IOC', amount: '0.8', price: '60050' });
      const ended = await fixture.place(fixture.taker, request);
      expect(statusesOfEnded(fixture.subject)).toContain(ended.status);
      expect(ended.filledAmount).toBe('0.5');
      expect(await fixture.taker.fetchOpenOrders()).toEqual([]);
    });

    it('[EX-TIF-03] FOK: fills completely or not at all, if it is offered', async () => {
      await placeOffers();
      if (!hasFok()) {
        const request = fixture.order({ timeInForce: 'FOK', price: '60100' });
        expect(await failureOf(fixture.taker.placeOrder(request))).toBe('rejected/not_supported');
        return;
      }
      const tooMuch = fixture.order({ timeInForce: 'FOK', amount: '1.1', price: '60100' });
      if (keepsUnfilledFok(fixture.subject)) {
        const ended = await fixture.place(fixture.taker, tooMuch);
        expect(statusesOfEnded(fixture.subject)).toContain(ended.status);
        expect(ended.filledAmount).toBe('0');
      } else {
        expect(await failureOf(fixture.taker.placeOrder(tooMuch))).toBe('rejected/would_not_fit_book');
        expect(await fixture.taker.findOrder(tooMuch)).toEqual({ outcome: 'ABSENT' });
      }
      const whole = fixture.order({ timeInForce: 'FOK', amount: '1', price: '60100' });
      expect(await fixture.place(fixture.taker, whole)).toMatchObject({
        status: 'FILLED',
        filledAmount: '1',
      });
    });

    it('[EX-STOP-01] STOP_LIMIT and STOP_MARKET: wait for their stop price, or are not offered', async () => {
      await placeOffers();
      await fixture.place(fixture.taker, fixture.order({ price: '60000' }));
      const limit = fixture.order({ type: 'STOP_LIMIT', side: 'SELL', stopPrice: '59000', price: '58900' });
      const market = fixture.order({ type: 'STOP_MARKET', side: 'BUY', stopPrice: '61000', amount: '0.1' });
      const isOffered = fixture.subject.orderTypes.includes('STOP_LIMIT');
      for (const request of [limit, market]) {
        if (!isOffered) {
          expect(await failureOf(fixture.taker.placeOrder(request))).toBe('rejected/not_supported');
          continue;
        }
        expect(await fixture.place(fixture.taker, request)).toMatchObject({
          status: 'OPEN',
          filledAmount: '0',
        });
        await fixture.taker.cancelOrder(request);
      }
    });

    it('[EX-ORD-12] buys and sells an amount of base currency at the market', async () => {
      await placeOffers();
      await fixture.place(fixture.maker, fixture.order({ price: '59000' }));
      for (const side of ['BUY', 'SELL'] as const) {
        const order = fixture.order({ side, type: 'MARKET', amount: '0.1' });
        expect(await fixture.place(fixture.taker, order)).toMatchObject({
          type: 'MARKET',
          status: 'FILLED',
          filledAmount: '0.1',
        });
      }
    });

    it('[EX-ORD-08] rejects an unsupported order instead of placing a similar one', async () => {
      for (const overrides of [
        { type: 'MARKET', timeInForce: 'FOK' },
        { type: 'MARKET', timeInForce: 'POST_ONLY' },
        { type: 'STOP_LIMIT', timeInForce: 'POST_ONLY', stopPrice: '61000' },
        { symbol: 'NOT/LISTED' },
      ] as const)
        expect(await failureOf(fixture.maker.placeOrder(fixture.order(overrides)))).toBe(
          'rejected/not_supported',
        );
      expect(await fixture.maker.fetchOpenOrders()).toEqual([]);
    });
  });
}

/** One hour reaches back before every test. */
const hourAgo = () => new Date(Date.now() - 3_600_000);
