/**
 * Tests the fault F20 (a webhook is changed, deactivated or deleted while a delivery waits for its next attempt), and
 * the threats W2 and W3 of docs/security/threats.md (an old event sent again, an old secret after a rotation).
 */

import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import { Webhook } from 'standardwebhooks';
import { configSchema } from '../src/config.js';
import { startDispatcher } from '../src/dispatcher.js';
import { actorOf, type OwnerApi, openOwnerApi, pendingDeadLetterId } from './owner-api.js';
import {
  openReceiver,
  openTestEnvironment,
  type Receiver,
  type TestEnvironment,
  type WebhookFixture,
} from './test-environment.js';

const logger = createLogger('webhook-dispatcher', 'fatal');
let environment: TestEnvironment;
let receiver: Receiver;
let owner: OwnerApi;
let hook: WebhookFixture;
const running: RunningProcess[] = [];

beforeEach(async () => {
  environment = await openTestEnvironment();
  receiver = await openReceiver((_received, response) => void response.writeHead(500).end());
  owner = await openOwnerApi(environment);
  // Does not subscribe to events about webhooks, which the tests would otherwise receive, too.
  hook = await environment.addWebhook(receiver.url, { events: ['trade.*'] });
  receiver.verifyWith(hook);
});
afterEach(async () => {
  await stop();
  await owner.close();
  await receiver.close();
  await environment.close();
});

async function start(settings: Record<string, string> = {}): Promise<void> {
  const config = readConfig(configSchema, { ...environment.settings, ...settings });
  running.push(await startDispatcher(config, logger));
}
/** Stops the dispatchers. Resolves once every started attempt is recorded, so nothing more can reach the receiver. */
async function stop(): Promise<void> {
  await Promise.all(running.splice(0).map((each) => each.stop()));
}

/** Retry delays with a wait before the third attempt that is longer than any test. */
const LONG_WAIT = '20,600000,20,20';
const deliveries = () =>
  environment.query('SELECT status, attempts FROM webhook_deliveries ORDER BY event_id, run');
const untilAttempts = (attempts: number) =>
  eventually(async () => (await environment.query('SELECT FROM webhook_attempts')).length >= attempts);
const untilStatus = (status: string) =>
  eventually(async () => (await deliveries()).some((each) => each.status === status));
const attemptsAt = ({ received }: Receiver) => received.map(({ attempt }) => attempt);

/** Creates an event whose second attempt has failed and whose third attempt waits. */
async function emitAndFailTwice(): Promise<void> {
  await start({ RETRY_DELAYS_MS: LONG_WAIT });
  await environment.emit(hook.userId);
  await untilAttempts(2);
}

/** Makes waiting deliveries due now, and starts another dispatcher with empty queues, which finds them. */
async function endTheWait(): Promise<void> {
  await stop();
  await environment.query(
    "UPDATE webhook_deliveries SET next_at = now() - interval '1 minute' WHERE status = 'DUE'",
  );
  await start({ QUEUE_PREFIX: `${environment.settings.QUEUE_PREFIX}-2` });
}

describe('W2: each attempt', () => {
  it('is signed with the time at which it is sent', async () => {
    const startedAt = Math.floor(Date.now() / 1000);
    await start({ RETRY_DELAYS_MS: '1100,1100,20,20' });
    await environment.emit(hook.userId);
    await pendingDeadLetterId(environment, hook);
    const endedAt = Math.ceil(Date.now() / 1000);
    const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times).toHaveLength(5);
    expect(new Set(times.slice(0, 3)).size).toBe(3);
    for (const [index, time] of times.entries()) {
      expect(time).toBeGreaterThanOrEqual(times[index - 1] ?? startedAt);
      expect(time).toBeLessThanOrEqual(endedAt);
    }
    expect(receiver.rejected).toEqual([]);
  });
});

describe('W3 and F20: a webhook whose secret is rotated and whose URL is changed while its third attempt waits', () => {
  it('receives the third and every later attempt at the new URL; only the new secret verifies these attempts', async () => {
    const moved = await openReceiver((_received, response) => void response.writeHead(500).end());
    await emitAndFailTwice();
    const { secret } = await owner.webhooks.rotateSecret(actorOf(hook), hook.publicId);
    await owner.webhooks.update(actorOf(hook), hook.publicId, { url: moved.url });
    moved.verifyWith({ ...hook, secret });
    await endTheWait();
    await pendingDeadLetterId(environment, hook);
    await stop();
    expect([attemptsAt(receiver), attemptsAt(moved)]).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    expect([receiver.rejected, moved.rejected]).toEqual([[], []]);
    const withOld = new Webhook(hook.secret);
    for (const { body, headers } of moved.received)
      expect(() => withOld.verify(body, headers as Record<string, string>)).toThrow('No matching signature');
    expect(new Set([...receiver.received, ...moved.received].map(({ body }) => body)).size).toBe(1);
    await moved.close();
  });
});

