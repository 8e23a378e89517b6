import { type BucketRequest, LocalBuckets } from './rate-buckets.js';
import { EmptyBuckets } from './rate-empty-buckets.js';
import { type ChargedCaller, RateLimiter, type RateLimitStore } from './rate-limiter.js';
import { rateLimitsSchema, ratePolicySets } from './rate-limits.js';

const CALLER: ChargedCaller = { userId: 'user', credential: { kind: 'api_key', id: 'credential' } };
const OTHER_CREDENTIAL: ChargedCaller = {
  userId: 'user',
  credential: { kind: 'api_key', id: 'another credential' },
};
const OTHER_USER: ChargedCaller = {
  userId: 'other user',
  credential: { kind: 'api_key', id: 'credential of another user' },
};
const NONCE = { publicKey: 'key', nonce: 'nonce', ttlMs: 1 };

/** A limiter whose store counts the round trips. One token refills per second. */
function limiterUnderTest() {
  const clock = { ms: 0 };
  const trips = { count: 0 };
  const buckets = new LocalBuckets(() => clock.ms * 1_000);
  const take = (request: BucketRequest) => {
    trips.count++;
    return buckets.take(request);
  };
  const store: RateLimitStore = {
    buckets: { take },
    takeWithNonce: async (request) => take(request),
  };
  const limits = rateLimitsSchema.parse({
    general: { requests: 2, seconds: 2 },
    simulations: { requests: 1, seconds: 60 },
  });
  const limiter = new RateLimiter(limits, store, new EmptyBuckets(() => clock.ms));
  const outcomeOf = async (work: Promise<unknown>) =>
    work.then(
      () => 'served',
      ({ code, retryAfterSeconds }) => `${code} ${retryAfterSeconds}`,
    );
  return {
    clock,
    trips,
    requestTo: (bucket?: 'simulations') => limiter.limitsFor(bucket)('192.0.2.1'),
    outcomeOf,
  };
}

describe('a request over the limit', () => {
  it('costs a round trip only once; later ones are refused by the process until the next token', async () => {
    const { clock, trips, requestTo, outcomeOf } = limiterUnderTest();
    const take = () => outcomeOf(requestTo().takeTokensByCaller(CALLER));
    expect([await take(), await take()]).toEqual(['served', 'served']);
    for (let i = 0; i < 1_000; i++) expect(await take()).toBe('rate_limited 1');
    expect(trips.count).toBe(2);
    clock.ms = 999;
    expect(await take()).toBe('rate_limited 0.001');
    expect(trips.count).toBe(2);
    clock.ms = 1_000;
    expect([await take(), await take()]).toEqual(['served', 'rate_limited 1']);
    expect(trips.count).toBe(3);
  });

  it('costs no round trip if it is signed', async () => {
    const { trips, requestTo, outcomeOf } = limiterUnderTest();
    const take = () => outcomeOf(requestTo().takeWithNonce(CALLER, NONCE));
    expect([await take(), await take(), await take()]).toEqual(['served', 'served', 'rate_limited 1']);
    expect(trips.count).toBe(2);
  });

  it('of one credential or operation does not refuse another one', async () => {
    const { trips, requestTo, outcomeOf } = limiterUnderTest();
    const take = (caller: typeof CALLER, bucket?: 'simulations') =>
      outcomeOf(requestTo(bucket).takeTokensByCaller(caller));
    expect([await take(CALLER, 'simulations'), await take(CALLER, 'simulations')]).toEqual([
      'served',
      'rate_limited 60',
    ]);
    expect([await take(CALLER), await take(CALLER)]).toEqual(['served', 'rate_limited 1']);
    expect(trips.count).toBe(2);
    expect([await take(OTHER_CREDENTIAL), await take(OTHER_USER)]).toEqual(['served', 'served']);
    expect(await take(OTHER_CREDENTIAL, 'simulations')).toBe('rate_limited 60');
    expect(trips.count).toBe(5);
  });

  it('gets the same headers with and without a round trip', async () => {
    const { clock, requestTo, outcomeOf } = limiterUnderTest();
    await outcomeOf(requestTo('simulations').takeTokensByCaller(CALLER));
    clock.ms = 500;
    const refused = requestTo('simulations');
    await outcomeOf(refused.takeTokensByCaller(CALLER));
    expect(refused.headers).toEqual({
      policy: '"general";q=2;w=2, "simulations";q=1;w=60',
      state: '"general";r=1;t=1, "simulations";r=0;t=60',
    });
  });
});

describe('the memory of empty buckets', () => {
  const { general } = ratePolicySets(rateLimitsSchema.parse({ general: { requests: 1, seconds: 100 } }));
  const empty = { isAllowed: false, untilFullUs: [100_000_000] };
  const requestOf = (key: number) => ({ keys: [`bucket ${key}`], set: general });

  it('is bounded: 100,000 buckets', () => {
    const buckets = new EmptyBuckets(() => 0);
    for (let key = 0; key < 100_000; key++) buckets.record(requestOf(key), empty);
    expect(buckets.refusalOf(requestOf(0))).toEqual(empty);
    buckets.record(requestOf(100_000), empty);
    expect(buckets.refusalOf(requestOf(0))).toBeUndefined();
    expect(buckets.refusalOf(requestOf(100_000))).toEqual(empty);
  });

  it('keeps nothing of requests within the limits', () => {
    const buckets = new EmptyBuckets(() => 0);
    buckets.record(requestOf(0), { isAllowed: true, untilFullUs: [0] });
    expect(buckets.refusalOf(requestOf(0))).toBeUndefined();
  });
});
