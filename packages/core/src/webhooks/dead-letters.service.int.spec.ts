/** Tests of single dead letters. F21 is the fault in docs/reliability.md that the tests with this prefix reproduce. */
import {
  compileSerializer,
  deadLetterDetail,
  deadLetterOperations,
  deadLetter as deadLetterSchema,
  encodeId,
  webhookOperations,
} from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';

import { type Actor, querySchemaOf, ResponseReplayed } from '../operations/index.js';
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
  hook = await env.createWebhook(actor);
});

type Query = Parameters<WebhooksUnderTest['deadLetters']['list']>[2];
const queryOf = (text = '') =>
  querySchemaOf(deadLetterOperations.list).parse(Object.fromEntries(new URLSearchParams(text))) as Query;
const createDeadLetter = (event?: Parameters<WebhooksUnderTest['createDeadLetter']>[2]) =>
  env.createDeadLetter(actor, hook, event);
const runsOf = (uuid: string) =>
  env.core.rows(
    `SELECT d.id, d.run, d.status, d.attempts FROM webhook_deliveries d
     JOIN webhook_deliveries first ON first.webhook_id = d.webhook_id AND first.event_id = d.event_id
     WHERE first.id = $1 ORDER BY d.run`,
    uuid,
  );
const invalidStateError = (state: string) => ({
  code: 'invalid_state',
  details: [{ code: 'invalid_state', state }],
});
/** Returns the sorted outcomes of concurrent calls: `ok` for a success, or the state in the error. */
async function outcomesOf(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(calls);
  return settled
    .map((result) => (result.status === 'fulfilled' ? 'ok' : result.reason.details[0].state))
    .sort();
}

describe('a dead letter', () => {
  it('shows how its delivery ended, and contains every digit of the event', async () => {
    const data = '{"amount":0.100000000000000001,"price":12345678901234567890.5,"text":"Zürich"}';
    const { id, uuid } = await createDeadLetter({ data });
    const read = await env.deadLetters.get(actor, hook, id);
    const { payload, ...entry } = read;
    expect(deadLetterSchema.strict().parse(entry)).toEqual(entry);
    expect(entry).toMatchObject({
      id,
      event_type: 'trade.created',
      run: 0,
      status: 'PENDING',
      attempts: 5,
      last_status_code: 503,
      last_error: 'http_status',
    });
    expect(entry).not.toHaveProperty('resolved_at');
    const written = compileSerializer(deadLetterDetail)(read);
    expect(written).toContain(`"data":${data}}`);
    expect(JSON.parse(written).payload.event_id).toBe(entry.event_id);
    const { payload: bytes } = await env.core.row(
      'SELECT e.payload FROM outbox_events e JOIN webhook_deliveries d ON d.event_id = e.id WHERE d.id = $1',
      uuid,
    );
    expect(payload.text).toBe(String(bytes));
  });

  it('is listed without its payload, by status and type, page by page', async () => {
    const created = [await createDeadLetter(), await createDeadLetter(), await createDeadLetter()];
    const filled = await createDeadLetter({ type: 'trade.filled' });
    await env.deadLetters.discard(actor, hook, created[1]!.id);
    const list = async (text = '') => {
      const { items } = await env.deadLetters.list(actor, hook, queryOf(text));
      for (const item of items) expect(deadLetterSchema.strict().parse(item)).toEqual(item);
      return items.map(({ id }) => id);
    };
    expect(await list()).toEqual([filled, ...[...created].reverse()].map(({ id }) => id));
    expect(await list('status=DISCARDED')).toEqual([created[1]!.id]);
    expect(await list('status=PENDING&event_type=trade.created&order=asc')).toEqual([
      created[0]!.id,
      created[2]!.id,
    ]);
    expect(await list('event_type=trade.filled')).toEqual([filled.id]);
    expect(await list('event_type=trade.closed')).toEqual([]);
    const { created_at } = await env.deadLetters.get(actor, hook, created[2]!.id);
    const [from, to] = [created_at, new Date(Date.parse(created_at) + 1).toISOString()];
    expect(await list(`from=${from}&order=asc`)).toEqual([created[2]!.id, filled.id]);
    expect(await list(`to=${to}&order=asc`)).toEqual(created.map(({ id }) => id));
    expect(await list(`from=${from}&to=${to}`)).toEqual([created[2]!.id]);
    expect(() => queryOf(`from=${to}&to=${from}`)).toThrow('to must be later than from.');
    expect((await list('sort=updated_at'))[0]).toBe(created[1]!.id);
    const first = await env.deadLetters.list(actor, hook, queryOf('limit=3&include=total'));
    expect(first.pagination).toMatchObject({ has_more: true, total: 4 });
    const cursor = String(first.pagination.next_cursor);
    expect(await list(`limit=3&include=total&cursor=${cursor}`)).toEqual([created[0]!.id]);
    const other = await env.createWebhook(actor);
    await expect(
      env.deadLetters.list(actor, other, queryOf(`limit=3&include=total&cursor=${cursor}`)),
    ).rejects.toMatchObject({ code: 'invalid_query' });
  });

  it.each(['', 'status=PENDING', 'event_type=trade.created'])(
    'is listed by a scan of an index range, without a sort, with the filter "%s"',
    async (filter) => {
      for (const sort of ['created_at', 'updated_at']) {
        const [field, value] = filter.split('=');
        const plan = await env.core.platform.database.transaction(async (tx) => {
          await tx.query('SET LOCAL enable_seqscan = off');
          await tx.query('SET LOCAL enable_sort = off');
          return tx.query(
            `EXPLAIN SELECT id FROM webhook_dead_letters
             WHERE webhook_id = '${newUuid()}' ${field === '' ? '' : `AND ${field} = '${value}'`}
               AND (${sort}, id) < (now(), '${newUuid()}') ORDER BY ${sort} DESC, id DESC LIMIT 20`,
          );
        });
        const text = JSON.stringify(plan);
        expect(text).toMatch(/Index (Only )?Scan Backward/);
        expect(text).not.toMatch(/Sort|Filter:/);
      }
    },
  );

  it('is counted by status', async () => {
    const stats = () => env.deadLetters.stats(actor, hook);
    expect(await stats()).toEqual({ pending: 0, retried: 0, discarded: 0 });
    const [first, second] = [await createDeadLetter(), await createDeadLetter(), await createDeadLetter()];
    await env.deadLetters.retry(actor, hook, first!.id);
    await env.deadLetters.discard(actor, hook, second!.id);
    expect(await stats()).toEqual({ pending: 1, retried: 1, discarded: 1 });
  });
});

