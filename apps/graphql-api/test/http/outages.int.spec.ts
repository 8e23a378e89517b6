/**
 * Postgres or Redis away under operations over HTTP.
 *
 * 1. What can't be decided is refused as a whole with REST's status, code and words; what is away under one field is that
 *    field's error alone. Neither tells what is away, or where it stands.
 * 2. A mutation whose connection is cut happens once or not at all; sent again under its Idempotency-Key, exactly once.
 * 3. The same process answers again once what was away is back.
 */
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
const MAKE = 'mutation ($name: String!) { createApiKey(input: { name: $name }) { id key } }';
const INTERNALS =
  /ECONN|connect|terminat|time.?out|postgres|redis|127\.0\.0\.1|localhost|select |insert |node_modules|\bat \S+:\d+/i;

let market: TestEnvironment;
let postgres: TcpProxy;
let redis: TcpProxy;
let api: TestGraphqlApi;
/** On the same database and Redis, through the same gates. */
let rest: TestRestApi;
let owner: TestUser;
let token: string;
beforeAll(async () => {
  market = await TestEnvironment.open();
  postgres = await TcpProxy.start(market.api.databaseUrl);
  redis = await TcpProxy.start(process.env.TEST_REDIS_URL ?? '');
  const behindGates = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  api = await startTestGraphqlApi(market.api.databaseUrl, behindGates);
  rest = await startTestRestApi(behindGates);
  owner = await TestUser.create(market);
  token = await signIn();
});
afterAll(async () => {
  await api?.close();
  await rest?.close();
  await postgres?.close();
  await redis?.close();
  await market?.close();
});
afterEach(() => {
  postgres.resume();
  redis.resume();
});

async function signIn(): Promise<string> {
  const query = 'mutation { register(email: "a@mail.example", password: "correct horse") { access_token } }';
  const { data } = await post(api, JSON.stringify({ query }));
  return data.register.access_token;
}

const signed = (query: string, variables: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  sendGraphql(api, owner.keyPair, { query, variables }, headers);
const bySession = (query: string, variables: object = {}) =>
  post(api, JSON.stringify({ query, variables }), { authorization: `Bearer ${token}` });
const make = (name: string) => signed(MAKE, { name }, { 'idempotency-key': `key of ${name}` });
const codesOf = ({ errors = [] }: GraphqlResponse) => errors.map(({ extensions }) => extensions.code);

async function keysNamed(name: string): Promise<number> {
  return (await market.rows('SELECT FROM api_keys WHERE name = $1', name)).length;
}

/** Sends it again for as long as the server is still undoing the first try. */
async function repeat(send: () => Promise<GraphqlResponse>): Promise<GraphqlResponse> {
  for (;;) {
    const answer = await send();
    if (!codesOf(answer).includes('idempotency_in_progress')) return answer;
  }
}

const meOnRest = () => sendSigned(rest, owner.keyPair, 'GET', '/v1/me');

async function waitUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Refused as REST refuses at the same moment, word for word. */
async function expectRefusedAsByRest(answer: GraphqlResponse): Promise<void> {
  const { status, headers, json } = await meOnRest();
  expect([status, json.error?.code]).toEqual([503, 'service_unavailable']);
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, headers['retry-after']]);
  const { code, message } = json.error!;
  const extensions = {
    code,
    request_id: answer.headers['x-request-id'],
    retry_after: Number(headers['retry-after']),
  };
  expect(JSON.parse(answer.text)).toEqual({ errors: [{ message, extensions }] });
  expect(answer.text).not.toMatch(INTERNALS);
}

describe('while Postgres is away', () => {
  beforeEach(async () => {
    postgres.refuseConnections();
    // Until it is known that no notification comes, who asks is found in memory.
    await waitUntil(() => !api.platform.listener.connected);
  });

  it('who asks can’t be found out: a request is refused as a whole, as by REST, and logged as what it is', async () => {
    const headers = { 'x-request-id': 'asked-in-vain' };
    for (const answer of [
      await signed(ME, {}, headers),
      await make('postgres away'),
      await bySession(ME),
      await bySession(MAKE, { name: 'postgres away' }),
    ])
      await expectRefusedAsByRest(answer);
    const logged = api.log.filter((line) => line.includes('asked-in-vain'));
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0]!)).toMatchObject({
      level: 'warn',
      msg: 'A required service is unavailable.',
    });
    expect(await keysNamed('postgres away')).toBe(0);
  });

  it('what needs none is answered', async () => {
    expect((await post(api, JSON.stringify({ query: HEALTH }))).data).toEqual({ health: { status: 'ok' } });
  });

  it('nothing is given up: the same process answers the first request after it', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => signed(ME)));
    expect(new Set(answers.flatMap(codesOf))).toEqual(new Set(['service_unavailable']));
    postgres.resume();
    for (const answer of [await signed(ME), await bySession(ME)]) {
      expect([answer.status, answer.errors]).toEqual([200, undefined]);
    }
    await waitUntil(() => api.platform.listener.connected);
    expect((await make('postgres back')).errors).toBeUndefined();
    expect(await keysNamed('postgres back')).toBe(1);
  });
});

