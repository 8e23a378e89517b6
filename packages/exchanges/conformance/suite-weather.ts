/** Requirements in bad weather: what an exchange or the network may do, and what must be found out nevertheless. */
import type { ExchangeClient, VenueFill } from '../src/index.js';
import { failureOf, setupConformanceFixture, type VenueUnderTest } from './conformance-fixture.js';
import { AccountStreamRecorder } from './stream-recorders.js';

/** An exchange with configurable weather. */
export interface WeatherVenueUnderTest extends VenueUnderTest {
  /** The time limit of each call, short so that a test does not wait long for a missing response. */
  readonly timeoutMs: number;
  /** Rates from 0 to 1; omitted settings are fair. */
  readonly weather: (forecast: Readonly<Record<string, number>>) => Promise<void>;
  readonly cutStreams: () => Promise<void>;
}

export function describeWeather(name: string, setup: () => Promise<WeatherVenueUnderTest>): void {
  describe(`an exchange in bad weather: ${name}`, () => {
    const the = setupConformanceFixture(setup);
    const watched = async (client: ExchangeClient) => {
      const recorder = new AccountStreamRecorder();
      client.watch(recorder);
      await recorder.connected();
      return recorder;
    };
    const keyOf = ({ exchangeFillId, exchangeOrderId }: VenueFill) => `${exchangeFillId} ${exchangeOrderId}`;

    it('[EX-UNK-01] reports an order without a response as unknown; it is found by its client order id', async () => {
      const request = the.order({ price: '50000' });
      await the.subject.venue.fetchMarkets();
      await the.subject.weather({ drop_answer_rate: 1 });
      expect(await failureOf(the.taker.placeOrder(request))).toBe('unknown/no_answer');
      await the.subject.weather({});
      expect(await the.taker.findOrder(request)).toMatchObject({ status: 'OPEN', amount: '0.5' });
      expect(await failureOf(the.taker.placeOrder(request))).toBe('rejected/duplicate_client_order_id');
      expect(await the.taker.fetchOpenOrders(the.subject.symbol)).toHaveLength(1);
    });

    it('[EX-UNK-02] reports an order that met an outage as unknown; its absence is found', async () => {
      const request = the.order({ price: '50000' });
      await the.subject.weather({ error_rate: 1 });
      expect(await failureOf(the.taker.placeOrder(request))).toBe('unknown/no_answer');
      await the.subject.weather({});
      expect(await the.taker.findOrder(request)).toBeNull();
      expect(await the.taker.placeOrder(request)).toMatchObject({ status: 'OPEN' });
    });

    it('[EX-RATE-01] pauses all calls to the exchange for the requested time, and then continues', async () => {
      const request = the.order({ price: '50000' });
      await the.taker.fetchBalances();
      await the.subject.weather({ rate_limit_rate: 1 });
      expect(await failureOf(the.taker.fetchBalances())).toBe('retryable/rate_limited');
      await the.subject.weather({});
      const sent = performance.now();
      expect(await the.maker.placeOrder(request)).toMatchObject({ status: 'OPEN' });
      // The requested pause was one second, of which some has passed.
      expect(performance.now() - sent).toBeGreaterThan(500);
      expect(await the.maker.fetchOpenOrders(the.subject.symbol)).toHaveLength(1);
    });

    it('[EX-STR-09] loses no fill if events are repeated and out of order', async () => {
      const recorder = await watched(the.taker);
      await the.subject.weather({ duplicate_event_rate: 0.5, reorder_event_rate: 0.5, partial_fill_rate: 1 });
      for (const price of ['60000', '60010', '60020'])
        await the.maker.placeOrder(the.order({ side: 'SELL', price }));
      const requests = Array.from({ length: 6 }, () => the.order({ type: 'MARKET', amount: '0.21' }));
      for (const request of requests) await the.taker.placeOrder(request);
      const listed = await the.taker.fetchFillsSince({ symbol: the.subject.symbol, since: new Date(0) });
      await recorder.until(() => new Set(recorder.fills.map(keyOf)).size === listed.length);
      expect(new Set(recorder.fills.map(keyOf))).toEqual(new Set(listed.map(keyOf)));
      expect(recorder.fills.length).toBeGreaterThan(listed.length);
      const byKey = new Map(recorder.fills.map(({ venueClientOrderId: _, ...fill }) => [keyOf(fill), fill]));
      expect(listed.map((fill) => byKey.get(keyOf(fill)))).toEqual(listed);
      expect(recorder.lost).toEqual([]);
    });

    it('[EX-STR-10] is notified of a lost stream once, and reads what happened meanwhile', async () => {
      const before = await watched(the.maker);
      const [resting, gone] = [the.order({ side: 'SELL' }), the.order({ side: 'SELL', price: '60100' })];
      for (const request of [resting, gone]) await the.maker.placeOrder(request);
      await before.until(() => before.orders.length === 2);
      const since = new Date();
      await the.subject.cutStreams();
      await before.until(() => before.lost.length > 0);
      await the.taker.placeOrder(the.order({ type: 'MARKET', amount: '0.3' }));
      await the.maker.cancelOrder(gone);
      const elsewhere = the.order({ price: '50000', amount: '0.01', venueClientOrderId: 'from-elsewhere' });
      await the.maker.placeOrder(elsewhere);

      const after = await watched(the.maker);
      const open = await the.maker.fetchOpenOrders();
      expect(
        open.map(({ venueClientOrderId, filledAmount }) => [venueClientOrderId, filledAmount]).sort(),
      ).toEqual(
        [
          ['from-elsewhere', '0'],
          [resting.venueClientOrderId, '0.3'],
        ].sort(),
      );
      const overlap = new Date(since.getTime() - 60_000);
      expect(await the.maker.fetchFillsSince({ symbol: the.subject.symbol, since: overlap })).toMatchObject([
        { amount: '0.3', price: '60000' },
      ]);
      expect(await the.maker.findOrder(gone)).toMatchObject({ status: 'CANCELLED' });
      await the.taker.placeOrder(the.order({ type: 'MARKET', amount: '0.2' }));
      await after.until(() => after.fills.length > 0);
      expect(after.fills).toMatchObject([{ amount: '0.2', venueClientOrderId: resting.venueClientOrderId }]);
      expect([before.lost, before.fills, after.lost]).toEqual([['retryable/unreachable'], [], []]);
    });
  });
}
