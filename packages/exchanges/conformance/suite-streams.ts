/** What every exchange that pushes must do on its streams. */
import type { ExchangeClient } from '../src/index.js';
import { setupConformanceFixture, type VenueUnderTest } from './conformance-fixture.js';
import { AccountStreamRecorder, BookStreamRecorder } from './stream-recorders.js';

export function describeStreams(name: string, setup: () => Promise<VenueUnderTest>): void {
  describe(`the streams of an exchange as the product needs them: ${name}`, () => {
    const the = setupConformanceFixture(setup);
    const watched = async (client: ExchangeClient) => {
      const heard = new AccountStreamRecorder();
      const stream = client.watch(heard);
      await heard.connected();
      return { heard, stream };
    };

    it('[EX-STR-01] tells each step of an order: open, partly filled, cancelled', async () => {
      const { heard } = await watched(the.maker);
      const request = the.order({ side: 'SELL' });
      const placed = await the.maker.placeOrder(request);
      await heard.until(() => heard.orders.length > 0);
      const { createdAt: _, updatedAt: __, ...told } = placed;
      expect(heard.orders[0]).toMatchObject(told);
      await the.taker.placeOrder(the.order({ type: 'MARKET', amount: '0.2' }));
      await heard.until(() => heard.fills.length > 0);
      expect(heard.orders.at(-1)).toMatchObject({ ...told, filledAmount: '0.2' });
      await the.maker.cancelOrder(request);
      await heard.until(() => heard.orders.at(-1)?.status === 'CANCELLED');
      expect(heard.orders.at(-1)).toMatchObject({ ...told, status: 'CANCELLED', filledAmount: '0.2' });
      expect(heard.lost).toEqual([]);
    });

    it('[EX-STR-02] tells every fill with its order, as the list of fills does', async () => {
      const [ofMaker, ofTaker] = [await watched(the.maker), await watched(the.taker)];
      for (const price of ['60000', '60100']) await the.maker.placeOrder(the.order({ side: 'SELL', price }));
      const request = the.order({ type: 'MARKET', amount: '0.75' });
      const bought = await the.taker.placeOrder(request);
      await Promise.all([ofMaker, ofTaker].map(({ heard }) => heard.until(() => heard.fills.length === 2)));
      const { symbol } = the.subject;
      const { venueClientOrderId } = request;
      expect(ofTaker.heard.fills).toEqual(
        (await the.taker.fetchFills(bought)).map((fill) => ({ ...fill, venueClientOrderId })),
      );
      const listed = await the.maker.fetchFillsSince({ symbol, since: new Date(0) });
      expect(ofMaker.heard.fills.map(({ venueClientOrderId: _, ...fill }) => fill)).toEqual(listed);
      expect(listed.map(({ liquidity, fee }) => [liquidity, fee.currency])).toEqual([
        ['MAKER', 'USDT'],
        ['MAKER', 'USDT'],
      ]);
    });

    it('[EX-STR-03] tells the balances that changed, as they are', async () => {
      const { heard } = await watched(the.taker);
      await the.maker.placeOrder(the.order({ side: 'SELL' }));
      await the.taker.placeOrder(the.order({ type: 'MARKET', amount: '0.5' }));
      const after = await the.taker.fetchBalances();
      await heard.until(() => heard.latest.BTC?.free === after.BTC?.free);
      expect(heard.latest).toEqual(after);
    });

    it('[EX-STR-04] tells every kind of order as it was asked for, whoever chose its client order id', async () => {
      const { heard } = await watched(the.maker);
      const kinds = [
        { timeInForce: 'POST_ONLY', price: '50000', venueClientOrderId: 'from-elsewhere' },
        { timeInForce: 'IOC', price: '50000' },
        { timeInForce: 'FOK', price: '50000' },
        { type: 'STOP_LIMIT', side: 'SELL', stopPrice: '40000', price: '39000' },
        { type: 'STOP_MARKET', side: 'SELL', stopPrice: '40000' },
      ] as const;
      await the.taker.placeOrder(the.order({ amount: '0.001' }));
      await the.maker.placeOrder(the.order({ type: 'MARKET', side: 'SELL', amount: '0.001' }));
      for (const kind of kinds) {
        const placed = await the.maker.placeOrder(the.order(kind));
        const isIt = ({ exchangeOrderId }: { readonly exchangeOrderId: string }) =>
          exchangeOrderId === placed.exchangeOrderId;
        await heard.until(() => heard.orders.findLast(isIt)?.status === placed.status);
        const { createdAt: _, updatedAt: __, ...told } = placed;
        expect(heard.orders.findLast(isIt)).toMatchObject(told);
      }
    });

    it('[EX-STR-05] is lost at once with credentials that are refused, as such', async () => {
      const good = await the.subject.openAccount({ USDT: 1 });
      for (const bad of [
        { ...good, apiSecret: 'wrong' },
        { ...good, apiKey: 'unknown' },
      ]) {
        const heard = new AccountStreamRecorder();
        the.subject.venue.connect(bad, 'spot').watch(heard);
        await heard.until(() => heard.lost.length > 0);
        expect([heard.connections, heard.lost]).toEqual([0, ['fatal/credentials_rejected']]);
      }
    });

    it('[EX-STR-06] tells each of many accounts its own and nothing else', async () => {
      const clients = await Promise.all(Array.from({ length: 12 }, the.account));
      const streams = await Promise.all(clients.map(watched));
      const placed = await Promise.all(
        clients.map((client) => client.placeOrder(the.order({ price: '50000', amount: '0.01' }))),
      );
      await Promise.all(streams.map(({ heard }) => heard.until(() => heard.orders.length > 0)));
      expect(streams.map(({ heard }) => heard.orders.map(({ exchangeOrderId }) => exchangeOrderId))).toEqual(
        placed.map(({ exchangeOrderId }) => [exchangeOrderId]),
      );
    });

    it('[EX-STR-07] tells nothing more once it is closed, and goes on for everybody else', async () => {
      const [ofMaker, ofTaker] = [await watched(the.maker), await watched(the.taker)];
      await ofMaker.stream.close();
      await the.maker.placeOrder(the.order({ side: 'SELL' }));
      await the.taker.placeOrder(the.order({ type: 'MARKET', amount: '0.5' }));
      await ofTaker.heard.until(() => ofTaker.heard.fills.length > 0);
      expect([ofMaker.heard.orders, ofMaker.heard.lost]).toEqual([[], []]);
      await the.taker.close();
      await the.taker.placeOrder(the.order({ price: '50000', amount: '0.01' }));
      const again = await watched(the.taker);
      expect([ofTaker.heard.lost, ofTaker.heard.orders.at(-1)?.status]).toEqual([[], 'FILLED']);
      await again.stream.close();
      await again.stream.close();
    });

    it('[EX-STR-08] ends the stream of a listener that fails, and no other', async () => {
      const ofTaker = await watched(the.taker);
      const heard = new AccountStreamRecorder();
      heard.onOrder = () => {
        throw new Error('no place to keep it');
      };
      the.maker.watch(heard);
      await heard.connected();
      await the.maker.placeOrder(the.order({ side: 'SELL' }));
      await heard.until(() => heard.lost.length > 0);
      expect(heard.lost).toEqual(['retryable/bad_answer']);
      await the.taker.placeOrder(the.order({ type: 'MARKET', amount: '0.5' }));
      await ofTaker.heard.until(() => ofTaker.heard.fills.length > 0);
      expect([heard.lost.length, ofTaker.heard.lost]).toEqual([1, []]);
    });

    it('[EX-BOOK-01] tells a book whole, then what changes, each message following the one before', async () => {
      await the.maker.placeOrder(the.order({ side: 'SELL', price: '60000' }));
      const heard = new BookStreamRecorder();
      const stream = the.subject.venue.watchBook(the.subject.symbol, heard);
      await heard.until(() => heard.kinds.length > 0);
      expect([heard.kinds, heard.asks, heard.bids]).toEqual([['SNAPSHOT'], [['60000', '0.5']], []]);
      const bid = the.order({ price: '59000', amount: '0.1' });
      await the.taker.placeOrder(bid);
      await the.maker.placeOrder(the.order({ side: 'SELL', price: '60100.5', amount: '0.25' }));
      await heard.until(() => heard.asks.length === 2 && heard.bids.length === 1);
      expect(heard.asks[1]).toEqual(['60100.5', '0.25']);
      await the.taker.cancelOrder(bid);
      await the.taker.placeOrder(the.order({ type: 'MARKET', amount: '0.5' }));
      await heard.until(() => heard.asks.length === 1 && heard.bids.length === 0);
      expect([heard.isGapless, heard.lost, heard.kinds.filter((kind) => kind === 'SNAPSHOT').length]).toEqual(
        [true, [], 1],
      );
      await stream.close();
    });

    it('[EX-PRICE-01] tells the last price of each symbol that is followed', async () => {
      const told: [string, string][] = [];
      const connected = new Promise<void>((resolve, reject) => {
        the.subject.venue.watchPrices([the.subject.symbol, 'ETH/USDT'], {
          onConnected: resolve,
          onPrice: (symbol, price) => told.push([symbol, price]),
          onLost: reject,
        });
      });
      await connected;
      await the.maker.placeOrder(the.order({ side: 'SELL', price: '60000.5' }));
      await the.taker.placeOrder(the.order({ type: 'MARKET', amount: '0.1' }));
      while (!told.some(([symbol, price]) => symbol === the.subject.symbol && price === '60000.5'))
        await new Promise((resolve) => setTimeout(resolve, 20));
      expect(new Set(told.map(([symbol]) => symbol)).size).toBeLessThanOrEqual(2);
    });

    it('[EX-MKT-03] streams nothing of a symbol that is not listed', async () => {
      const heard = new BookStreamRecorder();
      the.subject.venue.watchBook('NOT/LISTED', heard);
      await heard.until(() => heard.lost.length > 0);
      expect(heard.lost).toEqual(['rejected/not_supported']);
    });
  });
}
