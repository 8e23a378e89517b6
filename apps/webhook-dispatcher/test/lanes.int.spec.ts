import { ATTEMPT_TIMEOUT_MAX_MS } from '@trading-automation/core/webhooks';
import { newUuid } from '@trading-automation/persistence';
import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import { Queue } from 'bullmq';
import { configSchema } from '../src/config.js';
import { ATTEMPT_QUEUES } from '../src/delivery/attempt-queue.js';
import { startDispatcher } from '../src/dispatcher.js';
import {
  openReceiver,
  openTestEnvironment,
  type Receiver,
  type TestEnvironment,
} from './test-environment.js';

/** The longest attempts that the configuration allows. No attempt times out within a test: only the receiver ends it. */
const LONG_TIMEOUTS = { ATTEMPT_TIMEOUT_MS: String(ATTEMPT_TIMEOUT_MAX_MS), LEASE_MS: '135000' };

let environment: TestEnvironment;
const running: RunningProcess[] = [];
const receivers: Receiver[] = [];
beforeEach(async () => {
  environment = await openTestEnvironment();
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  await Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop()));
  await environment.close();
});

async function start(settings: Record<string, string> = {}): Promise<void> {
  const logger = createLogger('spec');
  const config = readConfig(configSchema, { ...environment.settings, ...LONG_TIMEOUTS, ...settings });
  logger.level = config.LOG_LEVEL;
  running.push(await startDispatcher(config, logger));
}

async function startReceiver(respond?: Parameters<typeof openReceiver>[0]): Promise<Receiver> {
  const receiver = await openReceiver(respond);
  receivers.push(receiver);
  return receiver;
}

/** Creates a handler that holds each request until the test releases it, and records the maximum number held. */
function createHoldingHandler() {
  const held: (() => void)[] = [];
  let maxHeld = 0;
  const respond: Parameters<typeof openReceiver>[0] = (_received, response) => {
    held.push(() => response.end());
    maxHeld = Math.max(maxHeld, held.length);
  };
  return { respond, held, maxHeld: () => maxHeld, releaseOne: () => held.shift()?.() };
}

describe('hanging receivers', () => {
  it('of six users do not delay another receiver, although the main lane has only two slots', async () => {
    const stuck = createHoldingHandler();
    const hanging = await startReceiver(stuck.respond);
    const healthy = await startReceiver();
    const hooks = await Promise.all(Array.from({ length: 6 }, () => environment.addWebhook(hanging.url)));
    const hook = await environment.addWebhook(healthy.url);
    hanging.verifyWith(...hooks);
    healthy.verifyWith(hook);
    await start({ DELIVERY_CONCURRENCY: '2' });
    for (const { userId } of hooks) await environment.emit(userId);
    await eventually(() => stuck.held.length === hooks.length);
    await environment.emit(hook.userId);
    await eventually(() => healthy.received.length === 1);
    expect(hanging.received).toHaveLength(hooks.length);
    expect([...hanging.rejected, ...healthy.rejected]).toEqual([]);
  });
});

describe('a burst of events', () => {
  it('is sent completely, with at most four attempts in flight to one webhook over two dispatchers', async () => {
    const stuck = createHoldingHandler();
    const receiver = await startReceiver(stuck.respond);
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    await Promise.all([start(), start()]);
    for (let i = 0; i < 30; i++) await environment.emit(hook.userId);
    await eventually(() => stuck.held.length === 4);
    await eventually(async () => (await environment.query('SELECT FROM webhook_deliveries')).length === 30);
    while (receiver.received.length < 30 || stuck.held.length > 0) {
      await eventually(() => stuck.held.length > 0);
      stuck.releaseOne();
    }
    await eventually(
      async () =>
        (await environment.query("SELECT FROM webhook_deliveries WHERE status = 'SUCCEEDED'")).length === 30,
    );
    expect(stuck.maxHeld()).toBe(4);
    expect(new Set(receiver.received.map(({ eventId }) => eventId)).size).toBe(30);
    expect(receiver.received).toHaveLength(30);
    expect(receiver.rejected).toEqual([]);
  });

  it('is sent without a notification about parked deliveries, because the sweeper admits them', async () => {
    const receiver = await startReceiver();
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    await environment.emit(hook.userId);
    await start();
    await eventually(() => receiver.received.length === 1);
    await environment.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at, is_parked, run)
       SELECT gen_random_uuid(), webhook_id, event_id, event_type, 'DUE', clock_timestamp(), true, n
       FROM webhook_deliveries, generate_series(1, 12) n WHERE run = 0`,
    );
    await eventually(() => receiver.received.length === 13);
    expect(receiver.rejected).toEqual([]);
  });
});

describe('an attempt whose job is delayed by a wrong clock', () => {
  it('is parked while its webhook has no capacity, and is sent once a slot is free', async () => {
    const stuck = createHoldingHandler();
    const receiver = await startReceiver(stuck.respond);
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    const { REDIS_URL: url, QUEUE_PREFIX, WORLD } = environment.settings;
    const queue = new Queue(ATTEMPT_QUEUES.main, { connection: { url }, prefix: `${QUEUE_PREFIX}-${WORLD}` });
    await start({ SWEEP_MS: '200' });
    for (let i = 0; i < 4; i++) await environment.emit(hook.userId);
    await eventually(() => stuck.held.length === 4);
    const id = newUuid();
    const data = { delivery_id: id, attempt: 1 };
    await queue.add('attempt', data, { jobId: `${id}-a1`, delay: 600_000 });
    await queue.close();
    await environment.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at, run)
       SELECT $1, webhook_id, event_id, event_type, 'DUE', clock_timestamp() - interval '1 minute', 1
       FROM webhook_deliveries LIMIT 1`,
      id,
    );
    await eventually(
      async () =>
        (await environment.query('SELECT is_parked FROM webhook_deliveries WHERE id = $1', id))[0]?.is_parked,
    );
    stuck.releaseOne();
    await eventually(() => receiver.received.length === 5);
    expect(receiver.rejected).toEqual([]);
  });
});

describe('a webhook that fails repeatedly', () => {
  it('gets its attempts through the slow lane, even while the main lane is full', async () => {
    const stuck = createHoldingHandler();
    const failing = await startReceiver((_received, response) => void response.writeHead(500).end());
    const hanging = await startReceiver(stuck.respond);
    const [hook, other] = await Promise.all([
      environment.addWebhook(failing.url),
      environment.addWebhook(hanging.url),
    ]);
    failing.verifyWith(hook);
    hanging.verifyWith(other);
    await start({ RETRY_DELAYS_MS: '10,10,10,1500', DELIVERY_CONCURRENCY: '1', IN_FLIGHT_MAX: '1' });
    await environment.emit(hook.userId);
    await eventually(() => failing.received.length === 4);
    // One attempt is detached, and the next one keeps the only slot.
    for (let i = 0; i < 2; i++) await environment.emit(other.userId);
    await eventually(() => stuck.held.length === 2);
    failing.respondWith((_received, response) => void response.end());
    // The main lane is full: the fifth attempt can only arrive through the slow one.
    await eventually(() => failing.received.length === 5);
    await eventually(
      async () =>
        (await environment.query('SELECT consecutive_failures FROM webhooks WHERE id = $1', hook.id))[0]
          ?.consecutive_failures === 0,
    );
    expect(stuck.held).toHaveLength(2);
    expect([...failing.rejected, ...hanging.rejected]).toEqual([]);
  });
});
