/**
 * Tests outages of Postgres or Redis during operations over HTTP.
 *
 * 1. A request that cannot be authenticated gets REST's status, code and message. If a connection is lost while one
 *    field is resolved, only that field gets an error. No error names the unavailable service or its address.
 * 2. A mutation whose connection is lost runs once or not at all; after a retry with its Idempotency-Key, exactly once.
 * 3. The same process works again once the service is available.
 */
import { eventually } from '@trading-automation/runtime/testing';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { TestUser } from '../../../rest-api/test/proofs/test-user.js';
import { send } from '../../../rest-api/test/send.js';
import { sendSigned, startTestRestApi, type TestRestApi } from '../../../rest-api/test/test-rest-api.js';
import { TcpProxy } from '../tcp-proxy.js';
import {
  type GraphqlResponse,
  post,
  sendGraphql,
  startTestGraphqlApi,
  type TestGraphqlApi,
} from '../test-graphql-api.js';

const ME = '{ me { id } }';
const HEALTH = '{ health { status } }';
const CREATE_KEY = 'mutation ($name: String!) { createApiKey(input: { name: $name }) { id key } }';
const INTERNALS =
  /ECONN|connect|terminat|time.?out|postgres|redis|127\.0\.0\.1|localhost|select |insert |node_modules|\bat \S+:\d+/i;

let environment: TestEnvironment;
let postgres: TcpProxy;
let redis: TcpProxy;
let api: TestGraphqlApi;
/** A REST API on the same database and Redis, through the same proxies. */
let rest: TestRestApi;
let owner: TestUser;
let token: string;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  postgres = await TcpProxy.start(environment.api.databaseUrl);
  redis = await TcpProxy.start(process.env.TEST_REDIS_URL ?? '');
  const throughProxies = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  api = await startTestGraphqlApi(environment.api.databaseUrl, throughProxies);
  rest = await startTestRestApi(throughProxies);
  owner = await TestUser.create(environment);
  token = await signIn();
});
afterAll(async () => {
  await api?.close();
  await rest?.close();
  await postgres?.close();
  await redis?.close();
  await environment?.close();
});
afterEach(() => {
  postgres.resume();
  redis.resume();
});

async function signIn(): Promise<string> {
  const login = { email: 'a@mail.example', password: 'correct horse' };
  const query = `mutation ($email: String!, $password: String!) { register(email: $email, password: $password) { access_token } }`;
  await post(api, JSON.stringify({ query, variables: login }));
  const [mail] = await environment.rows('SELECT body FROM mails WHERE recipient = $1', login.email);
  const code = /code=([\w-]{43})/.exec(String(mail?.body))![1]!;
  await fetch(`http://127.0.0.1:${environment.api.port}/registration`, {
    method: 'POST',
    body: new URLSearchParams({ code, password: login.password }),
  });
  const signInQuery = `mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { tokens { access_token } } }`;
  const { data } = await post(api, JSON.stringify({ query: signInQuery, variables: login }));
  return data.login.tokens.access_token;
}

