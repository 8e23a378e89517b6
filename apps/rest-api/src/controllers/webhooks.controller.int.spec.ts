import { randomUUID } from 'node:crypto';
import { decodeId, encodeId } from '@trading-automation/contracts';
import type { Platform } from '@trading-automation/core';
import { send } from '../../test/send.js';
import {
  type KeyPair,
  openAccount,
  sendSigned,
  startTestRestApi,
  type TestRestApi,
} from '../../test/test-rest-api.js';

const DATA = '{"amount":0.100000000000000001,"version":3}';

let api: TestRestApi;
let platform: Platform;
let owner: KeyPair;
let webhookId: string;
beforeAll(async () => {
  api = await startTestRestApi();
  platform = await api.openSecondPlatform();
});
afterAll(() => api.close());
beforeEach(async () => {
  owner = await openAccount(api);
  const created = await call('POST', '/v1/webhooks', { url: 'https://example.com/', events: ['*'] });
  webhookId = (created.json.data as { id: string }).id;
});

const call = (method: string, target: string, body?: object, headers: Record<string, string> = {}) =>
  sendSigned(api, owner, method, target, { body, headers });

/** Creates a pending dead letter. Returns its id and the payload of its event. */
async function createDeadLetter(): Promise<{ id: string; payload: string }> {
  const [id, eventId, webhookUuid] = [randomUUID(), randomUUID(), decodeId('whk', webhookId)];
  const event = encodeId('evt', eventId);
  const payload = `{"event_id":"${event}","type":"trade.created","timestamp":"2026-01-31T12:00:00.000Z","data":${DATA}}`;
  await platform.database.query(
    `INSERT INTO outbox_events (id, user_id, type, payload)
     SELECT $1, user_id, 'trade.created', $3 FROM webhooks WHERE id = $2`,
    [eventId, webhookUuid, Buffer.from(payload)],
  );
  await platform.database.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, attempts)
     VALUES ($1, $2, $3, 'trade.created', 'DEAD', 5)`,
    [id, webhookUuid, eventId],
  );
  await platform.database.query(
    `INSERT INTO webhook_dead_letters (id, webhook_id, event_type, attempts, last_error)
     VALUES ($1, $2, 'trade.created', 5, 'timeout')`,
    [id, webhookUuid],
  );
  return { id: encodeId('dlq', id), payload };
}

describe('dead letters over HTTP', () => {
  it('are counted at `/stats`, which is not routed as the id of a dead letter', async () => {
    const { id } = await createDeadLetter();
    const letters = `/v1/webhooks/${webhookId}/dead-letters`;
    const counted = await call('GET', `${letters}/stats`);
    expect(counted.text).toBe('{"success":true,"data":{"pending":1,"retried":0,"discarded":0}}');
    expect((await call('GET', `${letters}/${id}`)).json.data).toMatchObject({ id, status: 'PENDING' });
    const unknown = await call('DELETE', `${letters}/stats`);
    expect([unknown.status, unknown.json.error?.code]).toEqual([404, 'not_found']);
  });

  it.each([
    ['PUT', '', 'GET, HEAD, OPTIONS'],
    ['POST', '/stats', 'GET, HEAD, DELETE, OPTIONS'],
    ['PATCH', '/dlq_1', 'GET, HEAD, DELETE, OPTIONS'],
    ['GET', '/dlq_1/retry', 'POST, OPTIONS'],
    ['PUT', '/retry', 'GET, HEAD, DELETE, POST, OPTIONS'],
  ])(
    'reject %s at the path `dead-letters` + %p; Allow lists the methods of that path',
    async (method, rest, allow) => {
      for (const root of ['/v1', '']) {
        const { status, headers } = await send(
          api,
          method,
          `${root}/webhooks/${webhookId}/dead-letters${rest}`,
        );
        expect([status, headers.allow]).toEqual([405, allow]);
      }
    },
  );

  it('contain the event byte for byte if retrieved by id, but not in the list', async () => {
    const { id, payload } = await createDeadLetter();
    const letters = `/v1/webhooks/${webhookId}/dead-letters`;
    expect((await call('GET', `${letters}/${id}`)).text).toContain(`"payload":${payload}`);
    const { json, text } = await call('GET', `${letters}?status=PENDING&event_type=trade.created`);
    expect(json.data).toMatchObject([{ id, event_type: 'trade.created', attempts: 5 }]);
    expect(text).not.toContain('payload');
  });

  it('can be retried once with 202; a second retry or a deletion returns 409 with their state', async () => {
    const { id } = await createDeadLetter();
    const letter = `/v1/webhooks/${webhookId}/dead-letters/${id}`;
    const retried = await call('POST', `${letter}/retry`);
    expect([retried.status, retried.json.data]).toMatchObject([202, { id, status: 'RETRIED' }]);
    const again = await call('POST', `${letter}/retry`);
    expect([again.status, again.json.error?.details]).toMatchObject([409, [{ state: 'RETRIED' }]]);
    const discarded = await call('DELETE', letter);
    expect([discarded.status, discarded.json.error?.code]).toEqual([409, 'invalid_state']);
  });
});

describe('many dead letters over HTTP', () => {
  const retry = (body: object) => call('POST', `/v1/webhooks/${webhookId}/dead-letters/retry`, body);

  it('are all retried by one request, which returns 202 and their number', async () => {
    await Promise.all([createDeadLetter(), createDeadLetter()]);
    const first = await retry({ event_type: 'trade.created', from: '2026-01-01T00:00:00+01:00' });
    expect([first.status, first.text]).toEqual([
      202,
      '{"success":true,"data":{"retried":2,"has_more":false}}',
    ]);
    expect((await retry({})).json.data).toEqual({ retried: 0, has_more: false });
  });

  it('are not retried for an empty range or an unknown event type; the error names the field', async () => {
    await createDeadLetter();
    const range = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    for (const [body, field, code] of [
      [range, 'to', 'range_is_empty'],
      [{ from: 'yesterday' }, 'from', 'invalid_format'],
      [{ event_type: 'trade.exploded' }, 'event_type', 'invalid_value'],
      [{ status: 'PENDING' }, 'status', 'unknown_field'],
    ] as const) {
      const { status, json } = await retry(body);
      expect([status, json.error?.details]).toMatchObject([422, [{ field, code }]]);
    }
    const withoutBody = await call('POST', `/v1/webhooks/${webhookId}/dead-letters/retry`);
    expect([withoutBody.status, withoutBody.json.error?.code]).toEqual([422, 'validation_failed']);
    expect((await call('GET', `/v1/webhooks/${webhookId}/dead-letters/stats`)).json.data).toMatchObject({
      pending: 1,
    });
  });

  it('and deliveries can be filtered by a time range; a range whose end is before its start is rejected', async () => {
    for (const list of ['dead-letters', 'deliveries']) {
      const target = `/v1/webhooks/${webhookId}/${list}?from=2026-01-02T00:00:00Z&to=2026-01-03T00:00:00Z`;
      expect((await call('GET', target)).json.data).toEqual([]);
      const { status, json } = await call('GET', target.replace('2026-01-03', '2026-01-01'));
      expect([status, json.error?.code, json.error?.details]).toMatchObject([
        400,
        'invalid_query',
        [{ field: 'to', code: 'range_is_empty' }],
      ]);
      const widest = await call(
        'GET',
        `/v1/webhooks/${webhookId}/${list}?from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59-23:59`,
      );
      expect(widest.status).toBe(200);
    }
  });
});

describe('a replay over HTTP', () => {
  it('returns 202 with its run; a second replay while the first is in flight returns 409 with its state', async () => {
    const { payload } = await createDeadLetter();
    const { event_id } = JSON.parse(payload);
    const target = `/v1/webhooks/${webhookId}/replay`;
    const accepted = await call('POST', target, { event_id });
    expect([accepted.status, accepted.headers.location]).toEqual([202, undefined]);
    expect(accepted.json.data).toEqual({ event_id, event_type: 'trade.created', run: 1 });
    const again = await call('POST', target, { event_id });
    expect([again.status, again.json.error?.code, again.json.error?.details]).toMatchObject([
      409,
      'invalid_state',
      [{ state: 'DUE' }],
    ]);
    const unknown = await call('POST', target, { event_id: encodeId('evt', randomUUID()) });
    expect([unknown.status, unknown.json.error?.details]).toMatchObject([404, [{ field: 'event_id' }]]);
    expect((await call('POST', target, {})).status).toBe(422);
  });
});

describe('a signing secret over HTTP', () => {
  it('is rotated once for an Idempotency-Key, returned only by that request, and stored nowhere in plain text', async () => {
    const rotate = () =>
      call('POST', `/v1/webhooks/${webhookId}/rotate-secret`, undefined, { 'idempotency-key': 'rotate-1' });
    const first = await rotate();
    const { secret } = first.json.data as { secret: string };
    expect([first.status, first.headers.location]).toEqual([200, undefined]);
    expect(secret).toMatch(/^whsec_/);
    const again = await rotate();
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    for (const target of ['/v1/webhooks', `/v1/webhooks/${webhookId}`]) {
      expect((await call('GET', target)).text).not.toContain('whsec_');
    }
    const tables: { name: string }[] = await platform.database.query(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    for (const { name } of tables) {
      const rows: { row: string }[] = await platform.database.query(`SELECT t::text AS row FROM "${name}" t`);
      for (const { row } of rows) {
        expect(row).not.toContain('whsec_');
        expect(row).not.toContain(Buffer.from(secret).toString('hex'));
      }
    }
    expect(api.log.join()).not.toContain('whsec_');
  });
});
