import { decodeId, encodeId, webhookReplay } from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';

import { type Actor, ResponseReplayed } from '../operations/index.js';
import type { DeliveryRef } from './delivery.queries.js';
import { WebhooksUnderTest } from './testing/webhooks-under-test.js';
import { WebhookFanOut } from './webhook-fan-out.service.js';

let env: WebhooksUnderTest;
let actor: Actor;
let hook: string;
beforeAll(async () => {
  env = await WebhooksUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  actor = await env.core.actor();
  hook = await env.createWebhook(actor, ['reward.*']);
});

const SUCCEEDED = { statusCode: 200, responseTimeMs: 1 };
const FAILED = { error: 'timeout', responseTimeMs: 1 } as const;
const replay = (event_id: string, caller = actor) => env.webhooks.replay(caller, hook, { event_id });
const runsOf = (eventUuid: string) =>
  env.core.rows(
    `SELECT id, run, status, attempts, payload FROM webhook_deliveries
     WHERE webhook_id = $1 AND event_id = $2 ORDER BY run`,
    decodeId('whk', hook),
    eventUuid,
  );
const latestDelivery = async (eventUuid: string) => String((await runsOf(eventUuid)).at(-1)?.id);
const invalidStateError = (state: string) => ({
  code: 'invalid_state',
  details: [{ code: 'invalid_state', state }],
});
const unknownEvent = { code: 'not_found', details: [{ field: 'event_id', code: 'not_found' }] };