const signed = (query: string, variables: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  sendGraphql(api, owner.keyPair, { query, variables }, headers);
const bySession = (query: string, variables: object = {}) =>
  post(api, JSON.stringify({ query, variables }), { authorization: `Bearer ${token}` });
const createKey = (name: string) => signed(CREATE_KEY, { name }, { 'idempotency-key': `key of ${name}` });
const codesOf = ({ errors = [] }: GraphqlResponse) => errors.map(({ extensions }) => extensions.code);

async function keysNamed(name: string): Promise<number> {
  return (await environment.rows('SELECT FROM api_keys WHERE name = $1', name)).length;
}

/** Retries while the server is still rolling back the first attempt. */
async function repeat(send: () => Promise<GraphqlResponse>): Promise<GraphqlResponse> {
  for (;;) {
    const response = await send();
    if (!codesOf(response).includes('idempotency_in_progress')) return response;
  }
}

const meOnRest = () => sendSigned(rest, owner.keyPair, 'GET', '/v1/me');

/** Expects the same error as REST at the same time. */
async function expectSameErrorAsRest(response: GraphqlResponse): Promise<void> {
  const { status, headers, json } = await meOnRest();
  expect([status, json.error?.code]).toEqual([503, 'service_unavailable']);
  expect([response.status, response.headers['retry-after']]).toEqual([503, headers['retry-after']]);
  const { code, message } = json.error!;
  const extensions = {
    code,
    request_id: response.headers['x-request-id'],
    retry_after: Number(headers['retry-after']),
  };
  expect(JSON.parse(response.text)).toEqual({ errors: [{ message, extensions }] });
  expect(response.text).not.toMatch(INTERNALS);
}

describe('while Postgres is unavailable', () => {
  beforeEach(async () => {
    postgres.refuseConnections();
    // Until the API notices the lost notification connection, it finds callers in its cache.
    await eventually(() => !api.platform.listener.connected);
  });

  it('callers cannot be authenticated: a request gets the same error as in REST, and the outage is logged', async () => {
    const headers = { 'x-request-id': 'during-the-outage' };
    for (const response of [
      await signed(ME, {}, headers),
      await createKey('postgres down'),
      await bySession(ME),
      await bySession(CREATE_KEY, { name: 'postgres down' }),
    ])
      await expectSameErrorAsRest(response);
    const logged = api.log.filter((line) => line.includes('during-the-outage'));
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0]!)).toMatchObject({
      level: 'warn',
      msg: 'A required service is unavailable.',
    });
    expect(await keysNamed('postgres down')).toBe(0);
  });

  it('operations that do not need Postgres work', async () => {
    expect((await post(api, JSON.stringify({ query: HEALTH }))).data).toEqual({ health: { status: 'ok' } });
  });

  it('the process recovers and responds to the first request after the outage', async () => {
    const responses = await Promise.all(Array.from({ length: 30 }, () => signed(ME)));
    expect(new Set(responses.flatMap(codesOf))).toEqual(new Set(['service_unavailable']));
    postgres.resume();
    for (const response of [await signed(ME), await bySession(ME)]) {
      expect([response.status, response.errors]).toEqual([200, undefined]);
    }
    await eventually(() => api.platform.listener.connected);
    expect((await createKey('postgres back')).errors).toBeUndefined();
    expect(await keysNamed('postgres back')).toBe(1);
  });
});

