import { setTimeout as sleep } from 'node:timers/promises';
import { encodeId } from '@trading-automation/contracts';
import { callProcess, newUuid } from '@trading-automation/persistence';
import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import { Redis } from 'ioredis';
import { configSchema } from '../src/config.js';
import { startDispatcher } from '../src/dispatcher.js';
import {
  openReceiver,
  openTestEnvironment,
  type Receiver,
  type TestEnvironment,
} from './test-environment.js';

const logger = createLogger('webhook-dispatcher', 'fatal');
let environment: TestEnvironment;
let receiver: Receiver;
let running: RunningProcess[] = [];

beforeEach(async () => {
  environment = await openTestEnvironment();
  receiver = await openReceiver();
});

afterEach(async () => {
  await Promise.all(running.map((each) => each.stop()));
  running = [];
  await receiver.close();
  await environment.close();
});

async function start(settings: Record<string, string> = {}): Promise<void> {
  const config = readConfig(configSchema, { ...environment.settings, ...settings });
  running.push(await startDispatcher(config, logger));
}

/** Returns the number of deliveries by status. */
const statuses = async () => {
  const rows = await environment.query(
    'SELECT status, count(*)::int AS count FROM webhook_deliveries GROUP BY status ORDER BY status',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};
const untilStatuses = (expected: Record<string, number>) =>
  eventually(async () => JSON.stringify(await statuses()) === JSON.stringify(expected));

const fail =
  (status = 500) =>
  (_received: unknown, response: { writeHead(status: number): { end(text: string): void } }) =>
    response.writeHead(status).end('not now');

describe('an event', () => {
  it('is sent once, signed, to each active webhook of its user with a matching subscription, and to no other', async () => {
    const one = await environment.addWebhook(receiver.url, { events: ['trade.created'] });
    const { userId } = one;
    const two = await environment.addWebhook(receiver.url, { userId, events: ['trade.*'] });
    const all = await environment.addWebhook(receiver.url, { userId, events: ['*'] });
    receiver.verifyWith(one, two, all);
    await environment.addWebhook(receiver.url, { userId, events: ['trade.filled', 'reward.*'] });
    await environment.addWebhook(receiver.url, { userId, isActive: false });
    await environment.addWebhook(receiver.url);
    await start();
    const id = await environment.emit(userId, 'trade.created', { text: 'Zürich \u2028 "quoted"' });
    await untilStatuses({ SUCCEEDED: 3 });
    expect(receiver.rejected).toEqual([]);
    expect(receiver.received.map(({ webhookId }) => webhookId).sort()).toEqual(
      [one, two, all].map(({ publicId }) => publicId).sort(),
    );
    const [stored] = await environment.query('SELECT payload FROM outbox_events WHERE id = $1', id);
    for (const { eventId, body, headers } of receiver.received) {
      expect(eventId).toBe(encodeId('evt', id));
      expect(body).toBe(String(stored?.payload));
      expect(JSON.parse(body).event_id).toBe(eventId);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^trading-automation/),
        'x-svc-attempt': '1',
      });
    }
  });

  it('that was committed while no dispatcher ran is delivered when one starts', async () => {
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    for (let i = 0; i < 5; i++) await environment.emit(hook.userId);
    await start();
    await untilStatuses({ SUCCEEDED: 5 });
    expect(receiver.received).toHaveLength(5);
    expect(receiver.rejected).toEqual([]);
  });

  it('is sent only once while two dispatchers run', async () => {
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    await Promise.all([start(), start()]);
    await Promise.all(Array.from({ length: 60 }, () => environment.emit(hook.userId)));
    await untilStatuses({ SUCCEEDED: 60 });
    await sleep(500);
    expect(receiver.received).toHaveLength(60);
    expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(60);
    expect(receiver.rejected).toEqual([]);
  });
});