describe('a retry', () => {
  it('schedules the same event and bytes again, due immediately, for a run of five attempts', async () => {
    const { id, uuid } = await createDeadLetter({ data: '{"amount":0.10}' });
    const before = await env.core.row(
      'SELECT d.event_id, e.payload FROM webhook_deliveries d JOIN outbox_events e ON e.id = d.event_id WHERE d.id = $1',
      uuid,
    );
    const retried = await env.deadLetters.retry(actor, hook, id);
    expect(retried).toMatchObject({ id, status: 'RETRIED', run: 0, attempts: 5 });
    expect(retried.resolved_at).toBeDefined();
    const [, next] = await runsOf(uuid);
    expect(next).toMatchObject({ run: 1, status: 'DUE', attempts: 0 });
    const deliveryId = String(next?.id);
    const overdue = await env.deliveries.overdue({ graceMs: -60_000, limit: 1_000 });
    expect(overdue).toContainEqual(expect.objectContaining({ deliveryId, attempt: 1, lane: 'main' }));
    const attempt = await env.claimAttempt(deliveryId);
    expect(attempt.eventId).toBe(before.event_id);
    expect(Buffer.from(attempt.payload)).toEqual(before.payload);
    const failure = { error: 'timeout', responseTimeMs: 1 } as const;
    expect(await env.deliveries.record(attempt, failure)).toMatchObject({ kind: 'retry', attempt: 2 });
    const defaultQuery = querySchemaOf(webhookOperations.deliveries).parse({}) as Query;
    const { items } = await env.webhooks.deliveries(actor, hook, { ...defaultQuery, status: 'FAILED' });
    expect(items[0]).toMatchObject({ event_id: retried.event_id, run: 1, attempt: 1, status: 'FAILED' });
  });

  it('notifies the dispatchers as soon as it commits', async () => {
    const { id, uuid } = await createDeadLetter();
    const { platform } = env.core;
    const notified: DeliveryRef[] = [];
    const unsubscribe = new WebhookFanOut(platform).subscribe((refs) => notified.push(...refs));
    await env.core.untilListening();
    await env.deadLetters.retry(actor, hook, id);
    const [, next] = await runsOf(uuid);
    await eventually(() => notified.length > 0);
    expect(notified).toEqual([{ deliveryId: next?.id, attempt: 1 }]);
    unsubscribe();
  });

  it('F21: that fails again creates another dead letter, which can be retried too', async () => {
    const { id, uuid } = await createDeadLetter();
    await env.deadLetters.retry(actor, hook, id);
    const [, second] = await runsOf(uuid);
    await env.failAllAttempts(String(second?.id));
    const { items } = await env.deadLetters.list(actor, hook, queryOf());
    expect(items).toMatchObject([
      { id: encodeId('dlq', String(second?.id)), status: 'PENDING', run: 1, attempts: 5 },
      { id, status: 'RETRIED', run: 0 },
    ]);
    expect(items[0]?.event_id).toBe(items[1]?.event_id);
    await env.deadLetters.retry(actor, hook, items[0]!.id);
    expect((await runsOf(uuid)).map(({ run, status }) => [run, status])).toEqual([
      [0, 'DEAD'],
      [1, 'DEAD'],
      [2, 'DUE'],
    ]);
  });

  it('F21: succeeds for one of ten concurrent requests; the others get an error with the state RETRIED', async () => {
    const { id, uuid } = await createDeadLetter();
    const calls = Array.from({ length: 10 }, () => env.deadLetters.retry(actor, hook, id));
    expect(await outcomesOf(calls)).toEqual([...Array(9).fill('RETRIED'), 'ok']);
    await expect(env.deadLetters.retry(actor, hook, id)).rejects.toMatchObject(invalidStateError('RETRIED'));
    expect(await runsOf(uuid)).toHaveLength(2);
  });

  it('F21: that is concurrent with a discard and another retry of the same dead letter: only one of the three succeeds', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, uuid } = await createDeadLetter();
      const outcomes = await outcomesOf([
        env.deadLetters.retry(actor, hook, id),
        env.deadLetters.discard(actor, hook, id),
        env.deadLetters.retry(actor, hook, id),
      ]);
      const { status } = await env.deadLetters.get(actor, hook, id);
      expect(outcomes).toEqual([status, status, 'ok']);
      expect(await runsOf(uuid)).toHaveLength(status === 'RETRIED' ? 2 : 1);
    }
  });

  it('F21: schedules each event once if many dead letters of one webhook are retried concurrently', async () => {
    const deliveryIds = await Promise.all(
      Array.from({ length: 15 }, () => env.createDueDelivery(actor, hook)),
    );
    // The deactivation makes the deliveries dead letters, which keep the ids.
    await env.webhooks.update(actor, hook, { is_active: false });
    await env.webhooks.update(actor, hook, { is_active: true });
    await Promise.all(deliveryIds.map((uuid) => env.deadLetters.retry(actor, hook, encodeId('dlq', uuid))));
    for (const uuid of deliveryIds) {
      expect((await runsOf(uuid)).map(({ run, status }) => [run, status])).toEqual([
        [0, 'DEAD'],
        [1, 'DUE'],
      ]);
    }
  });

  it('is rejected if the webhook is inactive; the dead letter stays pending and can be retried after activation', async () => {
    const { id, uuid } = await createDeadLetter();
    await env.webhooks.update(actor, hook, { is_active: false });
    await expect(env.deadLetters.retry(actor, hook, id)).rejects.toMatchObject(invalidStateError('INACTIVE'));
    expect(await env.deadLetters.get(actor, hook, id)).toMatchObject({ status: 'PENDING' });
    expect(await runsOf(uuid)).toHaveLength(1);
    await env.webhooks.update(actor, hook, { is_active: true });
    await expect(env.deadLetters.retry(actor, hook, id)).resolves.toMatchObject({ status: 'RETRIED' });
  });

  it('that is concurrent with a deactivation is rejected, or its delivery becomes a dead letter again', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, uuid } = await createDeadLetter();
      const [outcome] = await Promise.all([
        outcomesOf([env.deadLetters.retry(actor, hook, id)]),
        env.webhooks.update(actor, hook, { is_active: false }),
      ]);
      const runs = (await runsOf(uuid)).map(({ status }) => status);
      expect([outcome, runs]).toEqual(
        outcome[0] === 'ok' ? [['ok'], ['DEAD', 'DEAD']] : [['INACTIVE'], ['DEAD']],
      );
      await env.webhooks.update(actor, hook, { is_active: true });
    }
  });

  it('schedules no further run if its Idempotency-Key was already used', async () => {
    const { id, uuid } = await createDeadLetter();
    const idempotentActor = { ...actor, idempotency: env.core.idempotencyContext(actor.userId, 'retry') };
    await env.deadLetters.retry(idempotentActor, hook, id);
    await expect(env.deadLetters.retry(idempotentActor, hook, id)).rejects.toBeInstanceOf(ResponseReplayed);
    expect(await runsOf(uuid)).toHaveLength(2);
  });
});

