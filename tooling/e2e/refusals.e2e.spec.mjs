import { createRequestSigner } from '@trading-automation/signed-request';
import { createClient, outcomeOf } from '../launch/first-trade/client.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { openWire } from '../launch/first-trade/wire.mjs';
import { keyOf, openTrader } from './accounts.mjs';
import { startProduct } from './product.mjs';

/** @type {import('./product.mjs').Product} */
let product;
let trader;
let order;
beforeAll(async () => {
  product = await startProduct({ restApis: 2 });
  trader = await openTrader(product, 'refusals: trader');
  order = {
    exchange_account_id: trader.account.id,
    trade_pair_id: trader.pair.id,
    type: 'LIMIT',
    side: 'BUY',
    price: 10_000,
    amount: '0.001',
  };
}, 120_000);
afterAll(() => product?.stop());

/** Sends exactly these headers: signatures and credentials that the SDK would not send. */
async function send(method, path, headers, body, restUrl = product.restUrl) {
  const answer = await openWire({ restUrl })(method, path, { body, headers });
  const { error, ...rest } = answer.body;
  return { status: answer.status, code: error?.code, details: error?.details, ...rest };
}

const sign = (request, privateKey = trader.privateKey) => createRequestSigner(privateKey)(request);
const tradesCount = async () => (await trader.api.trades.list({ include: 'total' })).pagination.total;
/** What comes of the SDK's requests with an API key, on an API process. */
const whoIs = (apiKey, restUrl = product.restUrl) => outcomeOf(createClient({ restUrl, apiKey }).me.get());

describe('a signed request is refused', () => {
  it('when its nonce was used, on whichever API process and after a restart of it', async () => {
    const headers = sign({ method: 'GET', path: '/v1/me' });
    expect(await send('GET', '/v1/me', headers)).toMatchObject({ status: 200 });
    const other = product.urlOf('rest-api-2');
    expect(await send('GET', '/v1/me', headers, undefined, other)).toMatchObject({
      status: 401,
      code: 'nonce_replayed',
    });
    await product.kill('rest-api-2');
    await untilBack(other);
    expect(await send('GET', '/v1/me', headers, undefined, other)).toMatchObject({ code: 'nonce_replayed' });
  });

  it('99 times of 100 when it is sent 100 times at once to two processes', async () => {
    const headers = sign({ method: 'GET', path: '/v1/me' });
    const urls = [product.restUrl, product.urlOf('rest-api-2')];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => send('GET', '/v1/me', headers, undefined, urls[i % 2])),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'nonce_replayed')).toHaveLength(99);
  });

  it.each([61_000, -61_000])(
    'when its clock is %i ms off, with the server time in the error',
    async (offMs) => {
      const headers = sign({ method: 'GET', path: '/v1/me', nowMs: Date.now() + offMs });
      const answer = await send('GET', '/v1/me', headers);
      expect(answer).toMatchObject({ status: 401, code: 'timestamp_out_of_window' });
      expect(Math.abs(answer.details[0].server_time - Date.now())).toBeLessThan(30_000);
    },
  );

  it.each([
    [
      'body',
      { method: 'POST', path: '/v1/trades', body: '{"amount":1}' },
      ['POST', '/v1/trades', '{"amount":2}'],
    ],
    ['path', { method: 'GET', path: '/v1/trades' }, ['GET', '/v1/exchanges']],
    ['query', { method: 'GET', path: '/v1/trades?limit=1' }, ['GET', '/v1/trades?limit=2']],
    ['method', { method: 'GET', path: '/v1/api-keys' }, ['POST', '/v1/api-keys']],
  ])('when its %s was altered', async (_part, signed, [method, path, body]) => {
    expect(await send(method, path, sign(signed), body)).toMatchObject({
      status: 401,
      code: 'invalid_signature',
    });
  });

  it.each(['x-svc-pubkey', 'x-svc-timestamp', 'x-svc-nonce', 'x-svc-sig'])('without %s', async (name) => {
    const { [name]: _left, ...headers } = sign({ method: 'GET', path: '/v1/me' });
    const answer = await send('GET', '/v1/me', headers);
    expect(answer).toMatchObject({ status: 401, code: 'invalid_signature_headers' });
    expect(answer.details[0].field).toBe(name);
  });

  it('of a key without an account', async () => {
    const headers = sign({ method: 'GET', path: '/v1/me' }, keyOf('refusals: stranger'));
    expect(await send('GET', '/v1/me', headers)).toMatchObject({ status: 401, code: 'unknown_public_key' });
  });
});

