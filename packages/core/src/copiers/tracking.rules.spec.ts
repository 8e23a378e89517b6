import fc from 'fast-check';
import { BigDecimal } from '../values/index.js';
import { addTrackingSums, type TrackedLot, trackingOf, trackingSumsOf } from './tracking.rules.js';

/** A leader that bought at 100 and sold all at 110, and a copier that did the same with 1; without fees. */
const SAME: TrackedLot = {
  side: 'BUY',
  perfect: { amount: '1', value: '100' },
  missed: { amount: '0', value: '0' },
  leader: { closedShare: '1', exitPrice: '110', exitPriceTolerance: '0', feeRate: '0' },
  copier: {
    bought: { amount: '1', value: '100' },
    closedAmount: '1',
    entryValue: '100',
    exitValue: '110',
    atArrivalPrices: '10',
    gross: '10',
    pnl: '10',
  },
};
const NOTHING = {
  bought: { amount: '0', value: '0' },
  closedAmount: '0',
  entryValue: '0',
  exitValue: '0',
  atArrivalPrices: '0',
  gross: '0',
  pnl: '0',
};
const SKIPPED: TrackedLot = { ...SAME, missed: SAME.perfect, copier: NOTHING };

/** A copier that bought an amount and sold it, at the leader's prices and without fees. */
function traded(amount: number, entryPrice: number, exitPrice: number): TrackedLot['copier'] {
  const [entryValue, exitValue] = [amount * entryPrice, amount * exitPrice];
  const result = String(exitValue - entryValue);
  return {
    bought: { amount: String(amount), value: String(entryValue) },
    closedAmount: String(amount),
    entryValue: String(entryValue),
    exitValue: String(exitValue),
    atArrivalPrices: result,
    gross: result,
    pnl: result,
  };
}

const NO_DIFFERENCE = {
  fees_bps: '0',
  slippage_bps: '0',
  rounding_bps: '0',
  skips_bps: '0',
  latency_bps: '0',
};
const NO_SUMS = { cost: '0', fees: '0', slippage: '0', rounding: '0', skips: '0', latency: '0' };

const sumsOf = (lots: readonly TrackedLot[]) => lots.map(trackingSumsOf).reduce(addTrackingSums, NO_SUMS);
const tracking = (...lots: readonly TrackedLot[]) => trackingOf(sumsOf(lots));