describe('F20: a webhook that is deactivated', () => {
  it('while an attempt waits receives nothing more; its delivery becomes a dead letter with reason and attempt count', async () => {
    await emitAndFailTwice();
    await owner.webhooks.update(actorOf(hook), hook.publicId, { is_active: false });
    await endTheWait();
    await environment.emit(hook.userId);
    await environment.untilFannedOut();
    await stop();
    expect(attemptsAt(receiver)).toEqual([1, 2]);
    expect(await deliveries()).toEqual([{ status: 'DEAD', attempts: 2 }]);
    expect(await environment.query('SELECT status, attempts, last_error FROM webhook_dead_letters')).toEqual([
      { status: 'PENDING', attempts: 2, last_error: 'webhook_inactive' },
    ]);
  });

  it('while an attempt waits, and then reactivated, receives new events, and the earlier one after a retry, at its new URL', async () => {
    const moved = await openReceiver();
    await emitAndFailTwice();
    const actor = actorOf(hook);
    await owner.webhooks.update(actor, hook.publicId, { is_active: false });
    await owner.webhooks.update(actor, hook.publicId, { is_active: true, url: moved.url });
    moved.verifyWith(hook);
    await endTheWait();
    await environment.emit(hook.userId);
    await untilStatus('SUCCEEDED');
    expect(attemptsAt(moved)).toEqual([1]);
    await owner.deadLetters.retry(actor, hook.publicId, await pendingDeadLetterId(environment, hook));
    await eventually(
      async () => (await deliveries()).filter(({ status }) => status === 'SUCCEEDED').length === 2,
    );
    await stop();
    expect([attemptsAt(receiver), attemptsAt(moved)]).toEqual([
      [1, 2],
      [1, 1],
    ]);
    expect(moved.received[1]?.body).toBe(receiver.received[0]?.body);
    expect([receiver.rejected, moved.rejected]).toEqual([[], []]);
    await moved.close();
  });

  it('while an attempt is in flight receives no further attempt; the result of that attempt is recorded', async () => {
    let respond = () => {};
    receiver.respondWith((_received, response) => {
      respond = () => response.writeHead(200).end();
    });
    await start();
    await environment.emit(hook.userId);
    await eventually(() => receiver.received.length === 1);
    await owner.webhooks.update(actorOf(hook), hook.publicId, { is_active: false });
    respond();
    await untilStatus('SUCCEEDED');
    await stop();
    expect(attemptsAt(receiver)).toEqual([1]);
    expect(await environment.query('SELECT FROM webhook_dead_letters')).toEqual([]);
  });
});

describe('F20: a webhook that is deleted', () => {
  it('while an attempt waits receives nothing more; its delivery is discarded, and the attempts remain stored', async () => {
    await emitAndFailTwice();
    await owner.webhooks.delete(actorOf(hook), hook.publicId);
    await endTheWait();
    await untilStatus('DISCARDED');
    await stop();
    expect(attemptsAt(receiver)).toEqual([1, 2]);
    expect(await deliveries()).toEqual([{ status: 'DISCARDED', attempts: 2 }]);
    expect(await environment.query('SELECT status, error FROM webhook_attempts')).toEqual(
      Array(2).fill({ status: 'FAILED', error: 'http_status' }),
    );
    expect(await environment.query('SELECT FROM webhook_dead_letters')).toEqual([]);
    expect(
      await environment.query('SELECT deleted_at IS NOT NULL AS gone, secret_sealed FROM webhooks'),
    ).toEqual([{ gone: true, secret_sealed: null }]);
  });

  it('while an attempt is in flight receives nothing more; if that attempt fails, its delivery is discarded', async () => {
    let respond = () => {};
    receiver.respondWith((_received, response) => {
      respond = () => response.writeHead(500).end();
    });
    await start();
    await environment.emit(hook.userId);
    await eventually(() => receiver.received.length === 1);
    await owner.webhooks.delete(actorOf(hook), hook.publicId);
    respond();
    await untilStatus('DISCARDED');
    await stop();
    expect(attemptsAt(receiver)).toEqual([1]);
    expect(await deliveries()).toEqual([{ status: 'DISCARDED', attempts: 1 }]);
  });
});
