import { decodeId, encodeId, webhookReplay } from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';

import { type Actor, ResponseReplayed } from '../operations/index.js';
import type { DeliveryRef } from './delivery.queries.js';
import { WebhooksUnderTest } from './testing/webhooks-under-test.js';
import { WebhookFanOut } from './webhook-fan-out.service.js';

let the: WebhooksUnderTest;
let actor: Actor;
let hook: string;
beforeAll(async () => {
  the = await WebhooksUnderTest.open();
});
afterAll(() => the.close());
beforeEach(async () => {
  actor = await the.core.actor();
  hook = await the.createWebhook(actor, ['reward.*']);
});

const SUCCEEDED = { statusCode: 200, responseTimeMs: 1 };
const FAILED = { error: 'timeout', responseTimeMs: 1 } as const;
const replay = (event_id: string, who = actor) => the.webhooks.replay(who, hook, { event_id });
const runsOf = (eventUuid: string) =>
  the.core.rows(
    `SELECT id, run, status, attempts, payload FROM webhook_deliveries
     WHERE webhook_id = $1 AND event_id = $2 ORDER BY run`,
    decodeId('whk', hook),
    eventUuid,
  );
const last = async (eventUuid: string) => String((await runsOf(eventUuid)).at(-1)?.id);
const stateOf = (state: string) => ({ code: 'invalid_state', details: [{ code: 'invalid_state', state }] });
const unknownEvent = { code: 'not_found', details: [{ field: 'event_id', code: 'not_found' }] };

