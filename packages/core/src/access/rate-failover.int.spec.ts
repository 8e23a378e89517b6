import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { type BucketRequest, LocalBuckets } from './rate-buckets.js';
import { FailoverBuckets } from './rate-failover.js';
import { rateLimitsSchema, ratePolicySets } from './rate-limits.js';
import { RedisBuckets } from './rate-redis-buckets.js';

const redisUrl = new URL(process.env.TEST_REDIS_URL ?? '');

/** A proxy to Redis that can be closed, paused, and reopened on the same port. */
class FaultProxy {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  /** Pending while paused; null otherwise. */
  private held: (() => void)[] | null = null;
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
      const pass = () => void far.write(bytes);
      if (this.held === null) pass();
      else this.held.push(pass);
    });
  }

  hold(): void {
    this.held = [];
  }

  goOn(): void {
    for (const pass of this.held ?? []) pass();
    this.held = null;
  }

  async shut(): Promise<void> {
    const closed = once(this.server!, 'close');
    this.server!.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

const set = ratePolicySets(rateLimitsSchema.parse({ general: { requests: 5, seconds: 86_400 } })).general;
const claimOf = (): BucketRequest => ({ keys: [`rate:spec:${randomBytes(16).toString('hex')}`], set });

describe('limits while Redis is unavailable', () => {
  let way: FaultProxy;
  let redis: Redis;
  let nowMs: number;
  let buckets: FailoverBuckets;

  beforeEach(async () => {
    way = new FaultProxy();
    await way.open();
    redis = new Redis(`redis://127.0.0.1:${way.port}`, {
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
    await way.shut().catch(() => undefined);
  });

  const takeMany = async (claim: BucketRequest, count: number) => {
    const taken = await Promise.all(Array.from({ length: count }, () => buckets.take(claim)));
    return taken.filter(({ isAllowed }) => isAllowed).length;
  };

  it('apply per process, and are those of Redis again when it is available', async () => {
    const claim = claimOf();
    expect(await takeMany(claim, 3)).toBe(3);
    await way.shut();
    if (redis.status === 'ready') await once(redis, 'close');
    expect(await takeMany(claim, 100)).toBe(5);

    const ready = once(redis, 'ready');
    await way.open();
    await ready;
    nowMs += 1_000;
    expect(await takeMany(claim, 1)).toBe(1);
    expect(await takeMany(claim, 100)).toBe(1);
  });

  it('delay only the requests that were in flight when it failed', async () => {
    const claim = claimOf();
    await buckets.take(claim);
    way.hold();
    const sentBefore = way.commands;
    expect(await takeMany(claim, 10)).toBe(5);
    expect(way.commands).toBe(sentBefore + 1);
    expect(await takeMany(claim, 1_000)).toBe(0);
    expect(way.commands).toBe(sentBefore + 1);
  });

  it('check with one request per second whether it is available', async () => {
    const claim = claimOf();
    way.hold();
    await buckets.take(claim);
    const sentBefore = way.commands;
    nowMs += 1_000;
    await takeMany(claim, 50);
    expect(way.commands).toBe(sentBefore + 1);

    way.goOn();
    nowMs += 999;
    await buckets.take(claim);
    expect(way.commands).toBe(sentBefore + 1);
    nowMs += 1;
    const late = claimOf();
    await buckets.take(late);
    expect(way.commands).toBe(sentBefore + 2);
    expect(await redis.exists(late.keys[0]!)).toBe(1);
  });
});
