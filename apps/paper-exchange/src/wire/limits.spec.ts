import { VenueError } from '../errors.js';
import { RateLimits, weightOf } from './limits.js';

const MIDNIGHT = Date.UTC(2026, 0, 1);

function start() {
  const clock = { at: MIDNIGHT + 12_300 };
  const limits = new RateLimits({ weightPerMinute: 100, ordersPer10s: 2, ordersPerDay: 3 }, () => clock.at);
  return { clock, limits };
}

function errorOf(call: () => void): VenueError | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof VenueError) return error;
    throw error;
  }
}

describe('the rate limits', () => {
  it('allow an address its weight per minute, then reject its calls until the minute ends', () => {
    const { clock, limits } = start();
    expect(limits.charge('here', 100)).toBe(100);
    expect(errorOf(() => limits.assertWeightLeft('here'))).toBeUndefined();
    expect(limits.charge('here', 1)).toBe(101);
    expect(errorOf(() => limits.assertWeightLeft('here'))).toMatchObject({
      code: -1003,
      status: 429,
      retryAfterSeconds: 48,
    });
    expect(errorOf(() => limits.assertWeightLeft('elsewhere'))).toBeUndefined();
    clock.at = MIDNIGHT + 60_000;
    expect(errorOf(() => limits.assertWeightLeft('here'))).toBeUndefined();
    expect(limits.charge('here', 5)).toBe(5);
  });

  it('count the orders of each account per ten seconds and per day', () => {
    const { clock, limits } = start();
    expect(limits.countOrder('a')).toEqual({ in10s: 1, inDay: 1 });
    expect(limits.countOrder('a')).toEqual({ in10s: 2, inDay: 2 });
    expect(errorOf(() => limits.assertOrderAllowed('a'))).toMatchObject({
      code: -1015,
      status: 429,
      retryAfterSeconds: 8,
    });
    expect(errorOf(() => limits.assertOrderAllowed('b'))).toBeUndefined();
    clock.at = MIDNIGHT + 20_000;
    expect(errorOf(() => limits.assertOrderAllowed('a'))).toBeUndefined();
    expect(limits.countOrder('a')).toEqual({ in10s: 1, inDay: 3 });
    expect(errorOf(() => limits.assertOrderAllowed('a'))).toMatchObject({ retryAfterSeconds: 86_380 });
  });

  it('count the orders of futures per ten seconds and per minute', () => {
    const clock = { at: MIDNIGHT + 12_300 };
    const limits = new RateLimits(
      { weightPerMinute: 1, ordersPer10s: 5, ordersPerMinute: 2 },
      () => clock.at,
    );
    limits.countOrder('a');
    expect(limits.countOrder('a')).toEqual({ in10s: 2, inMinute: 2 });
    expect(errorOf(() => limits.assertOrderAllowed('a'))).toMatchObject({
      code: -1015,
      retryAfterSeconds: 48,
    });
    clock.at = MIDNIGHT + 60_000;
    expect(errorOf(() => limits.assertOrderAllowed('a'))).toBeUndefined();
    expect(limits.view()).toMatchObject([
      { rateLimitType: 'REQUEST_WEIGHT' },
      { interval: 'SECOND', limit: 5 },
      { interval: 'MINUTE', limit: 2 },
    ]);
  });

  it('have weights that depend on the parameters of a call', () => {
    const weight = (path: string, query = '') => weightOf('GET', path, () => new URLSearchParams(query));
    expect([weight('/api/v3/depth'), weight('/api/v3/depth', 'limit=500')]).toEqual([5, 25]);
    expect([weight('/api/v3/openOrders', 'symbol=BTCUSDT'), weight('/api/v3/openOrders')]).toEqual([6, 80]);
    expect([weight('/api/v3/ticker/24hr', 'symbol=BTCUSDT'), weight('/api/v3/ticker/24hr')]).toEqual([2, 80]);
    expect([weight('/fapi/v1/depth', 'limit=20'), weight('/fapi/v1/depth')]).toEqual([2, 10]);
    expect([weight('/fapi/v1/klines', 'limit=1500'), weight('/fapi/v1/ticker/24hr')]).toEqual([10, 40]);
    expect(weight('/api/v3/ping')).toBe(1);
  });
});