describe('a replay', () => {
  it('schedules an event, even if the webhook does not subscribe to its type: due now, with the same id and bytes', async () => {
    const event = await env.emit(actor, { data: '{"amount":0.100000000000000001,"text":"Zürich"}' });
    const response = await replay(event.id);
    expect(webhookReplay.strict().parse(response)).toEqual({
      event_id: event.id,
      event_type: 'trade.created',
      run: 0,
    });
    const [delivery] = await runsOf(event.uuid);
    expect(delivery).toMatchObject({ run: 0, status: 'DUE', attempts: 0, payload: null });
    const attempt = await env.claimAttempt(await latestDelivery(event.uuid));
    expect(attempt).toMatchObject({ eventId: event.uuid, attempt: 1 });
    expect(Buffer.from(attempt.payload)).toEqual(event.payload);
    expect(await env.deliveries.record(attempt, FAILED)).toMatchObject({ kind: 'retry', attempt: 2 });
  });

  it('is possible for events that were emitted before the webhook existed or while it was inactive', async () => {
    const before = await env.emit(actor);
    hook = await env.createWebhook(actor);
    await env.webhooks.update(actor, hook, { is_active: false });
    const meanwhile = await env.emit(actor, { type: 'reward.granted' });
    await env.webhooks.update(actor, hook, { is_active: true });
    expect(await replay(before.id)).toMatchObject({ run: 0 });
    expect(await replay(meanwhile.id)).toMatchObject({ run: 0, event_type: 'reward.granted' });
  });

  it('of a delivered event creates another run of five attempts, which can end in a dead letter', async () => {
    const event = await env.emit(actor);
    await replay(event.id);
    await env.deliveries.record(await env.claimAttempt(await latestDelivery(event.uuid)), SUCCEEDED);
    expect(await replay(event.id)).toMatchObject({ run: 1 });
    await env.failAllAttempts(await latestDelivery(event.uuid));
    await env.core.rows('UPDATE webhooks SET consecutive_failures = 0, consecutive_dead_letters = 0');
    expect(await replay(event.id)).toMatchObject({ run: 2 });
    expect((await runsOf(event.uuid)).map(({ run, status }) => [run, status])).toEqual([
      [0, 'SUCCEEDED'],
      [1, 'DEAD'],
      [2, 'DUE'],
    ]);
    const deadLetterId = encodeId('dlq', String((await runsOf(event.uuid))[1]?.id));
    expect(await env.deadLetters.get(actor, hook, deadLetterId)).toMatchObject({
      run: 1,
      status: 'PENDING',
      attempts: 5,
    });
  });

  it('notifies the dispatchers as soon as it commits', async () => {
    const { platform } = env.core;
    const event = await env.emit(actor);
    const notified: DeliveryRef[] = [];
    const unsubscribe = new WebhookFanOut(platform).subscribe((refs) => notified.push(...refs));
    await env.core.untilListening();
    await replay(event.id);
    await eventually(() => notified.length > 0);
    unsubscribe();
    expect(notified).toEqual([{ deliveryId: await latestDelivery(event.uuid), attempt: 1 }]);
  });

  it('is rejected with the state of the delivery while the event is being delivered to the webhook', async () => {
    const event = await env.emit(actor);
    await replay(event.id);
    await expect(replay(event.id)).rejects.toMatchObject(invalidStateError('DUE'));
    const attempt = await env.claimAttempt(await latestDelivery(event.uuid));
    await expect(replay(event.id)).rejects.toMatchObject(invalidStateError('SENDING'));
    await env.deliveries.record(attempt, FAILED);
    await expect(replay(event.id)).rejects.toMatchObject(invalidStateError('DUE'));
    expect(await runsOf(event.uuid)).toHaveLength(1);
    const other = await env.createWebhook(actor);
    await expect(env.webhooks.replay(actor, other, { event_id: event.id })).resolves.toMatchObject({
      run: 0,
    });
  });

  it('succeeds for one of ten concurrent requests; the others are rejected', async () => {
    const event = await env.emit(actor);
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => replay(event.id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(invalidStateError('DUE'));
    expect(await runsOf(event.uuid)).toHaveLength(1);
  });

  it('that is concurrent with a retry of the event’s dead letter creates its own run beside that of the retry, or is rejected', async () => {
    for (let round = 0; round < 10; round++) {
      const event = await env.emit(actor);
      await replay(event.id);
      const deadDelivery = await latestDelivery(event.uuid);
      await env.failAllAttempts(deadDelivery);
      await env.core.rows('UPDATE webhooks SET consecutive_failures = 0, consecutive_dead_letters = 0');
      const [replayOutcome] = await Promise.allSettled([
        replay(event.id),
        env.deadLetters.retry(actor, hook, encodeId('dlq', deadDelivery)),
      ]);
      if (replayOutcome.status === 'rejected')
        expect(replayOutcome.reason).toMatchObject(invalidStateError('DUE'));
      const runs = (await runsOf(event.uuid)).map(({ run, status }) => [run, status]);
      const [first, ...later] = runs;
      expect(first).toEqual([0, 'DEAD']);
      expect(later).toEqual(
        [
          [1, 'DUE'],
          [2, 'DUE'],
        ].slice(0, replayOutcome.status === 'rejected' ? 1 : 2),
      );
    }
  });

  it('of an event before its fan-out creates the only delivery of the event', async () => {
    hook = await env.createWebhook(actor);
    const [replayedFirst, later] = [await env.emit(actor), await env.emit(actor)];
    expect(await replay(replayedFirst.id)).toMatchObject({ run: 0 });
    const relay = new WebhookFanOut(env.core.platform).start((error) => {
      throw error;
    });
    await eventually(async () => (await runsOf(later.uuid)).length > 0);
    await relay.stop();
    expect((await runsOf(replayedFirst.uuid)).map(({ run }) => run)).toEqual([0]);
  });

  it('that is concurrent with the fan-out of the event waits for it, and is rejected because a delivery is in progress', async () => {
    const event = await env.emit(actor);
    let outcome: Promise<unknown> | undefined;
    await inTransaction(env.core.platform.database, async (tx) => {
      await tx.query(
        `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at)
         VALUES ($1, $2, $3, 'trade.created', 'DUE', clock_timestamp())`,
        [newUuid(), decodeId('whk', hook), event.uuid],
      );
      outcome = expect(replay(event.id)).rejects.toMatchObject(invalidStateError('DUE'));
      await waitForLock();
    });
    await outcome;
    expect(await runsOf(event.uuid)).toHaveLength(1);
  });

  it("is rejected with an error of the field event_id if the event is unknown, expired, a test event or another user's", async () => {
    const otherUsersEvent = await env.emit(await env.core.actor());
    const old = await env.emit(actor);
    await env.core.rows(
      "UPDATE outbox_events SET created_at = now() - interval '30 days 1 minute' WHERE id = $1",
      old.uuid,
    );
    const testEventId = newUuid();
    await env.core.rows(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, payload, status, attempts)
       VALUES ($1, $2, $3, 'webhook.test', '{}', 'SUCCEEDED', 1)`,
      newUuid(),
      decodeId('whk', hook),
      testEventId,
    );
    for (const id of [
      otherUsersEvent.id,
      old.id,
      encodeId('evt', testEventId),
      encodeId('evt', newUuid()),
      'evt_1',
      '',
      hook,
    ])
      await expect(replay(id)).rejects.toMatchObject(unknownEvent);
    expect(await runsOf(otherUsersEvent.uuid)).toEqual([]);
  });

  it('requires ADMIN, and an existing webhook of the caller', async () => {
    const event = await env.emit(actor);
    const trader: Actor = { ...actor, credential: { ...actor.credential, permissions: ['TRADE'] } };
    await expect(replay(event.id, trader)).rejects.toMatchObject({ code: 'permission_denied' });
    const other = await env.core.actor();
    const otherUsersEvent = await env.emit(other);
    await expect(replay(otherUsersEvent.id, other)).rejects.toMatchObject({ code: 'not_found', details: [] });
    const deleted = await env.createWebhook(actor);
    await env.webhooks.delete(actor, deleted);
    for (const unknownId of [deleted, 'whk_nonsense', event.id]) {
      await expect(env.webhooks.replay(actor, unknownId, { event_id: event.id })).rejects.toMatchObject({
        code: 'not_found',
        details: [],
      });
    }
  });

  it('is rejected for an inactive webhook; concurrently with the deactivation it is rejected or ends as a dead letter', async () => {
    for (let round = 0; round < 10; round++) {
      const event = await env.emit(actor);
      const [replayed] = await Promise.allSettled([
        replay(event.id),
        env.webhooks.update(actor, hook, { is_active: false }),
      ]);
      const statuses = (await runsOf(event.uuid)).map(({ status }) => status);
      if (replayed.status === 'rejected')
        expect(replayed.reason).toMatchObject(invalidStateError('INACTIVE'));
      expect(statuses).toEqual(replayed.status === 'rejected' ? [] : ['DEAD']);
      await expect(replay(event.id)).rejects.toMatchObject(invalidStateError('INACTIVE'));
      await env.webhooks.update(actor, hook, { is_active: true });
    }
  });

  it('starts no further run if its Idempotency-Key was already used', async () => {
    const event = await env.emit(actor);
    const idempotentActor = { ...actor, idempotency: env.core.idempotencyContext(actor.userId, 'replay') };
    await replay(event.id, idempotentActor);
    await env.deliveries.record(await env.claimAttempt(await latestDelivery(event.uuid)), SUCCEEDED);
    await expect(replay(event.id, idempotentActor)).rejects.toBeInstanceOf(ResponseReplayed);
    expect(await runsOf(event.uuid)).toHaveLength(1);
  });
});

/** Resolves once a statement waits for a lock that another transaction holds. */
async function waitForLock(): Promise<void> {
  const waiting =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await eventually(async () => (await env.core.rows(waiting)).length > 0);
}
