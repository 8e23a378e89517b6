import { randomUUID } from 'node:crypto';
import { decodeId, encodeId } from '@trading-automation/contracts';
import type { Platform } from '@trading-automation/core';
import { type KeyHolder, openAccount, type RealApi, sendSigned, startRealApi } from '../../test/real-api.js';
import { send } from '../../test/send.js';

const DATA = '{"amount":0.100000000000000001,"version":3}';

let api: RealApi;
let platform: Platform;
let owner: KeyHolder;
let hook: string;
beforeAll(async () => {
  api = await startRealApi();
  platform = await api.another();
});
afterAll(() => api.close());
beforeEach(async () => {
  owner = await openAccount(api);
  const made = await call('POST', '/v1/webhooks', { url: 'https://example.com/', events: ['*'] });
  hook = (made.json.data as { id: string }).id;
});

const call = (method: string, target: string, body?: object, headers: Record<string, string> = {}) =>
  sendSigned(api, owner, method, target, { body, headers });

/** A pending dead letter, and the bytes of its event. */
async function bury(): Promise<{ id: string; payload: string }> {
  const [id, eventId, webhookId] = [randomUUID(), randomUUID(), decodeId('whk', hook)];
  const event = encodeId('evt', eventId);
  const payload = `{"event_id":"${event}","type":"trade.created","timestamp":"2026-01-31T12:00:00.000Z","data":${DATA}}`;
  await platform.database.query(
    `INSERT INTO outbox_events (id, user_id, type, payload)
     SELECT $1, user_id, 'trade.created', $3 FROM webhooks WHERE id = $2`,
    [eventId, webhookId, Buffer.from(payload)],
  );
  await platform.database.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, attempts)
     VALUES ($1, $2, $3, 'trade.created', 'DEAD', 5)`,
    [id, webhookId, eventId],
  );
  await platform.database.query(
    `INSERT INTO webhook_dead_letters (id, webhook_id, event_type, attempts, last_error)
     VALUES ($1, $2, 'trade.created', 5, 'timeout')`,
    [id, webhookId],
  );
  return { id: encodeId('dlq', id), payload };
}

describe('dead letters over HTTP', () => {
  it('answer their counts at a path of their own, beside those of the entries', async () => {
    const { id } = await bury();
    const letters = `/v1/webhooks/${hook}/dead-letters`;
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
  ])('%s below them at %p is refused with what that path takes', async (method, rest, allow) => {
    for (const root of ['/v1', '']) {
      const { status, headers } = await send(api, method, `${root}/webhooks/${hook}/dead-letters${rest}`);
      expect([status, headers.allow]).toEqual([405, allow]);
    }
  });

  it('show the event byte for byte in one entry, and leave it out of the list', async () => {
    const { id, payload } = await bury();
    const letters = `/v1/webhooks/${hook}/dead-letters`;
    expect((await call('GET', `${letters}/${id}`)).text).toContain(`"payload":${payload}`);
    const { json, text } = await call('GET', `${letters}?status=PENDING&event_type=trade.created`);
    expect(json.data).toMatchObject([{ id, event_type: 'trade.created', attempts: 5 }]);
    expect(text).not.toContain('payload');
  });

  it('are retried with 202 once, and refused with their state then', async () => {
    const { id } = await bury();
    const letter = `/v1/webhooks/${hook}/dead-letters/${id}`;
    const retried = await call('POST', `${letter}/retry`);
    expect([retried.status, retried.json.data]).toMatchObject([202, { id, status: 'RETRIED' }]);
    const again = await call('POST', `${letter}/retry`);
    expect([again.status, again.json.error?.details]).toMatchObject([409, [{ state: 'RETRIED' }]]);
    const discarded = await call('DELETE', letter);
    expect([discarded.status, discarded.json.error?.code]).toEqual([409, 'invalid_state']);
  });
});

describe('a signing secret over HTTP', () => {
  it('is rotated once per Idempotency-Key, shown again with its answer alone, and stored nowhere', async () => {
    const rotate = () =>
      call('POST', `/v1/webhooks/${hook}/rotate-secret`, undefined, { 'idempotency-key': 'rotate-1' });
    const first = await rotate();
    const { secret } = first.json.data as { secret: string };
    expect([first.status, first.headers.location]).toEqual([200, undefined]);
    expect(secret).toMatch(/^whsec_/);
    const again = await rotate();
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    for (const target of ['/v1/webhooks', `/v1/webhooks/${hook}`]) {
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
