/** Requirements for every exchange with perpetuals. */
import { Decimal } from 'decimal.js';
import type { ExchangeClient, ExchangeCredentials, PositionClient } from '../src/index.js';
import {
  failureOf,
  foundOrder,
  quoteOf,
  setupConformanceFixture,
  type TradedVenueUnderTest,
} from './conformance-fixture.js';
import { AccountStreamRecorder } from './stream-recorders.js';

const hourAgo = () => new Date(Date.now() - 3_600_000);

export function describePerpetual(name: string, setup: () => Promise<TradedVenueUnderTest>): void {
  describe(`the perpetuals of a conforming exchange: ${name}`, () => {
    const fixture = setupConformanceFixture(setup);
    let credentials: ExchangeCredentials;
    let account: ExchangeClient;
    beforeEach(async () => {
      credentials = await fixture.subject.openAccount({ USDT: 10_000 });
      account = fixture.connect(credentials);
    });
    const positionsOf = (client: ExchangeClient): PositionClient => {
      if (client.positions === undefined) throw new Error('the client has no calls about positions');
      return client.positions;
    };
    /** Trades an amount of the account at a price, with the maker as the other side. */
    const trade = async (side: 'BUY' | 'SELL', amount: string, price: string) => {
      const other = side === 'BUY' ? 'SELL' : 'BUY';
      await fixture.place(fixture.maker, fixture.order({ side: other, amount, price }));
      const request = fixture.order({ side, amount, price, timeInForce: 'IOC' });
      expect(await fixture.place(account, request)).toMatchObject({ status: 'FILLED' });
    };
    const initialLeverage = () => fixture.subject.traits.initialLeverage ?? 10;
    const positions = async () => (await positionsOf(account).fetchPositions()).positions;

    it('[EX-POS-01] reports a position through its increase, partial close, flip and end', async () => {
      expect(await positions()).toEqual([]);
      await trade('BUY', '0.3', '60000');
      await trade('BUY', '0.1', '62000');
      await fixture.subject.setMarkPrice('61000');
      const common = {
        symbol: fixture.subject.symbol,
        marginMode: 'CROSS',
        leverage: String(initialLeverage()),
        isSupported: true,
      };
      expect(await positions()).toEqual([
        expect.objectContaining({
          ...common,
          side: 'LONG',
          amount: '0.4',
          entryPrice: '60500',
          markPrice: '61000',
          unrealizedPnl: '200',
        }),
      ]);
      await trade('SELL', '0.1', '61000');
      expect(await positions()).toMatchObject([{ side: 'LONG', amount: '0.3', entryPrice: '60500' }]);
      await trade('SELL', '0.5', '61000');
      await fixture.subject.setMarkPrice('60000');
      expect(await positions()).toMatchObject([
        { ...common, side: 'SHORT', amount: '0.2', entryPrice: '61000', unrealizedPnl: '200' },
      ]);
      await trade('BUY', '0.2', '60000');
      expect(await positions()).toEqual([]);
    });

    it('[EX-POS-02] closes with a reduce-only order, and rejects one that would open or increase', async () => {
      const reduceOnly = { reduceOnly: true, type: 'MARKET', amount: '0.1', price: undefined } as const;
      expect(await failureOf(account.placeOrder(fixture.order({ ...reduceOnly, side: 'SELL' })))).toBe(
        'rejected/refused',
      );
      await trade('BUY', '0.1', '60000');
      expect(await failureOf(account.placeOrder(fixture.order({ ...reduceOnly, side: 'BUY' })))).toBe(
        'rejected/refused',
      );
      await fixture.place(fixture.maker, fixture.order({ side: 'BUY', price: '60000' }));
      const request = fixture.order({ ...reduceOnly, side: 'SELL' });
      expect(await fixture.place(account, request)).toMatchObject({ status: 'FILLED', filledAmount: '0.1' });
      expect(await positions()).toEqual([]);
    });

    it('[EX-POS-03] rejects an order for which the margin is too small, and changes nothing', async () => {
      // 10,000 of margin and a leverage of 10 allow less than 2 at 60,000.
      const amount = String(initialLeverage() / 5);
      const request = fixture.order({ amount, price: '60000' });
      expect(await failureOf(account.placeOrder(request))).toBe('rejected/insufficient_balance');
      expect(await account.fetchOpenOrders()).toEqual([]);
    });

    it('[EX-MARGIN-01] reports the margin of the account with its open result', async () => {
      const { fetchMargin } = positionsOf(account);
      const before = await fetchMargin();
      expect(Number(before.equity)).toBe(10_000);
      expect(Number(before.available)).toBe(10_000);
      expect(Number(before.maintenanceMargin)).toBe(0);
      await trade('BUY', '0.5', '60000');
      await fixture.subject.setMarkPrice('61000');
      const after = await fetchMargin();
      // 30 of fees, 500 of open result, and an initial margin of 30,500 divided by the leverage.
      expect(Number(after.equity)).toBeCloseTo(10_470, 6);
      expect(Number(after.available)).toBeCloseTo(10_470 - 30_500 / initialLeverage(), 6);
      expect(Number(after.maintenanceMargin)).toBeGreaterThan(0);
    });

    it('[EX-LEV-01] reads and changes the leverage, and rejects more than the exchange allows', async () => {
      const { fetchLeverage, setLeverage } = positionsOf(account);
      const { symbol: pair, otherSymbol } = fixture.subject;
      const before = { leverage: String(initialLeverage()), marginMode: 'CROSS' } as const;
      expect(await fetchLeverage(pair)).toMatchObject(before);
      if (fixture.subject.traits.hasCrossLeverage === false) return;
      expect(await setLeverage(pair, { leverage: '3' })).toMatchObject({
        leverage: '3',
        marginMode: 'CROSS',
      });
      expect(await fetchLeverage(pair)).toMatchObject({ leverage: '3' });
      expect(await fetchLeverage(otherSymbol)).toMatchObject(before);
      // The same value again is no error.
      expect(await setLeverage(pair, { leverage: '3' })).toMatchObject({ leverage: '3' });
      expect(await failureOf(setLeverage(pair, { leverage: '5000' }))).toBe('rejected/rule_violated');
      expect(await fetchLeverage(pair)).toMatchObject({ leverage: '3' });
    });

    it('[EX-LEV-02] sets a leverage with isolated margin alone, if positions with cross margin have none of their own', async () => {
      if (fixture.subject.traits.hasCrossLeverage !== false) return;
      const { fetchLeverage, setLeverage } = positionsOf(account);
      const { symbol: pair, otherSymbol } = fixture.subject;
      const [isolated, cross] = [
        { leverage: '3', marginMode: 'ISOLATED' },
        { leverage: '10', marginMode: 'CROSS' },
      ] as const;
      expect(await failureOf(setLeverage(pair, { leverage: '3' }))).toBe('rejected/not_supported');
      expect(await fetchLeverage(pair)).toMatchObject(cross);
      // The same value again is no error.
      for (let i = 0; i < 2; i++) expect(await setLeverage(pair, isolated)).toMatchObject(isolated);
      expect(await fetchLeverage(pair)).toMatchObject(isolated);
      expect(await setLeverage(pair, { leverage: '4' })).toMatchObject({ ...isolated, leverage: '4' });
      expect(await fetchLeverage(otherSymbol)).toMatchObject(cross);
      expect(await failureOf(setLeverage(pair, { ...isolated, leverage: '5000' }))).toBe(
        'rejected/rule_violated',
      );
      expect(await fetchLeverage(pair)).toMatchObject({ leverage: '4' });
      expect(await setLeverage(pair, cross)).toMatchObject(cross);
      expect(await fetchLeverage(pair)).toMatchObject(cross);
    });

    it('[EX-FUND-01] returns each funding payment once, with its sign', async () => {
      const { fetchFunding } = positionsOf(account);
      const since = hourAgo();
      expect(await fetchFunding(since)).toEqual([]);
      await trade('SELL', '0.5', '60000');
      await fixture.subject.setMarkPrice('61000');
      await fixture.subject.payFunding('0.0001');
      await fixture.subject.payFunding('-0.0002');
      const payments = await fetchFunding(since);
      expect(payments.map(({ amount, currency, symbol: pair }) => [pair, amount, currency]).sort()).toEqual([
        [fixture.subject.symbol, '-6.1', quoteOf(fixture.subject)],
        [fixture.subject.symbol, '3.05', quoteOf(fixture.subject)],
      ]);
      expect(new Set(payments.map(({ id }) => id)).size).toBe(2);
      expect(await fetchFunding(new Date(Date.now() + 60_000))).toEqual([]);
    });

    it('[EX-FUND-02] returns the funding rates of a pair with their mark prices, and its mark price now', async () => {
      const { venue, symbol: pair } = fixture.subject;
      await trade('BUY', '0.1', '60000');
      await fixture.subject.setMarkPrice('61000.5');
      await fixture.subject.payFunding('0.0001');
      const range = { from: hourAgo(), to: new Date(Date.now() + 60_000) };
      const rates = await venue.fetchFundingRates(pair, range);
      expect(rates).toMatchObject([{ symbol: pair, rate: '0.0001' }]);
      expect([undefined, '61000.5']).toContain(rates[0]?.markPrice);
      expect(await venue.fetchMarkPrices([pair])).toEqual({ [pair]: '61000.5' });
      expect(await venue.fetchFundingRates(pair, { from: new Date(0), to: new Date(1) })).toEqual([]);
    });

    it.each(['LIQUIDATION', 'ADL'] as const)(
      '[EX-LIQ-01] names the cause of fills that the exchange forces: %s',
      async (cause) => {
        const recorder = new AccountStreamRecorder();
        account.watch(recorder);
        await recorder.connected();
        await trade('BUY', '0.5', '60000');
        const asked = { amount: '0.2', price: '55000', cause };
        const closed = await fixture.subject.forceClose(credentials, asked);
        const fills = await account.fetchFillsSince({ symbol: fixture.subject.symbol, since: hourAgo() });
        expect(fills.map(({ amount, price, side, cause: why }) => [amount, price, side, why])).toEqual([
          ['0.5', '60000', 'BUY', undefined],
          [closed.amount, closed.price, 'SELL', cause],
        ]);
        await recorder.until(() => recorder.fills.length === 2);
        expect(recorder.fills[1]).toMatchObject({ amount: closed.amount, cause });
        const rest = new Decimal('0.5').minus(closed.amount);
        expect(await positions()).toMatchObject(rest.isZero() ? [] : [{ amount: rest.toFixed() }]);
      },
    );

    it('[EX-STR-11] reports the positions that changed, and a closed one with the amount zero', async () => {
      const recorder = new AccountStreamRecorder();
      account.watch(recorder);
      await recorder.connected();
      await trade('SELL', '0.2', '60000');
      await recorder.until(() => recorder.positions.at(-1)?.amount === '0.2');
      expect(recorder.positions.at(-1)).toMatchObject({
        symbol: fixture.subject.symbol,
        side: 'SHORT',
        entryPrice: '60000',
        isSupported: true,
      });
      // Exchanges may report the mark price of an open position, too.
      await fixture.subject.setMarkPrice('60500');
      await trade('BUY', '0.2', '60000');
      await recorder.until(() => recorder.positions.at(-1)?.amount === '0');
      expect(recorder.lost).toEqual([]);
    });

    it('[EX-CRED-05] reports accounts that the product cannot trade', async () => {
      const { changeAccount } = fixture.subject;
      const unsupported = async () => (await account.testCredentials()).unsupported;
      expect(await unsupported()).toBeUndefined();
      await trade('BUY', '0.1', '60000');
      if (fixture.subject.traits.hasHedgeMode === false) {
        expect(await positions()).toMatchObject([{ amount: '0.1', isSupported: true }]);
        return;
      }
      await changeAccount(credentials, { isHedged: true });
      expect(await unsupported()).toBe('HEDGE_MODE');
      expect(await positions()).toMatchObject([{ amount: '0.1', isSupported: false }]);
    });

    it('[EX-STOP-02] a stop order keeps its ids when it is triggered, if stop orders are offered', async () => {
      await trade('BUY', '0.1', '60000');
      const stop = fixture.order({
        type: 'STOP_MARKET',
        side: 'SELL',
        stopPrice: '59000',
        amount: '0.1',
        reduceOnly: true,
      });
      if (!fixture.subject.orderTypes.includes('STOP_MARKET')) {
        expect(await failureOf(account.placeOrder(stop))).toBe('rejected/not_supported');
        return;
      }
      const placed = await fixture.place(account, stop);
      await fixture.place(fixture.maker, fixture.order({ side: 'BUY', amount: '0.5', price: '59000' }));
      await fixture.place(fixture.taker, fixture.order({ side: 'SELL', amount: '0.1', price: '59000' }));
      expect(await foundOrder(account, stop)).toMatchObject({
        exchangeOrderId: placed.exchangeOrderId,
        status: 'FILLED',
      });
      expect(await positions()).toEqual([]);
    });
  });
}