describe('a connection to Postgres that is cut', () => {
  const unavailableAt = (...path: string[]) => [
    {
      message: expect.any(String),
      locations: expect.any(Array),
      path,
      extensions: { code: 'service_unavailable', request_id: expect.any(String), retry_after: 5 },
    },
  ];

  it('under a query is the error of the field that needed it; the others are answered', async () => {
    const [id, other] = [await owner.strategy(), await owner.strategy()];
    const query = `query ($id: ID!, $other: ID!) { cut: strategy(id: $id) { id } strategy(id: $other) { id } }`;
    const cut = postgres.cutAt({ of: market.uuidOf(id) });
    const answer = await signed(query, { id, other });
    await cut;
    expect([answer.status, answer.errors]).toEqual([200, unavailableAt('cut')]);
    expect(answer.data).toEqual({ cut: null, strategy: { id: other } });
    expect(answer.text).not.toMatch(INTERNALS);
    const again = await signed(query, { id, other });
    expect([again.errors, again.data]).toEqual([undefined, { cut: { id }, strategy: { id: other } }]);
  });

  it('under an edge is the error of the edge; its record is answered', async () => {
    const id = await owner.trade();
    const query = 'query ($id: ID!) { trade(id: $id) { id tradePair { symbol } } }';
    const cut = postgres.cutAt({ of: market.uuidOf(market.pairId) });
    const answer = await signed(query, { id });
    await cut;
    expect([answer.status, answer.errors]).toEqual([200, unavailableAt('trade', 'tradePair')]);
    expect(answer.data).toEqual({ trade: { id, tradePair: null } });
    expect(answer.text).not.toMatch(INTERNALS);
    expect((await signed(query, { id })).data).toEqual({ trade: { id, tradePair: { symbol: 'BTC/USDT' } } });
  });

  it.each([
    ['in its work', { of: 'cut at work', isPassedOn: true }, 0],
    ['before its COMMIT', { of: 'cut before', at: 'COMMIT' }, 0],
    ['before the answer to its COMMIT', { of: 'cut after', at: 'COMMIT', isPassedOn: true }, 1],
  ])(
    'under a mutation %s leaves it done once or not at all, and once when it is sent again',
    async (_when, where, done) => {
      const name = where.of;
      const cut = postgres.cutAt(where);
      const answer = await make(name);
      await cut;
      expect([answer.status, answer.errors]).toEqual([200, unavailableAt('createApiKey')]);
      expect(answer.data).toEqual({ createApiKey: null });
      expect(answer.text).not.toMatch(INTERNALS);
      expect(await keysNamed(name)).toBe(done);

      const again = await repeat(() => make(name));
      expect(again.errors).toBeUndefined();
      expect(again.headers['idempotency-replayed']).toBe(done === 1 ? 'true' : undefined);
      expect(again.data.createApiKey.key).toMatch(/^svc_test_/);
      expect(await keysNamed(name)).toBe(1);
    },
  );

  it('under one of a document’s mutations leaves each of them done once when it is sent again', async () => {
    const query = `mutation {
      first: createApiKey(input: { name: "first of three" }) { id }
      cut: createApiKey(input: { name: "cut of three" }) { id }
      last: createApiKey(input: { name: "last of three" }) { id }
    }`;
    const mutate = () => signed(query, {}, { 'idempotency-key': 'three' });
    const cut = postgres.cutAt({ of: 'cut of three', at: 'COMMIT' });
    const answer = await mutate();
    await cut;
    expect(answer.errors).toEqual(unavailableAt('cut'));
    const again = await repeat(mutate);
    expect(again.errors).toBeUndefined();
    expect(again.data).toMatchObject({ first: answer.data.first, last: answer.data.last });
    for (const name of ['first', 'cut', 'last']) expect(await keysNamed(`${name} of three`)).toBe(1);
  });

  it('under thirty mutations at once, wherever each is, leaves each done once when it is sent again', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `storm ${i}`);
    const sent = names.map(make);
    await Promise.race(sent);
    postgres.refuseConnections();
    const answers = await Promise.all(sent);
    postgres.resume();
    for (const answer of answers)
      if (answer.errors !== undefined) expect(codesOf(answer)).toEqual(['service_unavailable']);
    for (const name of names) expect(await keysNamed(name)).toBeLessThanOrEqual(1);
    for (const name of names) expect((await repeat(() => make(name))).errors).toBeUndefined();
    for (const name of names) expect(await keysNamed(name)).toBe(1);
  });
});

describe.each([
  ['gone', () => redis.refuseConnections()],
  ['mute', () => redis.pause()],
])('while Redis is %s', (how, goAway) => {
  beforeEach(async () => {
    await waitUntil(async () => (await signed(ME)).status === 200 && (await meOnRest()).status === 200);
    goAway();
  });

  it('no nonce can be recorded: a signed request is refused as by REST, and nothing of it is done', async () => {
    const name = `redis ${how}`;
    for (const answer of [await signed(ME), await make(name)]) await expectRefusedAsByRest(answer);
    expect(await keysNamed(name)).toBe(0);
    redis.resume();
    await waitUntil(async () => (await signed(ME)).status === 200);
    const made = await make(name);
    expect([made.errors, made.headers['idempotency-replayed']]).toEqual([undefined, undefined]);
    expect(await keysNamed(name)).toBe(1);
  });

  it('who signs nothing goes on: sessions as on REST API keys, and strangers', async () => {
    const name = `by session, redis ${how}`;
    const onRest = await send(rest, 'GET', '/v1/me', { headers: { 'x-api-key': owner.keyOf('READ') } });
    expect(onRest.status).toBe(200);
    expect((await bySession(ME)).data.me.id).toMatch(/^usr_/);
    expect((await bySession(MAKE, { name })).errors).toBeUndefined();
    expect(await keysNamed(name)).toBe(1);
    expect((await post(api, JSON.stringify({ query: HEALTH }))).data).toEqual({ health: { status: 'ok' } });
  });
});
