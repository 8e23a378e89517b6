/**
 * Requirements in bad weather: the product must find out what happened despite failures of an exchange or the network.
 */
import type { ExchangeClient, VenueFill } from '../src/index.js';
import {
  failureOf,
  foundOrder,
  setupConformanceFixture,
  type VenueUnderTest,
} from './conformance-fixture.js';
import { AccountStreamRecorder } from './stream-recorders.js';

/** An exchange with configurable weather. */
export interface WeatherVenueUnderTest extends VenueUnderTest {
  /** The time limit of each call, short so that a test does not wait long for a missing response. */
  readonly timeoutMs: number;
  /** Sets fault rates from 0 to 1. Omitted faults do not occur. */
  readonly weather: (forecast: Readonly<Record<string, number>>) => Promise<void>;
  readonly cutStreams: () => Promise<void>;
}

export function describeWeather(name: string, setup: () => Promise<WeatherVenueUnderTest>): void {
  describe(`the client of an exchange in bad weather: ${name}`, () => {
    const fixture = setupConformanceFixture(setup);
    const watchAccount = async (client: ExchangeClient) => {
      const recorder = new AccountStreamRecorder();
      client.watch(recorder);
      await recorder.connected();
      return recorder;
    };
    const keyOf = ({ exchangeFillId, exchangeOrderId }: VenueFill) => `${exchangeFillId} ${exchangeOrderId}`;

    it('[EX-UNK-01] reports an order as unknown if its submission got no response, and then finds it by its client order id', async () => {
      const request = fixture.order({ price: '50000' });
      await fixture.subject.venue.fetchMarkets();
      await fixture.subject.weather({ drop_answer_rate: 1 });
      expect(await failureOf(fixture.taker.placeOrder(request))).toBe('unknown/no_answer');
      await fixture.subject.weather({});
      expect(await foundOrder(fixture.taker, request)).toMatchObject({ status: 'OPEN', amount: '0.5' });
      expect(await failureOf(fixture.taker.placeOrder(request))).toBe('rejected/duplicate_client_order_id');
      expect(await fixture.taker.fetchOpenOrders(fixture.subject.symbol)).toHaveLength(1);
    });

    it('[EX-UNK-02] reports an order during an outage as unknown, and then finds that it does not exist', async () => {
      const request = fixture.order({ price: '50000' });
      await fixture.subject.weather({ error_rate: 1 });
      expect(await failureOf(fixture.taker.placeOrder(request))).toBe('unknown/no_answer');
      await fixture.subject.weather({});
      expect(await fixture.taker.findOrder(request)).toEqual({ outcome: 'ABSENT' });
      expect(await fixture.place(fixture.taker, request)).toMatchObject({ status: 'OPEN' });
    });

    it('[EX-RATE-01] pauses all calls to the exchange for the requested time, and then continues', async () => {
      const request = fixture.order({ price: '50000' });
      await fixture.taker.fetchBalances();
      await fixture.subject.weather({ rate_limit_rate: 1 });
      expect(await failureOf(fixture.taker.fetchBalances())).toBe('retryable/rate_limited');
      await fixture.subject.weather({});
      const sentAtMs = performance.now();
      expect(await fixture.place(fixture.maker, request)).toMatchObject({ status: 'OPEN' });
      // The requested pause was one second, of which some has passed.
      expect(performance.now() - sentAtMs).toBeGreaterThan(500);
      expect(await fixture.maker.fetchOpenOrders(fixture.subject.symbol)).toHaveLength(1);
    });

    it('[EX-STR-09] loses no fill if events are repeated and out of order', async () => {
      const recorder = await watchAccount(fixture.taker);
      await fixture.subject.weather({
        duplicate_event_rate: 0.5,
        reorder_event_rate: 0.5,
        partial_fill_rate: 1,
      });
      for (const price of ['60000', '60010', '60020'])
        await fixture.place(fixture.maker, fixture.order({ side: 'SELL', price }));
      const requests = Array.from({ length: 6 }, () => fixture.order({ type: 'MARKET', amount: '0.21' }));
      for (const request of requests) await fixture.place(fixture.taker, request);
      const listed = await fixture.taker.fetchFillsSince({
        symbol: fixture.subject.symbol,
        since: new Date(Date.now() - 3_600_000),
      });
      await recorder.until(() => new Set(recorder.fills.map(keyOf)).size === listed.length);
      expect(new Set(recorder.fills.map(keyOf))).toEqual(new Set(listed.map(keyOf)));
      if (fixture.subject.traits.passesFillsOnce === true) expect(recorder.fills).toHaveLength(listed.length);
      else expect(recorder.fills.length).toBeGreaterThan(listed.length);
      const byKey = new Map(recorder.fills.map(({ venueClientOrderId: _, ...fill }) => [keyOf(fill), fill]));
      expect(listed.map((fill) => byKey.get(keyOf(fill)))).toEqual(listed);
      expect(recorder.lost).toEqual([]);
    });

    it('[EX-STR-10] reports a lost stream once, and can read the changes that the stream missed', async () => {
      const before = await watchAccount(fixture.maker);
      const [resting, gone] = [
        fixture.order({ side: 'SELL' }),
        fixture.order({ side: 'SELL', price: '60100' }),
      ];
      for (const request of [resting, gone]) await fixture.place(fixture.maker, request);
      await before.until(() => before.orders.length === 2);
      const since = new Date();
      await fixture.subject.cutStreams();
      await before.until(() => before.lost.length > 0);
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.3' }));
      await fixture.maker.cancelOrder(gone);
      const externalOrder = fixture.order({
        price: '50000',
        amount: '0.01',
        venueClientOrderId: 'from-elsewhere',
      });
      await fixture.place(fixture.maker, externalOrder);

      const after = await watchAccount(fixture.maker);
      const open = await fixture.maker.fetchOpenOrders();
      expect(
        open.map(({ venueClientOrderId, filledAmount }) => [venueClientOrderId, filledAmount]).sort(),
      ).toEqual(
        [
          ['from-elsewhere', '0'],
          [resting.venueClientOrderId, '0.3'],
        ].sort(),
      );
      const overlap = new Date(since.getTime() - 60_000);
      expect(
        await fixture.maker.fetchFillsSince({ symbol: fixture.subject.symbol, since: overlap }),
      ).toMatchObject([{ amount: '0.3', price: '60000' }]);
      expect(await foundOrder(fixture.maker, gone)).toMatchObject({ status: 'CANCELLED' });
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.2' }));
      await after.until(() => after.fills.length > 0);
      expect(after.fills).toMatchObject([{ amount: '0.2', venueClientOrderId: resting.venueClientOrderId }]);
      expect([before.lost, before.fills, after.lost]).toEqual([['retryable/unreachable'], [], []]);
    });
  });
}
