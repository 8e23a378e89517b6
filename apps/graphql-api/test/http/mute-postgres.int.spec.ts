/**
 * While Postgres keeps its connections open and responds to nothing, every operation of both APIs but the liveness check
 * responds with 503 within 10 s, as if Postgres were down. Afterwards, the same process works again.
 */
import { OPERATIONS } from '@trading-automation/contracts';
import { eventually } from '@trading-automation/runtime/testing';
import { perform, populate, targetOf } from '../../../rest-api/test/proofs/contract.js';
import type { GoodRequest } from '../../../rest-api/test/proofs/requests.js';
import { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';
import { TestUser } from '../../../rest-api/test/proofs/test-user.js';
import { sendSigned, startTestRestApi, type TestRestApi } from '../../../rest-api/test/test-rest-api.js';
import { TcpProxy } from '../tcp-proxy.js';
import { post, sendGraphql, startTestGraphqlApi, type TestGraphqlApi } from '../test-graphql-api.js';

const LIMIT_MS = 10_000;

let environment: TestEnvironment;
let postgres: TcpProxy;
let rest: TestRestApi;
let graphql: TestGraphqlApi;
let owner: TestUser;
let requests: ReadonlyMap<(typeof OPERATIONS)[number], GoodRequest>;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  owner = await TestUser.create(environment);
  requests = await populate(owner);
  postgres = await TcpProxy.start(environment.api.databaseUrl);
  const throughProxy = { DATABASE_URL: postgres.url };
  rest = await startTestRestApi(throughProxy);
  graphql = await startTestGraphqlApi(environment.api.databaseUrl, throughProxy);
});
afterAll(async () => {
  postgres?.resume();
  await graphql?.close();
  await rest?.close();
  await postgres?.close();
  await environment?.close();
});
afterEach(() => postgres.resume());

/** The owner as a caller of the API whose Postgres is behind the proxy. */
function ownerAtProxy(): TestUser {
  return Object.create(owner, {
    environment: { value: Object.create(environment, { api: { value: rest } }) },
  });
}

async function timed<T>(response: Promise<T>): Promise<T & { readonly isInTime: boolean }> {
  const startedMs = performance.now();
  const result = await response;
  return Object.assign(result as T & object, { isInTime: performance.now() - startedMs < LIMIT_MS });
}

const ME = '{ me { id } }';
const meOnRest = () => sendSigned(rest, owner.keyPair, 'GET', '/v1/me');
const meOnGraphql = () => sendGraphql(graphql, owner.keyPair, { query: ME, variables: {} });

/** Fills the caches of credentials, so that requests are not rejected at authentication already. */
async function callSuccessfully(): Promise<void> {
  expect((await ownerAtProxy().call('GET', '/v1/me')).status).toBe(200);
  expect((await meOnRest()).status).toBe(200);
  expect((await meOnGraphql()).data.me.id).toBe(owner.id);
}

async function expectRecovery(): Promise<void> {
  postgres.resume();
  await eventually(async () => (await meOnRest()).status === 200 && (await meOnGraphql()).status === 200);
}

it('every REST operation but the liveness check responds with 503 within 10 s', async () => {
  await callSuccessfully();
  postgres.pause();
  const outcomes = await Promise.all(
    OPERATIONS.map(async (operation) => {
      const { status, isInTime } = await timed(
        perform(operation, ownerAtProxy(), requests.get(operation)!, {
          headers: operation.method === 'POST' ? { 'idempotency-key': `mute ${operation.id}` } : {},
        }),
      );
      // An operation that reads no rows succeeds while the credential is cached, unless it waits for its user's other requests.
      const isCached = operation.id === 'events.types' && status === 200;
      return [operation.id, isCached ? 503 : status, isInTime];
    }),
  );
  expect(outcomes).toEqual(OPERATIONS.map(({ id }) => [id, id === 'health.get' ? 200 : 503, true]));
  // Without notifications, cached credentials are not used, so that no request with a credential succeeds.
  const typesOfEvents = () => ownerAtProxy().call('GET', '/v1/events/types');
  await eventually(async () => (await typesOfEvents()).status === 503);
  await expectRecovery();
});

it('requests that arrive one after another, by API key, signed and without credentials, each get it in time', async () => {
  await callSuccessfully();
  postgres.pause();
  const trades = targetOf(OPERATIONS.find(({ id }) => id === 'trades.list')!, {});
  for (const respond of [
    () => ownerAtProxy().call('GET', trades),
    () => sendSigned(rest, owner.keyPair, 'GET', trades),
    () => ownerAtProxy().call('GET', '/v1/health/detailed'),
  ]) {
    const { status, isInTime } = await timed(respond());
    expect([status, isInTime]).toEqual([503, true]);
  }
  await expectRecovery();
});

it('GraphQL responds in time with the same error, and to the liveness check', async () => {
  await callSuccessfully();
  postgres.pause();
  const create = 'mutation { createApiKey(input: { name: "while mute" }) { id } }';
  for (const query of [create, ME]) {
    const response = await timed(sendGraphql(graphql, owner.keyPair, { query, variables: {} }));
    expect(response.isInTime).toBe(true);
    expect(response.errors?.map(({ extensions }) => extensions.code)).toEqual(['service_unavailable']);
  }
  const health = await timed(post(graphql, JSON.stringify({ query: '{ health { status } }' })));
  expect([health.isInTime, health.data]).toEqual([true, { health: { status: 'ok' } }]);
  await expectRecovery();
});
