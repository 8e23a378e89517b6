import fc from 'fast-check';
import { BigDecimal } from '../values/index.js';
import { type TrackedLot, trackingOf } from './tracking.rules.js';

/** A gain of 10 % on a cost of 100, without fees. */
const tenPercent = { entryPrice: '100', exitPrice: '110', cost: '100', pnl: '10' };
const sameLot: TrackedLot = {
  side: 'BUY',
  copier: tenPercent,
  leader: tenPercent,
  reference: tenPercent,
  target: tenPercent,
};
const NO_DIFFERENCE = { fees_bps: '0', slippage_bps: '0', rounding_bps: '0', skips_bps: '0' };

describe('the tracking difference', () => {
  it('is zero if the copier had the same prices and fees as the strategy, and null if no lot was closed', () => {
    expect(trackingOf([sameLot])).toEqual({ differenceBps: '0', parts: NO_DIFFERENCE });
    expect(trackingOf([])).toBeNull();
  });

  it('is attributed to fees if the copier paid higher fees', () => {
    // 9 % net instead of 10 %.
    const lot = { ...sameLot, copier: { ...tenPercent, pnl: '9' } };
    expect(trackingOf([lot])).toEqual({
      differenceBps: '-100',
      parts: { ...NO_DIFFERENCE, fees_bps: '-100' },
    });
  });

  it('is attributed to slippage if the copier’s fills had worse prices than the strategy’s', () => {
    // 100 to 109 instead of 110.
    const lot = { ...sameLot, copier: { ...tenPercent, exitPrice: '109', pnl: '9' } };
    expect(trackingOf([lot])).toEqual({
      differenceBps: '-100',
      parts: { ...NO_DIFFERENCE, slippage_bps: '-100' },
    });
  });

  it('is attributed to rounding if the filled amounts differ from the requested amounts', () => {
    const filled = { entryPrice: '100', exitPrice: '111' };
    const lot = { ...sameLot, reference: filled, copier: { ...tenPercent, ...filled, pnl: '11' } };
    expect(trackingOf([lot])).toEqual({
      differenceBps: '100',
      parts: { ...NO_DIFFERENCE, rounding_bps: '100' },
    });
  });

  it('is attributed to skips if the copier skipped signals of the lot', () => {
    const copied = { entryPrice: '80', exitPrice: '110' };
    const lot = {
      ...sameLot,
      reference: copied,
      target: copied,
      copier: { ...copied, cost: '80', pnl: '30' },
    };
    // 37.5 % instead of 10 %.
    expect(trackingOf([lot])).toEqual({
      differenceBps: '2750',
      parts: { ...NO_DIFFERENCE, skips_bps: '2750' },
    });
  });

  it('counts a rising exit price of a short lot as a loss', () => {
    const sold = { ...tenPercent, pnl: '-10' };
    const lot = {
      ...sameLot,
      side: 'SELL' as const,
      leader: sold,
      copier: { ...sold, exitPrice: '111', pnl: '-11' },
    };
    expect(trackingOf([lot])?.parts).toEqual({ ...NO_DIFFERENCE, slippage_bps: '-100' });
  });

  it('weights lots by the copier’s cost', () => {
    const worse = { ...sameLot, copier: { ...tenPercent, pnl: '9' } };
    const large = { ...sameLot, copier: { ...tenPercent, cost: '300', pnl: '30' } };
    expect(trackingOf([worse, large])?.differenceBps).toBe('-25');
  });

  it('is the sum of its parts, and the difference of the returns', () => {
    const amount = fc.integer({ min: 1, max: 1_000_000 }).map((cents) => (cents / 100).toFixed(2));
    const prices = fc.record({ entryPrice: amount, exitPrice: amount });
    const closed = fc.record({ entryPrice: amount, exitPrice: amount, cost: amount, pnl: amount });
    const lot = fc.record({
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
      copier: closed,
      leader: closed,
      reference: prices,
      target: prices,
    });
    fc.assert(
      fc.property(fc.array(lot, { minLength: 1, maxLength: 5 }), (lots) => {
        const tracking = trackingOf(lots)!;
        const sum = Object.values(tracking.parts).reduce(
          (total, part) => total.plus(part),
          new BigDecimal(0),
        );
        expect(sum.toString()).toBe(tracking.differenceBps);
        const weight = lots.reduce((sum, { copier }) => sum + Number(copier.cost), 0);
        const difference = lots.reduce((sum, { copier, leader }) => {
          const returnOf = ({ pnl, cost }: { pnl: string; cost: string }) => Number(pnl) / Number(cost);
          return sum + (Number(copier.cost) * (returnOf(copier) - returnOf(leader))) / weight;
        }, 0);
        const scale = Math.max(1, Math.abs(difference));
        expect(Number(tracking.differenceBps) / 10_000 / scale).toBeCloseTo(difference / scale, 6);
      }),
    );
  });
});