describe('a failing receiver', () => {
  it('receives the same bytes with the same id five times, each after its delay, before a dead letter is created', async () => {
    receiver.respondWith(fail());
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    await start({ RETRY_DELAYS_MS: '60,90,120,150' });
    const id = await environment.emit(hook.userId);
    await untilStatuses({ DEAD: 1 });
    await sleep(400);
    expect(receiver.rejected).toEqual([]);
    expect(receiver.received.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ eventId }) => eventId))).toEqual(new Set([encodeId('evt', id)]));
    const attempts = await environment.query(
      `SELECT attempt, status, status_code, error, response_body,
         attempted_at >= lag(next_attempt_at) OVER (ORDER BY attempt) AS "isDue",
         next_attempt_at - wait * interval '1 millisecond' BETWEEN attempted_at AND created_at AS "isScheduled"
       FROM webhook_attempts LEFT JOIN (VALUES (1, 60), (2, 90), (3, 120), (4, 150)) v (n, wait) ON n = attempt
       ORDER BY attempt`,
    );
    const failed = { status: 'FAILED', status_code: 500, error: 'http_status', response_body: 'not now' };
    expect(attempts).toEqual([
      { ...failed, attempt: 1, isDue: null, isScheduled: true },
      { ...failed, attempt: 2, isDue: true, isScheduled: true },
      { ...failed, attempt: 3, isDue: true, isScheduled: true },
      { ...failed, attempt: 4, isDue: true, isScheduled: true },
      { ...failed, attempt: 5, isDue: true, isScheduled: null },
    ]);
    expect(
      await environment.query(
        'SELECT webhook_id, status, attempts, last_status_code, last_error FROM webhook_dead_letters',
      ),
    ).toEqual([
      {
        webhook_id: hook.id,
        status: 'PENDING',
        attempts: 5,
        last_status_code: 500,
        last_error: 'http_status',
      },
    ]);
    expect(await environment.query('SELECT is_active, consecutive_failures FROM webhooks')).toEqual([
      { is_active: true, consecutive_failures: 5 },
    ]);
  });

  it('that recovers has the failure count of its webhook reset', async () => {
    receiver.respondWith(
      (received, response) => void response.writeHead(received.attempt < 3 ? 503 : 204).end(),
    );
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    await start();
    await environment.emit(hook.userId);
    await untilStatuses({ SUCCEEDED: 1 });
    expect(receiver.received.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(await environment.query('SELECT consecutive_failures FROM webhooks')).toEqual([
      { consecutive_failures: 0 },
    ]);
    expect(await environment.query('SELECT FROM webhook_dead_letters')).toEqual([]);
  });

  it('that redirects gets no call at the new location', async () => {
    let redirectedCalls = 0;
    const target = await openReceiver((_received, response) => {
      redirectedCalls++;
      response.end();
    });
    receiver.respondWith(
      (_received, response) => void response.writeHead(307, { location: target.url }).end(),
    );
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    await start();
    await environment.emit(hook.userId);
    await untilStatuses({ DEAD: 1 });
    await target.close();
    expect(redirectedCalls).toBe(0);
    expect(
      await environment.query('SELECT DISTINCT status_code, error_reason AS error FROM webhook_attempts'),
    ).toEqual([{ status_code: 307, error: 'redirect_not_followed' }]);
  });

  it('has its webhook deactivated after ten failures and a dead letter; due deliveries become dead letters, and an event is sent', async () => {
    receiver.respondWith((received, response) =>
      received.webhookId === broken.publicId ? void response.writeHead(500).end() : void response.end(),
    );
    const broken = await environment.addWebhook(receiver.url, { events: ['trade.*'] });
    const healthy = await environment.addWebhook(receiver.url, {
      userId: broken.userId,
      events: ['webhook.deactivated'],
    });
    receiver.verifyWith(broken, healthy);
    await start({ RETRY_DELAYS_MS: '20,20,20,20000' });
    for (let i = 0; i < 2; i++) await environment.emit(broken.userId);
    // Both deliveries have failed four times and wait for their fifth attempt.
    await eventually(async () => (await environment.query('SELECT FROM webhook_attempts')).length === 8);
    await environment.emit(broken.userId);
    await eventually(async () => (await environment.query('SELECT FROM webhook_attempts')).length === 12);
    expect(await environment.query('SELECT is_active FROM webhooks WHERE id = $1', broken.id)).toEqual([
      { is_active: true },
    ]);
    // Make the fifth attempt of one delivery due now. It causes the dead letter that deactivates the webhook.
    await environment.query(
      `UPDATE webhook_deliveries SET next_at = now() - interval '1 minute'
       WHERE id = (SELECT id FROM webhook_deliveries WHERE status = 'DUE' LIMIT 1)`,
    );
    await dropJobs();
    await untilStatuses({ DEAD: 3, SUCCEEDED: 1 });
    expect(
      await environment.query('SELECT last_error, attempts FROM webhook_dead_letters ORDER BY last_error'),
    ).toEqual([
      { last_error: 'http_status', attempts: 5 },
      { last_error: 'webhook_inactive', attempts: 4 },
      { last_error: 'webhook_inactive', attempts: 4 },
    ]);
    const [row] = await environment.query('SELECT * FROM webhooks WHERE id = $1', broken.id);
    expect(row).toMatchObject({
      is_active: false,
      consecutive_failures: 13,
      deactivation_reason: 'consecutive_failures',
      deactivated_at: expect.any(Date),
    });
    const notified = receiver.received.filter(({ webhookId }) => webhookId === healthy.publicId);
    expect(notified.map(({ body }) => JSON.parse(body))).toEqual([
      expect.objectContaining({
        type: 'webhook.deactivated',
        data: expect.objectContaining({ id: broken.publicId, is_active: false }),
      }),
    ]);
    expect(receiver.rejected).toEqual([]);
  });
});

