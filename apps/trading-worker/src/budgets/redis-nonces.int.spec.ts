import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { RedisNonces } from './redis-nonces.js';

const redisUrl = process.env.TEST_REDIS_URL ?? '';

let prefix: string;
let open: RedisNonces[];
let errors: unknown[];
beforeEach(() => {
  prefix = `spec-${randomBytes(6).toString('hex')}`;
  open = [];
  errors = [];
});
afterEach(async () => {
  for (const each of open) each.close();
  const redis = new Redis(redisUrl);
  const keys = await redis.keys(`${prefix}*`);
  if (keys.length > 0) await redis.del(...keys);
  redis.disconnect();
});

function worker(url = redisUrl): RedisNonces {
  const nonces = new RedisNonces({ redisUrl: url, prefix, commandTimeoutMs: 20_000 }, (error) =>
    errors.push(error),
  );
  open.push(nonces);
  return nonces;
}

/** Returns the nonces that several workers get at the same time. */
const concurrently = (workers: readonly RedisNonces[], key: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => workers[i % workers.length]!.next(key)));

describe('the nonces of an API key', () => {
  it('are different and rise for all workers together', async () => {
    const workers = [worker(), worker(), worker()];
    const nonces = await concurrently(workers, 'key', 300);
    expect(new Set(nonces).size).toBe(300);
    const later = await workers[2]!.next('key');
    expect(later).toBeGreaterThan(Math.max(...nonces));
  });

  it('are at least the microseconds of the clock', async () => {
    const before = Date.now() * 1_000;
    expect(await worker().next('key')).toBeGreaterThanOrEqual(before);
  });

  it('follow the highest one that any worker has used, even if a clock is behind', async () => {
    const redis = new Redis(redisUrl);
    const ahead = (Date.now() + 60_000) * 1_000;
    await redis.set(`${prefix}:nonces:key`, String(ahead));
    redis.disconnect();
    expect(await worker().next('key')).toBe(ahead + 1);
    expect(await worker().next('other')).toBeLessThan(ahead);
  });

  it('rise while Redis is unavailable, from the last one on', async () => {
    const nonces = worker('redis://127.0.0.1:1');
    const values = [await nonces.next('key'), await nonces.next('key'), await nonces.next('key')];
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
    expect(errors.length).toBeGreaterThan(0);
  });

  it('are different while Redis is unavailable, also for calls that begin together', async () => {
    const values = await concurrently([worker('redis://127.0.0.1:1')], 'key', 50);
    expect(new Set(values).size).toBe(50);
  });
});
