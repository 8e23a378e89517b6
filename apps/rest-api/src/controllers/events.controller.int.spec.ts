import { randomUUID } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { EVENT_TYPES, encodeId } from '@trading-automation/contracts';
import type { Platform } from '@trading-automation/core';
import { eventually } from '@trading-automation/runtime/testing';
import { EventSource } from 'eventsource';
import { send } from '../../test/send.js';
import {
  type KeyPair,
  openAccount,
  sendSigned,
  startTestRestApi,
  type TestRestApi,
} from '../../test/test-rest-api.js';

const STREAM = '/v1/events/stream';

let apiA: TestRestApi;
let apiB: TestRestApi;
let platform: Platform;
let owner: KeyPair;
let userId: string;
let key: Key;
const openResponses = new Set<IncomingMessage>();
beforeAll(async () => {
  apiA = await startTestRestApi();
  apiB = await startTestRestApi({ DATABASE_URL: apiA.databaseUrl });
  platform = await apiA.openSecondPlatform(20);
});
afterAll(async () => {
  await Promise.all([apiA.close(), apiB.close()]);
});
beforeEach(async () => {
  owner = await openAccount(apiA);
  key = await createApiKey();
  const [row] = await platform.database.query('SELECT user_id FROM api_keys WHERE last_four = $1', [
    key.value.slice(-4),
  ]);
  userId = row.user_id;
});
afterEach(() => {
  for (const message of openResponses) message.destroy();
  openResponses.clear();
});

interface Key {
  readonly id: string;
  readonly value: string;
}

async function createApiKey(options: object = {}): Promise<Key> {
  const body = { name: 'reader', permissions: ['READ'], ...options };
  const { json, text } = await sendSigned(apiA, owner, 'POST', '/v1/api-keys', { body });
  const { id, key: value } = (json.data ?? {}) as { id: string; key: string };
  if (value === undefined) throw new Error(`no key was created: ${text}`);
  return { id, value };
}

