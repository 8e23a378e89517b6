import fc from 'fast-check';
import { type BucketRequest, LocalBuckets } from './rate-buckets.js';
import { type RatePolicySet, rateLimitsSchema, rateLimitsSetting, ratePolicySets } from './rate-limits.js';

const bucketRequest = (requests: number, seconds: number, key = 'a'): BucketRequest => {
  return {
    keys: [key],
    set: ratePolicySets(rateLimitsSchema.parse({ general: { requests, seconds } })).general,
  };
};

describe('a bucket', () => {
  it('gives as many tokens as its capacity, and refills one token per interval', () => {
    let nowUs = 0;
    const buckets = new LocalBuckets(() => nowUs);
    const request = bucketRequest(3, 30);
    const take = () => buckets.take(request).isAllowed;
    expect([take(), take(), take(), take()]).toEqual([true, true, true, false]);
    nowUs = 9_999_999;
    expect(take()).toBe(false);
    nowUs = 10_000_000;
    expect([take(), take()]).toEqual([true, false]);
  });

  it('reports after how many microseconds it will be full', () => {
    let nowUs = 0;
    const buckets = new LocalBuckets(() => nowUs);
    expect(buckets.take(bucketRequest(600, 60)).untilFullUs).toEqual([100_000]);
    nowUs = 40_000;
    expect(buckets.take(bucketRequest(600, 60)).untilFullUs).toEqual([160_000]);
  });

  it('refills with the time of the process by default', async () => {
    const buckets = new LocalBuckets();
    expect(buckets.take(bucketRequest(600, 60)).untilFullUs).toEqual([100_000]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const [untilFullUs] = buckets.take(bucketRequest(600, 60)).untilFullUs;
    expect(untilFullUs).toBeLessThan(190_000);
    expect(untilFullUs).toBeGreaterThanOrEqual(100_000);
  });

  it('gives at most its capacity plus the refilled tokens, whatever the intervals between requests', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.integer({ min: 0, max: 2_000_000 }), { maxLength: 200 }),
        (requests, seconds, waitsUs) => {
          let nowUs = 0;
          let taken = 0;
          const buckets = new LocalBuckets(() => nowUs);
          for (const waitUs of waitsUs) {
            nowUs += waitUs;
            if (buckets.take(bucketRequest(requests, seconds)).isAllowed) taken++;
          }
          expect(taken).toBeLessThanOrEqual(requests + (nowUs * requests) / (seconds * 1_000_000));
        },
      ),
    );
  });

  it('is evicted if 300,000 other buckets were used since its last use, but not if only 40,000 were', () => {
    const buckets = new LocalBuckets(() => 0);
    const { set } = bucketRequest(3, 30);
    const untilFull = (address: string) => buckets.take({ keys: [address], set }).untilFullUs[0];
    for (let n = 0; n < 300_000; n++) untilFull(`address ${n}`);
    expect(untilFull('address 299999')).toBe(20_000_000);
    expect(untilFull('address 260000')).toBe(20_000_000);
    expect(untilFull('address 0')).toBe(10_000_000);
  });

  it('loses no token if another bucket of the same request is empty', () => {
    const buckets = new LocalBuckets(() => 0);
    const limits = { general: { requests: 5, seconds: 60 }, trade_writes: { requests: 1, seconds: 60 } };
    const sets = ratePolicySets(rateLimitsSchema.parse(limits));
    const large = { keys: ['large'], set: sets.general };
    const both = { keys: ['large', 'small'], set: sets.ofAddress('trade_writes') };
    expect(buckets.take(both).isAllowed).toBe(true);
    expect(buckets.take(both)).toEqual({ isAllowed: false, untilFullUs: [12_000_000, 60_000_000] });
    expect(Array.from({ length: 5 }, () => buckets.take(large).isAllowed)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('rate limits', () => {
  it('have the published values by default', () => {
    expect(rateLimitsSchema.parse({})).toEqual({
      general: { requests: 600, seconds: 60 },
      trade_writes: { requests: 20, seconds: 1 },
      sensitive_writes: { requests: 10, seconds: 60 },
      identity_writes: { requests: 60, seconds: 60 },
      simulations: { requests: 6, seconds: 60 },
      exchange_tests: { requests: 6, seconds: 60 },
      webhook_tests: { requests: 6, seconds: 60 },
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

  const headersOf = ({ policies }: RatePolicySet) =>
    policies.map(({ scope, header }) => `${scope} ${header}`);

  it('of an address are the general limit and the limit of the operation', () => {
    const sets = ratePolicySets(rateLimitsSchema.parse({}));
    expect(headersOf(sets.ofAddress(undefined))).toEqual(['address "general";q=600;w=60']);
    expect(headersOf(sets.ofAddress('trade_writes'))).toEqual([
      'address "general";q=600;w=60',
      'address "trade_writes";q=20;w=1',
    ]);
  });

  it('of every credential are three times as high for its user', () => {
    const sets = ratePolicySets(rateLimitsSchema.parse({}));
    const general = ['credential "general";q=600;w=60', 'user "general_user";q=1800;w=60'];
    expect(headersOf(sets.ofCaller(undefined))).toEqual(general);
    expect(headersOf(sets.ofCaller('trade_writes'))).toEqual([
      ...general,
      'credential "trade_writes";q=20;w=1',
      'user "trade_writes_user";q=60;w=1',
    ]);
    expect(headersOf(sets.ofCaller('sensitive_writes'))).toEqual([
      ...general,
      'credential "sensitive_writes";q=10;w=60',
      'user "sensitive_writes_user";q=30;w=60',
    ]);
    expect(headersOf(sets.ofCaller('identity_writes'))).toEqual([
      ...general,
      'address "identity_writes";q=60;w=60',
    ]);
  });

  it.each(['simulations', 'exchange_tests', 'webhook_tests'] as const)(
    'of %s are 6 a minute for a user',
    (name) => {
      const sets = ratePolicySets(rateLimitsSchema.parse({}));
      expect(headersOf(sets.ofCaller(name)).at(-1)).toBe(`user "${name}";q=6;w=60`);
    },
  );

  it('of a user can be configured, but not below those of a credential', () => {
    const parse = (user_requests: number) =>
      rateLimitsSchema.safeParse({ trade_writes: { requests: 5, seconds: 1, user_requests } });
    expect(headersOf(ratePolicySets(parse(7).data!).ofCaller('trade_writes')).at(-1)).toBe(
      'user "trade_writes_user";q=7;w=1',
    );
    expect(parse(4).error?.issues).toMatchObject([
      { path: ['trade_writes', 'user_requests'], message: 'must be at least requests' },
    ]);
  });
});