describe('an unfinished delivery', () => {
  it('uses the URL and the secret that the webhook has at the time of each attempt', async () => {
    receiver.respondWith(fail());
    const hook = await environment.addWebhook('http://127.0.0.1:9/');
    const other = await environment.addWebhook(receiver.url, { userId: hook.userId, isActive: false });
    receiver.verifyWith({ ...hook, secret: other.secret });
    await start({ RETRY_DELAYS_MS: '300,20,20,20' });
    await environment.emit(hook.userId);
    await eventually(async () => (await environment.query('SELECT FROM webhook_attempts')).length === 1);
    await environment.change(hook, other.secret, receiver.url);
    await untilStatuses({ DEAD: 1 });
    expect(receiver.received.map(({ attempt }) => attempt)).toEqual([2, 3, 4, 5]);
    expect(receiver.rejected).toEqual([]);
  });

  it('becomes a dead letter if its webhook was deactivated, and is discarded if its webhook was deleted', async () => {
    receiver.respondWith(fail());
    const paused = await environment.addWebhook(receiver.url);
    const deleted = await environment.addWebhook(receiver.url);
    receiver.verifyWith(paused, deleted);
    await start({ RETRY_DELAYS_MS: '300,20,20,20' });
    await environment.emit(paused.userId);
    await environment.emit(deleted.userId);
    await eventually(async () => (await environment.query('SELECT FROM webhook_attempts')).length === 2);
    await environment.query('UPDATE webhooks SET is_active = false WHERE id = $1', paused.id);
    await environment.query(
      'UPDATE webhooks SET is_active = false, deleted_at = now(), secret_sealed = NULL WHERE id = $1',
      deleted.id,
    );
    await eventually(async () => {
      const { DUE = 0, SENDING = 0 } = await statuses();
      return DUE + SENDING === 0;
    });
    expect(await statuses()).toEqual({ DEAD: 1, DISCARDED: 1 });
    expect(await environment.query('SELECT webhook_id, last_error FROM webhook_dead_letters')).toEqual([
      { webhook_id: paused.id, last_error: 'webhook_inactive' },
    ]);
    expect(receiver.received).toHaveLength(2);
  });

  it('without a job is found by the sweeper, whether it is due or its dispatcher has died', async () => {
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    await start();
    const ids = [await environment.emit(hook.userId), await environment.emit(hook.userId)];
    await untilStatuses({ SUCCEEDED: 2 });
    await environment.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, run, status, next_at)
       VALUES ($1, $2, $3, 'trade.created', 1, 'DUE', now() - interval '1 hour')`,
      newUuid(),
      hook.id,
      ids[0],
    );
    await environment.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, run, status, attempts, lease_id, lease_until)
       VALUES ($1, $2, $3, 'trade.created', 1, 'SENDING', 2, $1, now() - interval '1 second')`,
      newUuid(),
      hook.id,
      ids[1],
    );
    await untilStatuses({ SUCCEEDED: 4 });
    expect(receiver.received.map(({ attempt }) => attempt).sort()).toEqual([1, 1, 1, 3]);
    expect(receiver.rejected).toEqual([]);
  });

  it('is sent although Redis loses all data', async () => {
    receiver.respondWith(fail());
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    await start({ RETRY_DELAYS_MS: '600,20,20,20' });
    for (let i = 0; i < 10; i++) await environment.emit(hook.userId);
    await eventually(async () => (await environment.query('SELECT FROM webhook_attempts')).length === 10);
    receiver.respondWith((_received, response) => void response.end());
    await dropJobs();
    await untilStatuses({ SUCCEEDED: 10 });
    expect(receiver.received).toHaveLength(20);
  });

  it('has only ids in Redis: no payload, secret, URL or user', async () => {
    receiver.respondWith(fail());
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    await start({ RETRY_DELAYS_MS: '30000,20,20,20' });
    await environment.emit(hook.userId, 'trade.created', { note: 'canary' });
    await eventually(async () => (await environment.query('SELECT FROM webhook_attempts')).length === 1);
    const dump = await eventually(async () => {
      const text = await dumpRedis();
      return text.includes('-a2') && text;
    });
    expect(dump).toContain('delivery_id');
    for (const secret of ['canary', 'whsec', receiver.url, hook.userId, hook.secret.slice(6)])
      expect(dump).not.toContain(secret);
  });
});

