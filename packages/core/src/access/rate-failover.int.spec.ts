import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { type BucketRequest, LocalBuckets } from './rate-buckets.js';
import { FailoverBuckets } from './rate-failover.js';
import { rateLimitsSchema, ratePolicySets } from './rate-limits.js';
import { RedisBuckets } from './rate-redis-buckets.js';

const redisUrl = new URL(process.env.TEST_REDIS_URL ?? '');

/** A proxy to Redis that a test can close, pause, and reopen on the same port. */
class FaultProxy {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  /** Functions that forward what arrived while the proxy is paused; null while it is not paused. */
  private pendingWrites: (() => void)[] | null = null;
  port = 0;
  /** The number of chunks that arrived from the client. Commands that are sent together arrive in one chunk. */
  chunks = 0;

  async open(): Promise<void> {
    this.server = createServer((near) => this.join(near));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private join(near: Socket): void {
    const far = connect(Number(redisUrl.port), redisUrl.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => undefined).on('close', () => to.destroy());
    }
    far.pipe(near);
    near.on('data', (bytes) => {
      this.chunks++;
      const forward = () => void far.write(bytes);
      if (this.pendingWrites === null) forward();
      else this.pendingWrites.push(forward);
    });
  }

  pause(): void {
    this.pendingWrites = [];
  }

  resume(): void {
    for (const forward of this.pendingWrites ?? []) forward();
    this.pendingWrites = null;
  }

  async close(): Promise<void> {
    const closed = once(this.server!, 'close');
    this.server!.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

const set = ratePolicySets(rateLimitsSchema.parse({ general: { requests: 5, seconds: 86_400 } })).general;
const bucketRequest = (): BucketRequest => ({ keys: [`rate:spec:${randomBytes(16).toString('hex')}`], set });

describe('limits while Redis is unavailable', () => {
  let proxy: FaultProxy;
  let redis: Redis;
  let nowMs: number;
  let buckets: FailoverBuckets;

  beforeEach(async () => {
    proxy = new FaultProxy();
    await proxy.open();
    redis = new Redis(`redis://127.0.0.1:${proxy.port}`, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 200,
      retryStrategy: () => 20,
    });
    redis.on('error', () => undefined);
    await redis.connect();
    nowMs = 0;
    buckets = new FailoverBuckets(new RedisBuckets(redis), new LocalBuckets(), () => nowMs);
  });
  afterEach(async () => {
    redis.disconnect();
    await proxy.close().catch(() => undefined);
  });

  const takeMany = async (request: BucketRequest, count: number) => {
    const taken = await Promise.all(Array.from({ length: count }, () => buckets.take(request)));
    return taken.filter(({ isAllowed }) => isAllowed).length;
  };

  it('apply in each process, which uses the buckets of Redis again once Redis is available', async () => {
    const request = bucketRequest();
    expect(await takeMany(request, 3)).toBe(3);
    await proxy.close();
    if (redis.status === 'ready') await once(redis, 'close');
    expect(await takeMany(request, 100)).toBe(5);

    const ready = once(redis, 'ready');
    await proxy.open();
    await ready;
    nowMs += 1_000;
    expect(await takeMany(request, 1)).toBe(1);
    expect(await takeMany(request, 100)).toBe(1);
  });

  it('of a user hold for all credentials together, as they do with Redis, in one round trip', async () => {
    const sets = ratePolicySets(rateLimitsSchema.parse({ general: { requests: 5, seconds: 86_400 } }));
    const user = randomBytes(16).toString('hex');
    const requestOf = (credential: number): BucketRequest => ({
      keys: [`rate:spec:${user}:${credential}`, `rate:spec:${user}`],
      set: sets.ofCaller(undefined),
    });
    const takeWithManyCredentials = async () => {
      const counts: number[] = [];
      for (let credential = 0; credential < 10; credential++)
        counts.push(await takeMany(requestOf(credential), 10));
      return counts;
    };
    await buckets.take(bucketRequest());
    const sentBefore = proxy.chunks;
    await buckets.take(requestOf(99));
    expect(proxy.chunks).toBe(sentBefore + 1);
    expect(await takeWithManyCredentials()).toEqual([5, 5, 4, 0, 0, 0, 0, 0, 0, 0]);
    await proxy.close();
    if (redis.status === 'ready') await once(redis, 'close');
    expect(await takeWithManyCredentials()).toEqual([5, 5, 5, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('delay only the requests that are in flight when Redis stops responding', async () => {
    const request = bucketRequest();
    await buckets.take(request);
    proxy.pause();
    const sentBefore = proxy.chunks;
    expect(await takeMany(request, 10)).toBe(5);
    expect(proxy.chunks).toBe(sentBefore + 1);
    expect(await takeMany(request, 1_000)).toBe(0);
    expect(proxy.chunks).toBe(sentBefore + 1);
  });

  it('let one request per second check whether Redis is available', async () => {
    const request = bucketRequest();
    proxy.pause();
    await buckets.take(request);
    const sentBefore = proxy.chunks;
    nowMs += 1_000;
    await takeMany(request, 50);
    expect(proxy.chunks).toBe(sentBefore + 1);

    proxy.resume();
    nowMs += 999;
    await buckets.take(request);
    expect(proxy.chunks).toBe(sentBefore + 1);
    nowMs += 1;
    const late = bucketRequest();
    await buckets.take(late);
    expect(proxy.chunks).toBe(sentBefore + 2);
    expect(await redis.exists(late.keys[0]!)).toBe(1);
  });
});
