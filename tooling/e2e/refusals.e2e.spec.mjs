import { createRequestSigner } from '@trading-automation/signed-request';
import { createClient, outcomeOf } from '../launch/first-trade/client.mjs';
import { openRawRequests } from '../launch/first-trade/raw-requests.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
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

/** Sends exactly these headers, for signatures and credentials that the SDK would not send. */
async function send(method, path, headers, body, restUrl = product.restUrl) {
  const response = await openRawRequests({ restUrl })(method, path, { body, headers });
  const { error, ...rest } = response.body;
  return { status: response.status, code: error?.code, details: error?.details, ...rest };
}

const sign = (request, privateKey = trader.privateKey) => createRequestSigner(privateKey)(request);
const tradesCount = async () => (await trader.api.trades.list({ include: 'total' })).pagination.total;
/** Returns the outcome of a request with an API key to one API process. */
const whoIs = (apiKey, restUrl = product.restUrl) => outcomeOf(createClient({ restUrl, apiKey }).me.get());

describe('a signed request is rejected', () => {
  it('by another API process when its nonce was already used, even after that process restarts', async () => {
    const headers = sign({ method: 'GET', path: '/v1/me' });
    expect(await send('GET', '/v1/me', headers)).toMatchObject({ status: 200 });
    const other = product.urlOf('rest-api-2');
    expect(await send('GET', '/v1/me', headers, undefined, other)).toMatchObject({
      status: 401,
      code: 'nonce_replayed',
    });
    await product.kill('rest-api-2');
    await untilRestarted(other);
    expect(await send('GET', '/v1/me', headers, undefined, other)).toMatchObject({ code: 'nonce_replayed' });
  });

  it('99 times out of 100 when it is sent 100 times concurrently to two processes', async () => {
    const headers = sign({ method: 'GET', path: '/v1/me' });
    const urls = [product.restUrl, product.urlOf('rest-api-2')];
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, i) => send('GET', '/v1/me', headers, undefined, urls[i % 2])),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ code }) => code === 'nonce_replayed')).toHaveLength(99);
  });

  it.each([61_000, -61_000])(
    'when its timestamp is %i ms off, with the server time in the error',
    async (offMs) => {
      const headers = sign({ method: 'GET', path: '/v1/me', nowMs: Date.now() + offMs });
      const response = await send('GET', '/v1/me', headers);
      expect(response).toMatchObject({ status: 401, code: 'timestamp_out_of_window' });
      expect(Math.abs(response.details[0].server_time - Date.now())).toBeLessThan(30_000);
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
    const { [name]: _omitted, ...headers } = sign({ method: 'GET', path: '/v1/me' });
    const response = await send('GET', '/v1/me', headers);
    expect(response).toMatchObject({ status: 401, code: 'invalid_signature_headers' });
    expect(response.details[0].field).toBe(name);
  });

  it('when its key belongs to no account', async () => {
    const headers = sign({ method: 'GET', path: '/v1/me' }, keyOf('refusals: stranger'));
    expect(await send('GET', '/v1/me', headers)).toMatchObject({ status: 401, code: 'unknown_public_key' });
  });
});

describe('a request that is not signed is rejected', () => {
  it('by every process soon after its API key was revoked or rotated', async () => {
    const { id, key } = await trader.api.apiKeys.create({ name: 'short-lived' });
    const other = product.urlOf('rest-api-2');
    expect(await whoIs(key, other)).toMatchObject({ status: 200 });
    const rotated = await trader.api.apiKeys.rotate(id);
    const isRejected = { status: 401, code: 'invalid_api_key' };
    await untilResponse(() => whoIs(key, other), isRejected);
    await trader.api.apiKeys.revoke(id);
    await untilResponse(() => whoIs(rotated.key, other), isRejected);
    expect(await send('GET', '/v1/me', { authorization: `Bearer ${rotated.key}` })).toMatchObject(isRejected);
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
  ])('when it contains %s', async (_what, headers, code, status) => {
    expect(await send('GET', '/v1/me', headers)).toMatchObject({ status, code });
  });

  it('when its API key is in the query string, and the key is never logged', async () => {
    const response = await send('GET', '/v1/me?api_key=svc_test_abc', {});
    expect(response).toMatchObject({ status: 400, code: 'credential_in_query' });
    expect(product.lines.join('\n')).not.toContain('svc_test_abc');
  });

  it('when it creates a trade and its API key may only read', async () => {
    const { key } = await trader.api.apiKeys.create({ name: 'reader', permissions: ['READ'] });
    const before = await tradesCount();
    const reader = createClient({ restUrl: product.restUrl, apiKey: key });
    const response = await outcomeOf(reader.trades.create(order));
    expect(response).toMatchObject({ status: 403, code: 'permission_denied' });
    expect(response.details[0]).toMatchObject({ permission: 'TRADE' });
    expect(await tradesCount()).toBe(before);
  });
});

