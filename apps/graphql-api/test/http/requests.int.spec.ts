/** Tests GraphQL over HTTP: methods, media types, bodies, persisted queries and common headers. */
import { createHash } from 'node:crypto';
import { signRequest } from '@trading-automation/signed-request';
import { serverAudits } from 'graphql-http';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { JSON_TYPE, type SendOptions, send, type TestResponse } from '../../../rest-api/test/send.js';
import { type KeyPair, openAccount, sendSigned } from '../../../rest-api/test/test-rest-api.js';
import {
  type GraphqlError,
  post,
  sendGraphql,
  startTestGraphqlApi,
  type TestGraphqlApi,
} from '../test-graphql-api.js';

const PAGE_ORIGIN = 'https://app.example.com';
const RESPONSE_TYPE = 'application/graphql-response+json';
const HEALTH = '{ health { status } }';

let environment: TestEnvironment;
let api: TestGraphqlApi;
let owner: KeyPair;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  api = await startTestGraphqlApi(environment.api.databaseUrl, { CORS_ORIGINS: PAGE_ORIGIN });
  owner = await openAccount(environment.api);
});
afterAll(async () => {
  await api?.close();
  await environment?.close();
});

const codeIn = ({ json }: TestResponse) =>
  json.error?.code ?? (json as { errors?: GraphqlError[] }).errors?.[0]?.extensions.code;
const targetOf = (parameters: Record<string, string>) => `/graphql?${new URLSearchParams(parameters)}`;

it('an unknown expectation gets 417 in the published format', async () => {
  const body = JSON.stringify({ query: HEALTH });
  const response = await send(api, 'POST', '/graphql', { headers: { ...JSON_TYPE, expect: 'foo' }, body });
  expect(response.status).toBe(417);
  expect(response.json.error).toEqual({
    code: 'malformed_json',
    message: expect.stringContaining('Expect'),
    request_id: response.headers['x-request-id'],
  });
});

describe('the audits of graphql-http', () => {
  /** Signs every request of an audit. */
  const signed = (
    url: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ) => {
    const { method = 'GET', body = '' } = init;
    const { pathname, search } = new URL(url);
    const signature = signRequest({ method, path: pathname + search, privateKey: owner.privateKey, body });
    return fetch(url, { ...init, headers: { ...init.headers, ...signature } });
  };
  /** Audits that expect 400 for invalid members. The API returns 422 for them, as in REST. */
  const EXPECTS_400 = /^MAY use 400 status code/;

  it('all pass except those that expect 400 where REST returns 422', async () => {
    const audits = serverAudits({ url: () => `${api.url}/graphql`, fetchFn: signed });
    const failed: string[] = [];
    for (const { fn, name } of audits) {
      const result = await fn();
      if (result.status !== 'ok') failed.push(name);
      // An unread response keeps its connection open.
      if ('response' in result) await result.response.body?.cancel().catch(() => undefined);
    }
    expect(audits.length).toBeGreaterThan(60);
    expect(failed.filter((name) => !EXPECTS_400.test(name))).toEqual([]);
  });
});

describe('a route', () => {
  it.each(['PUT', 'PATCH', 'DELETE', 'HEAD'])('that exists does not accept %s', async (method) => {
    const response = await send(api, method, '/graphql', { headers: { 'x-request-id': 'mine' } });
    expect([response.status, response.headers.allow]).toEqual([405, 'GET, POST, OPTIONS']);
    if (method === 'HEAD') return;
    expect(response.json).toEqual({
      success: false,
      error: { code: 'method_not_allowed', message: expect.any(String), request_id: 'mine' },
    });
  });

  it('is the same if a letter of its path is percent-encoded', async () => {
    for (const method of ['GET', 'POST']) {
      const [plain, encoded] = [await send(api, method, '/graphql'), await send(api, method, '/graph%71l')];
      expect([encoded.status, codeIn(encoded)]).toEqual([plain.status, codeIn(plain)]);
      expect(encoded.status).not.toBe(404);
    }
  });

  it.each(['/', '/graphql/', '/GraphQL', '/v1/trades', '/%zz', '/graphql/../x', '/a(b', '/:x', '/*'])(
    'that does not exist returns an error in the published format: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const response = await send(api, method, path);
        expect([response.status, codeIn(response), response.json.success]).toEqual([
          404,
          'route_not_found',
          false,
        ]);
      }
    },
  );

  it('rejects a mutation by GET', async () => {
    const target = targetOf({ query: 'mutation { verifyEmail(code: "x") { __typename } }' });
    const response = await send(api, 'GET', target);
    expect([response.status, codeIn(response), response.headers.allow]).toEqual([
      405,
      'method_not_allowed',
      'POST',
    ]);
  });

  it('accepts a query by GET, but not a variable twice or a target that is too long', async () => {
    const text = 'query T($type: String) { eventTypes(type: $type) { __typename } }';
    const parameters = { query: text, operationName: 'T', variables: '{"type": "trade.filled"}' };
    const response = await sendSigned(api, owner, 'GET', targetOf(parameters));
    expect([response.status, response.json.data]).toEqual([
      200,
      { eventTypes: { __typename: 'EventCatalogue' } },
    ]);
    const duplicateKey = await sendSigned(
      api,
      owner,
      'GET',
      targetOf({ query: HEALTH, variables: '{"a":1,"a":2}' }),
    );
    expect([duplicateKey.status, codeIn(duplicateKey)]).toEqual([400, 'malformed_json']);
    const long = await sendSigned(api, owner, 'GET', targetOf({ query: `${HEALTH}${' '.repeat(8_200)}` }));
    expect([long.status, codeIn(long)]).toEqual([400, 'invalid_query']);
  });

  it('does not execute subscriptions', async () => {
    const { errors, data } = await sendGraphql(
      api,
      owner,
      'subscription { orderbookUpdate(tradePairId: "x") { sequence } }',
    );
    expect([errors![0]!.extensions.code, data]).toEqual(['validation_failed', undefined]);
  });
});

