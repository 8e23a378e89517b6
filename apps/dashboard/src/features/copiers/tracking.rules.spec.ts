import { trackingParts } from './tracking.rules';

describe('the parts of the tracking difference', () => {
  it('have bars relative to the longest one', () => {
    const parts = {
      skips_bps: '-500',
      rounding_bps: '1',
      latency_bps: '0',
      slippage_bps: '-250',
      fees_bps: '-18',
    };
    expect(trackingParts(parts).map(({ name, bps, share }) => [name, bps, share])).toEqual([
      ['Skips and reductions', '-500', 1],
      ['Rounding', '1', 0.002],
      ['Latency', '0', 0],
      ['Slippage', '-250', 0.5],
      ['Fees', '-18', 0.036],
    ]);
  });

  it('have no bars if all are 0', () => {
    const parts = { skips_bps: '0', rounding_bps: '0', latency_bps: '0', slippage_bps: '0', fees_bps: '0' };
    expect(trackingParts(parts).every(({ share }) => share === 0)).toBe(true);
  });
});
