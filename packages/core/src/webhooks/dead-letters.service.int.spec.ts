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

let the: WebhooksUnderTest;
let actor: Actor;
let hook: string;
beforeAll(async () => {
  the = await WebhooksUnderTest.open();
});
afterAll(() => the.close());
beforeEach(async () => {
  actor = await the.core.actor();
  hook = await the.createWebhook(actor);
});

type Query = Parameters<WebhooksUnderTest['deadLetters']['list']>[2];
const asking = (text = '') =>
  querySchemaOf(deadLetterOperations.list).parse(Object.fromEntries(new URLSearchParams(text))) as Query;
const die = (event?: Parameters<WebhooksUnderTest['createDeadLetter']>[2]) =>
  the.createDeadLetter(actor, hook, event);
const runsOf = (uuid: string) =>
  the.core.rows(
    `SELECT d.id, d.run, d.status, d.attempts FROM webhook_deliveries d
     JOIN webhook_deliveries first ON first.webhook_id = d.webhook_id AND first.event_id = d.event_id
     WHERE first.id = $1 ORDER BY d.run`,
    uuid,
  );
const stateOf = (state: string) => ({ code: 'invalid_state', details: [{ code: 'invalid_state', state }] });
/** The outcomes: `ok`, or the state in the error. */
async function outcomesOf(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((each) => (each.status === 'fulfilled' ? 'ok' : each.reason.details[0].state)).sort();
}

