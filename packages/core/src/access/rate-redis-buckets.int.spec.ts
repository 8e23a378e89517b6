import { randomBytes } from 'node:crypto';
import { DomainError } from '@trading-automation/contracts';
import { Redis } from 'ioredis';
import type { BucketRequest } from './rate-buckets.js';
import { rateLimitsSchema, ratePolicySets } from './rate-limits.js';
import { RedisBuckets } from './rate-redis-buckets.js';

/** A period so long that no token is refilled within a test. */
const LONG_S = 86_400;
const random = () => randomBytes(16).toString('hex');

function bucketRequest(requests: number, seconds = LONG_S, key = `rate:spec:${random()}`): BucketRequest {
  return {
    keys: [key],
    set: ratePolicySets(rateLimitsSchema.parse({ general: { requests, seconds } })).general,
  };
}

/** Stores an epoch in Redis. Returns what a process knows of it. */
async function confirmedEpoch(redis: Redis) {
  const [epoch, id] = [random(), random()];
  const [epochKey, claimsKey] = [`nonces:epoch:${id}`, `nonces:claims:${id}`];
  await redis.set(epochKey, epoch);
  const server = /^master_replid:(\S+)/m.exec(await redis.info('replication'))?.[1] ?? '';
  return {
    expectation: () => ({ epochKey, claimsKey, epoch, server, claims: 0 }),
    observe: () => undefined,
    refuse: () => new DomainError('service_unavailable'),
  };
}

describe('the shared buckets', () => {
  let clients: [Redis, Redis];
  let processes: [RedisBuckets, RedisBuckets];
  beforeEach(async () => {
    const connect = () => new Redis(process.env.TEST_REDIS_URL!);
    clients = [connect(), connect()];
    const epoch = await confirmedEpoch(clients[0]);
    processes = [new RedisBuckets(clients[0], epoch), new RedisBuckets(clients[1], epoch)];
  });
  afterEach(() => {
    for (const client of clients) client.disconnect();
  });

  it('admit exactly 20 of 1,000 concurrent requests, from any process', async () => {
    const request = bucketRequest(20);
    const taken = await Promise.all(Array.from({ length: 1_000 }, (_, i) => processes[i % 2]!.take(request)));
    expect(taken.filter(({ isAllowed }) => isAllowed)).toHaveLength(20);
  });

  it('of one request give one token each, or none of them gives a token', async () => {
    const day = (requests: number) => ({ requests, seconds: LONG_S });
    const sets = ratePolicySets(rateLimitsSchema.parse({ general: day(10), trade_writes: day(2) }));
    const general = { keys: [`rate:spec:${random()}`], set: sets.general };
    const both = { keys: [...general.keys, `rate:spec:${random()}`], set: sets.ofAddress('trade_writes') };
    const taken = await Promise.all(Array.from({ length: 50 }, () => processes[0].take(both)));
    expect(taken.filter(({ isAllowed }) => isAllowed)).toHaveLength(2);
    const rest = await Promise.all(Array.from({ length: 50 }, () => processes[1].take(general)));
    expect(rest.filter(({ isAllowed }) => isAllowed)).toHaveLength(8);
  });

  it('expire once they are full', async () => {
    const request = bucketRequest(600, 60);
    const { untilFullUs } = await processes[0].take(request);
    expect(untilFullUs).toEqual([100_000]);
    expect(await clients[0].pttl(request.keys[0]!)).toBeLessThanOrEqual(100);
  });

  it('count as empty, not as overdrawn, if the clock of Redis is set back', async () => {
    const key = `rate:spec:${random()}`;
    const [{ 0: seconds }] = [await clients[0].time()];
    await clients[0].set(key, `${Number(seconds) + 86_400}000000`);
    const { isAllowed, untilFullUs } = await processes[0].take(bucketRequest(10, 10, key));
    expect([isAllowed, untilFullUs]).toEqual([false, [10_000_000]]);
    expect(await clients[1].pttl(key)).toBeLessThanOrEqual(10_000);
  });

  it('keep working after Redis has lost the script', async () => {
    const request = bucketRequest(2);
    expect((await processes[0].take(request)).isAllowed).toBe(true);
    await clients[1].script('FLUSH');
    const taken = await Promise.all([0, 1, 2].map(() => processes[0].take(request)));
    expect(taken.filter(({ isAllowed }) => isAllowed)).toHaveLength(1);
  });

  describe('with a nonce', () => {
    const nonceOf = () => ({ publicKey: `02${random()}`, nonce: random(), ttlMs: 600_000 });

    it('admit one of 100 requests with the same nonce, and take one token', async () => {
      const request = bucketRequest(50);
      const nonce = nonceOf();
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, i) => processes[i % 2]!.takeWithNonce(request, nonce)),
      );
      expect(results.filter((result) => result?.isAllowed)).toHaveLength(1);
      expect(results.filter((result) => result === null)).toHaveLength(99);
      const after = await processes[0].take(request);
      expect(Math.ceil(after.untilFullUs[0]! / request.set.policies[0]!.intervalUs)).toBe(2);
    });

    it.each([
      ['has another epoch', { epoch: random() }],
      ['is another server', { server: random() }],
      ['has fewer nonces than the process knows', { claims: 1 }],
    ])('refuse a request, and record nothing, if Redis %s', async (_what, known) => {
      const epoch = await confirmedEpoch(clients[0]);
      const buckets = new RedisBuckets(clients[0], {
        ...epoch,
        expectation: () => ({ ...epoch.expectation(), ...known }),
      });
      const [request, nonce] = [bucketRequest(1), nonceOf()];
      await expect(buckets.takeWithNonce(request, nonce)).rejects.toMatchObject({
        code: 'service_unavailable',
      });
      expect(await clients[0].exists(...request.keys, `nonce:${nonce.publicKey}:${nonce.nonce}`)).toBe(0);
    });

    it('accept the same nonce once for each of two public keys', async () => {
      const once = nonceOf();
      for (const nonce of [once, { ...nonceOf(), nonce: once.nonce }])
        expect(await processes[0].takeWithNonce(bucketRequest(1), nonce)).toMatchObject({ isAllowed: true });
    });

    it('do not record the nonce if a bucket is empty, so that the request may be retried', async () => {
      const request = bucketRequest(1);
      await processes[0].take(request);
      const nonce = nonceOf();
      expect(await processes[0].takeWithNonce(request, nonce)).toMatchObject({ isAllowed: false });
      expect(await clients[0].exists(`nonce:${nonce.publicKey}:${nonce.nonce}`)).toBe(0);
      expect(await processes[0].takeWithNonce(bucketRequest(1), nonce)).toMatchObject({ isAllowed: true });
    });

    it('record the nonce for the requested time', async () => {
      const nonce = nonceOf();
      await processes[0].takeWithNonce(bucketRequest(1), nonce);
      const remainingMs = await clients[0].pttl(`nonce:${nonce.publicKey}:${nonce.nonce}`);
      expect(remainingMs).toBeGreaterThan(540_000);
      expect(remainingMs).toBeLessThanOrEqual(600_000);
    });
  });
});