describe('the body', () => {
  const body = JSON.stringify({ query: HEALTH });
  const postBody = (sent: SendOptions) => send(api, 'POST', '/graphql', sent);

  it.each([
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['application/json; charset=latin1', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['text/plain', 415],
    ['application/graphql', 415],
    ['', 415],
  ])('with the Content-Type %j returns %i', async (type, status) => {
    const response = await postBody({ body, headers: { 'content-type': type } });
    expect([response.status, codeIn(response)]).toEqual([
      status,
      status === 200 ? undefined : 'unsupported_media_type',
    ]);
  });

  it.each([
    ['malformed JSON', '{"query": ', 400, 'malformed_json'],
    ['a key twice', `{"query": "{ no }", "query": "${HEALTH}"}`, 400, 'malformed_json'],
    ['a variable twice', `{"query": "${HEALTH}", "variables": {"a": 1, "a": 2}}`, 400, 'malformed_json'],
    [
      'too many levels',
      `{"query": "${HEALTH}", "variables": ${'{"a":'.repeat(40)}1${'}'.repeat(41)}`,
      400,
      'malformed_json',
    ],
    [
      '__proto__',
      `{"query": "${HEALTH}", "variables": {"__proto__": {"polluted": 1}}}`,
      400,
      'malformed_json',
    ],
    [
      'constructor',
      `{"query": "${HEALTH}", "extensions": {"constructor": {"prototype": {}}}}`,
      400,
      'malformed_json',
    ],
    ['U+0000', `{"query": "${HEALTH}", "variables": {"a": "\\u0000"}}`, 422, 'validation_failed'],
    ['only a string', '"x"', 422, 'validation_failed'],
    ['null', 'null', 422, 'validation_failed'],
    ['nothing', '', 422, 'validation_failed'],
    ['no query', '{}', 422, 'validation_failed'],
    ['an invalid query', '{"query": 1}', 422, 'validation_failed'],
    ['an invalid operation name', `{"query": "${HEALTH}", "operationName": 1}`, 422, 'validation_failed'],
    [
      'variables that are not an object',
      `{"query": "${HEALTH}", "variables": [1]}`,
      422,
      'validation_failed',
    ],
    [
      'extensions that are not an object',
      `{"query": "${HEALTH}", "extensions": "x"}`,
      422,
      'validation_failed',
    ],
  ])('with %s is rejected and does not affect the process', async (_what, text, status, code) => {
    const response = await postBody({ body: text, headers: JSON_TYPE });
    expect([response.status, codeIn(response)]).toEqual([status, code]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('of more than 100 KiB is rejected, with a Content-Length and in chunks; exactly 100 KiB is accepted', async () => {
    const bodyOf = (length: number) => body.padEnd(length, ' ');
    expect((await postBody({ body: bodyOf(102_400), headers: JSON_TYPE })).status).toBe(200);
    for (const chunked of [false, true]) {
      const response = await postBody({ body: bodyOf(102_401), headers: JSON_TYPE, chunked });
      expect([response.status, codeIn(response)]).toEqual([413, 'payload_too_large']);
    }
  });

  it('with a Content-Encoding is rejected', async () => {
    const response = await postBody({ body, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } });
    expect([response.status, codeIn(response)]).toEqual([415, 'unsupported_media_type']);
  });
});

describe('a response', () => {
  const requested = (accept: string, text: string) => post(api, JSON.stringify({ query: text }), { accept });

  it.each([
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    [RESPONSE_TYPE, RESPONSE_TYPE],
    [`${RESPONSE_TYPE}, application/json;q=0.9`, RESPONSE_TYPE],
    [`application/json, ${RESPONSE_TYPE}`, 'application/json'],
  ])('to a request with Accept %s is %s, for successes and errors', async (accept, type) => {
    const responses = [
      await requested(accept, HEALTH),
      await requested(accept, '{'),
      await requested(accept, '{ me { id } }'),
      await requested(
        accept,
        'query ($a: Int!) { __typename @include(if: true) x: eventTypes(type: "") { __typename } }',
      ),
    ];
    for (const { headers } of responses) expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
  });

  it('has status 406 if no supported type is accepted', async () => {
    const { status, errors } = await requested('text/html', HEALTH);
    expect([status, errors![0]!.extensions.code]).toEqual([406, 'validation_failed']);
  });

  it.each([
    ['an invalid document', { query: '{' }],
    ['a document that does not match the schema', { query: '{ nothing }' }],
    ['a variable that does not match the schema', { query: 'query ($id: ID!) { trade(id: $id) { id } }' }],
  ])('to %s has no data, and status 200 as JSON or 400 as graphql-response+json', async (_what, wrong) => {
    const plain = await sendGraphql(api, owner, wrong);
    const typed = await sendGraphql(api, owner, wrong, { accept: RESPONSE_TYPE });
    expect([plain.status, typed.status]).toEqual([200, 400]);
    for (const { text, errors } of [plain, typed]) {
      expect(text).not.toContain('"data"');
      expect(errors![0]!.extensions.code).toBe('validation_failed');
    }
  });

  it('has the common headers and the request id, in errors too', async () => {
    for (const text of [HEALTH, '{ me { id } }', '{']) {
      const { headers, errors = [] } = await post(api, JSON.stringify({ query: text }), {
        'x-request-id': 'mine',
      });
      expect(headers).toMatchObject({
        'x-request-id': 'mine',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
      for (const { extensions } of errors) expect(extensions.request_id).toBe('mine');
    }
    const invalidId = await post(api, JSON.stringify({ query: '{' }), { 'x-request-id': 'not mine!' });
    expect(invalidId.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(invalidId.errors![0]!.extensions.request_id).toBe(invalidId.headers['x-request-id']);
  });
});

describe('a page of another origin', () => {
  const preflight = (origin: string) =>
    send(api, 'OPTIONS', '/graphql', { headers: { origin, 'access-control-request-method': 'POST' } });

  it('can send requests and read responses if its origin is configured', async () => {
    const { status, headers } = await preflight(PAGE_ORIGIN);
    expect([status, headers['access-control-allow-origin'], headers['access-control-allow-methods']]).toEqual(
      [204, PAGE_ORIGIN, 'GET, POST'],
    );
    const response = await post(api, JSON.stringify({ query: '{' }), { origin: PAGE_ORIGIN });
    expect(response.headers['access-control-allow-origin']).toBe(PAGE_ORIGIN);
  });

  it('cannot read responses if its origin is not configured', async () => {
    const { headers } = await preflight('https://evil.example.com');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a persisted query', () => {
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
  const extensions = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: hashOf(text) } });

  it('can be requested by its hash after an authenticated caller has sent it', async () => {
    const text = '{ version { version } }';
    const first = await sendGraphql(api, owner, { extensions: extensions(text) });
    expect([first.status, first.errors![0]!.message]).toEqual([200, 'PersistedQueryNotFound']);
    const sent = await sendGraphql(api, owner, { query: text, extensions: extensions(text) });
    expect(sent.data).toEqual({ version: { version: '1.2.3' } });
    const requested = await sendGraphql(api, owner, { extensions: extensions(text) });
    expect(requested.data).toEqual(sent.data);
    const target = targetOf({ extensions: JSON.stringify(extensions(text)) });
    expect((await sendSigned(api, owner, 'GET', target)).json.data).toEqual(sent.data);
  });

  it('is not cached if a request without credentials sends it, but such requests can use cached queries', async () => {
    const text = '{ version { commit } }';
    const requested = () => post(api, JSON.stringify({ extensions: extensions(text) }));
    const sent = await post(api, JSON.stringify({ query: text, extensions: extensions(text) }));
    expect(sent.errors).toBeUndefined();
    expect((await requested()).errors![0]!.message).toBe('PersistedQueryNotFound');
    await sendGraphql(api, owner, { query: text, extensions: extensions(text) });
    expect((await requested()).data).toEqual(sent.data);
  });

  it('grants a caller without credentials no more than its document would', async () => {
    const text = '{ me { id } }';
    await sendGraphql(api, owner, { query: text, extensions: extensions(text) });
    const requested = await post(api, JSON.stringify({ extensions: extensions(text) }));
    expect([requested.status, requested.errors![0]!.extensions.code]).toEqual([
      401,
      'authentication_required',
    ]);
  });

  it.each([
    ['the hash of another document', { version: 1, sha256Hash: hashOf('x') }],
    ['a hash in capitals', { version: 1, sha256Hash: hashOf(HEALTH).toUpperCase() }],
    ['another version', { version: 2, sha256Hash: hashOf(HEALTH) }],
    ['no hash', { version: 1 }],
    ['null', null],
  ])('is rejected with %s', async (_what, persistedQuery) => {
    const { status, errors } = await sendGraphql(api, owner, {
      query: HEALTH,
      extensions: { persistedQuery },
    });
    expect([status, errors![0]!.extensions]).toMatchObject([
      422,
      { code: 'validation_failed', details: [{ field: 'extensions.persistedQuery', code: 'invalid' }] },
    ]);
  });
});