describe('a request for a test event', () => {
  it('sends one signed event and returns the id of the recorded attempt', async () => {
    receiver.respondWith(fail(418));
    const hook = await environment.addWebhook(receiver.url, { events: ['reward.*'] });
    receiver.verifyWith(hook);
    await start();
    const reply = await callProcess({
      dataSource: environment.platform.database,
      listener: environment.platform.listener,
      name: 'webhook.test',
      input: Buffer.from(hook.id),
      owner: { userId: hook.userId, accountId: hook.id },
      lane: 'webhook_test',
      startWithinMs: 5_000,
      operationMs: 5_000,
    });
    await sleep(300);
    expect(receiver.rejected).toEqual([]);
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['webhook.test']);
    expect(await environment.query('SELECT id, status_code FROM webhook_attempts')).toEqual([
      { id: Buffer.from(reply).toString(), status_code: 418 },
    ]);
    expect(await statuses()).toEqual({ FAILED: 1 });
    expect(await environment.query('SELECT consecutive_failures FROM webhooks')).toEqual([
      { consecutive_failures: 0 },
    ]);
  });
});

const keysOf = async (redis: Redis) => redis.keys(`${environment.settings.QUEUE_PREFIX}*`);

async function withRedis<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(environment.settings.REDIS_URL);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

async function dropJobs(): Promise<void> {
  await withRedis(async (redis) => {
    const keys = await keysOf(redis);
    if (keys.length > 0) await redis.del(keys);
  });
}

async function dumpRedis(): Promise<string> {
  return withRedis(textsOf);
}

async function textsOf(redis: Redis): Promise<string> {
  const texts: unknown[] = [];
  for (const key of await keysOf(redis)) {
    const type = await redis.type(key);
    texts.push(key);
    if (type === 'hash') texts.push(await redis.hgetall(key));
    if (type === 'string') texts.push(await redis.get(key));
    if (type === 'list') texts.push(await redis.lrange(key, 0, -1));
    if (type === 'zset') texts.push(await redis.zrange(key, 0, -1));
    if (type === 'set') texts.push(await redis.smembers(key));
    if (type === 'stream') texts.push(await redis.xrange(key, '-', '+'));
  }
  return JSON.stringify(texts);
}
