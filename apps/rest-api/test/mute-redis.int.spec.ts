/**
 * While Redis keeps its connections open and responds to nothing, every signed request gets 503 within 10 s, because its nonce
 * cannot be recorded. API keys are served. Afterwards, the same process works again.
 */
import { OPERATIONS } from '@trading-automation/contracts';
import { eventually } from '@trading-automation/runtime/testing';
import { TcpProxy } from '../../graphql-api/test/tcp-proxy.js';
import { goodRequest, perform, targetOf } from './proofs/contract.js';
import type { GoodRequest } from './proofs/requests.js';
import { TestEnvironment } from './proofs/test-environment.js';
import { TestUser } from './proofs/test-user.js';
import { sendSigned, startTestRestApi, type TestRestApi } from './test-rest-api.js';

const LIMIT_MS = 10_000;
/** Without calls of other processes, which no test process serves, and without streams, which do not end. */
const READS = OPERATIONS.filter(
  ({ method, stream, access }) => method === 'GET' && stream !== true && access !== 'PUBLIC',
);

let environment: TestEnvironment;
let redis: TcpProxy;
let rest: TestRestApi;
let owner: TestUser;
const requests = new Map<(typeof OPERATIONS)[number], GoodRequest>();
beforeAll(async () => {
  environment = await TestEnvironment.open();
  owner = await TestUser.create(environment);
  for (const operation of READS) requests.set(operation, await goodRequest(operation, owner));
  redis = await TcpProxy.start(process.env.TEST_REDIS_URL ?? '');
  rest = await startTestRestApi({ DATABASE_URL: environment.api.databaseUrl, REDIS_URL: redis.url });
});
afterAll(async () => {
  redis?.resume();
  await rest?.close();
  await redis?.close();
  await environment?.close();
});
afterEach(async () => {
  redis.resume();
  await eventually(async () => (await signedMe()).status === 200);
});

const signedMe = () => sendSigned(rest, owner.keyPair, 'GET', '/v1/me');

/** The owner as a caller of the API whose Redis is behind the proxy. */
function ownerAtProxy(): TestUser {
  return Object.create(owner, {
    environment: { value: Object.create(environment, { api: { value: rest } }) },
  });
}

async function timed<T extends object>(response: Promise<T>): Promise<T & { readonly isInTime: boolean }> {
  const startedMs = performance.now();
  const result = await response;
  return Object.assign(result, { isInTime: performance.now() - startedMs < LIMIT_MS });
}

it('every signed request gets 503 within 10 s', async () => {
  expect((await signedMe()).status).toBe(200);
  redis.pause();
  const outcomes = await Promise.all(
    READS.map(async (operation) => {
      const target = targetOf(operation, requests.get(operation)!);
      const { status, isInTime } = await timed(sendSigned(rest, owner.keyPair, 'GET', target));
      return [operation.id, status, isInTime];
    }),
  );
  expect(outcomes).toEqual(READS.map(({ id }) => [id, 503, true]));
});

it('requests with an API key are served within 10 s, also if they change state', async () => {
  expect((await ownerAtProxy().call('GET', '/v1/me')).status).toBe(200);
  redis.pause();
  const outcomes: unknown[] = [];
  // Two at a time, because more requests of one user would wait for each other.
  for (let start = 0; start < READS.length; start += 2) {
    const pair = READS.slice(start, start + 2).map(async (operation) => {
      const { status, isInTime } = await timed(
        perform(operation, ownerAtProxy(), requests.get(operation)!, { headers: {} }),
      );
      return [operation.id, status, isInTime];
    });
    outcomes.push(...(await Promise.all(pair)));
  }
  expect(outcomes).toEqual(READS.map(({ id }) => [id, 200, true]));
  const written = await timed(ownerAtProxy().call('PUT', '/v1/settings/mute', { body: { value: 1 } }));
  expect([written.status, written.isInTime]).toEqual([201, true]);
});

it('detailed health names Redis as degraded, within 10 s', async () => {
  expect((await ownerAtProxy().call('GET', '/v1/me')).status).toBe(200);
  redis.pause();
  const { status, json, isInTime } = await timed(ownerAtProxy().call('GET', '/v1/health/detailed'));
  expect([status, isInTime]).toEqual([200, true]);
  expect(json.data).toMatchObject({ services: { redis: { status: 'degraded' } } });
});