describe('a replay', () => {
  it('schedules an event that the webhook does not subscribe to, due now, with its id and bytes', async () => {
    const event = await the.emit(actor, { data: '{"amount":0.100000000000000001,"text":"Zürich"}' });
    const answer = await replay(event.id);
    expect(webhookReplay.strict().parse(answer)).toEqual({
      event_id: event.id,
      event_type: 'trade.created',
      run: 0,
    });
    const [delivery] = await runsOf(event.uuid);
    expect(delivery).toMatchObject({ run: 0, status: 'DUE', attempts: 0, payload: null });
    const attempt = await the.claimed(await last(event.uuid));
    expect(attempt).toMatchObject({ eventId: event.uuid, attempt: 1 });
    expect(Buffer.from(attempt.payload)).toEqual(event.payload);
    expect(await the.deliveries.record(attempt, FAILED)).toMatchObject({ kind: 'retry', attempt: 2 });
  });

  it('covers events from before the webhook existed, and from while it was inactive', async () => {
    const before = await the.emit(actor);
    hook = await the.createWebhook(actor);
    await the.webhooks.update(actor, hook, { is_active: false });
    const meanwhile = await the.emit(actor, { type: 'reward.granted' });
    await the.webhooks.update(actor, hook, { is_active: true });
    expect(await replay(before.id)).toMatchObject({ run: 0 });
    expect(await replay(meanwhile.id)).toMatchObject({ run: 0, event_type: 'reward.granted' });
  });

  it('of a delivered event is another run of five attempts, with its own dead letter', async () => {
    const event = await the.emit(actor);
    await replay(event.id);
    await the.deliveries.record(await the.claimed(await last(event.uuid)), SUCCEEDED);
    expect(await replay(event.id)).toMatchObject({ run: 1 });
    await the.failAll(await last(event.uuid));
    await the.core.rows('UPDATE webhooks SET consecutive_failures = 0, consecutive_dead_letters = 0');
    expect(await replay(event.id)).toMatchObject({ run: 2 });
    expect((await runsOf(event.uuid)).map(({ run, status }) => [run, status])).toEqual([
      [0, 'SUCCEEDED'],
      [1, 'DEAD'],
      [2, 'DUE'],
    ]);
    const died = encodeId('dlq', String((await runsOf(event.uuid))[1]?.id));
    expect(await the.deadLetters.get(actor, hook, died)).toMatchObject({
      run: 1,
      status: 'PENDING',
      attempts: 5,
    });
  });

  it('notifies the dispatchers as soon as it commits', async () => {
    const { platform } = the.core;
    const event = await the.emit(actor);
    const notified: DeliveryRef[] = [];
    const unsubscribe = new WebhookFanOut(platform).subscribe((refs) => notified.push(...refs));
    await the.core.untilListening();
    await replay(event.id);
    await eventually(() => notified.length > 0);
    unsubscribe();
    expect(notified).toEqual([{ deliveryId: await last(event.uuid), attempt: 1 }]);
  });

  it('during a delivery of the event is rejected with its state, and starts nothing', async () => {
    const event = await the.emit(actor);
    await replay(event.id);
    await expect(replay(event.id)).rejects.toMatchObject(stateOf('DUE'));
    const attempt = await the.claimed(await last(event.uuid));
    await expect(replay(event.id)).rejects.toMatchObject(stateOf('SENDING'));
    await the.deliveries.record(attempt, FAILED);
    await expect(replay(event.id)).rejects.toMatchObject(stateOf('DUE'));
    expect(await runsOf(event.uuid)).toHaveLength(1);
    const other = await the.createWebhook(actor);
    await expect(the.webhooks.replay(actor, other, { event_id: event.id })).resolves.toMatchObject({
      run: 0,
    });
  });

  it('happens once of many concurrent requests', async () => {
    const event = await the.emit(actor);
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => replay(event.id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(stateOf('DUE'));
    expect(await runsOf(event.uuid)).toHaveLength(1);
  });

  it('and a concurrent retry of a dead letter of the event are two runs, or one and a rejection', async () => {
    for (let round = 0; round < 10; round++) {
      const event = await the.emit(actor);
      await replay(event.id);
      const dead = await last(event.uuid);
      await the.failAll(dead);
      await the.core.rows('UPDATE webhooks SET consecutive_failures = 0, consecutive_dead_letters = 0');
      const [again] = await Promise.allSettled([
        replay(event.id),
        the.deadLetters.retry(actor, hook, encodeId('dlq', dead)),
      ]);
      if (again.status === 'rejected') expect(again.reason).toMatchObject(stateOf('DUE'));
      const runs = (await runsOf(event.uuid)).map(({ run, status }) => [run, status]);
      const [first, ...later] = runs;
      expect(first).toEqual([0, 'DEAD']);
      expect(later).toEqual(
        [
          [1, 'DUE'],
          [2, 'DUE'],
        ].slice(0, again.status === 'rejected' ? 1 : 2),
      );
    }
  });

  it('of an event before its fan-out becomes that delivery, not another', async () => {
    hook = await the.createWebhook(actor);
    const [replayedFirst, later] = [await the.emit(actor), await the.emit(actor)];
    expect(await replay(replayedFirst.id)).toMatchObject({ run: 0 });
    const relay = new WebhookFanOut(the.core.platform).start((error) => {
      throw error;
    });
    await eventually(async () => (await runsOf(later.uuid)).length > 0);
    await relay.stop();
    expect((await runsOf(replayedFirst.uuid)).map(({ run }) => run)).toEqual([0]);
  });

  it('concurrent with the fan-out waits for it, and is rejected because the event is in progress', async () => {
    const event = await the.emit(actor);
    let outcome: Promise<unknown> | undefined;
    await inTransaction(the.core.platform.database, async (tx) => {
      await tx.query(
        `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, next_at)
         VALUES ($1, $2, $3, 'trade.created', 'DUE', clock_timestamp())`,
        [newUuid(), decodeId('whk', hook), event.uuid],
      );
      outcome = expect(replay(event.id)).rejects.toMatchObject(stateOf('DUE'));
      await waitForLock();
    });
    await outcome;
    expect(await runsOf(event.uuid)).toHaveLength(1);
  });

  it('rejects an unknown, foreign, malformed, expired or test event, and names the field', async () => {
    const foreign = await the.emit(await the.core.actor());
    const old = await the.emit(actor);
    await the.core.rows(
      "UPDATE outbox_events SET created_at = now() - interval '30 days 1 minute' WHERE id = $1",
      old.uuid,
    );
    const test = newUuid();
    await the.core.rows(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, payload, status, attempts)
       VALUES ($1, $2, $3, 'webhook.test', '{}', 'SUCCEEDED', 1)`,
      newUuid(),
      decodeId('whk', hook),
      test,
    );
    for (const id of [
      foreign.id,
      old.id,
      encodeId('evt', test),
      encodeId('evt', newUuid()),
      'evt_1',
      '',
      hook,
    ])
      await expect(replay(id)).rejects.toMatchObject(unknownEvent);
    expect(await runsOf(foreign.uuid)).toEqual([]);
  });

  it("needs ADMIN, and does not find another user's, a deleted or a malformed webhook", async () => {
    const event = await the.emit(actor);
    const trader: Actor = { ...actor, credential: { ...actor.credential, permissions: ['TRADE'] } };
    await expect(replay(event.id, trader)).rejects.toMatchObject({ code: 'permission_denied' });
    const other = await the.core.actor();
    const theirs = await the.emit(other);
    await expect(replay(theirs.id, other)).rejects.toMatchObject({ code: 'not_found', details: [] });
    const deleted = await the.createWebhook(actor);
    await the.webhooks.delete(actor, deleted);
    for (const unknownId of [deleted, 'whk_nonsense', event.id]) {
      await expect(the.webhooks.replay(actor, unknownId, { event_id: event.id })).rejects.toMatchObject({
        code: 'not_found',
        details: [],
      });
    }
  });

  it('to an inactive webhook is rejected, even during its deactivation', async () => {
    for (let round = 0; round < 10; round++) {
      const event = await the.emit(actor);
      const [replayed] = await Promise.allSettled([
        replay(event.id),
        the.webhooks.update(actor, hook, { is_active: false }),
      ]);
      const statuses = (await runsOf(event.uuid)).map(({ status }) => status);
      if (replayed.status === 'rejected') expect(replayed.reason).toMatchObject(stateOf('INACTIVE'));
      expect(statuses).toEqual(replayed.status === 'rejected' ? [] : ['DEAD']);
      await expect(replay(event.id)).rejects.toMatchObject(stateOf('INACTIVE'));
      await the.webhooks.update(actor, hook, { is_active: true });
    }
  });

  it('with a repeated Idempotency-Key starts nothing more', async () => {
    const event = await the.emit(actor);
    const again = { ...actor, idempotency: the.core.idempotencyContext(actor.userId, 'replay') };
    await replay(event.id, again);
    await the.deliveries.record(await the.claimed(await last(event.uuid)), SUCCEEDED);
    await expect(replay(event.id, again)).rejects.toBeInstanceOf(ResponseReplayed);
    expect(await runsOf(event.uuid)).toHaveLength(1);
  });
});

/** Resolves once a statement waits for a row or an index entry of another. */
async function waitForLock(): Promise<void> {
  const waiting =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await eventually(async () => (await the.core.rows(waiting)).length > 0);
}
