/** What an exchange, and the way to it, may do to the product in bad weather, and what must still be found out. */
import type { ExchangeClient, VenueFill } from '../src/index.js';
import { HeardOfAccount } from './heard.js';
import { failureOf, orderMaker, type Subject } from './suite.js';

/** An exchange whose weather can be made. */
export interface WeatherSubject extends Subject {
  /** Each call ends within this, so that a test need not wait long for an answer that never comes. */
  readonly timeoutMs: number;
  /** Rates from 0 to 1; what is left out is fair. */
  readonly weather: (forecast: Readonly<Record<string, number>>) => Promise<void>;
  readonly cutStreams: () => Promise<void>;
}

export function describeWeather(name: string, setup: () => Promise<WeatherSubject>): void {
  describe(`an exchange in bad weather: ${name}`, () => {
    let subject: WeatherSubject;
    let maker: ExchangeClient;
    let taker: ExchangeClient;
    let order: ReturnType<typeof orderMaker>;
    beforeEach(async () => {
      subject = await setup();
      order = orderMaker(subject);
      [maker, taker] = [await account(), await account()];
    });
    afterEach(() => subject.close());

    const account = async () =>
      subject.venue.connect(await subject.openAccount({ USDT: 100_000, BTC: 2 }), 'spot');
    const watched = async (client: ExchangeClient) => {
      const heard = new HeardOfAccount();
      client.watch(heard);
      await heard.connected();
      return heard;
    };
    const keyOf = ({ exchangeFillId, exchangeOrderId }: VenueFill) => `${exchangeFillId} ${exchangeOrderId}`;

    it('[EX-UNK-01] leaves open what became of an order whose answer is lost; it is found by its client order id', async () => {
      const request = order({ price: '50000' });
      await subject.venue.fetchMarkets();
      await subject.weather({ drop_answer_rate: 1 });
      expect(await failureOf(taker.placeOrder(request))).toBe('unknown/no_answer');
      await subject.weather({});
      expect(await taker.findOrder(request)).toMatchObject({ status: 'OPEN', amount: '0.5' });
      expect(await failureOf(taker.placeOrder(request))).toBe('rejected/duplicate_client_order_id');
      expect(await taker.fetchOpenOrders(subject.symbol)).toHaveLength(1);
    });

    it('[EX-UNK-02] leaves open what became of an order that met a breakdown; it is found to be absent', async () => {
      const request = order({ price: '50000' });
      await subject.weather({ error_rate: 1 });
      expect(await failureOf(taker.placeOrder(request))).toBe('unknown/no_answer');
      await subject.weather({});
      expect(await taker.findOrder(request)).toBeNull();
      expect(await taker.placeOrder(request)).toMatchObject({ status: 'OPEN' });
    });

    it('[EX-RATE-01] is silent to the whole exchange for as long as it asks, and then speaks again', async () => {
      const request = order({ price: '50000' });
      await taker.fetchBalances();
      await subject.weather({ rate_limit_rate: 1 });
      expect(await failureOf(taker.fetchBalances())).toBe('retryable/rate_limited');
      await subject.weather({});
      const sent = performance.now();
      expect(await maker.placeOrder(request)).toMatchObject({ status: 'OPEN' });
      // It asked for a second, of which some is over by now.
      expect(performance.now() - sent).toBeGreaterThan(500);
      expect(await maker.fetchOpenOrders(subject.symbol)).toHaveLength(1);
    });

    it('[EX-STR-09] loses no fill where events come twice and out of turn', async () => {
      const heard = await watched(taker);
      await subject.weather({ duplicate_event_rate: 0.5, reorder_event_rate: 0.5, partial_fill_rate: 1 });
      for (const price of ['60000', '60010', '60020']) await maker.placeOrder(order({ side: 'SELL', price }));
      const requests = Array.from({ length: 6 }, () => order({ type: 'MARKET', amount: '0.21' }));
      for (const request of requests) await taker.placeOrder(request);
      const listed = await taker.fetchFillsSince({ symbol: subject.symbol, since: new Date(0) });
      await heard.until(() => new Set(heard.fills.map(keyOf)).size === listed.length);
      expect(new Set(heard.fills.map(keyOf))).toEqual(new Set(listed.map(keyOf)));
      expect(heard.fills.length).toBeGreaterThan(listed.length);
      const byKey = new Map(heard.fills.map(({ venueClientOrderId: _, ...fill }) => [keyOf(fill), fill]));
      expect(listed.map((fill) => byKey.get(keyOf(fill)))).toEqual(listed);
      expect(heard.lost).toEqual([]);
    });

    it('[EX-STR-10] is told of a lost stream once, and reads what happened while there was none', async () => {
      const before = await watched(maker);
      const [resting, gone] = [order({ side: 'SELL' }), order({ side: 'SELL', price: '60100' })];
      for (const request of [resting, gone]) await maker.placeOrder(request);
      await before.until(() => before.orders.length === 2);
      const since = new Date();
      await subject.cutStreams();
      await before.until(() => before.lost.length > 0);
      await taker.placeOrder(order({ type: 'MARKET', amount: '0.3' }));
      await maker.cancelOrder(gone);
      const elsewhere = order({ price: '50000', amount: '0.01', venueClientOrderId: 'from-elsewhere' });
      await maker.placeOrder(elsewhere);

      const after = await watched(maker);
      const open = await maker.fetchOpenOrders();
      expect(
        open.map(({ venueClientOrderId, filledAmount }) => [venueClientOrderId, filledAmount]).sort(),
      ).toEqual(
        [
          ['from-elsewhere', '0'],
          [resting.venueClientOrderId, '0.3'],
        ].sort(),
      );
      const overlap = new Date(since.getTime() - 60_000);
      expect(await maker.fetchFillsSince({ symbol: subject.symbol, since: overlap })).toMatchObject([
        { amount: '0.3', price: '60000' },
      ]);
      expect(await maker.findOrder(gone)).toMatchObject({ status: 'CANCELLED' });
      await taker.placeOrder(order({ type: 'MARKET', amount: '0.2' }));
      await after.until(() => after.fills.length > 0);
      expect(after.fills).toMatchObject([{ amount: '0.2', venueClientOrderId: resting.venueClientOrderId }]);
      expect([before.lost, before.fills, after.lost]).toEqual([['retryable/unreachable'], [], []]);
    });
  });
}