describe('the ids of another user', () => {
  it('are not found, in paths and in bodies', async () => {
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
    const rejected = await outcomeOf(trades.create(order));
    expect(rejected).toMatchObject(isUnknown);
    expect(rejected.details[0].field).toBe('exchange_account_id');
    expect((await trades.list()).data).toEqual([]);
  });
});

describe('a trade is rejected and not stored', () => {
  it.each([
    ['below the minimum amount', { amount: '0.0000001' }, 422, 'exchange_rule_violated', 'amount'],
    ['below the minimum notional', { amount: '0.0001' }, 422, 'exchange_rule_violated', 'amount'],
    [
      'with a price that is not a multiple of the tick',
      { price: '10000.001' },
      422,
      'exchange_rule_violated',
      'price',
    ],
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
    ['with amount 0', { amount: 0 }, 422, 'validation_failed', 'amount'],
    ['with NaN', { amount: 'NaN' }, 422, 'validation_failed', 'amount'],
    ['with 19 decimals', { amount: '0.0010000000000000001' }, 422, 'validation_failed', 'amount'],
    ['with an unknown field', { leverage: 3 }, 422, 'validation_failed', 'leverage'],
  ])('%s', async (_what, change, status, code, field) => {
    const before = await tradesCount();
    const rejected = await trader.api.trades.create({ ...order, ...change }).catch((error) => error);
    expect(rejected).toMatchObject({ status, code, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(rejected.details.map((detail) => detail.field)).toContain(field);
    expect(await tradesCount()).toBe(before);
  });

  it('if it violates a rule of the exchange, with rule, value and limit in the error', async () => {
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
    const sendRaw = openRawRequests({ restUrl: product.restUrl, apiKey: key });
    expect(await sendRaw('POST', '/v1/trades', { body: text })).toMatchObject({
      status,
      body: { success: false, error: { code } },
    });
  });
});

describe('an Idempotency-Key', () => {
  it('creates one trade for many equal requests to two API processes, even after a restart', async () => {
    const { key } = await trader.api.apiKeys.create({ name: 'idempotent' });
    // The test checks every response: the SDK would retry while the first request is in progress.
    const clients = [product.restUrl, product.urlOf('rest-api-2')].map((restUrl) =>
      createClient({ restUrl, apiKey: key, maxRetries: 0 }),
    );
    const once = { idempotencyKey: 'refusals-1' };
    const before = await tradesCount();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => outcomeOf(clients[i % 2].trades.create(order, once))),
    );
    const created = responses.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(created.map(({ data }) => data.id)).size).toBe(1);
    for (const { status, code } of responses)
      if (status !== 201) expect(code).toBe('idempotency_in_progress');

    await product.kill('rest-api-2');
    await untilRestarted(product.urlOf('rest-api-2'));
    const again = await outcomeOf(clients[1].trades.create(order, once));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.data).toEqual(created[0].data);
    expect(await tradesCount()).toBe(before + 1);

    const other = await outcomeOf(clients[0].trades.create({ ...order, price: 9_999 }, once));
    expect(other).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });
});

/** Waits until a killed API process responds again. */
async function untilRestarted(restUrl) {
  const client = createClient({ restUrl, maxRetries: 0 });
  const checkHealth = () => outcomeOf(client.health.get()).catch(() => ({ status: 'unavailable' }));
  await untilResponse(checkHealth, { status: 200 });
}

/** Repeats a request until the response is as expected, for example after a restart or a notification. */
async function untilResponse(ask, expected) {
  const response = await until(ask, (response) =>
    Object.entries(expected).every(([name, value]) => response[name] === value),
  );
  expect(response).toMatchObject(expected);
}
