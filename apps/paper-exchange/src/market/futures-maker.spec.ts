import { CONTRACTS } from '../engine/futures/contracts.js';
import { BTC, TestFutures } from '../testing/test-futures.js';
import { MarketMaker, REFILL_EVERY_MS } from './maker.js';
import { ticksIn } from './spot-reference.js';

describe('the market maker on futures', () => {
  function start(reference: () => number | undefined) {
    const futures = new TestFutures();
    const maker = new MarketMaker(futures.exchange, 1, () => futures.now, { specs: CONTRACTS, reference });
    const step = () => {
      futures.now += REFILL_EVERY_MS;
      maker.step();
    };
    return { futures, step };
  }

  it('quotes around the price that it follows, and the mark price comes near to it', () => {
    let price = 600_000;
    const { futures, step } = start(() => price);
    step();
    price = 610_000;
    for (let n = 0; n < 100; n += 1) step();
    const { bids, asks } = futures.exchange.book(BTC).levels();
    expect((bids[0]![0] + asks[0]![0]) / 2).toBe(610_000);
    expect(Math.abs(futures.state.contracts.of(BTC.id).mark / 6_100_000_000 - 1)).toBeLessThan(0.001);
  });

  it('does not store its trades, only ids and prices, about every ten seconds', () => {
    const { futures, step } = start(() => undefined);
    for (let n = 0; n < 100; n += 1) step();
    const recordsBefore = futures.records.length;
    for (let n = 0; n < 2_000; n += 1) step();
    expect([...futures.state.rows()]).toEqual([]);
    expect(futures.records.length - recordsBefore).toBeLessThanOrEqual(
      (2_000 * REFILL_EVERY_MS) / 10_000 + 3,
    );
    expect(futures.state.total()).toBe(futures.state.deposited);
  });

  it('converts prices between markets to the nearest tick', () => {
    const cents = { ...BTC, tickDecimals: 2 };
    expect([ticksIn(BTC, cents, 6_000_004), ticksIn(BTC, cents, 6_000_005), ticksIn(cents, BTC, 7)]).toEqual([
      600_000, 600_001, 70,
    ]);
  });
});
