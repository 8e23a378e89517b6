import fc from 'fast-check';
import { BigDecimal } from '../values/index.js';
import { addTrackingSums, type TrackedLot, trackingOf, trackingSumsOf } from './tracking.rules.js';

/** A leader that bought 10 at 100 and sold all at 110, and a copier that did the same with 1; without fees. */
const SAME: TrackedLot = {
  side: 'BUY',
  leader: {
    opened: { amount: '10', value: '1000' },
    closedAmount: '10',
    closedShare: '1',
    gross: '100',
    pnl: '100',
  },
  perfect: { amount: '1', value: '100' },
  missed: { amount: '0', value: '0' },
  copier: {
    boughtAmount: '1',
    closedAmount: '1',
    atLeaderPrices: '10',
    atArrivalPrices: '10',
    gross: '10',
    pnl: '10',
  },
};
const NOTHING = {
  boughtAmount: '0',
  closedAmount: '0',
  atLeaderPrices: '0',
  atArrivalPrices: '0',
  gross: '0',
  pnl: '0',
};
const SKIPPED: TrackedLot = { ...SAME, missed: SAME.perfect, copier: NOTHING };
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
    const leader = { ...SAME.leader, pnl: '97.9' };
    expect(tracking({ ...SAME, leader, copier: { ...SAME.copier, pnl: '9.79' } })?.differenceBps).toBe('0');
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
    const half = { boughtAmount: '0.5', closedAmount: '0.5', atLeaderPrices: '5', atArrivalPrices: '5' };
    const lot = { ...SAME, copier: { ...half, gross: '5', pnl: '5' } };
    expect(tracking(lot)).toEqual({
      differenceBps: '-500',
      parts: { ...NO_DIFFERENCE, rounding_bps: '-500' },
    });
  });

  it('is attributed to skips if the copier skipped signals of the lot', () => {
    // The leader bought 5 at 80 and 5 at 120. The copier skipped the second half.
    const half = { boughtAmount: '0.5', closedAmount: '0.5', atLeaderPrices: '15', atArrivalPrices: '15' };
    const lot = {
      ...SAME,
      missed: { amount: '0.5', value: '60' },
      copier: { ...half, gross: '15', pnl: '15' },
    };
    expect(tracking(lot)).toEqual({ differenceBps: '500', parts: { ...NO_DIFFERENCE, skips_bps: '500' } });
  });

  it('of a copier that skipped all winners is the result that it missed, and its skips part holds all of it', () => {
    const loser: TrackedLot = {
      ...SAME,
      leader: { ...SAME.leader, gross: '-50', pnl: '-50' },
      copier: { ...SAME.copier, atLeaderPrices: '-5', atArrivalPrices: '-5', gross: '-5', pnl: '-5' },
    };
    // The perfect copy gained 10 and lost 5, on a cost of 200.
    expect(tracking(SKIPPED, loser)).toEqual({
      differenceBps: '-500',
      parts: { ...NO_DIFFERENCE, skips_bps: '-500' },
    });
  });

  it('counts a skipped lot net of the strategy’s fees, for the share that the strategy closed', () => {
    const leader = { ...SAME.leader, closedAmount: '4', closedShare: '0.4', gross: '40', pnl: '38' };
    expect(trackingSumsOf({ ...SKIPPED, leader })).toEqual({
      ...NO_SUMS,
      cost: '40',
      skips: '-3.8',
    });
  });

  it('compares a lot for the share that the copier sold, so that a late exit makes no difference', () => {
    const sold = { ...SAME.copier, closedAmount: '0.25', atLeaderPrices: '2.5', atArrivalPrices: '2.5' };
    expect(trackingSumsOf({ ...SAME, copier: { ...sold, gross: '2.5', pnl: '2.5' } })).toEqual({
      ...NO_SUMS,
      cost: '25',
    });
    expect(trackingSumsOf({ ...SAME, copier: { ...NOTHING, boughtAmount: '1' } })).toEqual(NO_SUMS);
  });

  it('compares a lot that was copied later, at its price of that time', () => {
    // Bought at 105, when the leader held the lot for some time.
    const perfect = { amount: '1', value: '105' };
    const copier = { ...SAME.copier, atLeaderPrices: '5', atArrivalPrices: '5', gross: '5', pnl: '5' };
    expect(tracking({ ...SAME, perfect, copier })?.differenceBps).toBe('0');
    expect(trackingSumsOf({ ...SAME, perfect, missed: perfect, copier: NOTHING }).skips).toBe('-5');
  });

  it('counts a rising exit price of a short lot as a loss', () => {
    const short: TrackedLot = {
      ...SAME,
      side: 'SELL',
      leader: { ...SAME.leader, gross: '-100', pnl: '-100' },
      copier: { ...SAME.copier, atLeaderPrices: '-10', atArrivalPrices: '-10', gross: '-11', pnl: '-11' },
    };
    expect(tracking(short)?.parts).toEqual({ ...NO_DIFFERENCE, slippage_bps: '-100' });
    // Sold short at 105 instead of 100: a perfect copy loses 5, not 10.
    const perfect = { amount: '1', value: '105' };
    expect(trackingSumsOf({ ...short, perfect, missed: perfect, copier: NOTHING }).skips).toBe('5');
  });

  it('weights lots by the cost of the perfect copy', () => {
    const worse = { ...SAME, copier: { ...SAME.copier, pnl: '9' } };
    const large = { ...SKIPPED, leader: { ...SAME.leader, gross: '0', pnl: '0' } };
    const skipped = { amount: '3', value: '300' };
    expect(tracking(worse, { ...large, perfect: skipped, missed: skipped })?.differenceBps).toBe('-25');
  });

  it('equals the example of docs/trading/tracking.md', () => {
    const second: TrackedLot = {
      ...SAME,
      leader: {
        opened: { amount: '8.1', value: '810' },
        closedAmount: '8.1',
        closedShare: '1',
        gross: '-16.2',
        pnl: '-16.2',
      },
      perfect: { amount: '4.05', value: '405' },
      copier: {
        boughtAmount: '4',
        closedAmount: '4',
        atLeaderPrices: '-8',
        atArrivalPrices: '-8.8',
        gross: '-9.6',
        pnl: '-11.2',
      },
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
    const lot: fc.Arbitrary<TrackedLot> = fc.record({
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
      leader: fc.record({
        opened: valued,
        closedAmount: cents(1),
        closedShare: fc.integer({ min: 1, max: 100 }).map((n) => (n / 100).toFixed(2)),
        gross: cents(-1_000_000),
        pnl: cents(-1_000_000),
      }),
      perfect: valued,
      missed: fc.record({ amount: cents(0), value: cents(0) }),
      copier: fc.record({
        boughtAmount: cents(0),
        closedAmount: cents(1),
        atLeaderPrices: cents(-1_000_000),
        atArrivalPrices: cents(-1_000_000),
        gross: cents(-1_000_000),
        pnl: cents(-1_000_000),
      }),
    });
    fc.assert(
      fc.property(fc.array(lot, { minLength: 1, maxLength: 5 }), (lots) => {
        const sums = sumsOf(lots);
        const result = trackingOf(sums)!;
        const total = Object.values(result.parts).reduce((sum, part) => sum.plus(part), new BigDecimal(0));
        expect(total.toFixed()).toBe(result.differenceBps);
        const difference = lots.reduce((sum, { side, leader, perfect, copier }) => {
          const bought = Number(copier.boughtAmount);
          const share = bought > 0 ? Number(copier.closedAmount) / bought : Number(leader.closedShare);
          const entry = Number(leader.opened.value) / Number(leader.opened.amount);
          const cheaper =
            (entry * Number(perfect.amount) - Number(perfect.value)) * (side === 'BUY' ? 1 : -1);
          const unit = Number(leader.pnl) / Number(leader.closedAmount);
          return sum + Number(copier.pnl) - share * (unit * Number(perfect.amount) + cheaper);
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