describe('an API key is refused', () => {
  it('at once on every process when it was revoked, and when its old value was rotated away', async () => {
    const { id, key } = await trader.api.apiKeys.create({ name: 'short-lived' });
    const other = product.urlOf('rest-api-2');
    expect(await whoIs(key, other)).toMatchObject({ status: 200 });
    const rotated = await trader.api.apiKeys.rotate(id);
    const isRefused = { status: 401, code: 'invalid_api_key' };
    await untilAnswer(() => whoIs(key, other), isRefused);
    await trader.api.apiKeys.revoke(id);
    await untilAnswer(() => whoIs(rotated.key, other), isRefused);
    expect(await send('GET', '/v1/me', { authorization: `Bearer ${rotated.key}` })).toMatchObject(isRefused);
  });

  it.each([
    ['no credentials', {}, 'authentication_required', 401],
    ['a made-up key', { 'x-api-key': 'svc_test_nonsense' }, 'invalid_api_key', 401],
    [
      'two different keys',
      { 'x-api-key': 'svc_test_a', authorization: 'Bearer svc_test_b' },
      'credentials_ambiguous',
      401,
    ],
  ])('when there is %s', async (_what, headers, code, status) => {
    expect(await send('GET', '/v1/me', headers)).toMatchObject({ status, code });
  });

  it('in the query string, and is never repeated', async () => {
    const answer = await send('GET', '/v1/me?api_key=svc_test_abc', {});
    expect(answer).toMatchObject({ status: 400, code: 'credential_in_query' });
    expect(product.lines.join('\n')).not.toContain('svc_test_abc');
  });

  it('to create a trade when it may only read', async () => {
    const { key } = await trader.api.apiKeys.create({ name: 'reader', permissions: ['READ'] });
    const before = await tradesCount();
    const reader = createClient({ restUrl: product.restUrl, apiKey: key });
    const answer = await outcomeOf(reader.trades.create(order));
    expect(answer).toMatchObject({ status: 403, code: 'permission_denied' });
    expect(answer.details[0]).toMatchObject({ permission: 'TRADE' });
    expect(await tradesCount()).toBe(before);
  });
});

describe("another user's ids", () => {
  it('are unknown, in paths and in bodies', async () => {
    const stranger = await openTrader(product, 'refusals: other user');
    const trade = await trader.api.trades.create(order);
    const isUnknown = { status: 404, code: 'not_found' };
    const { trades, exchanges } = stranger.api;
    const account = trader.account.id;
    for (const call of [
      () => trades.get(trade.id),
      () => trades.cancel(trade.id),
      () => exchanges.get(account),
      () => exchanges.sync(account),
      () => exchanges.delete(account),
      () => trades.list({ exchange_account_id: account }),
    ]) {
      expect(await outcomeOf(call())).toMatchObject(isUnknown);
    }
    const refused = await outcomeOf(trades.create(order));
    expect(refused).toMatchObject(isUnknown);
    expect(refused.details[0].field).toBe('exchange_account_id');
    expect((await trades.list()).data).toEqual([]);
  });
});

