import { backoffMs } from './backoff.js';

describe('the backoff', () => {
  const [firstMs, maxMs] = [500, 8_000];

  it('doubles with each failure, up to the maximum', () => {
    const delays = [0, 1, 4, 5, 5_000].map((failures) =>
      backoffMs({ firstMs, maxMs, jitter: 'shortened' }, failures, 0),
    );
    expect(delays).toEqual([500, 1_000, 8_000, 8_000, 8_000]);
  });

  it('is shortened by up to half, or extended by up to half', () => {
    expect(backoffMs({ firstMs, maxMs, jitter: 'shortened' }, 1, 0.5)).toBe(750);
    expect(backoffMs({ firstMs, maxMs, jitter: 'extended' }, 1, 0.5)).toBe(1_250);
  });
});
