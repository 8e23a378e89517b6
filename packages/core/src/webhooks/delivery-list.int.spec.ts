import { delivery as deliverySchema, encodeId, webhookOperations } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';

import { type Actor, querySchemaOf } from '../operations/index.js';
import { WebhooksUnderTest } from './testing/webhooks-under-test.js';

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

type Query = Parameters<WebhooksUnderTest['webhooks']['deliveries']>[2];
const queryOf = (text: string) =>
  querySchemaOf(webhookOperations.deliveries).parse(Object.fromEntries(new URLSearchParams(text))) as Query;

async function list(text = '', webhookId = hook) {
  const { items } = await env.webhooks.deliveries(actor, webhookId, queryOf(`order=asc&${text}`));
  for (const item of items) expect(deliverySchema.strict().parse(item)).toEqual(item);
  return items;
}
const summaryOf = (items: Awaited<ReturnType<typeof list>>) =>
  items.map(({ event_id, run, attempt, status }) => [event_id, run, attempt, status]);

/** Delivers an event whose first attempt fails and whose second attempt succeeds; returns the event's id. */
async function deliver(type: 'trade.created' | 'trade.filled'): Promise<string> {
  const id = await env.createDueDelivery(actor, hook, { type });
  await env.deliveries.record(await env.claimAttempt(id), { error: 'timeout', responseTimeMs: 1 });
  await env.core.rows('UPDATE webhook_deliveries SET next_at = clock_timestamp() WHERE id = $1', id);
  await env.deliveries.record(await env.claimAttempt(id, 2), { statusCode: 200, responseTimeMs: 1 });
  const { event_id } = await env.core.row('SELECT event_id FROM webhook_deliveries WHERE id = $1', id);
  return encodeId('evt', String(event_id));
}

