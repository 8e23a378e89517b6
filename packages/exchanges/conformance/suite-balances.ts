/** Requirements for every exchange with balances: spot and margin. */
import {
  failureOf,
  foundOrder,
  setupConformanceFixture,
  type VenueUnderTest,
} from './conformance-fixture.js';

export function describeBalances(name: string, setup: () => Promise<VenueUnderTest>): void {
  describe(`the balances of a conforming exchange: ${name}`, () => {
    const fixture = setupConformanceFixture(setup);
    const isFeeInQuote = () => fixture.subject.traits.spotFeeIn === 'QUOTE';
    /** Places a sell order of half a BTC at each of two prices. */
    const placeOffers = async () => [
      await fixture.place(fixture.maker, fixture.order({ side: 'SELL', price: '60000' })),
      await fixture.place(fixture.maker, fixture.order({ side: 'SELL', price: '60100' })),
    ];

    it('[EX-CRED-03] keeps the credentials of its clients separate, also in concurrent calls', async () => {
      const clients = await Promise.all(
        [1, 2, 3].map(async (balance) =>
          fixture.connect(await fixture.subject.openAccount({ USDT: balance })),
        ),
      );
      const seen = await Promise.all(clients.map((client) => client.fetchBalances()));
      expect(seen.map(({ balances }) => balances.USDT?.free)).toEqual(['1', '2', '3']);
    });

    it('[EX-CRED-04] keeps fifteen accounts separate, even if all concurrently read balances and place and cancel orders', async () => {
      const clients = await Promise.all(
        Array.from({ length: 15 }, async (_, i) => {
          const credentials = await fixture.subject.openAccount({ USDT: 1_000 + i });
          return { client: fixture.connect(credentials), balance: 1_000 + i };
        }),
      );
      const trade = async ({ client, balance }: (typeof clients)[number]) => {
        const request = fixture.order({ price: '50000', amount: '0.01' });
        const [placed, before] = await Promise.all([fixture.place(client, request), client.fetchBalances()]);
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
      const placed = await fixture.place(fixture.maker, request);
      expect(placed).toMatchObject({
        venueClientOrderId: request.venueClientOrderId,
        status: 'OPEN',
        amount: '0.00123',
        filledAmount: '0',
      });
      expect((await fixture.maker.fetchBalances()).balances).toEqual({
        BTC: { free: '2', locked: '0' },
        USDT: isFeeInQuote()
          ? { free: '99938.4384876877', locked: '61.5615123123' }
          : { free: '99938.4999877', locked: '61.5000123' },
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
      const feeOf = (base: string, quote: string) =>
        isFeeInQuote() ? { amount: quote, currency: 'USDT' } : { amount: base, currency: 'BTC' };
      const [first] = await placeOffers();
      const request = fixture.order({ type: 'MARKET', amount: '0.75' });
      const bought = await fixture.place(fixture.taker, request);
      expect(bought).toMatchObject({ status: 'FILLED', amount: '0.75', filledAmount: '0.75' });
      const fills = await fixture.taker.fetchFills(bought);
      expect(
        fills.map(({ price, amount, fee, liquidity, side }) => [price, amount, fee, liquidity, side]),
      ).toEqual([
        ['60000', '0.5', feeOf('0.0005', '30'), 'TAKER', 'BUY'],
        ['60100', '0.25', feeOf('0.00025', '15.025'), 'TAKER', 'BUY'],
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
      expect((await fixture.taker.fetchBalances()).balances.BTC).toEqual({
        free: isFeeInQuote() ? '2.75' : '2.74925',
        locked: '0',
      });
    });

    it('[EX-ORD-05] rejects an order that exceeds the balance, and changes nothing', async () => {
      expect(await failureOf(fixture.maker.placeOrder(fixture.order({ amount: '5' })))).toBe(
        'rejected/insufficient_balance',
      );
      expect((await fixture.maker.fetchBalances()).balances.USDT).toEqual({ free: '100000', locked: '0' });
    });
  });
}

function totalOf(balance: { readonly free: string; readonly locked: string } | undefined): string {
  return String(Number(balance?.free ?? 0) + Number(balance?.locked ?? 0));
}
