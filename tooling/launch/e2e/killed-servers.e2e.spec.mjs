import { join } from 'node:path';
import { createRequestSigner } from '@trading-automation/signed-request';
import pg from 'pg';
import { createClient, openAccount } from '../first-trade/client.mjs';
import { until } from '../first-trade/scenario.mjs';
import { ensureKeys } from '../keys.mjs';
import { freePort } from '../ports.mjs';
import { preparePostgres } from '../postgres.mjs';
import { signalTree } from '../processes.mjs';
import { prepareRedis } from '../redis.mjs';
import { startKeeper } from '../servers.mjs';
import { listServices } from '../service-list.mjs';
import { migrateDatabase, superviseService } from '../service-processes.mjs';
import { temporaryFolder } from '../test-servers.mjs';
import { keyOf } from './accounts.mjs';

/**
 * One API process over a Postgres and a Redis of its own, run as a deployment runs them: everything acknowledged is
 * on its way to the disk. Both are begun again when they are killed.
 */

/** @type {(() => unknown)[]} */
const undo = [];
/** @type {Map<string, number>} */
const pids = new Map();
let database;
let restUrl;
let admin;
const privateKey = keyOf('killed servers');

beforeAll(async () => {
  const folder = temporaryFolder();
  const keeper = startKeeper((name, event) => {
    if (event.type === 'started') pids.set(name, event.pid);
  });
  keeper.removeAfterwards(folder);
  undo.push(() => keeper.stop());
  const [postgres, redis] = await Promise.all([
    preparePostgres({
      dataDir: join(folder, 'postgres'),
      passwordFile: join(folder, 'postgres-password'),
      logFile: join(folder, 'postgres.log'),
      port: await freePort(),
      database: 'product',
    }),
    prepareRedis({
      dataDir: join(folder, 'redis'),
      logFile: join(folder, 'redis.log'),
      port: await freePort(),
      say: () => undefined,
    }),
  ]);
  await Promise.all([keeper.start(postgres), keeper.start(redis)]);
  await migrateDatabase(postgres.url);
  const services = listServices({
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    keys: await ensureKeys(join(folder, 'keys')),
    paperExchangeDir: folder,
    ports: { rest: await freePort(), paperExchange: await freePort() },
    more: { 'rest-api': { RATE_LIMITS: GENEROUS } },
  });
  const api = services.find(({ name }) => name === 'rest-api');
  const running = superviseService(api, () => undefined);
  undo.push(() => running.stop());
  await running.untilReady();
  database = new pg.Pool({ connectionString: postgres.url, max: 1 });
  database.on('error', () => undefined);
  undo.push(() => database.end());
  restUrl = api.url;
  await openAccount({ restUrl, privateKey });
  const { key } = await createClient({ restUrl, privateKey }).post('/v1/api-keys', {
    name: 'killed servers',
    permissions: ['ADMIN'],
  });
  admin = createClient({ restUrl, apiKey: key });
}, 120_000);
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

const GENEROUS = JSON.stringify({
  general: { requests: 1_000_000, seconds: 1 },
  trade_writes: { requests: 1_000_000, seconds: 1 },
  sensitive_writes: { requests: 1_000_000, seconds: 1 },
  identity_writes: { requests: 1_000_000, seconds: 1 },
});

/** Ends a server as a power failure of its process would; it is begun again by itself. */
async function kill(name) {
  const pid = pids.get(name);
  signalTree(pid, 'SIGKILL');
  await until(
    async () => pids.get(name),
    (now) => now !== pid,
  );
}

/** Sends 1,000 equal requests at once; `meanwhile` runs once so many were answered. */
async function sendAtOnce(key, answersBefore = 0, meanwhile = async () => undefined) {
  let answered = 0;
  let begun;
  const send = async () => {
    const answer = await admin.request('POST', '/v1/webhooks', hookNamed(key), { 'idempotency-key': key });
    answered++;
    if (answered >= answersBefore) begun ??= meanwhile();
    return answer;
  };
  const answers = await Promise.all(Array.from({ length: 1_000 }, send));
  await begun;
  return answers;
}

const hookNamed = (description) => ({ url: 'https://receiver.example', events: ['*'], description });

async function recordsOf(description) {
  const query = () => database.query('SELECT id FROM webhooks WHERE description = $1', [description]);
  const { rows } = await until(
    () => query().catch(() => undefined),
    (result) => result !== undefined,
    60_000,
  );
  return rows.length;
}

const isReplayed = ({ headers }) => headers.get('idempotency-replayed') === 'true';

it('1,000 equal POSTs at once with one Idempotency-Key make one record', async () => {
  const answers = await sendAtOnce('at once');
  const made = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(await recordsOf('at once')).toBe(1);
  expect(made.filter((answer) => !isReplayed(answer))).toHaveLength(1);
  expect(new Set(made.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(new Set(refused.map(({ status, body }) => `${status} ${body.error.code}`)).size).toBeLessThanOrEqual(
    1,
  );
  for (const { body } of refused) expect(body.error.code).toBe('idempotency_in_progress');
});

it.each([1, 20, 200])(
  'with Postgres killed after %i answers there is one record at most, and no answer is wrong',
  async (answersBefore) => {
    const key = `killed ${answersBefore}`;
    const answers = await sendAtOnce(key, answersBefore, () => kill('postgres'));
    for (const { status, body } of answers) {
      if (status === 201) continue;
      expect(['idempotency_in_progress', 'service_unavailable']).toContain(body.error.code);
    }
    expect(answers.map(({ body }) => body.error?.code)).toContain('service_unavailable');
    const made = answers.filter(({ status }) => status === 201);
    const kept = await recordsOf(key);
    expect(kept).toBeLessThanOrEqual(1);
    if (made.length > 0) expect(kept).toBe(1);
    // Sent again once all is well, it is that record, or the first one.
    const again = await until(
      () => admin.request('POST', '/v1/webhooks', hookNamed(key), { 'idempotency-key': key }),
      ({ status }) => status === 201,
      60_000,
    );
    expect(await recordsOf(key)).toBe(1);
    for (const { body } of made) expect(body).toEqual(again.body);
  },
  120_000,
);

it('a nonce stays used when Redis is killed and begins again from its file', async () => {
  const headers = createRequestSigner(privateKey)({ method: 'GET', path: '/v1/me' });
  const send = async () => {
    const answer = await fetch(`${restUrl}/v1/me`, { headers });
    const body = await answer.json();
    return { status: answer.status, code: body.error?.code };
  };
  expect(await send()).toEqual({ status: 200, code: undefined });
  await kill('redis');
  const after = await until(send, ({ code }) => code !== 'service_unavailable', 60_000);
  expect(after).toEqual({ status: 401, code: 'nonce_replayed' });
}, 120_000);
