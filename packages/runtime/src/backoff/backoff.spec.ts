import { backoffMs } from './index.js';

describe('backoff', () => {
  const backoff = { firstMs: 1_000, maxMs: 30_000, jitter: 0.5 };

  it('doubles up to the maximum, with jitter over the upper half', () => {
    expect([1, 2, 3, 6, 60].map((failures) => backoffMs(backoff, failures, 1))).toEqual([
      1_000, 2_000, 4_000, 30_000, 30_000,
    ]);
    expect(backoffMs(backoff, 3, 0)).toBe(2_000);
  });

  it('is exact without jitter, however many attempts failed', () => {
    const exact = { firstMs: 250, maxMs: 10_000 };
    expect([1, 2, 6, 7, 5_000].map((failures) => backoffMs(exact, failures))).toEqual([
      250, 500, 8_000, 10_000, 10_000,
    ]);
  });

  it('ranges from zero with full jitter', () => {
    const full = { ...backoff, jitter: 1 };
    expect(backoffMs(full, 2, 0)).toBe(0);
    expect(backoffMs(full, 2, 0.25)).toBe(500);
    const drawn = Array.from({ length: 50 }, () => backoffMs(full, 2));
    expect(new Set(drawn).size).toBeGreaterThan(1);
    expect(Math.max(...drawn)).toBeLessThan(2_000);
  });
});
