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
  /** The commands that wait while the proxy is paused; null otherwise. */
  private pendingWrites: (() => void)[] | null = null;
  port = 0;
  commands = 0;

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
      this.commands++;
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
const claimOf = (): BucketRequest => ({ keys: [`rate:spec:${randomBytes(16).toString('hex')}`], set });

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

  const takeMany = async (claim: BucketRequest, count: number) => {
    const taken = await Promise.all(Array.from({ length: count }, () => buckets.take(claim)));
    return taken.filter(({ isAllowed }) => isAllowed).length;
  };

  it('apply per process, and use the buckets of Redis again once it is available', async () => {
    const claim = claimOf();
    expect(await takeMany(claim, 3)).toBe(3);
    await proxy.close();
    if (redis.status === 'ready') await once(redis, 'close');
    expect(await takeMany(claim, 100)).toBe(5);

    const ready = once(redis, 'ready');
    await proxy.open();
    await ready;
    nowMs += 1_000;
    expect(await takeMany(claim, 1)).toBe(1);
    expect(await takeMany(claim, 100)).toBe(1);
  });

  it('delay only the requests that were in flight when Redis failed', async () => {
    const claim = claimOf();
    await buckets.take(claim);
    proxy.pause();
    const sentBefore = proxy.commands;
    expect(await takeMany(claim, 10)).toBe(5);
    expect(proxy.commands).toBe(sentBefore + 1);
    expect(await takeMany(claim, 1_000)).toBe(0);
    expect(proxy.commands).toBe(sentBefore + 1);
  });

  it('use one request per second to check whether Redis is available', async () => {
    const claim = claimOf();
    proxy.pause();
    await buckets.take(claim);
    const sentBefore = proxy.commands;
    nowMs += 1_000;
    await takeMany(claim, 50);
    expect(proxy.commands).toBe(sentBefore + 1);

    proxy.resume();
    nowMs += 999;
    await buckets.take(claim);
    expect(proxy.commands).toBe(sentBefore + 1);
    nowMs += 1;
    const late = claimOf();
    await buckets.take(late);
    expect(proxy.commands).toBe(sentBefore + 2);
    expect(await redis.exists(late.keys[0]!)).toBe(1);
  });
});