describe('the tracking difference', () => {
  it('is zero if the copier had the same prices and fees as the strategy, and null if no lot was closed', () => {
    expect(tracking(SAME)).toEqual({ differenceBps: '0', parts: NO_DIFFERENCE });
    expect(tracking()).toBeNull();
  });

  it('is zero for a copier that paid the same fee rate', () => {
    const leader = { ...SAME.leader, feeRate: '0.001' };
    expect(tracking({ ...SAME, leader, copier: { ...SAME.copier, pnl: '9.79' } })).toEqual({
      differenceBps: '0',
      parts: NO_DIFFERENCE,
    });
  });

  it('is attributed to fees if the copier paid higher fees', () => {
    const lot = { ...SAME, copier: { ...SAME.copier, pnl: '9' } };
    expect(tracking(lot)).toEqual({ differenceBps: '-100', parts: { ...NO_DIFFERENCE, fees_bps: '-100' } });
  });

  it('is attributed to slippage if the copier’s fills had worse prices than the strategy’s', () => {
    const lot = { ...SAME, copier: { ...SAME.copier, gross: '9', pnl: '9' } };
    expect(tracking(lot)).toEqual({
      differenceBps: '-100',
      parts: { ...NO_DIFFERENCE, slippage_bps: '-100' },
    });
  });

  it('is attributed to latency as far as the market moved before the order was sent, the rest to slippage', () => {
    const lot = { ...SAME, copier: { ...SAME.copier, atArrivalPrices: '9.2', gross: '9', pnl: '9' } };
    expect(tracking(lot)).toEqual({
      differenceBps: '-100',
      parts: { ...NO_DIFFERENCE, latency_bps: '-80', slippage_bps: '-20' },
    });
  });

  it('is attributed to rounding if the filled amounts differ from the requested amounts', () => {
    expect(tracking({ ...SAME, copier: traded(0.5, 100, 110) })).toEqual({
      differenceBps: '-500',
      parts: { ...NO_DIFFERENCE, rounding_bps: '-500' },
    });
  });

  it('is attributed to skips if the copier skipped signals of the lot', () => {
    // The leader bought one half at 80 and the other at 120. The copier skipped the second half.
    const lot = { ...SAME, missed: { amount: '0.5', value: '60' }, copier: traded(0.5, 80, 110) };
    expect(tracking(lot)).toEqual({ differenceBps: '500', parts: { ...NO_DIFFERENCE, skips_bps: '500' } });
  });

  it('of a copier that skipped all winners is the result that it missed, and its skips part holds all of it', () => {
    const loser: TrackedLot = {
      ...SAME,
      leader: { ...SAME.leader, exitPrice: '95' },
      copier: traded(1, 100, 95),
    };
    // The perfect copy gained 10 and lost 5, on a cost of 200.
    expect(tracking(SKIPPED, loser)).toEqual({
      differenceBps: '-500',
      parts: { ...NO_DIFFERENCE, skips_bps: '-500' },
    });
  });

  it('counts a skipped lot net of the strategy’s fees, for the share that the strategy closed', () => {
    const leader = { ...SAME.leader, closedShare: '0.4', feeRate: '0.001' };
    expect(trackingSumsOf({ ...SKIPPED, leader })).toEqual({
      ...NO_SUMS,
      cost: '40',
      skips: '-3.916',
    });
  });

  it('compares a lot for the share that the copier sold, so that a late exit makes no difference', () => {
    const quarter = { ...traded(0.25, 100, 110), bought: SAME.perfect };
    expect(trackingSumsOf({ ...SAME, copier: quarter })).toEqual({ ...NO_SUMS, cost: '25' });
    expect(trackingSumsOf({ ...SAME, copier: { ...NOTHING, bought: SAME.perfect } })).toEqual(NO_SUMS);
  });

  it('compares the entries that were sold first, while others of another price are still open', () => {
    // Bought one half at 80 and the other at 120, and sold the first.
    const copier = { ...traded(0.5, 80, 110), bought: { amount: '1', value: '100' } };
    expect(trackingSumsOf({ ...SAME, copier })).toEqual({ ...NO_SUMS, cost: '50' });
  });

  it('is attributed to rounding if the copier sold at other prices of the strategy than the perfect copy', () => {
    // The leader sold one half at 110 and the other at 90; the copier sold all at 90.
    const lot = { ...SAME, leader: { ...SAME.leader, exitPrice: '100' }, copier: traded(1, 100, 90) };
    expect(tracking(lot)).toEqual({
      differenceBps: '-1000',
      parts: { ...NO_DIFFERENCE, rounding_bps: '-1000' },
    });
  });

  it.each([
    ['equals the average price of its own exits', 99.8, '0'],
    ['is at most the upper end', 101, '50'],
    ['is at least the lower end', 99, '-50'],
  ])('takes the average exit price of the strategy from a range: it %s', (_, own, rounding) => {
    const leader = { ...SAME.leader, exitPrice: '100', exitPriceTolerance: '0.5' };
    expect(tracking({ ...SAME, leader, copier: traded(1, 100, own) })?.parts.rounding_bps).toBe(rounding);
    const skips = tracking({ ...SAME, leader, missed: SAME.perfect, copier: NOTHING });
    expect(skips?.differenceBps).toBe('0');
  });

  it('compares a lot that was copied later, at its price of that time', () => {
    // Bought at 105, when the leader held the lot for some time.
    const perfect = { amount: '1', value: '105' };
    expect(tracking({ ...SAME, perfect, copier: traded(1, 105, 110) })?.differenceBps).toBe('0');
    expect(trackingSumsOf({ ...SAME, perfect, missed: perfect, copier: NOTHING }).skips).toBe('-5');
  });

  it('counts a rising exit price of a short lot as a loss', () => {
    const short: TrackedLot = {
      ...SAME,
      side: 'SELL',
      copier: { ...SAME.copier, atArrivalPrices: '-10', gross: '-11', pnl: '-11' },
    };
    expect(tracking(short)?.parts).toEqual({ ...NO_DIFFERENCE, slippage_bps: '-100' });
    // Sold short at 105 instead of 100: a perfect copy loses 5, not 10.
    const perfect = { amount: '1', value: '105' };
    expect(trackingSumsOf({ ...short, perfect, missed: perfect, copier: NOTHING }).skips).toBe('5');
  });

  it('weights lots by the cost of the perfect copy', () => {
    const worse = { ...SAME, copier: { ...SAME.copier, pnl: '9' } };
    const large = { ...SKIPPED, leader: { ...SAME.leader, exitPrice: '100' } };
    const skipped = { amount: '3', value: '300' };
    expect(tracking(worse, { ...large, perfect: skipped, missed: skipped })?.differenceBps).toBe('-25');
  });

  it('equals the example of docs/trading/tracking.md', () => {
    const second: TrackedLot = {
      ...SAME,
      leader: { ...SAME.leader, exitPrice: '98' },
      perfect: { amount: '4.05', value: '405' },
      copier: { ...traded(4, 100, 98), atArrivalPrices: '-8.8', gross: '-9.6', pnl: '-11.2' },
    };
    const first = {
      ...SKIPPED,
      perfect: { amount: '5', value: '500' },
      missed: { amount: '5', value: '500' },
    };
    expect(tracking(first, second)).toEqual({
      differenceBps: '-587',
      parts: {
        skips_bps: '-552',
        rounding_bps: '1',
        latency_bps: '-9',
        slippage_bps: '-9',
        fees_bps: '-18',
      },
    });
  });

  it('is the sum of its parts, and the difference of the results', () => {
    const cents = (min: number) => fc.integer({ min, max: 1_000_000 }).map((n) => (n / 100).toFixed(2));
    const valued = fc.record({ amount: cents(1), value: cents(1) });
    const lot: fc.Arbitrary<TrackedLot> = fc
      .record({
        side: fc.constantFrom('BUY' as const, 'SELL' as const),
        perfect: valued,
        missed: fc.record({ amount: cents(0), value: cents(0) }),
        leader: fc.record({
          closedShare: fc.integer({ min: 1, max: 100 }).map((n) => (n / 100).toFixed(2)),
          exitPrice: cents(1),
          exitPriceTolerance: fc.constant('0'),
          feeRate: fc.constantFrom('-0.0001', '0', '0.001'),
        }),
        copier: fc.record({
          bought: fc.oneof(valued, fc.constant({ amount: '0', value: '0' })),
          closedAmount: cents(1),
          entryValue: cents(1),
          exitValue: cents(1),
          atArrivalPrices: cents(-1_000_000),
          gross: cents(-1_000_000),
          pnl: cents(-1_000_000),
        }),
      })
      .map((drawn) =>
        drawn.copier.bought.amount === '0'
          ? { ...drawn, copier: { ...NOTHING, pnl: drawn.copier.pnl } }
          : drawn,
      );
    fc.assert(
      fc.property(fc.array(lot, { minLength: 1, maxLength: 5 }), (lots) => {
        const sums = sumsOf(lots);
        const result = trackingOf(sums)!;
        const total = Object.values(result.parts).reduce((sum, part) => sum.plus(part), new BigDecimal(0));
        expect(total.toFixed()).toBe(result.differenceBps);
        const difference = lots.reduce((sum, { side, leader, perfect, copier }) => {
          const [bought, closed] = [Number(copier.bought.amount), Number(copier.closedAmount)];
          const share = bought > 0 ? closed / bought : Number(leader.closedShare);
          const relativeCost =
            bought > 0 ? Number(copier.entryValue) / closed / (Number(copier.bought.value) / bought) : 1;
          const sold = share * Number(perfect.amount) * Number(leader.exitPrice);
          const cost = share * Number(perfect.value) * relativeCost;
          const result =
            (side === 'BUY' ? sold - cost : cost - sold) - Number(leader.feeRate) * (sold + cost);
          return sum + Number(copier.pnl) - result;
        }, 0);
        const expected = (difference / Number(sums.cost)) * 10_000;
        // Each of the five parts is rounded by at most a half.
        expect(Math.abs(Number(result.differenceBps) - expected)).toBeLessThan(
          2.6 + Math.abs(expected) / 1e5,
        );
      }),
    );
  });
});
