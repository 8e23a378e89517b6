import type { Level } from '../engine/book.js';
import { Exchange } from '../engine/exchange.js';
import { State, type StateRecord } from '../engine/state.js';
import { findMarket, type MarketSpec } from '../engine/symbols.js';
import { MarketMaker, REFILL_EVERY_MS } from './maker.js';

const spec = findMarket('BTC/USDT')!;
const UNIT = 100_000_000n;
const LOTS_PER_BTC = 10 ** spec.stepDecimals;

function start(seed: number, specs: readonly MarketSpec[] = [spec]) {
  let at = Date.UTC(2026, 0, 1);
  const records: StateRecord[] = [];
  const state = new State();
  const now = () => at;
  const exchange = new Exchange({
    state,
    fees: { makerPpm: 1_000, takerPpm: 1_000 },
    now,
    persist: (record) => records.push(record),
  });
  const maker = new MarketMaker(exchange, seed, now, { specs });
  const step = () => {
    at += REFILL_EVERY_MS;
    maker.step();
  };
  return { state, exchange, maker, step, records };
}

function midOf({ exchange }: ReturnType<typeof start>): number {
  const { bids, asks } = exchange.book(spec).levels();
  return (bids[0]![0] + asks[0]![0]) / 2;
}

function openAccount({ exchange }: ReturnType<typeof start>) {
  const account = {
    id: 'a',
    uid: 1,
    apiKey: 'a',
    apiSecret: 'a',
    canTrade: true,
    canWithdraw: false,
    createdAt: 0,
  };
  const funds = new Map([
    ['USDT', 10_000_000n * UNIT],
    ['BTC', UNIT],
  ]);
  exchange.openAccount(account, funds);
  return account;
}

/** Returns the amount in BTC within 10 bps of the mid price. */
function amountNear(levels: readonly Level[], mid: number): number {
  return levels
    .filter(([ticks]) => Math.abs(ticks / mid - 1) <= 0.001)
    .reduce((sum, [, lots]) => sum + lots / LOTS_PER_BTC, 0);
}

describe('the market maker', () => {
  it.each([1, 2, 3])(
    'with seed %i moves the price by less than 20 bps in any 60 s, and quotes 5 BTC within 10 bps on each side',
    (seed) => {
      const market = start(seed);
      const recentMids: number[] = [];
      let maxRangeBps = 0;
      let minDepth = Number.POSITIVE_INFINITY;
      for (let elapsedMs = 0; elapsedMs < 3_600_000; elapsedMs += REFILL_EVERY_MS) {
        market.step();
        const { bids, asks } = market.exchange.book(spec).levels();
        const mid = (bids[0]![0] + asks[0]![0]) / 2;
        minDepth = Math.min(minDepth, amountNear(bids, mid), amountNear(asks, mid));
        recentMids.push(mid);
        if (recentMids.length > 60_000 / REFILL_EVERY_MS + 1) recentMids.shift();
        maxRangeBps = Math.max(maxRangeBps, (Math.max(...recentMids) / Math.min(...recentMids) - 1) * 10_000);
      }
      expect(maxRangeBps).toBeLessThan(20);
      expect(maxRangeBps).toBeGreaterThan(1);
      expect(minDepth).toBeGreaterThanOrEqual(5);
    },
  );

  it('moves prices equally with equal seeds, and differently with different seeds', () => {
    const walk = (seed: number) => {
      const market = start(seed);
      return Array.from({ length: 200 }, () => {
        market.step();
        return midOf(market);
      });
    };
    expect(walk(7)).toEqual(walk(7));
    expect(walk(7)).not.toEqual(walk(8));
  });

  it('replaces the quotes that a large order has taken, but only in the next step', () => {
    const market = start(1);
    market.step();
    const account = openAccount(market);
    const before = market.exchange.book(spec).levels().asks;
    const lots = before[0]![1] + before[1]![1] + 1;
    const order = market.exchange.place(account, spec, {
      side: 'BUY',
      type: 'MARKET',
      timeInForce: 'GTC',
      lots,
      priceTicks: 0,
      stopTicks: 0,
      quoteOrderQty: 0n,
      clientOrderId: 'large',
    });
    expect(order.status).toBe('FILLED');
    expect(market.state.fillsOf('a').map((fill) => fill.priceTicks)).toEqual(
      before.slice(0, 3).map(([ticks]) => ticks),
    );
    const after = market.exchange.book(spec).levels().asks;
    expect(after).toEqual([[before[2]![0], before[2]![1] - 1], ...before.slice(3)]);
    market.step();
    const mid = midOf(market);
    expect(amountNear(market.exchange.book(spec).levels().asks, mid)).toBeGreaterThanOrEqual(5);
  });

  it('quotes around the price of `moveTo` in the step after it', () => {
    const market = start(1);
    market.step();
    market.maker.moveTo(spec, 5_000_000);
    market.step();
    expect(Math.abs(midOf(market) / 5_000_000 - 1)).toBeLessThan(0.0002);
  });

  it.each(['BUY', 'SELL'] as const)(
    'fills a stop-market order of side %s completely when `moveTo` triggers it',
    (side) => {
      const market = start(1);
      market.step();
      const account = openAccount(market);
      const isUp = side === 'BUY';
      const order = market.exchange.place(account, spec, {
        side,
        type: 'STOP_LOSS',
        timeInForce: 'GTC',
        lots: 100,
        priceTicks: 0,
        stopTicks: isUp ? 6_300_000 : 5_700_000,
        quoteOrderQty: 0n,
        clientOrderId: `stop ${side}`,
      });
      market.maker.moveTo(spec, isUp ? 6_500_000 : 5_500_000);
      expect(order).toMatchObject({ status: 'FILLED', executedLots: 100, locked: 0n });
    },
  );

  it('does not store its trades, only ids, balances and last prices, about every ten seconds', () => {
    const market = start(1);
    for (let n = 0; n < 100; n += 1) market.step();
    const sizeBefore = JSON.stringify([...market.state.dump()]).length;
    const recordsBefore = market.records.length;
    for (let n = 0; n < 2_000; n += 1) market.step();
    expect([...market.state.dump()]).toHaveLength(1);
    expect(JSON.stringify([...market.state.dump()]).length).toBeLessThan(sizeBefore + 100);
    expect(market.records.length - recordsBefore).toBeLessThanOrEqual((2_000 * REFILL_EVERY_MS) / 10_000 + 2);
  });

  it('continues near its last price after the process is killed', () => {
    const market = start(3);
    for (let n = 0; n < 20_000; n += 1) market.step();
    const restored = new State();
    for (const record of market.records) restored.apply(record);
    const [last, restoredLast] = [market.state.lastTicks.get(spec.id)!, restored.lastTicks.get(spec.id)!];
    expect(Math.abs(last / spec.startTicks - 1)).toBeGreaterThan(0.001);
    expect(Math.abs(restoredLast / last - 1)).toBeLessThan(0.001);
  });
});
