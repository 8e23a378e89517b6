import fc from 'fast-check';
import { CONTRACTS, contractOf, maxNotionalAt, valueAt } from './contracts.js';
import { liquidationMark, maintenanceOf, reachableNotional, unrealizedOf } from './margin.rules.js';

const BTC = contractOf('BTCUSDT');
const UNIT = 100_000_000n;

describe('the margin of futures', () => {
  it('has a maintenance margin that is continuous and rises with the notional', () => {
    for (const spec of CONTRACTS) {
      for (const { cap } of spec.brackets.slice(0, -1)) {
        const step = maintenanceOf(spec, cap + 1n) - maintenanceOf(spec, cap);
        expect(step >= 0n && step <= 1n).toBe(true);
      }
      expect(maintenanceOf(spec, -1_000n * UNIT)).toBe(maintenanceOf(spec, 1_000n * UNIT));
      expect(maintenanceOf(spec, 0n)).toBe(0n);
    }
    expect(maintenanceOf(BTC, 500_000n * UNIT)).toBe(2_200n * UNIT);
  });

  it('is used up exactly beyond the liquidation price', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CONTRACTS),
        fc.integer({ min: 1, max: 200_000 }).chain((lots) => fc.constantFrom(lots, -lots)),
        fc.integer({ min: 2, max: 125 }),
        (spec, lots, leverage) => {
          const entry = spec.startTicks * 10_000;
          const position = { lots, cost: valueAt(entry, lots) };
          const equity = valueAt(entry, Math.abs(lots)) / BigInt(leverage);
          const mark = liquidationMark(spec, position, equity, 0n);
          if (mark === 0) return;
          const isCovered = (at: number) =>
            equity + unrealizedOf(position, at) >= maintenanceOf(spec, valueAt(at, lots));
          const away = Math.sign(lots) * 2;
          expect([isCovered(mark + away), isCovered(mark - away)]).toEqual([true, false]);
        },
      ),
    );
  });

  it('counts open orders on the side on which they make the position larger', () => {
    expect(reachableNotional(100n, { bids: 50n, asks: 120n })).toBe(150n);
    expect(reachableNotional(100n, { bids: 0n, asks: 120n })).toBe(100n);
    expect(reachableNotional(-100n, { bids: 300n, asks: 20n })).toBe(200n);
    expect(reachableNotional(0n, { bids: 0n, asks: 0n })).toBe(0n);
  });

  it('limits the notional by the leverage', () => {
    expect(maxNotionalAt(BTC, 125)).toBe(300_000n * UNIT);
    expect(maxNotionalAt(BTC, 20)).toBe(100_000_000n * UNIT);
    expect(maxNotionalAt(BTC, 1)).toBe(1_800_000_000n * UNIT);
  });
});
