import { TokenPool } from './prefetched-tokens.js';
import type { Limit } from './shared-limits.js';

it('the tokens and the spending of accounts that no longer trade are deleted', () => {
  let nowMs = 0;
  const pool = new TokenPool(() => nowMs);
  let largest = 0;
  for (let account = 0; account < 30_000; account++) {
    nowMs += 1;
    const limit: Limit = { name: `orders:${account}`, turn: 1, counters: [] };
    pool.add(limit, 1, nowMs);
    expect(pool.spend([{ limit, amount: 1 }])).toBe(true);
    largest = Math.max(largest, pool.size);
  }
  // 10,000 entries of each type, and those that are still valid.
  expect(largest).toBeLessThanOrEqual(2 * 10_000 + 2);
  expect(pool.size).toBeGreaterThan(0);
});