describe('a discard', () => {
  it('resolves the dead letter permanently; it stays readable with its payload', async () => {
    const { id, uuid } = await createDeadLetter();
    expect(await env.deadLetters.discard(actor, hook, id)).toEqual({ id, deleted: true });
    const read = await env.deadLetters.get(actor, hook, id);
    expect(read).toMatchObject({ status: 'DISCARDED', resolved_at: expect.any(String) });
    expect(read.payload.text).toContain('"event_id"');
    for (const request of [
      env.deadLetters.retry(actor, hook, id),
      env.deadLetters.discard(actor, hook, id),
    ]) {
      await expect(request).rejects.toMatchObject(invalidStateError('DISCARDED'));
    }
    expect(await runsOf(uuid)).toHaveLength(1);
  });

  it('of a retried dead letter is rejected', async () => {
    const { id } = await createDeadLetter();
    await env.deadLetters.retry(actor, hook, id);
    await expect(env.deadLetters.discard(actor, hook, id)).rejects.toMatchObject(
      invalidStateError('RETRIED'),
    );
  });

  it('is possible while the webhook is inactive', async () => {
    const { id } = await createDeadLetter();
    await env.webhooks.update(actor, hook, { is_active: false });
    await expect(env.deadLetters.discard(actor, hook, id)).resolves.toEqual({ id, deleted: true });
  });
});