/** Returns a UUIDv7 of the current time. The time in a random UUID could be older than the retention period. */
function uuidOfNow(): string {
  const timeHex = Date.now().toString(16).padStart(12, '0');
  return `${timeHex.slice(0, 8)}-${timeHex.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Returns the row of an event that the test has not stored yet. */
function draftEvent(type: string, data = '{"amount":1.10}') {
  const uuid = uuidOfNow();
  const id = encodeId('evt', uuid);
  const payload = `{"event_id":"${id}","type":"${type}","timestamp":"2026-01-01T00:00:00.000Z","data":${data}}`;
  return { uuid, id, type, payload };
}

/** Stores an event in a transaction that commits after `holdMs`. */
async function append(type = 'trade.filled', { data, holdMs = 0 }: { data?: string; holdMs?: number } = {}) {
  const event = draftEvent(type, data);
  await platform.database.transaction(async (tx) => {
    await tx.query('INSERT INTO outbox_events (id, user_id, type, payload) VALUES ($1, $2, $3, $4)', [
      event.uuid,
      userId,
      event.type,
      Buffer.from(event.payload),
    ]);
    await tx.query('NOTIFY outbox_events');
    if (holdMs > 0) await tx.query('SELECT pg_sleep($1)', [holdMs / 1_000]);
  });
  return event;
}

/** Returns the ids of the user's trade events in order of position. */
const storedIds = async (): Promise<string[]> => {
  const rows = await platform.database.query(
    "SELECT id FROM outbox_events WHERE user_id = $1 AND type LIKE 'trade.%' ORDER BY position",
    [userId],
  );
  return rows.map(({ id }: { id: string }) => encodeId('evt', id));
};

interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

interface StreamRequest {
  readonly api?: TestRestApi;
  readonly target?: string;
  readonly lastEventId?: string | undefined;
  readonly value?: string;
}

/** Requests the stream and returns the response after its head has arrived. Only `frames` reads the body. */
function connect({
  api = apiA,
  target = STREAM,
  lastEventId,
  value = key.value,
}: StreamRequest = {}): Promise<IncomingMessage> {
  const headers = {
    'x-api-key': value,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: api.port, path: target, headers, agent: false }, (message) => {
      openResponses.add(message);
      resolve(message.on('error', () => undefined));
    }).on('error', reject);
  });
}

/** Yields the events of a stream until it ends or the caller stops iterating. */
async function* frames(message: IncomingMessage): AsyncGenerator<Frame> {
  let text = '';
  for await (const part of message) {
    text += part;
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
      if (fields.data !== undefined) yield fields as Frame;
    }
  }
}

/** Returns the next events of a stream and then stops reading. */
async function take(message: IncomingMessage, count: number): Promise<Frame[]> {
  const taken: Frame[] = [];
  for await (const frame of frames(message)) if (taken.push(frame) === count) break;
  return taken;
}

/** Waits until the stream ends. Returns the time that this took, in milliseconds. */
async function msUntilEnd(message: IncomingMessage): Promise<number> {
  const startedAtMs = performance.now();
  if (!message.closed) await new Promise((resolve) => message.resume().on('close', resolve));
  return performance.now() - startedAtMs;
}

/** Starts a TCP proxy to the API. The test can cut the connections of the proxy. */
async function startProxy(port: number) {
  let opened = 0;
  const sockets = new Set<Socket>();
  const server = createServer((downstream) => {
    opened++;
    const upstream = connectTo(port, '127.0.0.1');
    for (const [from, to] of [
      [downstream, upstream],
      [upstream, downstream],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    opened: () => opened,
    cut,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const openStreamCount = async (): Promise<number> => {
  const [{ count }] = await platform.database.query('SELECT count(*)::int AS count FROM event_streams');
  return count;
};

describe('the list of events', () => {
  it('returns the payload of each event digit for digit, with decimals as strings if Accept requests it', async () => {
    const { id, payload } = await append('trade.filled', { data: '{"amount":0.100000000000000000}' });
    const read = (target: string, accept: string) =>
      send(apiA, 'GET', target, { headers: { 'x-api-key': key.value, accept } });
    const quoted = payload.replace('0.100000000000000000', '"0.100000000000000000"');
    for (const [accept, text] of [
      ['application/json', payload],
      ['application/json; decimals=string', quoted],
    ] as const) {
      expect((await read('/v1/events?type=trade.*', accept)).text).toContain(`"data":[${text}]`);
      expect((await read(`/v1/events/${id}`, accept)).text).toBe(`{"success":true,"data":${text}}`);
    }
  });
});

describe('the catalogue of events', () => {
  const read = (target: string, accept = 'application/json') =>
    send(apiA, 'GET', target, { headers: { 'x-api-key': key.value, accept } });

  it('contains every event type or those of a selector; Accept selects the format of decimals in samples', async () => {
    const { json, status } = await read('/v1/events/types');
    const { types } = json.data as { types: { type: string; sample: { type: string } }[] };
    expect([status, types.map(({ type }) => type)]).toEqual([200, [...EVENT_TYPES]]);
    for (const { type, sample } of types) expect(sample.type).toBe(type);
    const selected = await read('/v1/events/types?type=trade.filled');
    expect((selected.json.data as { types: object[] }).types).toHaveLength(1);
    expect(selected.text).toContain('"amount":0.25');
    const quoted = await read('/v1/events/types?type=trade.filled', 'application/json; decimals=string');
    expect(quoted.text).toContain('"amount":"0.25"');
    expect((await read('/v1/events/types?type=trade')).json.error?.code).toBe('invalid_query');
  });
});

describe('the stream of events', () => {
  it('has the headers of every response, and headers that forbid caching and buffering', async () => {
    const { statusCode, headers } = await connect({ target: '/events/stream' });
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
      'x-accel-buffering': 'no',
      ratelimit: expect.any(String),
      deprecation: expect.any(String),
      link: '</v1/events/stream>; rel="successor-version"',
    });
  });

  it('sends only its head in response to HEAD, and is then closed', async () => {
    const { status, headers, text } = await send(apiA, 'HEAD', STREAM, {
      headers: { 'x-api-key': key.value },
    });
    expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream; charset=utf-8', '']);
    await eventually(async () => (await openStreamCount()) === 0);
  });

  it.each([
    ['without credentials', {}, 401, 'authentication_required', undefined],
    ['with an unknown key', { 'x-api-key': 'svc_test_x' }, 401, 'invalid_api_key', undefined],
    ['after an invalid event id', { 'last-event-id': 'nonsense' }, 400, 'invalid_query', 'last_event_id'],
    ['for an unknown event type', {}, 400, 'invalid_query', 'type'],
  ])('is rejected %s', async (_case, requestHeaders, status, code, field) => {
    const headers = { ...(status === 401 ? {} : { 'x-api-key': key.value }), ...requestHeaders };
    const response = await send(apiA, 'GET', field === 'type' ? `${STREAM}?type=x` : STREAM, { headers });
    expect([response.status, response.json.error?.code, response.json.error?.details?.[0]?.field]).toEqual([
      status,
      code,
      field,
    ]);
    expect(response.json.error?.request_id).toBe(response.headers['x-request-id']);
  });

  it('accepts only GET and HEAD', async () => {
    const { status, headers } = await send(apiA, 'POST', STREAM);
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('delivers every event to a third-party client that reconnects after a lost connection', async () => {
    const proxy = await startProxy(apiA.port);
    const source = new EventSource(`http://127.0.0.1:${proxy.port}${STREAM}?type=trade.*`, {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, 'x-api-key': key.value } }),
    });
    const received: [string, string, string][] = [];
    for (const type of ['trade.created', 'trade.filled'])
      source.addEventListener(type, ({ lastEventId, data }) => received.push([lastEventId, type, data]));
    await new Promise((resolve) => source.addEventListener('open', resolve, { once: true }));
    const written = [await append('trade.created'), await append('trade.filled')];
    await eventually(() => received.length === 2);
    proxy.cut();
    written.push(await append('trade.created'), await append('trade.filled'));
    await append('reward.granted');
    await eventually(() => received.length === 4);
    written.push(await append('trade.filled'));
    await eventually(() => received.length === 5);
    source.close();
    expect(proxy.opened()).toBe(2);
    await proxy.close();
    expect(received).toEqual(written.map(({ id, type, payload }) => [id, type, payload]));
  });

  it('delivers each of 300 events once to a client that disconnects and resumes repeatedly', async () => {
    const start = (await take(await connectAfter((await append()).id), 1)).at(-1)!.id;
    const writing = Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        for (let i = 0; i < 50; i++) await append('trade.filled', { holdMs: ((i + writer) % 4) * 3 });
      }),
    );
    const seen: string[] = [];
    for (let round = 0; seen.length < 300; round++) {
      const message = await connect({
        api: round % 2 === 0 ? apiA : apiB,
        lastEventId: seen.at(-1) ?? start,
        target: `${STREAM}?type=trade.*`,
      });
      const count = Math.min(300 - seen.length, 1 + ((round * 7) % 19));
      seen.push(...(await take(message, count)).map(({ id }) => id));
      message.destroy();
      // Wait until earlier streams have released their leases, because a credential may have only five streams.
      await eventually(async () => (await openStreamCount()) < 5);
    }
    await writing;
    const order = await storedIds();
    expect(seen).toEqual(order.slice(order.indexOf(start) + 1));
  });
  /** Opens a stream that resumes after `lastEventId`, and appends one event for it. */
  const connectAfter = async (lastEventId: string) => {
    const message = await connect({ lastEventId });
    await append();
    return message;
  };

  it('resumes after the event id in the query, or after the one in the header if both are sent', async () => {
    const events = [await append(), await append(), await append()] as const;
    const target = `${STREAM}?last_event_id=${events[0].id}`;
    expect((await take(await connect({ target }), 1))[0]!.id).toBe(events[1].id);
    expect((await take(await connect({ target, lastEventId: events[1].id }), 1))[0]!.id).toBe(events[2].id);
    expect((await take(await connect({ target, lastEventId: '' }), 1))[0]!.id).toBe(events[1].id);
  });

  it('neither delivers events of another user nor resumes after them', async () => {
    const message = await connect();
    const earlier = await append();
    const otherUser = await openAccount(apiA);
    const body = JSON.stringify({ name: 'other user', permissions: ['READ'] });
    const { json } = await sendSigned(apiA, otherUser, 'POST', '/v1/api-keys', { body });
    const value = (json.data as { key: string }).key;
    const otherStream = await connect({ value });
    const later = await append();
    await sendSigned(apiA, otherUser, 'POST', '/v1/api-keys', { body });
    expect((await take(otherStream, 1))[0]!.event).toBe('key.created');
    expect((await take(message, 2)).map(({ id }) => id)).toEqual([earlier.id, later.id]);
    const headers = { 'x-api-key': value };
    const rejected = await send(apiA, 'GET', `${STREAM}?last_event_id=${earlier.id}`, { headers });
    expect(rejected.json.error?.code).toBe('invalid_query');
    const hidden = await send(apiA, 'GET', `/v1/events/${earlier.id}`, { headers });
    expect(hidden.json.error?.code).toBe('not_found');
  });

  it('continues in order for a reader that paused, and does not delay other readers meanwhile', async () => {
    const [slow, quick] = [await connect(), await connect()];
    const data = `{"text":"${'x'.repeat(40_000)}"}`;
    const reading = take(quick, 300);
    for (let i = 0; i < 30; i++)
      await Promise.all(Array.from({ length: 10 }, () => append('trade.filled', { data })));
    const order = (await reading).map(({ id }) => id);
    expect((await take(slow, 300)).map(({ id }) => id)).toEqual(order);
    expect(order).toEqual(await storedIds());
  });
});