describe("a webhook's deliveries", () => {
  it('can be filtered by status, type, event and time, and by all of these together', async () => {
    const [created, filled] = [await deliver('trade.created'), await deliver('trade.filled')];
    const all = [
      [created, 0, 1, 'FAILED'],
      [created, 0, 2, 'SUCCEEDED'],
      [filled, 0, 1, 'FAILED'],
      [filled, 0, 2, 'SUCCEEDED'],
    ];
    expect(summaryOf(await list())).toEqual(all);
    expect(summaryOf(await list('status=FAILED'))).toEqual([all[0], all[2]]);
    expect(summaryOf(await list('status=SUCCEEDED'))).toEqual([all[1], all[3]]);
    expect(summaryOf(await list('event_type=trade.filled'))).toEqual(all.slice(2));
    expect(summaryOf(await list('event_type=trade.closed'))).toEqual([]);
    expect(summaryOf(await list(`event_id=${created}`))).toEqual(all.slice(0, 2));
    const [, , firstOfFilled] = await list();
    const from = `from=${firstOfFilled!.created_at}`;
    expect(summaryOf(await list(from))).toEqual(all.slice(2));
    expect(summaryOf(await list(`to=${firstOfFilled!.created_at}`))).toEqual(all.slice(0, 2));
    expect(
      summaryOf(await list(`status=SUCCEEDED&event_type=trade.filled&event_id=${filled}&${from}`)),
    ).toEqual([all[3]]);
    expect(summaryOf(await list(`status=FAILED&event_id=${created}&${from}`))).toEqual([]);
  });

  it('say why an attempt failed: its class, its reason and how to fix it', async () => {
    const id = await env.createDueDelivery(actor, hook);
    await env.deliveries.record(await env.claimAttempt(id), {
      error: 'tls_error',
      reason: 'certificate_self_signed',
      responseTimeMs: 1,
    });
    const [failed] = await list();
    expect(failed).toMatchObject({
      status: 'FAILED',
      error: 'tls_error',
      error_reason: 'certificate_self_signed',
      error_message: expect.stringContaining('self-signed certificate'),
    });
  });

  it('store the class beside the reason, because the release before knows only classes', async () => {
    const failure = { error: 'tls_error', reason: 'certificate_self_signed', responseTimeMs: 1 } as const;
    const id = await env.createDueDelivery(actor, hook);
    for (let attempt = 1; attempt <= 5; attempt++) {
      await env.deliveries.record(await env.claimAttempt(id, attempt), failure);
      await env.core.rows(
        "UPDATE webhook_deliveries SET next_at = clock_timestamp() WHERE id = $1 AND status = 'DUE'",
        id,
      );
    }
    expect(
      await env.core.rows(
        'SELECT DISTINCT error, error_reason FROM webhook_attempts WHERE delivery_id = $1',
        id,
      ),
    ).toEqual([{ error: 'tls_error', error_reason: 'certificate_self_signed' }]);
    expect(
      await env.core.row('SELECT last_error, last_error_reason FROM webhook_dead_letters WHERE id = $1', id),
    ).toEqual({ last_error: 'tls_error', last_error_reason: 'certificate_self_signed' });
  });

  it('that an earlier release stored have the class as their reason, as have those of a later release, and unknown classes are omitted', async () => {
    const id = await env.createDueDelivery(actor, hook);
    await env.deliveries.record(await env.claimAttempt(id), { error: 'tls_error', responseTimeMs: 1 });
    const store = (error: string, reason: string | null) =>
      env.core.rows(
        'UPDATE webhook_attempts SET error = $2, error_reason = $3 WHERE delivery_id = $1',
        id,
        error,
        reason,
      );
    for (const reason of [null, 'quic_only']) {
      await store('tls_error', reason);
      const [earlier] = await list();
      expect(earlier).toMatchObject({ error: 'tls_error', error_reason: 'tls_error' });
    }
    await store('quic_only', null);
    const [later] = await list();
    expect(later).toMatchObject({ status: 'FAILED' });
    expect(Object.keys(later!).filter((name) => name.startsWith('error'))).toEqual([]);
  });

  it('end in a dead letter with the reason of the last attempt', async () => {
    const { id } = await env.createDeadLetter(actor, hook);
    expect(await env.deadLetters.get(actor, hook, id)).toMatchObject({
      last_error: 'http_status',
      last_error_reason: 'http_status',
      last_error_message: expect.stringMatching(/outside 200 to 299/),
    });
  });

  it('include the run of a replay after the first run, and can be filtered by the id of a test event', async () => {
    const event = await deliver('trade.created');
    await env.webhooks.replay(actor, hook, { event_id: event });
    const [due] = await env.core.rows("SELECT id FROM webhook_deliveries WHERE status = 'DUE' AND run = 1");
    await env.deliveries.record(await env.claimAttempt(String(due?.id)), {
      statusCode: 204,
      responseTimeMs: 1,
    });
    expect(summaryOf(await list(`event_id=${event}`)).at(-1)).toEqual([event, 1, 1, 'SUCCEEDED']);
    const [testEventId, deliveryId] = [newUuid(), newUuid()];
    await env.core.rows(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, payload, status, attempts)
       SELECT $1, webhook_id, $2, 'webhook.test', '{}', 'SUCCEEDED', 1 FROM webhook_deliveries WHERE id = $3`,
      deliveryId,
      testEventId,
      due?.id,
    );
    await env.core.rows(
      `INSERT INTO webhook_attempts (id, delivery_id, webhook_id, attempt, status, response_time_ms, attempted_at)
       SELECT $1, id, webhook_id, 1, 'SUCCEEDED', 1, now() FROM webhook_deliveries WHERE id = $2`,
      newUuid(),
      deliveryId,
    );
    expect(summaryOf(await list(`event_id=${encodeId('evt', testEventId)}`))).toEqual([
      [encodeId('evt', testEventId), 0, 1, 'SUCCEEDED'],
    ]);
  });

  it("can be filtered by an event of the owner that was never sent to the webhook, but not by another user's event", async () => {
    const { id } = await env.emit(actor);
    expect(await list(`event_id=${id}`)).toEqual([]);
    const otherUsersEvent = await env.emit(await env.core.actor());
    for (const unknownId of [otherUsersEvent.id, encodeId('evt', newUuid()), 'evt_1', hook]) {
      await expect(list(`event_id=${unknownId}`)).rejects.toMatchObject({
        code: 'not_found',
        details: [{ field: 'event_id', code: 'not_found' }],
      });
    }
  });

  it('cannot be filtered by an empty or malformed time range', () => {
    expect(() => queryOf('from=2026-01-31T12:00:00Z&to=2026-01-31T11:00:00Z')).toThrow(
      'to must be later than from.',
    );
    expect(() => queryOf('from=yesterday')).toThrow('ISO 8601');
  });

  it('reject a cursor that belongs to other filters', async () => {
    await deliver('trade.created');
    const { pagination } = await env.webhooks.deliveries(actor, hook, queryOf('limit=1'));
    const cursor = String(pagination.next_cursor);
    for (const filter of ['status=FAILED', 'event_type=trade.created', 'from=2026-01-01T00:00:00Z'])
      await expect(
        env.webhooks.deliveries(actor, hook, queryOf(`limit=1&${filter}&cursor=${cursor}`)),
      ).rejects.toMatchObject({
        code: 'invalid_query',
      });
  });

  it.each([
    ["a.status = 'FAILED'", 'created_at', 'webhook_attempts_failures_created_at_idx'],
    ["a.status = 'FAILED'", 'attempted_at', 'webhook_attempts_failures_attempted_at_idx'],
    ["a.event_type = 'copier.drift'", 'created_at', 'webhook_attempts_event_type_idx'],
    [`a.created_at >= '2026-01-01T00:00:00Z'`, 'created_at', 'webhook_attempts_webhook_created_at_idx'],
  ])('are read from an index with the filter %s, sorted by %s', async (filter, sort, index) => {
    const plan = await env.core.platform.database.transaction(async (tx) => {
      await tx.query('SET LOCAL enable_seqscan = off');
      await tx.query('SET LOCAL enable_sort = off');
      return tx.query(
        `EXPLAIN SELECT a.id FROM webhook_attempts a
         WHERE a.webhook_id = '${newUuid()}' AND ${filter} AND (a.${sort}, a.id) < (now(), '${newUuid()}')
         ORDER BY a.${sort} DESC, a.id DESC LIMIT 20`,
      );
    });
    const text = JSON.stringify(plan);
    expect(text).toContain(index);
    expect(text).not.toMatch(/Sort|Filter:/);
  });
});