describe('dead letters', () => {
  it('are not found by another user, under another or a deleted webhook, or by an unknown or malformed id', async () => {
    const { id, uuid } = await createDeadLetter();
    const other = await env.core.actor();
    const otherUsersWebhook = await env.createWebhook(other);
    const otherWebhook = await env.createWebhook(actor);
    const deleted = await env.createWebhook(actor);
    const deadLetterOfDeleted = await env.createDeadLetter(actor, deleted);
    await env.webhooks.delete(actor, deleted);
    const requests: [Actor, string, string][] = [
      [other, hook, id],
      [other, otherUsersWebhook, id],
      [actor, otherWebhook, id],
      [actor, deleted, deadLetterOfDeleted.id],
      [actor, hook, encodeId('dlq', newUuid())],
      [actor, hook, encodeId('dlv', uuid)],
      [actor, hook, 'stats'],
      [actor, 'whk_nonsense', id],
    ];
    for (const args of requests) {
      for (const request of [
        env.deadLetters.get(...args),
        env.deadLetters.retry(...args),
        env.deadLetters.discard(...args),
      ]) {
        await expect(request).rejects.toMatchObject({ code: 'not_found', details: [] });
      }
    }
    for (const [caller, webhookId] of [
      [other, hook],
      [actor, deleted],
      [actor, 'whk_nonsense'],
    ] as const) {
      await expect(env.deadLetters.list(caller, webhookId, queryOf())).rejects.toMatchObject({
        code: 'not_found',
      });
      await expect(env.deadLetters.stats(caller, webhookId)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect((await env.deadLetters.list(other, otherUsersWebhook, queryOf())).items).toEqual([]);
    expect(await env.deadLetters.get(actor, hook, id)).toMatchObject({ status: 'PENDING' });
  });

  it('require ADMIN to be resolved, and READ to be read', async () => {
    const { id } = await createDeadLetter();
    const reader: Actor = { ...actor, credential: { ...actor.credential, permissions: ['READ'] } };
    await expect(env.deadLetters.get(reader, hook, id)).resolves.toMatchObject({ id });
    await expect(env.deadLetters.stats(reader, hook)).resolves.toMatchObject({ pending: 1 });
    expect((await env.deadLetters.list(reader, hook, queryOf())).items).toHaveLength(1);
    for (const request of [
      env.deadLetters.retry(reader, hook, id),
      env.deadLetters.discard(reader, hook, id),
    ]) {
      await expect(request).rejects.toMatchObject({ code: 'permission_denied' });
    }
  });
});