describe('a dead letter', () => {
  it('shows how its delivery ended, and contains every digit of the event', async () => {
    const data = '{"amount":0.100000000000000001,"price":12345678901234567890.5,"text":"Zürich"}';
    const { id, uuid } = await die({ data });
    const read = await the.deadLetters.get(actor, hook, id);
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
    const { payload: bytes } = await the.core.row(
      'SELECT e.payload FROM outbox_events e JOIN webhook_deliveries d ON d.event_id = e.id WHERE d.id = $1',
      uuid,
    );
    expect(payload.text).toBe(String(bytes));
  });

  it('is listed without its payload, by status and type, page by page', async () => {
    const created = [await die(), await die(), await die()];
    const filled = await die({ type: 'trade.filled' });
    await the.deadLetters.discard(actor, hook, created[1]!.id);
    const list = async (text = '') => {
      const { items } = await the.deadLetters.list(actor, hook, asking(text));
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
    const { created_at } = await the.deadLetters.get(actor, hook, created[2]!.id);
    const [from, to] = [created_at, new Date(Date.parse(created_at) + 1).toISOString()];
    expect(await list(`from=${from}&order=asc`)).toEqual([created[2]!.id, filled.id]);
    expect(await list(`to=${to}&order=asc`)).toEqual(created.map(({ id }) => id));
    expect(await list(`from=${from}&to=${to}`)).toEqual([created[2]!.id]);
    expect(() => asking(`from=${to}&to=${from}`)).toThrow('to must be later than from.');
    expect((await list('sort=updated_at'))[0]).toBe(created[1]!.id);
    const first = await the.deadLetters.list(actor, hook, asking('limit=3&include=total'));
    expect(first.pagination).toMatchObject({ has_more: true, total: 4 });
    const cursor = String(first.pagination.next_cursor);
    expect(await list(`limit=3&include=total&cursor=${cursor}`)).toEqual([created[0]!.id]);
    const other = await the.createWebhook(actor);
    await expect(
      the.deadLetters.list(actor, other, asking(`limit=3&include=total&cursor=${cursor}`)),
    ).rejects.toMatchObject({ code: 'invalid_query' });
  });

  it.each(['', 'status=PENDING', 'event_type=trade.created'])(
    'is found by a range of an index on its page, whatever the page (%s)',
    async (filter) => {
      for (const sort of ['created_at', 'updated_at']) {
        const [field, value] = filter.split('=');
        const plan = await the.core.platform.database.transaction(async (tx) => {
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

  it('is counted by its status', async () => {
    const stats = () => the.deadLetters.stats(actor, hook);
    expect(await stats()).toEqual({ pending: 0, retried: 0, discarded: 0 });
    const [first, second] = [await die(), await die(), await die()];
    await the.deadLetters.retry(actor, hook, first!.id);
    await the.deadLetters.discard(actor, hook, second!.id);
    expect(await stats()).toEqual({ pending: 1, retried: 1, discarded: 1 });
  });
});

describe('a retry', () => {
  it('schedules the same event and bytes again, due immediately, for a run of five attempts', async () => {
    const { id, uuid } = await die({ data: '{"amount":0.10}' });
    const before = await the.core.row(
      'SELECT d.event_id, e.payload FROM webhook_deliveries d JOIN outbox_events e ON e.id = d.event_id WHERE d.id = $1',
      uuid,
    );
    const retried = await the.deadLetters.retry(actor, hook, id);
    expect(retried).toMatchObject({ id, status: 'RETRIED', run: 0, attempts: 5 });
    expect(retried.resolved_at).toBeDefined();
    const [, next] = await runsOf(uuid);
    expect(next).toMatchObject({ run: 1, status: 'DUE', attempts: 0 });
    const deliveryId = String(next?.id);
    const overdue = await the.deliveries.overdue({ graceMs: -60_000, limit: 1_000 });
    expect(overdue).toContainEqual(expect.objectContaining({ deliveryId, attempt: 1, lane: 'main' }));
    const attempt = await the.claimed(deliveryId);
    expect(attempt.eventId).toBe(before.event_id);
    expect(Buffer.from(attempt.payload)).toEqual(before.payload);
    const failure = { error: 'timeout', responseTimeMs: 1 } as const;
    expect(await the.deliveries.record(attempt, failure)).toMatchObject({ kind: 'retry', attempt: 2 });
    const asked = querySchemaOf(webhookOperations.deliveries).parse({}) as Query;
    const { items } = await the.webhooks.deliveries(actor, hook, { ...asked, status: 'FAILED' });
    expect(items[0]).toMatchObject({ event_id: retried.event_id, run: 1, attempt: 1, status: 'FAILED' });
  });

  it('notifies the dispatchers as soon as it commits', async () => {
    const { id, uuid } = await die();
    const { platform } = the.core;
    const notified: DeliveryRef[] = [];
    const unsubscribe = new WebhookFanOut(platform).subscribe((refs) => notified.push(...refs));
    await the.core.untilListening();
    await the.deadLetters.retry(actor, hook, id);
    const [, next] = await runsOf(uuid);
    await eventually(() => notified.length > 0);
    expect(notified).toEqual([{ deliveryId: next?.id, attempt: 1 }]);
    unsubscribe();
  });

  it('F21: that fails again is another dead letter, which another retry sends again', async () => {
    const { id, uuid } = await die();
    await the.deadLetters.retry(actor, hook, id);
    const [, second] = await runsOf(uuid);
    await the.failAll(String(second?.id));
    const { items } = await the.deadLetters.list(actor, hook, asking());
    expect(items).toMatchObject([
      { id: encodeId('dlq', String(second?.id)), status: 'PENDING', run: 1, attempts: 5 },
      { id, status: 'RETRIED', run: 0 },
    ]);
    expect(items[0]?.event_id).toBe(items[1]?.event_id);
    await the.deadLetters.retry(actor, hook, items[0]!.id);
    expect((await runsOf(uuid)).map(({ run, status }) => [run, status])).toEqual([
      [0, 'DEAD'],
      [1, 'DEAD'],
      [2, 'DUE'],
    ]);
  });

  it('F21: happens once, serially and concurrently; the others get the state', async () => {
    const { id, uuid } = await die();
    const calls = Array.from({ length: 10 }, () => the.deadLetters.retry(actor, hook, id));
    expect(await outcomesOf(calls)).toEqual([...Array(9).fill('RETRIED'), 'ok']);
    await expect(the.deadLetters.retry(actor, hook, id)).rejects.toMatchObject(stateOf('RETRIED'));
    expect(await runsOf(uuid)).toHaveLength(2);
  });

  it('F21: and a concurrent discard have one effect between them', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, uuid } = await die();
      const outcomes = await outcomesOf([
        the.deadLetters.retry(actor, hook, id),
        the.deadLetters.discard(actor, hook, id),
        the.deadLetters.retry(actor, hook, id),
      ]);
      const { status } = await the.deadLetters.get(actor, hook, id);
      expect(outcomes).toEqual([status, status, 'ok']);
      expect(await runsOf(uuid)).toHaveLength(status === 'RETRIED' ? 2 : 1);
    }
  });

  it('F21: of many dead letters of one webhook concurrently schedules each once', async () => {
    const dead = await Promise.all(Array.from({ length: 15 }, () => the.createDueDelivery(actor, hook)));
    await the.webhooks.update(actor, hook, { is_active: false });
    await the.webhooks.update(actor, hook, { is_active: true });
    await Promise.all(dead.map((uuid) => the.deadLetters.retry(actor, hook, encodeId('dlq', uuid))));
    for (const uuid of dead) {
      expect((await runsOf(uuid)).map(({ run, status }) => [run, status])).toEqual([
        [0, 'DEAD'],
        [1, 'DUE'],
      ]);
    }
  });

  it('to an inactive webhook is rejected and leaves the entry pending until the webhook is activated', async () => {
    const { id, uuid } = await die();
    await the.webhooks.update(actor, hook, { is_active: false });
    await expect(the.deadLetters.retry(actor, hook, id)).rejects.toMatchObject(stateOf('INACTIVE'));
    expect(await the.deadLetters.get(actor, hook, id)).toMatchObject({ status: 'PENDING' });
    expect(await runsOf(uuid)).toHaveLength(1);
    await the.webhooks.update(actor, hook, { is_active: true });
    await expect(the.deadLetters.retry(actor, hook, id)).resolves.toMatchObject({ status: 'RETRIED' });
  });

  it('during a deactivation is rejected, or becomes a dead letter again: nothing stays due', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, uuid } = await die();
      const [outcome] = await Promise.all([
        outcomesOf([the.deadLetters.retry(actor, hook, id)]),
        the.webhooks.update(actor, hook, { is_active: false }),
      ]);
      const runs = (await runsOf(uuid)).map(({ status }) => status);
      expect([outcome, runs]).toEqual(
        outcome[0] === 'ok' ? [['ok'], ['DEAD', 'DEAD']] : [['INACTIVE'], ['DEAD']],
      );
      await the.webhooks.update(actor, hook, { is_active: true });
    }
  });

  it('with a repeated Idempotency-Key schedules nothing more', async () => {
    const { id, uuid } = await die();
    const again = { ...actor, idempotency: the.core.idempotencyContext(actor.userId, 'retry') };
    await the.deadLetters.retry(again, hook, id);
    await expect(the.deadLetters.retry(again, hook, id)).rejects.toBeInstanceOf(ResponseReplayed);
    expect(await runsOf(uuid)).toHaveLength(2);
  });
});

