import { createRequestSigner } from '@trading-automation/signed-request';
import pg from 'pg';
import { createClient, openAccount, outcomeOf } from '../launch/first-trade/client.mjs';
import { openRawRequests } from '../launch/first-trade/raw-requests.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { keyOf } from './accounts.mjs';
import { startKillableProduct } from './killable-product.mjs';

/** One REST API process, with its own Postgres and Redis. */
let product;
let database;
let restUrl;
let admin;
const privateKey = keyOf('killed servers');
const kill = (name) => product.kill(name);

beforeAll(async () => {
  product = await startKillableProduct({ only: ['rest-api'] });
  database = new pg.Pool({ connectionString: product.databaseUrl, max: 1 });
  database.on('error', () => undefined);
  restUrl = product.restUrl;
  const { api } = await openAccount({ restUrl, privateKey });
  const { key } = await api.apiKeys.create({ name: 'killed servers', permissions: ['ADMIN'] });
  // The test checks every response, so the SDK must not retry.
  admin = createClient({ restUrl, apiKey: key, maxRetries: 0 });
}, 120_000);
afterAll(async () => {
  await database?.end();
  await product?.stop();
});

const sendOne = (key) => outcomeOf(admin.webhooks.create(webhookNamed(key), { idempotencyKey: key }));

const KILLS_MAX = 20;

/**
 * Sends 1,000 equal requests at once and kills Postgres after `responsesBefore` responses. On a fast machine, all
 * requests may be answered before Postgres ends. In that case, sends further requests and kills Postgres again, until
 * one of the requests fails because of it.
 */
async function sendWhileKilled(key, responsesBefore) {
  let responseCount = 0;
  let killed;
  const send = async () => {
    const response = await sendOne(key);
    responseCount++;
    if (responseCount >= responsesBefore) killed ??= kill('postgres');
    return response;
  };
  const responses = await Promise.all(Array.from({ length: 1_000 }, send));
  const isUnavailable = () => responses.some(({ code }) => code === 'service_unavailable');
  for (let kills = 1; !isUnavailable() && kills < KILLS_MAX; kills++) {
    await killed;
    const further = Promise.all(Array.from({ length: 200 }, () => sendOne(key)));
    killed = kill('postgres');
    responses.push(...(await further));
  }
  expect(isUnavailable()).toBe(true);
  await killed;
  return responses;
}

const webhookNamed = (description) => ({ url: 'https://receiver.example', events: ['*'], description });

async function countRecords(description) {
  const query = () => database.query('SELECT id FROM webhooks WHERE description = $1', [description]);
  const { rows } = await until(
    () => query().catch(() => undefined),
    (result) => result !== undefined,
    60_000,
  );
  return rows.length;
}

/**
 * The error codes that may occur: the first request is still running, the user has too many requests open, or Postgres is
 * unavailable or too slow.
 */
const allowedCodes = ['idempotency_in_progress', 'rate_limited', 'service_unavailable'];

const isReplayed = ({ headers }) => headers.get('idempotency-replayed') === 'true';

it('1,000 equal concurrent POSTs with one Idempotency-Key create one record', async () => {
  const responses = await Promise.all(Array.from({ length: 1_000 }, () => sendOne('at once')));
  const created = responses.filter(({ status }) => status === 201);
  const rejected = responses.filter(({ status }) => status !== 201);
  expect(await countRecords('at once')).toBe(1);
  expect(created.filter((response) => !isReplayed(response))).toHaveLength(1);
  expect(new Set(created.map(({ data }) => JSON.stringify(data))).size).toBe(1);
  for (const { code } of rejected) expect(allowedCodes).toContain(code);
});

it.each([1, 20, 200])(
  'if Postgres is killed after %i responses, at most one record is created, and every response contains it or an allowed error code',
  async (responsesBefore) => {
    const key = `killed ${responsesBefore}`;
    const responses = await sendWhileKilled(key, responsesBefore);
    for (const { status, code } of responses) {
      if (status === 201) continue;
      expect(allowedCodes).toContain(code);
    }
    const created = responses.filter(({ status }) => status === 201);
    const recordCount = await countRecords(key);
    expect(recordCount).toBeLessThanOrEqual(1);
    if (created.length > 0) expect(recordCount).toBe(1);
    // If the request is sent again later, it returns that record, or creates the only record.
    const again = await until(
      () => sendOne(key),
      ({ status }) => status === 201,
      60_000,
    );
    expect(await countRecords(key)).toBe(1);
    for (const { data } of created) expect(data).toEqual(again.data);
  },
  120_000,
);

it('a nonce stays used after Redis is killed and restarts from its file', async () => {
  // The SDK cannot send a signature twice, so this test sends raw requests.
  const headers = createRequestSigner(privateKey)({ method: 'GET', path: '/v1/me' });
  const send = async () => {
    const { status, body } = await openRawRequests({ restUrl })('GET', '/v1/me', { headers });
    return { status, code: body.error?.code };
  };
  expect(await send()).toEqual({ status: 200, code: undefined });
  await kill('redis');
  const after = await until(send, ({ code }) => code !== 'service_unavailable', 60_000);
  expect(after).toEqual({ status: 401, code: 'nonce_replayed' });
}, 120_000);