describe('a trade is refused, and nothing is kept of it', () => {
  it.each([
    ['below the lot', { amount: '0.0000001' }, 422, 'exchange_rule_violated', 'amount'],
    ['below the notional', { amount: '0.0001' }, 422, 'exchange_rule_violated', 'amount'],
    ['off the tick', { price: '10000.001' }, 422, 'exchange_rule_violated', 'price'],
    ['over the balance', { amount: '11' }, 422, 'insufficient_balance', 'amount'],
    [
      'on an unknown pair',
      { trade_pair_id: 'tpr_01jd0000000000000000000000' },
      404,
      'not_found',
      'trade_pair_id',
    ],
    ['with a price on MARKET', { type: 'MARKET' }, 422, 'validation_failed', 'price'],
    ['without a price on LIMIT', { price: undefined }, 422, 'validation_failed', 'price'],
    ['with a negative amount', { amount: -1 }, 422, 'validation_failed', 'amount'],
    ['with no amount', { amount: 0 }, 422, 'validation_failed', 'amount'],
    ['with NaN', { amount: 'NaN' }, 422, 'validation_failed', 'amount'],
    ['with 19 decimals', { amount: '0.0010000000000000001' }, 422, 'validation_failed', 'amount'],
    ['with an unknown field', { leverage: 3 }, 422, 'validation_failed', 'leverage'],
  ])('%s', async (_what, change, status, code, field) => {
    const before = await tradesCount();
    const refused = await trader.api.trades.create({ ...order, ...change }).catch((error) => error);
    expect(refused).toMatchObject({ status, code, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(refused.details.map((detail) => detail.field)).toContain(field);
    expect(await tradesCount()).toBe(before);
  });

  it('that breaks a rule of the exchange, with rule, value and limit in the error', async () => {
    const { details } = await outcomeOf(trader.api.trades.create({ ...order, amount: '0.0001' }));
    expect(details).toEqual([expect.objectContaining({ rule: 'min_notional', value: '1', limit: '10' })]);
  });

  it.each([
    ['malformed JSON', '{"amount": 1,}', 400, 'malformed_json'],
    ['NaN as JSON', '{"amount": NaN}', 400, 'malformed_json'],
    ['a key twice', '{"amount": 1, "amount": 2}', 400, 'malformed_json'],
    ['300 KiB', JSON.stringify({ pad: 'x'.repeat(300 * 1024) }), 413, 'payload_too_large'],
  ])('with %s', async (_what, text, status, code) => {
    const { key } = await trader.api.apiKeys.create({ name: 'sender' });
    const wire = openWire({ restUrl: product.restUrl, apiKey: key });
    expect(await wire('POST', '/v1/trades', { body: text })).toMatchObject({
      status,
      body: { success: false, error: { code } },
    });
  });
});

describe('an Idempotency-Key', () => {
  it('makes one trade of many equal requests on two API processes, and of one after a restart', async () => {
    const { key } = await trader.api.apiKeys.create({ name: 'idempotent' });
    // Every answer is looked at: the SDK would ask again while the first is at work.
    const clients = [product.restUrl, product.urlOf('rest-api-2')].map((restUrl) =>
      createClient({ restUrl, apiKey: key, maxRetries: 0 }),
    );
    const once = { idempotencyKey: 'refusals-1' };
    const before = await tradesCount();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => outcomeOf(clients[i % 2].trades.create(order, once))),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ data }) => data.id)).size).toBe(1);
    for (const { status, code } of answers) if (status !== 201) expect(code).toBe('idempotency_in_progress');

    await product.kill('rest-api-2');
    await untilBack(product.urlOf('rest-api-2'));
    const again = await outcomeOf(clients[1].trades.create(order, once));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.data).toEqual(made[0].data);
    expect(await tradesCount()).toBe(before + 1);

    const other = await outcomeOf(clients[0].trades.create({ ...order, price: 9_999 }, once));
    expect(other).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });
});

/** Until an API process that was killed is back. */
async function untilBack(restUrl) {
  const client = createClient({ restUrl, maxRetries: 0 });
  const ask = () => outcomeOf(client.health.get()).catch(() => ({ status: 'away' }));
  await untilAnswer(ask, { status: 200 });
}

/** Asks again until the answer is as expected: a process is coming back, or a notification is on its way. */
async function untilAnswer(ask, expected) {
  const answer = await until(ask, (answer) =>
    Object.entries(expected).every(([name, value]) => answer[name] === value),
  );
  expect(answer).toMatchObject(expected);
}
