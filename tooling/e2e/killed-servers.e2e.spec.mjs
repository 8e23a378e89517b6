import { createRequestSigner } from '@trading-automation/signed-request';
import pg from 'pg';
import { createClient, openAccount, outcomeOf } from '../launch/first-trade/client.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { openWire } from '../launch/first-trade/wire.mjs';
import { keyOf } from './accounts.mjs';
import { startKillableProduct } from './killable-product.mjs';

/** One API process alone, over servers of its own. */
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
  // Every answer is looked at: the SDK would send what may pass once more.
  admin = createClient({ restUrl, apiKey: key, maxRetries: 0 });
}, 120_000);
afterAll(async () => {
  await database?.end();
  await product?.stop();
});

const sendOne = (key) => outcomeOf(admin.webhooks.create(hookNamed(key), { idempotencyKey: key }));

const KILLS_MAX = 20;

/**
 * Sends 1,000 equal requests at once and kills Postgres after a given number of responses. A machine may answer all of
 * them before the signal arrives, or Postgres may be back before the next ones. It is then killed again among further
 * requests, until one of them fails because of it.
 */
async function sendWhileKilled(key, answersBefore) {
  let answered = 0;
  let killed;
  const send = async () => {
    const answer = await sendOne(key);
    answered++;
    if (answered >= answersBefore) killed ??= kill('postgres');
    return answer;
  };
  const answers = await Promise.all(Array.from({ length: 1_000 }, send));
  const isTold = () => answers.some(({ code }) => code === 'service_unavailable');
  for (let kills = 1; !isTold() && kills < KILLS_MAX; kills++) {
    await killed;
    const further = Promise.all(Array.from({ length: 200 }, () => sendOne(key)));
    killed = kill('postgres');
    answers.push(...(await further));
  }
  expect(isTold()).toBe(true);
  await killed;
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

/** A first request is still running; or the database was unavailable, or too busy to respond in time. */
const honest = ['idempotency_in_progress', 'service_unavailable'];

const isReplayed = ({ headers }) => headers.get('idempotency-replayed') === 'true';

it('1,000 equal POSTs at once with one Idempotency-Key make one record', async () => {
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => sendOne('at once')));
  const made = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(await recordsOf('at once')).toBe(1);
  expect(made.filter((answer) => !isReplayed(answer))).toHaveLength(1);
  expect(new Set(made.map(({ data }) => JSON.stringify(data))).size).toBe(1);
  for (const { code } of refused) expect(honest).toContain(code);
});

it.each([1, 20, 200])(
  'with Postgres killed after %i answers there is one record at most, and no answer is wrong',
  async (answersBefore) => {
    const key = `killed ${answersBefore}`;
    const answers = await sendWhileKilled(key, answersBefore);
    for (const { status, code } of answers) {
      if (status === 201) continue;
      expect(honest).toContain(code);
    }
    const made = answers.filter(({ status }) => status === 201);
    const kept = await recordsOf(key);
    expect(kept).toBeLessThanOrEqual(1);
    if (made.length > 0) expect(kept).toBe(1);
    // Sent again once all is well, it is that record, or the first one.
    const again = await until(
      () => sendOne(key),
      ({ status }) => status === 201,
      60_000,
    );
    expect(await recordsOf(key)).toBe(1);
    for (const { data } of made) expect(data).toEqual(again.data);
  },
  120_000,
);

it('a nonce stays used when Redis is killed and begins again from its file', async () => {
  // The SDK sends no signature twice.
  const headers = createRequestSigner(privateKey)({ method: 'GET', path: '/v1/me' });
  const send = async () => {
    const { status, body } = await openWire({ restUrl })('GET', '/v1/me', { headers });
    return { status, code: body.error?.code };
  };
  expect(await send()).toEqual({ status: 200, code: undefined });
  await kill('redis');
  const after = await until(send, ({ code }) => code !== 'service_unavailable', 60_000);
  expect(after).toEqual({ status: 401, code: 'nonce_replayed' });
}, 120_000);
