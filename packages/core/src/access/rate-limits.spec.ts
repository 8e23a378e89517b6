import { rateLimitsSchema, rateLimitsSetting, ratePolicySets } from './rate-limits.js';

describe('rate limits', () => {
  it('have the published values by default', () => {
    expect(rateLimitsSchema.parse({})).toEqual({
      general: { requests: 600, seconds: 60 },
      trade_writes: { requests: 20, seconds: 1 },
      sensitive_writes: { requests: 10, seconds: 60 },
      identity_writes: { requests: 60, seconds: 60 },
    });
  });

  it('can be raised individually', () => {
    const { general, trade_writes } = rateLimitsSetting.parse('{"general":{"requests":1200,"seconds":30}}');
    expect([general.requests, general.seconds, trade_writes.requests]).toEqual([1200, 30, 20]);
  });

  it.each([
    '{"general":null}',
    '{"general":false}',
    '{"general":{"requests":0,"seconds":60}}',
    '{"general":{"requests":-1,"seconds":60}}',
    '{"general":{"requests":1e999,"seconds":60}}',
    '{"general":{"requests":600,"seconds":0}}',
    '{"general":{"requests":600}}',
    '{"genral":{"requests":600,"seconds":60}}',
    'off',
    '',
  ])('cannot be disabled by the setting %s', (text) => {
    expect(rateLimitsSetting.safeParse(text).success).toBe(false);
  });

  it('of an operation are the general limit and its own limit, in one header field', () => {
    const sets = ratePolicySets(rateLimitsSchema.parse({}));
    expect(sets.of(undefined).header).toBe('"general";q=600;w=60');
    expect(sets.of('trade_writes').header).toBe('"general";q=600;w=60, "trade_writes";q=20;w=1');
  });
});
