import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient, openAccount, outcomeOf } from '../launch/first-trade/client.mjs';
import { ampleRateLimits } from '../launch/service-list.mjs';
import { keyOf } from './accounts.mjs';
import { startProduct } from './product.mjs';

const limit = 20;
/** No token comes back within a test. */
const seconds = 86_400;
const limits = { ...JSON.parse(ampleRateLimits), general: { requests: limit, seconds } };

/** Where the requests of this machine without credentials are counted. */
const bucket = `rate:general:${limit}/${seconds}:127.0.0.1`;

/** @type {import('./product.mjs').Product} */
let product;
/** @type {string[]} */
let restUrls;
let opener;
beforeAll(async () => {
  product = await startProduct({
    restApis: 2,
    more: { 'rest-api': { RATE_LIMITS: JSON.stringify(limits) } },
  });
  restUrls = [product.restUrl, product.urlOf('rest-api-2')];
  ({ api: opener } = await openAccount({ restUrl: product.restUrl, privateKey: keyOf('rate limits') }));
}, 120_000);
afterAll(() => product?.stop());

/** A new key, and how many of so many requests with it at once are let through. */
async function makeKey() {
  const { id, key } = await opener.apiKeys.create({ name: 'limited' });
  const clients = restUrls.map((restUrl) => createClient({ restUrl, apiKey: key, maxRetries: 0 }));
  const statusOf = async (which) => (await outcomeOf(clients[which].me.get())).status;
  const letThrough = async (count, whichOf = (i) => i % 2) => {
    const statuses = await Promise.all(Array.from({ length: count }, (_, i) => statusOf(whichOf(i))));
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    return statuses.filter((status) => status === 200).length;
  };
  return { id, letThrough };
}

describe('the limits of a credential', () => {
  it('let exactly as many of 1,000 requests at once through two processes', async () => {
    const { letThrough } = await makeKey();
    expect(await letThrough(1_000)).toBe(limit);
  });

  it('hold in each process while Redis is unavailable, without a wait, and are shared once it is back', async () => {
    const [held, after] = [await makeKey(), await makeKey()];
    const redis = new Redis(product.redisUrl);
    const info = await redis.info('server').finally(() => redis.disconnect());
    const pid = Number(/^process_id:(\d+)/m.exec(info)[1]);
    process.kill(pid, 'SIGSTOP');
    try {
      for (const which of [0, 1]) {
        // The first request waits until Redis is known not to answer.
        expect(await held.letThrough(1, () => which)).toBe(1);
        const before = performance.now();
        expect(await held.letThrough(200, () => which)).toBe(limit - 1);
        // One of them asks again; a wait of each for Redis would be 400 s.
        expect(performance.now() - before).toBeLessThan(30_000);
      }
    } finally {
      // It is begun anew, and knows nothing of before: no bucket, no script.
      process.kill(pid, 'SIGKILL');
    }
    await untilShared();
    expect(await after.letThrough(1_000)).toBe(limit);
  }, 120_000);
});

/** Polls rarely: while Redis is unavailable, each process counts these requests, too. */
async function untilShared() {
  const redis = new Redis(product.redisUrl);
  redis.on('error', () => undefined);
  try {
    for (const restUrl of restUrls) {
      const client = createClient({ restUrl, maxRetries: 0 });
      do {
        await wait(1_500);
        await redis.del(bucket);
        await outcomeOf(client.version.get());
      } while ((await redis.exists(bucket)) === 0);
    }
  } finally {
    redis.disconnect();
  }
}