describe('the streams of one credential', () => {
  it('are limited to five over all processes; a sixth stream is rejected until another one ends', async () => {
    const opened = await Promise.all([apiA, apiB, apiA, apiB, apiA].map((api) => connect({ api })));
    for (const api of [apiA, apiB]) {
      const { status, json, headers } = await send(api, 'GET', STREAM, {
        headers: { 'x-api-key': key.value },
      });
      expect([status, json.error?.code, headers['retry-after']]).toEqual([429, 'rate_limited', '30']);
    }
    expect((await connect({ value: (await createApiKey()).value })).statusCode).toBe(200);
    for (const message of opened) message.destroy();
    await eventually(async () => (await openStreamCount()) <= 1);
    expect((await connect({ api: apiB })).statusCode).toBe(200);
  });

  it.each([
    ['is revoked', 'DELETE', ''],
    ['is rotated', 'POST', '/rotate'],
  ])('end in every process within five seconds after the credential %s', async (_case, method, path) => {
    const messages = [await connect({ api: apiA }), await connect({ api: apiB })];
    const ofOtherKey = await connect({ value: (await createApiKey()).value });
    const ends = Promise.all(messages.map(msUntilEnd));
    const { status } = await sendSigned(apiA, owner, method, `/v1/api-keys/${key.id}${path}`);
    expect(status).toBe(200);
    for (const tookMs of await ends) expect(tookMs).toBeLessThan(5_000);
    expect(ofOtherKey.closed).toBe(false);
  });

  it('end within five seconds after the credential expires', async () => {
    const expiresAtMs = Date.now() + 3_000;
    const { value } = await createApiKey({ expires_at: new Date(expiresAtMs).toISOString() });
    await msUntilEnd(await connect({ value }));
    const tookMs = Date.now() - expiresAtMs;
    expect(tookMs).toBeGreaterThan(-100);
    expect(tookMs).toBeLessThan(5_000);
  });
});

describe('an API that stops', () => {
  it('ends its streams immediately and releases their leases', async () => {
    const stoppingApi = await startTestRestApi({ DATABASE_URL: apiA.databaseUrl });
    const message = await connect({ api: stoppingApi });
    const ended = msUntilEnd(message);
    const startedAtMs = performance.now();
    await stoppingApi.close();
    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
    await ended;
    await eventually(async () => (await openStreamCount()) === 0);
  });
});
