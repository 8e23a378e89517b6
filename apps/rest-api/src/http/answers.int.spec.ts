import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import helmet from 'helmet';
import { ADMIN, type NotesApi, READER, sendJson, startNotesApi, TRADER } from '../../test/notes-api.js';
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
    const response = await send(api, 'GET', target);
    const { headers } = response;
    expect(response.status).toBe(status);
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
    const helmetServer = createServer((request, response) => {
      helmet()(request, response, () => response.end());
    }).listen(0, '127.0.0.1');
    await once(helmetServer, 'listening');
    try {
      const { port } = helmetServer.address() as AddressInfo;
      const helmetHeaders = new Headers((await fetch(`http://127.0.0.1:${port}`)).headers);
      for (const name of ['date', 'connection', 'keep-alive', 'content-length']) helmetHeaders.delete(name);
      const { headers } = await send(api, 'GET', '/v1/ping');
      expect(headers).toMatchObject({
        ...Object.fromEntries(helmetHeaders),
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
      });
      expect([headers['x-powered-by'], headers.server]).toEqual([undefined, undefined]);
    } finally {
      helmetServer.close();
    }
  });

  it.each(['abc-123_X.y', 'a'.repeat(128)])('has the request id %s that the caller sent', async (id) => {
    const { headers, json } = await send(api, 'GET', '/v1/nowhere', { headers: { 'x-request-id': id } });
    expect([headers['x-request-id'], json.error?.request_id]).toEqual([id, id]);
  });

  it.each(['', 'a b', 'a'.repeat(129), 'é', 'a;b'])(
    'has a new id if the caller sent the invalid id %j',
    async (id) => {
      const { headers } = await send(api, 'GET', '/v1/ping', { headers: { 'x-request-id': id } });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('a success response', () => {
  it('contains the data in the published envelope', async () => {
    const { status, text } = await send(api, 'GET', '/v1/notes/n1', { headers: READER });
    expect([status, text]).toEqual([200, '{"success":true,"data":{"id":"n1","name":"one","price":1.5}}']);
  });

  it('of a list contains its pagination', async () => {
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
  ])('to a request with Accept: %s writes a decimal as %s', async (accept, written) => {
    const { text } = await send(api, 'GET', '/v1/notes/n1', { headers: { ...READER, accept } });
    expect(text).toContain(`"price":${written}}`);
  });

  it('to a POST that creates a record has a Location under /v1, or an unprefixed one if a legacy alias was called', async () => {
    const created = await sendJson(api, 'POST', '/v1/notes', '{"name":"x"}');
    expect([created.status, created.headers.location]).toEqual([201, '/v1/notes/n1']);
    const alias = await sendJson(api, 'POST', '/notes', '{"name":"x"}');
    expect([alias.status, alias.headers.location]).toEqual([201, '/notes/n1']);
  });

  it('has the status and the location that the controller method chose', async () => {
    const created = await sendJson(api, 'POST', '/auth/claim', '{"pubkey":"new"}', ADMIN);
    expect([created.status, created.headers.location]).toEqual([201, '/claims/new']);
    const known = await sendJson(api, 'POST', '/v1/auth/claim', '{"pubkey":"old"}', ADMIN);
    expect([known.status, known.headers.location]).toEqual([200, undefined]);
  });

  it('is sent to a caller without credentials if the access is CHALLENGE; if credentials are sent, they identify the caller', async () => {
    await send(api, 'POST', '/v1/auth/claim', { body: '{"pubkey":"a"}', headers: JSON_TYPE });
    expect(api.behaviour.calls.at(-1)!.actor).toBeNull();
    await sendJson(api, 'POST', '/v1/auth/claim', '{"pubkey":"a"}', ADMIN);
    expect(api.behaviour.calls.at(-1)!.actor).toMatchObject({ credential: { permissions: ['ADMIN'] } });
  });

  it('is not sent to a caller with a credential without ADMIN if the access is CHALLENGE', async () => {
    const callCount = api.behaviour.calls.length;
    for (const headers of [READER, TRADER])
      expect(await codeOf(sendJson(api, 'POST', '/v1/auth/claim', '{"pubkey":"a"}', headers))).toEqual([
        403,
        'permission_denied',
      ]);
    expect(api.behaviour.calls).toHaveLength(callCount);
  });
});

describe('an internal error', () => {
  it('discloses no details, and is logged with the request id', async () => {
    const api = await startNotesApi();
    try {
      api.behaviour.get = () => {
        throw new Error('relation "secrets" does not exist');
      };
      const headers = { ...READER, 'x-request-id': 'internal-error-1' };
      const { status, json, text } = await send(api, 'GET', '/v1/notes/n1', { headers });
      expect([status, json.error?.code]).toEqual([500, 'internal_error']);
      expect(text).not.toContain('secrets');
      expect(JSON.parse(api.log.at(-1)!)).toMatchObject({
        level: 'error',
        request_id: 'internal-error-1',
        operation: 'notes.get',
      });
    } finally {
      await api.close();
    }
  });

  it('is sent instead of a response that does not match its schema', async () => {
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
