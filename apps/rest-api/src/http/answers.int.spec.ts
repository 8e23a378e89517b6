import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import helmet from 'helmet';
import { type NotesApi, READER, sendJson, startNotesApi } from '../../test/notes-api.js';
import { codeOf, JSON_TYPE, send } from '../../test/send.js';

let api: NotesApi;
beforeAll(async () => {
  api = await startNotesApi();
});
afterAll(() => api.close());

describe('every response', () => {
  it.each([
    ['/v1/ping', 200],
    ['/v1/notes', 401],
    ['/v1/nowhere', 404],
    ['/v1/not%zz', 404],
  ])('to %s has a request id and the security headers for browsers', async (target, status) => {
    const { headers, status: answered } = await send(api, 'GET', target);
    expect(answered).toBe(status);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('has all headers that helmet sets, with the same or stricter values', async () => {
    const others = createServer((request, response) => {
      helmet()(request, response, () => response.end());
    }).listen(0, '127.0.0.1');
    await once(others, 'listening');
    try {
      const { port } = others.address() as AddressInfo;
      const theirs = new Headers((await fetch(`http://127.0.0.1:${port}`)).headers);
      for (const name of ['date', 'connection', 'keep-alive', 'content-length']) theirs.delete(name);
      const { headers: ours } = await send(api, 'GET', '/v1/ping');
      expect(ours).toMatchObject({
        ...Object.fromEntries(theirs),
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
      });
      expect([ours['x-powered-by'], ours.server]).toEqual([undefined, undefined]);
    } finally {
      others.close();
    }
  });

  it.each(['abc-123_X.y', 'a'.repeat(128)])('keeps the request id %s of its caller', async (id) => {
    const { headers, json } = await send(api, 'GET', '/v1/nowhere', { headers: { 'x-request-id': id } });
    expect([headers['x-request-id'], json.error?.request_id]).toEqual([id, id]);
  });

  it.each(['', 'a b', 'a'.repeat(129), 'é', 'a;b'])('replaces the invalid request id %j', async (id) => {
    const { headers } = await send(api, 'GET', '/v1/ping', { headers: { 'x-request-id': id } });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('success', () => {
  it('is the data in its envelope', async () => {
    const { status, text } = await send(api, 'GET', '/v1/notes/n1', { headers: READER });
    expect([status, text]).toEqual([200, '{"success":true,"data":{"id":"n1","name":"one","price":1.5}}']);
  });

  it('of a list has its pagination', async () => {
    const { text } = await send(api, 'GET', '/v1/notes', { headers: READER });
    expect(text).toBe(
      '{"success":true,"data":[{"id":"n1","name":"one","price":0.1}],"pagination":{"limit":50,"offset":0,"has_more":false,"next_cursor":null}}',
    );
  });

  it.each([
    ['application/json; decimals=string', '"1.5"'],
    ['text/html, application/json;q=0.9;decimals="string"', '"1.5"'],
    ['application/json', '1.5'],
    ['Application/JSON; Decimals=string', '"1.5"'],
    ['application/json; decimals=number', '1.5'],
    ['text/html; decimals=string', '1.5'],
  ])('has decimals as Accept %s requests', async (accept, shown) => {
    const { text } = await send(api, 'GET', '/v1/notes/n1', { headers: { ...READER, accept } });
    expect(text).toContain(`"price":${shown}}`);
  });

  it('of a creation has the Location under the prefix of the request', async () => {
    const made = await sendJson(api, 'POST', '/v1/notes', '{"name":"x"}');
    expect([made.status, made.headers.location]).toEqual([201, '/v1/notes/n1']);
    const alias = await sendJson(api, 'POST', '/notes', '{"name":"x"}');
    expect([alias.status, alias.headers.location]).toEqual([201, '/notes/n1']);
  });

  it('may have another status and location', async () => {
    const made = await sendJson(api, 'POST', '/auth/claim', '{"pubkey":"new"}');
    expect([made.status, made.headers.location]).toEqual([201, '/claims/new']);
    const known = await sendJson(api, 'POST', '/v1/auth/claim', '{"pubkey":"old"}');
    expect([known.status, known.headers.location]).toEqual([200, undefined]);
  });

  it('of a challenge needs no credentials, but uses them if present', async () => {
    await send(api, 'POST', '/v1/auth/claim', { body: '{"pubkey":"a"}', headers: JSON_TYPE });
    expect(api.behaviour.calls.at(-1)!.actor).toBeNull();
    await sendJson(api, 'POST', '/v1/auth/claim', '{"pubkey":"a"}');
    expect(api.behaviour.calls.at(-1)!.actor).toMatchObject({ credential: { permissions: ['TRADE'] } });
  });
});

describe('an internal error', () => {
  it('discloses no details, and is logged with the request id', async () => {
    const api = await startNotesApi();
    try {
      api.behaviour.get = () => {
        throw new Error('relation "secrets" does not exist');
      };
      const headers = { ...READER, 'x-request-id': 'fault-1' };
      const { status, json, text } = await send(api, 'GET', '/v1/notes/n1', { headers });
      expect([status, json.error?.code]).toEqual([500, 'internal_error']);
      expect(text).not.toContain('secrets');
      expect(JSON.parse(api.log.at(-1)!)).toMatchObject({
        level: 'error',
        request_id: 'fault-1',
        operation: 'notes.get',
      });
    } finally {
      await api.close();
    }
  });

  it('includes a response that does not match its schema, which is not sent', async () => {
    const api = await startNotesApi();
    try {
      api.behaviour.get = () => ({ id: 'n1' }) as never;
      expect(await codeOf(send(api, 'GET', '/v1/notes/n1', { headers: READER }))).toEqual([
        500,
        'internal_error',
      ]);
    } finally {
      await api.close();
    }
  });
});
