import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient, openAccount, outcomeOf } from '../launch/first-trade/client.mjs';
import { ampleRateLimits } from '../launch/service-list.mjs';
import { keyOf } from './accounts.mjs';
import { startProduct } from './product.mjs';

const limit = 20;
/** The refill interval is so long that no token is added during a test. */
const seconds = 86_400;
const limits = { ...JSON.parse(ampleRateLimits), general: { requests: limit, seconds } };

/** The bucket of anonymous requests from this machine. */
const bucket = `rate:general:${limit}/${seconds}:127.0.0.1`;

/** @type {import('./product.mjs').Product} */
let product;
/** @type {string[]} */
let restUrls;
let opener;
beforeAll(async () => {
  product = await startProduct({
    restApis: 2,
    extraEnv: { 'rest-api': { RATE_LIMITS: JSON.stringify(limits) } },
  });
  restUrls = [product.restUrl, product.urlOf('rest-api-2')];
  ({ api: opener } = await openAccount({ restUrl: product.restUrl, privateKey: keyOf('rate limits') }));
}, 120_000);
afterAll(() => product?.stop());

/** Creates an API key, and a function that sends concurrent requests and counts the accepted ones. */
async function createKey() {
  const { id, key } = await opener.apiKeys.create({ name: 'limited' });
  const clients = restUrls.map((restUrl) => createClient({ restUrl, apiKey: key, maxRetries: 0 }));
  const statusOf = async (which) => (await outcomeOf(clients[which].me.get())).status;
  const countAccepted = async (count, whichOf = (i) => i % 2) => {
    const statuses = await Promise.all(Array.from({ length: count }, (_, i) => statusOf(whichOf(i))));
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    return statuses.filter((status) => status === 200).length;
  };
  return { id, countAccepted };
}

describe('the limits of a credential', () => {
  it('accept exactly as many of 1,000 concurrent requests to two processes as the limit allows', async () => {
    const { countAccepted } = await createKey();
    expect(await countAccepted(1_000)).toBe(limit);
  });

  it('apply in each process without delay while Redis is unavailable, and are shared again once Redis is back', async () => {
    const [keyDuringOutage, keyAfterOutage] = [await createKey(), await createKey()];
    const redis = new Redis(product.redisUrl);
    const info = await redis.info('server').finally(() => redis.disconnect());
    const pid = Number(/^process_id:(\d+)/m.exec(info)[1]);
    process.kill(pid, 'SIGSTOP');
    try {
      for (const which of [0, 1]) {
        // The first request waits until the process notices that Redis does not respond.
        expect(await keyDuringOutage.countAccepted(1, () => which)).toBe(1);
        const before = performance.now();
        expect(await keyDuringOutage.countAccepted(200, () => which)).toBe(limit - 1);
        // At most one request waits 2 s for Redis again. If all 200 waited one after the other, this would take 400 s.
        expect(performance.now() - before).toBeLessThan(30_000);
      }
    } finally {
      // Redis restarts empty, without buckets and scripts.
      process.kill(pid, 'SIGKILL');
    }
    await untilShared();
    expect(await keyAfterOutage.countAccepted(1_000)).toBe(limit);
  }, 120_000);
});

/** Waits until both processes use Redis again. Polls rarely, because its requests use up the anonymous limit. */
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
