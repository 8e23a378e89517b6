/** Tests subscriptions, replays and bulk retries, from the event to the receiver that verifies it. */

import {
  EVENT_TYPES,
  type EventType,
  encodeId,
  eventCatalogueEntries,
  expandEventSelector,
} from '@trading-automation/contracts';
import { createLogger, type RunningProcess, readConfig } from '@trading-automation/runtime';
import { eventually } from '@trading-automation/runtime/testing';
import { configSchema } from '../src/config.js';
import { startDispatcher } from '../src/dispatcher.js';
import { actorOf, type OwnerApi, openOwnerApi } from './owner-api.js';
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
let running: RunningProcess;

beforeEach(async () => {
  environment = await openTestEnvironment();
  receiver = await openReceiver();
  owner = await openOwnerApi(environment);
  running = await startDispatcher(readConfig(configSchema, environment.settings), logger);
});
afterEach(async () => {
  await running.stop();
  await owner.close();
  await receiver.close();
  await environment.close();
  expect(receiver.rejected).toEqual([]);
});

async function addHook(events: string[], userId?: string): Promise<WebhookFixture> {
  const hook = await environment.addWebhook(receiver.url, {
    events,
    ...(userId === undefined ? {} : { userId }),
  });
  receiver.verifyWith(hook);
  return hook;
}

const sampleOf = (type: EventType) =>
  JSON.parse(eventCatalogueEntries().find((kind) => kind.type === type)!.sample.text).data as object;
const emit = (userId: string, type: EventType) => environment.emit(userId, type, sampleOf(type));
const receivedBy = ({ publicId }: WebhookFixture) =>
  receiver.received.filter(({ webhookId }) => webhookId === publicId);
const typesReceivedBy = (hook: WebhookFixture) =>
  receivedBy(hook).map(({ body }) => JSON.parse(body).type as string);
const untilReceived = (hook: WebhookFixture, count: number) =>
  eventually(() => receivedBy(hook).length >= count);
/** Waits until no delivery is due or in flight. */
const waitUntilIdle = () =>
  eventually(async () => {
    const unfinished = "SELECT FROM webhook_deliveries WHERE status IN ('DUE', 'SENDING')";
    return (await environment.query(unfinished)).length === 0;
  });

describe('a subscription', () => {
  it('to all events, to all of one subject (`trade.*`) or to one type receives each matching event once', async () => {
    const all = await addHook(['*']);
    const hooks = new Map<string, WebhookFixture>([['*', all]]);
    for (const selector of [
      'trade.*',
      'copier.*',
      'public_key.*',
      'webhook.*',
      'key.revoked',
      'trade.filled',
    ])
      hooks.set(selector, await addHook([selector], all.userId));
    for (const type of EVENT_TYPES) await emit(all.userId, type);
    await untilReceived(all, EVENT_TYPES.length);
    await waitUntilIdle();
    for (const [selector, hook] of hooks)
      expect([selector, typesReceivedBy(hook).sort()]).toEqual([
        selector,
        [...expandEventSelector(selector)].sort(),
      ]);
  });

  it('that was changed applies to every event that is committed after the change', async () => {
    const hook = await addHook(['trade.*']);
    const receivesAll = await addHook(['*'], hook.userId);
    const types = ['trade.filled', 'reward.granted', 'copier.drift'] as const;
    const emitAll = async (emittedBefore: number) => {
      for (const type of types) await emit(hook.userId, type);
      await untilReceived(receivesAll, emittedBefore + types.length);
      await waitUntilIdle();
    };
    await emitAll(0);
    await owner.webhooks.update(actorOf(hook), hook.publicId, { events: ['reward.*', 'copier.drift'] });
    await emitAll(3);
    await owner.webhooks.update(actorOf(hook), hook.publicId, { events: ['*'] });
    await emitAll(6);
    expect(typesReceivedBy(hook).sort()).toEqual(
      ['trade.filled', 'reward.granted', 'copier.drift', ...types].sort(),
    );
  });
});

describe('a replay', () => {
  it('sends a past event to a new webhook, with the id and the bytes that the first webhook received', async () => {
    const first = await addHook(['*']);
    const events = [await emit(first.userId, 'trade.filled'), await emit(first.userId, 'key.created')];
    await untilReceived(first, 2);
    const later = await addHook(['reward.*'], first.userId);
    for (const event of events) {
      const body = { event_id: encodeId('evt', event) };
      await owner.webhooks.replay(actorOf(later), later.publicId, body);
      await waitUntilIdle();
      await owner.webhooks.replay(actorOf(later), later.publicId, body);
      await waitUntilIdle();
    }
    for (const event of events) {
      const [original] = receivedBy(first).filter(({ eventId }) => eventId === encodeId('evt', event));
      const replayed = receivedBy(later).filter(({ eventId }) => eventId === encodeId('evt', event));
      expect(replayed.map(({ body }) => body)).toEqual([original!.body, original!.body]);
      expect(replayed.map(({ attempt }) => attempt)).toEqual([1, 1]);
    }
    expect(receivedBy(first)).toHaveLength(2);
  });
});

describe('a bulk retry', () => {
  it('F21: sends every event once after an outage, even if it is requested twice', async () => {
    const hook = await addHook(['trade.*']);
    let isOver = false;
    // Hold the responses until all deliveries exist: earlier failures would deactivate the webhook too early.
    let startResponding = () => {};
    const mayRespond = new Promise<void>((resolve) => {
      startResponding = resolve;
    });
    receiver.respondWith((_received, response) => {
      void mayRespond.then(() => response.writeHead(isOver ? 200 : 500).end());
    });
    const events: string[] = [];
    for (let i = 0; i < 60; i++) events.push(encodeId('evt', await emit(hook.userId, 'trade.filled')));
    await eventually(
      async () => (await environment.query('SELECT FROM webhook_deliveries')).length === events.length,
    );
    startResponding();
    // The outage lasts until the webhook is deactivated and all of its deliveries are dead letters.
    await waitUntilIdle();
    const { pending } = await owner.deadLetters.stats(actorOf(hook), hook.publicId);
    expect(pending).toBe(events.length);
    const failedCount = receivedBy(hook).length;
    isOver = true;
    await owner.webhooks.update(actorOf(hook), hook.publicId, { is_active: true });
    const results = await Promise.all(
      [1, 2].map(() => owner.deadLetters.retryMany(actorOf(hook), hook.publicId, {})),
    );
    expect(results.map(({ retried }) => retried).sort((a, b) => a - b)).toEqual([0, events.length]);
    await untilReceived(hook, failedCount + events.length);
    await waitUntilIdle();
    const retried = receivedBy(hook).slice(failedCount);
    expect(retried.map(({ eventId }) => eventId).sort()).toEqual([...events].sort());
  });
});