describe('a lost connection to Postgres', () => {
  const unavailableAt = (...path: string[]) => [
    {
      message: expect.any(String),
      locations: expect.any(Array),
      path,
      extensions: { code: 'service_unavailable', request_id: expect.any(String), retry_after: 5 },
    },
  ];

  it('during a query causes an error in one field; the other fields succeed', async () => {
    const [id, other] = [await owner.strategy(), await owner.strategy()];
    const query = `query ($id: ID!, $other: ID!) { cut: strategy(id: $id) { id } strategy(id: $other) { id } }`;
    const cut = postgres.cutAt({ containing: environment.uuidOf(id) });
    const response = await signed(query, { id, other });
    await cut;
    expect([response.status, response.errors]).toEqual([200, unavailableAt('cut')]);
    expect(response.data).toEqual({ cut: null, strategy: { id: other } });
    expect(response.text).not.toMatch(INTERNALS);
    const again = await signed(query, { id, other });
    expect([again.errors, again.data]).toEqual([undefined, { cut: { id }, strategy: { id: other } }]);
  });

  it('while a related record is loaded causes an error in the field of that record; its parent succeeds', async () => {
    const id = await owner.trade();
    const query = 'query ($id: ID!) { trade(id: $id) { id tradePair { symbol } } }';
    const cut = postgres.cutAt({ containing: environment.uuidOf(environment.pairId) });
    const response = await signed(query, { id });
    await cut;
    expect([response.status, response.errors]).toEqual([200, unavailableAt('trade', 'tradePair')]);
    expect(response.data).toEqual({ trade: { id, tradePair: null } });
    expect(response.text).not.toMatch(INTERNALS);
    expect((await signed(query, { id })).data).toEqual({ trade: { id, tradePair: { symbol: 'BTC/USDT' } } });
  });

  it.each([
    ['during its execution', { containing: 'cut at work', reachesServer: true }, 0],
    ['before its COMMIT', { containing: 'cut before', cutOn: 'COMMIT' }, 0],
    [
      'before the response to its COMMIT',
      { containing: 'cut after', cutOn: 'COMMIT', reachesServer: true },
      1,
    ],
  ])(
    'during a mutation, %s, leaves it executed at most once, and exactly once after a retry',
    async (_when, where, executions) => {
      const name = where.containing;
      const cut = postgres.cutAt(where);
      const response = await createKey(name);
      await cut;
      expect([response.status, response.errors]).toEqual([200, unavailableAt('createApiKey')]);
      expect(response.data).toEqual({ createApiKey: null });
      expect(response.text).not.toMatch(INTERNALS);
      expect(await keysNamed(name)).toBe(executions);

      const again = await repeat(() => createKey(name));
      expect(again.errors).toBeUndefined();
      expect(again.headers['idempotency-replayed']).toBe(executions === 1 ? 'true' : undefined);
      expect(again.data.createApiKey.key).toMatch(/^svc_test_/);
      expect(await keysNamed(name)).toBe(1);
    },
  );

  it('during one of several mutations of a document leaves each executed once after a retry', async () => {
    const query = `mutation {
      first: createApiKey(input: { name: "first of three" }) { id }
      cut: createApiKey(input: { name: "cut of three" }) { id }
      last: createApiKey(input: { name: "last of three" }) { id }
    }`;
    const mutate = () => signed(query, {}, { 'idempotency-key': 'three' });
    const cut = postgres.cutAt({ containing: 'cut of three', cutOn: 'COMMIT' });
    const response = await mutate();
    await cut;
    expect(response.errors).toEqual(unavailableAt('cut'));
    const again = await repeat(mutate);
    expect(again.errors).toBeUndefined();
    expect(again.data).toMatchObject({ first: response.data.first, last: response.data.last });
    for (const name of ['first', 'cut', 'last']) expect(await keysNamed(`${name} of three`)).toBe(1);
  });

  it('during thirty concurrent mutations leaves each executed once after a retry', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `concurrent ${i}`);
    const sent = names.map(createKey);
    await Promise.race(sent);
    postgres.refuseConnections();
    const responses = await Promise.all(sent);
    postgres.resume();
    for (const response of responses)
      if (response.errors !== undefined) expect(codesOf(response)).toEqual(['service_unavailable']);
    for (const name of names) expect(await keysNamed(name)).toBeLessThanOrEqual(1);
    for (const name of names) expect((await repeat(() => createKey(name))).errors).toBeUndefined();
    for (const name of names) expect(await keysNamed(name)).toBe(1);
  });
});

describe.each([
  ['down', () => redis.refuseConnections()],
  ['unresponsive', () => redis.pause()],
])('while Redis is %s', (how, interrupt) => {
  beforeEach(async () => {
    await eventually(async () => (await signed(ME)).status === 200 && (await meOnRest()).status === 200);
    interrupt();
  });

  it('no nonce can be recorded: a signed request gets the same error as in REST and has no effect', async () => {
    const name = `redis ${how}`;
    for (const response of [await signed(ME), await createKey(name)]) await expectSameErrorAsRest(response);
    expect(await keysNamed(name)).toBe(0);
    redis.resume();
    await eventually(async () => (await signed(ME)).status === 200);
    const created = await createKey(name);
    expect([created.errors, created.headers['idempotency-replayed']]).toEqual([undefined, undefined]);
    expect(await keysNamed(name)).toBe(1);
  });

  it('sessions and requests without credentials are served, as REST serves API keys', async () => {
    const name = `by session, redis ${how}`;
    const onRest = await send(rest, 'GET', '/v1/me', { headers: { 'x-api-key': owner.keyOf('READ') } });
    expect(onRest.status).toBe(200);
    expect((await bySession(ME)).data.me.id).toMatch(/^usr_/);
    expect((await bySession(CREATE_KEY, { name })).errors).toBeUndefined();
    expect(await keysNamed(name)).toBe(1);
    expect((await post(api, JSON.stringify({ query: HEALTH }))).data).toEqual({ health: { status: 'ok' } });
  });
});