describe('a discard', () => {
  it('ends the entry permanently; it stays readable with its payload', async () => {
    const { id, uuid } = await die();
    expect(await the.deadLetters.discard(actor, hook, id)).toEqual({ id, deleted: true });
    const read = await the.deadLetters.get(actor, hook, id);
    expect(read).toMatchObject({ status: 'DISCARDED', resolved_at: expect.any(String) });
    expect(read.payload.text).toContain('"event_id"');
    for (const refused of [
      the.deadLetters.retry(actor, hook, id),
      the.deadLetters.discard(actor, hook, id),
    ]) {
      await expect(refused).rejects.toMatchObject(stateOf('DISCARDED'));
    }
    expect(await runsOf(uuid)).toHaveLength(1);
  });

  it('of a retried entry is rejected', async () => {
    const { id } = await die();
    await the.deadLetters.retry(actor, hook, id);
    await expect(the.deadLetters.discard(actor, hook, id)).rejects.toMatchObject(stateOf('RETRIED'));
  });

  it('is possible while the webhook is inactive', async () => {
    const { id } = await die();
    await the.webhooks.update(actor, hook, { is_active: false });
    await expect(the.deadLetters.discard(actor, hook, id)).resolves.toEqual({ id, deleted: true });
  });
});

describe("another user's dead letters", () => {
  it('are not found, under any webhook, like unknown or malformed ids and those of a deleted webhook', async () => {
    const { id, uuid } = await die();
    const other = await the.core.actor();
    const theirs = await the.createWebhook(other);
    const second = await the.createWebhook(actor);
    const deleted = await the.createWebhook(actor);
    const goneEntry = await the.createDeadLetter(actor, deleted);
    await the.webhooks.delete(actor, deleted);
    const asked: [Actor, string, string][] = [
      [other, hook, id],
      [other, theirs, id],
      [actor, second, id],
      [actor, deleted, goneEntry.id],
      [actor, hook, encodeId('dlq', newUuid())],
      [actor, hook, encodeId('dlv', uuid)],
      [actor, hook, 'stats'],
      [actor, 'whk_nonsense', id],
    ];
    for (const args of asked) {
      for (const refused of [
        the.deadLetters.get(...args),
        the.deadLetters.retry(...args),
        the.deadLetters.discard(...args),
      ]) {
        await expect(refused).rejects.toMatchObject({ code: 'not_found', details: [] });
      }
    }
    for (const [who, which] of [
      [other, hook],
      [actor, deleted],
      [actor, 'whk_nonsense'],
    ] as const) {
      await expect(the.deadLetters.list(who, which, asking())).rejects.toMatchObject({ code: 'not_found' });
      await expect(the.deadLetters.stats(who, which)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect((await the.deadLetters.list(other, theirs, asking())).items).toEqual([]);
    expect(await the.deadLetters.get(actor, hook, id)).toMatchObject({ status: 'PENDING' });
  });

  it('need ADMIN to be resolved, and READ to be read', async () => {
    const { id } = await die();
    const reader: Actor = { ...actor, credential: { ...actor.credential, permissions: ['READ'] } };
    await expect(the.deadLetters.get(reader, hook, id)).resolves.toMatchObject({ id });
    await expect(the.deadLetters.stats(reader, hook)).resolves.toMatchObject({ pending: 1 });
    expect((await the.deadLetters.list(reader, hook, asking())).items).toHaveLength(1);
    for (const refused of [
      the.deadLetters.retry(reader, hook, id),
      the.deadLetters.discard(reader, hook, id),
    ]) {
      await expect(refused).rejects.toMatchObject({ code: 'permission_denied' });
    }
  });
});
