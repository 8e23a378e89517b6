/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import type { BudgetedCall, CallPurpose } from '@trading-automation/exchanges';
import type { RedisSlidingWindows, TokenRequest } from './redis-sliding-windows.js';
import { SharedLimits } from './shared-limits.js';
import { VenueBudget } from './venue-budget.js';

const LIMITS = { weightPerMinute: 6_000, ordersPer10s: 100 };

/** Creates a budget with a manual clock, over windows that grant every request. */
function openBudget() {
  const state = { nowMs: 0, granted: 0, requestCount: 0 };
  const windows: Pick<RedisSlidingWindows, 'acquire' | 'pause'> = {
    async acquire(_venue: string, requests: readonly TokenRequest[]) {
      state.requestCount++;
      state.granted += requests.reduce((sum, { wanted }) => sum + wanted, 0);
      return {
        pausedMs: 0,
        grants: requests.map(({ wanted }) => ({ granted: wanted, retryInMs: 1, shortIndex: -1 })),
      };
    },
    pause: async () => undefined,
  };
  const budget = new VenueBudget(
    new SharedLimits(windows as RedisSlidingWindows, 'paper', LIMITS),
    () => {
      throw new Error('Redis is available');
    },
    (error) => {
      throw error;
    },
    () => state.nowMs,
  );
  const call: BudgetedCall = { venue: 'paper', weight: 1, isOrder: false };
  const spend = (purpose: CallPurpose) => budget.take({ ...call, purpose }, new AbortController().signal);
  return { state, spend };
}

it('row 19: a worker with few calls wastes few tokens, because it prefetches only as many as it recently spent', async () => {
  const { state, spend } = openBudget();
  const calls = 600;
  for (let i = 0; i < calls; i++) {
    await spend('copy');
    state.nowMs += 1_000;
  }
  expect(state.granted).toBeLessThanOrEqual(2 * calls);
});

it('bursts that follow each other after slightly more than the lifetime of tokens waste few of them', async () => {
  const { state, spend } = openBudget();
  const [bursts, size] = [100, 24];
  for (let burst = 0; burst < bursts; burst++) {
    await Promise.all(Array.from({ length: size }, () => spend('copy')));
    state.nowMs += 700;
  }
  expect(state.granted).toBeLessThan(1.1 * bursts * size);
});

it('a worker with many calls prefetches in bulk, so most calls need no round trip', async () => {
  const { state, spend } = openBudget();
  const calls = 6_000;
  for (let i = 0; i < calls; i++) {
    await spend('copy');
    state.nowMs += 10;
  }
  expect(state.requestCount).toBeLessThan(calls / 10);
  expect(state.granted).toBeLessThan(2 * calls);
});

it('background work, which is counted in short windows, wastes few tokens in a burst', async () => {
  const { state, spend } = openBudget();
  const calls = 200;
  for (let i = 0; i < calls; i++) {
    await spend('check');
    state.nowMs += 10;
  }
  expect(state.granted).toBeLessThanOrEqual(calls + 6);
});
