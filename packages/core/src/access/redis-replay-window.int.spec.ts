import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { RedisReplayWindow } from './redis-replay-window.js';

const WINDOW_MS = 600_000;
const nonce = () => randomBytes(16).toString('hex');
const publicKey = () => `02${randomBytes(32).toString('hex')}`;

/** A connection that gives up at once, as the APIs' own does. */
function connect(url: string): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    lazyConnect: true,
  });
  redis.on('error', () => undefined);
  return redis;
}

describe('the shared replay window', () => {
  let clients: [Redis, Redis];
  beforeEach(async () => {
    const url = process.env.TEST_REDIS_URL!;
    clients = [connect(url), connect(url)];
    await Promise.all(clients.map((client) => client.connect()));
  });
  afterEach(() => {
    for (const client of clients) client.disconnect();
  });

  it('lets exactly one of 100 equal claims through, whichever process makes them', async () => {
    const windows = clients.map((client) => new RedisReplayWindow(client));
    const [key, once] = [publicKey(), nonce()];
    const claims = await Promise.all(
      Array.from({ length: 100 }, (_, i) => windows[i % 2]!.claim(key, once, WINDOW_MS)),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('keeps the nonces of two keys apart', async () => {
    const window = new RedisReplayWindow(clients[0]);
    const once = nonce();
    expect([
      await window.claim(publicKey(), once, WINDOW_MS),
      await window.claim(publicKey(), once, WINDOW_MS),
    ]).toEqual([true, true]);
  });

  it('forgets a nonce no sooner than it was asked to', async () => {
    const [key, once] = [publicKey(), nonce()];
    await new RedisReplayWindow(clients[0]).claim(key, once, WINDOW_MS);
    const left = await clients[0].pttl(`nonce:${key}:${once}`);
    expect(left).toBeGreaterThan(WINDOW_MS - 60_000);
    expect(left).toBeLessThanOrEqual(WINDOW_MS);
  });

  it('accepts nothing while Redis is away: 503', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const nobody = connect(`redis://127.0.0.1:${port}`);
    await expect(new RedisReplayWindow(nobody).claim(publicKey(), nonce(), WINDOW_MS)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    nobody.disconnect();
  });
});
