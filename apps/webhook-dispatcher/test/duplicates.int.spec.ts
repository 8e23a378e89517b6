/** Tests the faults F18 (an event is relayed more than once) and F21 (a dead letter is retried more than once). */

import { encodeId } from '@trading-automation/contracts';
import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import { configSchema } from '../src/config.js';
import { startDispatcher } from '../src/dispatcher.js';
import { actorOf, type OwnerApi, openOwnerApi, pendingDeadLetterId } from './owner-api.js';
import {
  openReceiver,
  openTestEnvironment,
  type Receiver,
  type TestEnvironment,
} from './test-environment.js';

const logger = createLogger('webhook-dispatcher', 'fatal');
let environment: TestEnvironment;
let receiver: Receiver;
let owner: OwnerApi;
let running: RunningProcess[] = [];

beforeEach(async () => {
  environment = await openTestEnvironment();
  receiver = await openReceiver();
  owner = await openOwnerApi(environment);
});
afterEach(async () => {
  await Promise.all(running.map((each) => each.stop()));
  running = [];
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

const count = async (table: string) =>
  Number((await environment.query(`SELECT count(*)::int AS count FROM ${table}`))[0]?.count);
const untilSucceeded = (deliveries: number) =>
  eventually(
    async () =>
      (await environment.query("SELECT FROM webhook_deliveries WHERE status = 'SUCCEEDED'")).length >=
      deliveries,
  );
const receivedIds = () => receiver.received.map(({ webhookId, eventId }) => `${webhookId} ${eventId}`);
const fail = () =>
  receiver.respondWith((_received, response) => void response.writeHead(500, { connection: 'close' }).end());
const succeed = () => receiver.respondWith((_received, response) => void response.end());

describe('F18: an event that is relayed more than once', () => {
  it('by three concurrent dispatchers causes one delivery and one call for each webhook', async () => {
    const one = await environment.addWebhook(receiver.url);
    const two = await environment.addWebhook(receiver.url, { userId: one.userId, events: ['trade.*'] });
    receiver.verifyWith(one, two);
    const before = await Promise.all(Array.from({ length: 30 }, () => environment.emit(one.userId)));
    await Promise.all([start(), start(), start()]);
    const after = await Promise.all(Array.from({ length: 30 }, () => environment.emit(one.userId)));
    await untilSucceeded(120);
    await stop();
    const expected = [...before, ...after].flatMap((id) =>
      [one, two].map(({ publicId }) => `${publicId} ${encodeId('evt', id)}`),
    );
    expect(receivedIds().sort()).toEqual(expected.sort());
    expect([await count('webhook_deliveries'), await count('webhook_attempts')]).toEqual([120, 120]);
    expect(receiver.rejected).toEqual([]);
  });

  it('because the relay lost its progress causes no second delivery or call, even if its delivery is a dead letter', async () => {
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    await start();
    for (let i = 0; i < 10; i++) await environment.emit(hook.userId);
    await untilSucceeded(10);
    fail();
    await environment.emit(hook.userId);
    await pendingDeadLetterId(environment, hook);
    succeed();
    await stop();
    await environment.query('UPDATE outbox_progress SET position = 3');
    await Promise.all([start(), start()]);
    // Once the twelfth event is delivered, events four to eleven (seven delivered, one dead) were relayed again.
    await environment.emit(hook.userId);
    await untilSucceeded(11);
    await environment.query("DELETE FROM outbox_progress WHERE consumer = 'webhook-dispatcher'");
    await environment.emit(hook.userId);
    await untilSucceeded(12);
    await stop();
    expect(await count('webhook_deliveries')).toBe(10 + 1 + 2);
    expect(await count('webhook_dead_letters')).toBe(1);
    expect(receiver.received).toHaveLength(10 + 5 + 2);
    expect(receiver.rejected).toEqual([]);
  });
});

describe('F21: a dead letter', () => {
  it('that is retried eight times and discarded concurrently is either retried once or discarded', async () => {
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    fail();
    await start();
    const id = await environment.emit(hook.userId);
    const deadLetterId = await pendingDeadLetterId(environment, hook);
    succeed();
    receiver.received.length = 0;
    const actor = actorOf(hook);
    const results = await Promise.allSettled([
      ...Array.from({ length: 8 }, () => owner.deadLetters.retry(actor, hook.publicId, deadLetterId)),
      owner.deadLetters.discard(actor, hook.publicId, deadLetterId),
    ]);
    const errors = results.filter((each) => each.status === 'rejected').map(({ reason }) => reason.code);
    expect(errors).toEqual(Array(8).fill('invalid_state'));
    const [{ status }] = (await environment.query('SELECT status FROM webhook_dead_letters')) as [
      { status: string },
    ];
    const isRetried = status === 'RETRIED';
    if (isRetried) await untilSucceeded(1);
    await stop();
    expect(receiver.received.map(({ eventId, attempt }) => ({ eventId, attempt }))).toEqual(
      isRetried ? [{ eventId: encodeId('evt', id), attempt: 1 }] : [],
    );
    expect(await count('webhook_deliveries')).toBe(isRetried ? 2 : 1);
    expect(receiver.rejected).toEqual([]);
  });

  it('whose retry fails is followed by a second dead letter, whose retry sends the same bytes', async () => {
    const hook = await environment.addWebhook(receiver.url, { events: ['trade.*'] });
    receiver.verifyWith(hook);
    fail();
    // Without sweeps, the retry itself must trigger the delivery.
    await start({ SWEEP_MS: '600000' });
    await environment.emit(hook.userId, 'trade.created', { text: 'Zürich \u2028' });
    const actor = actorOf(hook);
    const first = await pendingDeadLetterId(environment, hook);
    await owner.deadLetters.retry(actor, hook.publicId, first);
    await expect(owner.deadLetters.retry(actor, hook.publicId, first)).rejects.toMatchObject({
      code: 'invalid_state',
    });
    const second = await pendingDeadLetterId(environment, hook);
    expect(second).not.toBe(first);
    succeed();
    // Ten failed attempts, which caused two dead letters, have deactivated the webhook.
    await expect(owner.deadLetters.retry(actor, hook.publicId, second)).rejects.toMatchObject({
      details: [{ state: 'INACTIVE' }],
    });
    await owner.webhooks.update(actor, hook.publicId, { is_active: true });
    await owner.deadLetters.retry(actor, hook.publicId, second);
    await untilSucceeded(1);
    await stop();
    expect(receiver.received.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1]);
    expect(new Set(receiver.received.map(({ body, eventId }) => `${eventId} ${body}`)).size).toBe(1);
    expect(await environment.query('SELECT run, status FROM webhook_deliveries ORDER BY run')).toEqual([
      { run: 0, status: 'DEAD' },
      { run: 1, status: 'DEAD' },
      { run: 2, status: 'SUCCEEDED' },
    ]);
    expect(receiver.rejected).toEqual([]);
  });

  it('that is retried while no dispatcher runs is sent once when one starts', async () => {
    const hook = await environment.addWebhook(receiver.url);
    receiver.verifyWith(hook);
    fail();
    await start();
    await environment.emit(hook.userId);
    const deadLetterId = await pendingDeadLetterId(environment, hook);
    await stop();
    succeed();
    await owner.deadLetters.retry(actorOf(hook), hook.publicId, deadLetterId);
    await start();
    await untilSucceeded(1);
    await stop();
    expect(receiver.received.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 1]);
    expect(receiver.rejected).toEqual([]);
  });
});
