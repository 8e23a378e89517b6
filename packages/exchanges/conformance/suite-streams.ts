/** Requirements for every exchange with streams. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '@trading-automation/runtime/testing';
import type { ExchangeClient, VenueFill } from '../src/index.js';
import {
  keepsUnfilledFok,
  quoteOf,
  setupConformanceFixture,
  type VenueUnderTest,
} from './conformance-fixture.js';
import { AccountStreamRecorder, BookStreamRecorder } from './stream-recorders.js';

/** More than the first call of a process may take. */
const CLOCK_ERROR_MS = 250;

export function describeStreams(name: string, setup: () => Promise<VenueUnderTest>): void {
  describe(`a stream of an exchange: ${name}`, () => {
    const fixture = setupConformanceFixture(setup);
    const watchAccount = async (client: ExchangeClient) => {
      const recorder = new AccountStreamRecorder();
      const stream = client.watch(recorder);
      await recorder.connected();
      return { recorder, stream };
    };

    it('[EX-STR-01] reports each step of an order: open, partially filled, cancelled', async () => {
      const { recorder } = await watchAccount(fixture.maker);
      const request = fixture.order({ side: 'SELL' });
      const placed = await fixture.place(fixture.maker, request);
      await recorder.until(() => recorder.orders.length > 0);
      const { createdAt: _, updatedAt: __, ...expected } = placed;
      expect(recorder.orders[0]).toMatchObject(expected);
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.2' }));
      await recorder.until(() => recorder.fills.length > 0);
      expect(recorder.orders.at(-1)).toMatchObject({ ...expected, filledAmount: '0.2' });
      await fixture.maker.cancelOrder(request);
      await recorder.until(() => recorder.orders.at(-1)?.status === 'CANCELLED');
      expect(recorder.orders.at(-1)).toMatchObject({ ...expected, status: 'CANCELLED', filledAmount: '0.2' });
      expect(recorder.lost).toEqual([]);
    });

    it('[EX-STR-02] reports every fill as the list of fills does, with the client order id in addition', async () => {
      const [makerStream, takerStream] = [
        await watchAccount(fixture.maker),
        await watchAccount(fixture.taker),
      ];
      for (const price of ['60000', '60100'])
        await fixture.place(fixture.maker, fixture.order({ side: 'SELL', price }));
      const request = fixture.order({ type: 'MARKET', amount: '0.75' });
      const bought = await fixture.place(fixture.taker, request);
      await Promise.all(
        [makerStream, takerStream].map(({ recorder }) => recorder.until(() => recorder.fills.length === 2)),
      );
      const { symbol } = fixture.subject;
      const { venueClientOrderId } = request;
      expect(takerStream.recorder.fills).toEqual(
        (await fixture.taker.fetchFills(bought)).map((fill) => ({ ...fill, venueClientOrderId })),
      );
      const listed = await fixture.maker.fetchFillsSince({ symbol, since: new Date(Date.now() - 3_600_000) });
      // The two orders fill in one millisecond. A stream that reads fills by calls may report either of them first.
      const byOrder = (fills: readonly VenueFill[]) =>
        fills.toSorted((a, b) => (a.exchangeOrderId < b.exchangeOrderId ? -1 : 1));
      const reported = makerStream.recorder.fills.map(({ venueClientOrderId: _, ...fill }) => fill);
      expect(byOrder(reported)).toEqual(byOrder(listed));
      expect(listed.map(({ liquidity, fee }) => [liquidity, fee.currency])).toEqual([
        ['MAKER', quoteOf(fixture.subject)],
        ['MAKER', quoteOf(fixture.subject)],
      ]);
    });

    it('[EX-STR-03] reports the current balances of the assets that changed', async () => {
      const { recorder } = await watchAccount(fixture.taker);
      await fixture.place(fixture.maker, fixture.order({ side: 'SELL' }));
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.5' }));
      // The exchange's clock is known up to the latency of the call that measured it.
      await sleep(CLOCK_ERROR_MS);
      const after = await fixture.taker.fetchBalances();
      // A wallet for perpetuals may hold the settlement currency alone.
      await recorder.until(() => isDeepStrictEqual(recorder.latest, after.balances));
      expect(recorder.latest).toEqual(after.balances);
      const executedAt = recorder.fills.map((fill) => fill.executedAt.getTime());
      const reportedAt = recorder.balanceTimes.map((at) => at.getTime());
      // A call is dated by our clock, whose difference is only measured.
      const clockErrorMs = fixture.subject.traits.streamsBalances === false ? 100 : 0;
      expect(Math.max(...reportedAt) + clockErrorMs).toBeGreaterThanOrEqual(Math.max(...executedAt));
      // A stream that reads balances by calls may have read them after `after`.
      const later = await fixture.taker.fetchBalances();
      expect(Math.max(...reportedAt)).toBeLessThanOrEqual(later.at.getTime());
      expect(after.until.getTime()).toBeGreaterThanOrEqual(after.at.getTime());
    });

    it('[EX-STR-04] reports every kind of order with its terms, even if another program chose the client order id', async () => {
      const { recorder } = await watchAccount(fixture.maker);
      const kinds = [
        { type: 'LIMIT', timeInForce: 'POST_ONLY', price: '50000', venueClientOrderId: 'fromelsewhere' },
        { type: 'LIMIT', timeInForce: 'IOC', price: '50000' },
        { type: 'LIMIT', timeInForce: 'FOK', price: '50000' },
        { type: 'STOP_LIMIT', side: 'SELL', stopPrice: '40000', price: '39000' },
        { type: 'STOP_MARKET', side: 'SELL', stopPrice: '40000' },
      ] as const;
      await fixture.place(fixture.taker, fixture.order({ amount: '0.001' }));
      await fixture.place(fixture.maker, fixture.order({ type: 'MARKET', side: 'SELL', amount: '0.001' }));
      const { orderTypes } = fixture.subject;
      const offered = kinds.filter(
        (kind) =>
          orderTypes.includes(kind.type) &&
          (!('timeInForce' in kind) || kind.timeInForce !== 'FOK' || keepsUnfilledFok(fixture.subject)),
      );
      for (const kind of offered) {
        const placed = await fixture.place(fixture.maker, fixture.order(kind));
        const isSameOrder = ({ exchangeOrderId }: { readonly exchangeOrderId: string }) =>
          exchangeOrderId === placed.exchangeOrderId;
        const isOpen = placed.status === 'OPEN';
        await recorder.until(() => {
          const status = recorder.orders.findLast(isSameOrder)?.status;
          return status !== undefined && (status === 'OPEN') === isOpen;
        });
        const { createdAt: _, updatedAt: __, timeInForce, status, ...expected } = placed;
        // A stream may report the time in force although look-ups do not.
        const isReported = fixture.subject.traits.reportsTimeInForce !== false;
        expect(recorder.orders.findLast(isSameOrder)).toMatchObject({
          ...expected,
          ...(isReported && { timeInForce, status }),
        });
      }
    });

    it('[EX-STR-05] is lost immediately if the credentials are rejected, with that reason', async () => {
      const good = await fixture.subject.openAccount({ USDT: 1 });
      for (const bad of [
        { ...good, apiSecret: 'wrong' },
        { ...good, apiKey: 'unknown' },
      ]) {
        const recorder = new AccountStreamRecorder();
        fixture.connect(bad).watch(recorder);
        await recorder.until(() => recorder.lost.length > 0);
        expect([recorder.connections, recorder.lost]).toEqual([0, ['fatal/credentials_rejected']]);
      }
    });

    it('[EX-STR-06] reports only the events of its own account', async () => {
      const clients = await Promise.all(Array.from({ length: 12 }, fixture.connectAccount));
      const streams = await Promise.all(clients.map(watchAccount));
      const placed = await Promise.all(
        clients.map((client) => fixture.place(client, fixture.order({ price: '50000', amount: '0.01' }))),
      );
      await Promise.all(streams.map(({ recorder }) => recorder.until(() => recorder.orders.length > 0)));
      expect(
        streams.map(({ recorder }) => recorder.orders.map(({ exchangeOrderId }) => exchangeOrderId)),
      ).toEqual(placed.map(({ exchangeOrderId }) => [exchangeOrderId]));
    });

    it('[EX-STR-07] reports nothing after it is closed, while all other streams continue', async () => {
      const [makerStream, takerStream] = [
        await watchAccount(fixture.maker),
        await watchAccount(fixture.taker),
      ];
      await makerStream.stream.close();
      await fixture.place(fixture.maker, fixture.order({ side: 'SELL' }));
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.5' }));
      await takerStream.recorder.until(() => takerStream.recorder.fills.length > 0);
      expect([makerStream.recorder.orders, makerStream.recorder.lost]).toEqual([[], []]);
      await fixture.taker.close();
      await fixture.place(fixture.taker, fixture.order({ price: '50000', amount: '0.01' }));
      const reopened = await watchAccount(fixture.taker);
      expect([takerStream.recorder.lost, takerStream.recorder.orders.at(-1)?.status]).toEqual([[], 'FILLED']);
      await reopened.stream.close();
      await reopened.stream.close();
    });

    it('[EX-STR-08] is lost if its handler throws, while all other streams continue', async () => {
      const takerStream = await watchAccount(fixture.taker);
      const recorder = new AccountStreamRecorder();
      recorder.onOrder = () => {
        throw new Error('the event cannot be stored');
      };
      fixture.maker.watch(recorder);
      await recorder.connected();
      await fixture.place(fixture.maker, fixture.order({ side: 'SELL' }));
      await recorder.until(() => recorder.lost.length > 0);
      expect(recorder.lost).toEqual(['retryable/bad_answer']);
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.5' }));
      await takerStream.recorder.until(() => takerStream.recorder.fills.length > 0);
      expect([recorder.lost.length, takerStream.recorder.lost]).toEqual([1, []]);
    });

    it('[EX-BOOK-01] reports a complete book, then its changes without a gap', async () => {
      await fixture.place(fixture.maker, fixture.order({ side: 'SELL', price: '60000' }));
      const recorder = new BookStreamRecorder();
      const stream = fixture.subject.venue.watchBook(fixture.subject.symbol, recorder);
      await recorder.until(() => recorder.kinds.length > 0);
      expect([recorder.kinds, recorder.asks, recorder.bids]).toEqual([['SNAPSHOT'], [['60000', '0.5']], []]);
      const bid = fixture.order({ price: '59000', amount: '0.1' });
      await fixture.place(fixture.taker, bid);
      await fixture.place(fixture.maker, fixture.order({ side: 'SELL', price: '60100.5', amount: '0.25' }));
      await recorder.until(() => recorder.asks.length === 2 && recorder.bids.length === 1);
      expect(recorder.asks[1]).toEqual(['60100.5', '0.25']);
      await fixture.taker.cancelOrder(bid);
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.5' }));
      await recorder.until(() => recorder.asks.length === 1 && recorder.bids.length === 0);
      expect([
        recorder.isGapless,
        recorder.lost,
        recorder.kinds.filter((kind) => kind === 'SNAPSHOT').length,
      ]).toEqual([true, [], 1]);
      await stream.close();
    });

    it('[EX-PRICE-01] reports the last price of each subscribed symbol', async () => {
      const received: [string, string][] = [];
      const connected = new Promise<void>((resolve, reject) => {
        fixture.subject.venue.watchPrices([fixture.subject.symbol, fixture.subject.otherSymbol], {
          onConnected: resolve,
          onPrice: (symbol, price) => received.push([symbol, price]),
          onLost: reject,
        });
      });
      await connected;
      await fixture.place(fixture.maker, fixture.order({ side: 'SELL', price: '60000.5' }));
      await fixture.place(fixture.taker, fixture.order({ type: 'MARKET', amount: '0.1' }));
      await eventually(() =>
        received.some(([symbol, price]) => symbol === fixture.subject.symbol && price === '60000.5'),
      );
      expect(new Set(received.map(([symbol]) => symbol)).size).toBeLessThanOrEqual(2);
    });

    it('[EX-MKT-03] is lost if its symbol is not listed', async () => {
      const recorder = new BookStreamRecorder();
      fixture.subject.venue.watchBook('NOT/LISTED', recorder);
      await recorder.until(() => recorder.lost.length > 0);
      expect(recorder.lost).toEqual(['rejected/not_supported']);
    });
  });
}
