/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { RedisSlidingWindows } from './redis-sliding-windows.js';

const prefix = `spec-${randomBytes(6).toString('hex')}`;
const redis = new Redis(process.env.TEST_REDIS_URL ?? '');
const windows = new RedisSlidingWindows(redis, prefix);
afterAll(async () => {
  await redis.del(...(await redis.keys(`${prefix}*`)));
  redis.disconnect();
});

async function redisTimeMs(): Promise<number> {
  const [seconds = 0, micros = 0] = await redis.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

/** Returns how many of 100 tokens are available if 60 are stored in `slot`. */
async function availableWith(slot: string, windowMs: number): Promise<number> {
  const key = randomBytes(4).toString('hex');
  await redis.hset(`${prefix}:budget:${key}`, slot, 60);
  const counters = [{ key, ceiling: 100, windowMs }];
  const { grants } = await windows.acquire('paper', [{ counters, wanted: 100, minimum: 1, spent: 0 }]);
  return grants[0]!.granted;
}

/** The slot of this release in which tokens were granted `agoMs` ago. */
const slotAt = async (agoMs: number, windowMs: number) =>
  (Math.floor(((await redisTimeMs()) - agoMs) / (windowMs / 50)) / 5).toFixed(1);

describe('row 19: what was used of an exchange’s limit', () => {
  it.each([
    ['a minute', 60_000, 63_300],
    ['10 s', 10_000, 11_300],
  ])('counts while it can arrive within a window of %s, and hardly longer', async (_, windowMs, endedMs) => {
    expect(await availableWith(await slotAt(windowMs, windowMs), windowMs)).toBe(40);
    expect(await availableWith(await slotAt(endedMs, windowMs), windowMs)).toBe(100);
  });

  it('counts until the end of its tenth of the window if the previous release stored it', async () => {
    const now = await redisTimeMs();
    // A tenth of about 6 s that begins now.
    const tenthMs = Array.from({ length: 500 }, (__, i) => 6_000 + i).reduce((best, each) =>
      now % each < now % best ? each : best,
    );
    const tenth = Math.floor(now / tenthMs);
    expect(await availableWith(`${tenth - 11}`, 10 * tenthMs)).toBe(40);
    expect(await availableWith(`${tenth - 12}`, 10 * tenthMs)).toBe(100);
  });

  it('is stored with a slot that the previous release can compare with its own', async () => {
    const counters = [{ key: 'stored', ceiling: 100, windowMs: 60_000 }];
    const tenth = Math.floor((await redisTimeMs()) / 6_000);
    await windows.acquire('paper', [{ counters, wanted: 7, minimum: 1, spent: 0 }]);
    const [[slot, amount] = []] = Object.entries(await redis.hgetall(`${prefix}:budget:stored`));
    expect(slot).toMatch(/^[0-9]+\.[02468]$/);
    expect([tenth, tenth + 1]).toContain(Math.floor(Number(slot)));
    expect(amount).toBe('7');
  });
});
