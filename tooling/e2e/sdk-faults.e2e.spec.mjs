import { outcomeOf } from '../launch/first-trade/client.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import {
  AuthenticationError,
  Client,
  ConnectionError,
  createSigner,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from '../launch/sdk.mjs';
import { ampleRateLimits } from '../launch/service-list.mjs';
import { openTrader } from './accounts.mjs';
import { openFaultyProxy } from './faulty-proxy.mjs';
import { startProduct } from './product.mjs';

/** Runs the packed SDK against the real API through a proxy that injects a planned fault into each request. */

/** The rate limit per credential. Only one test reaches it, and no token is added to a bucket during a test. */
const limit = 200;
const limits = { ...JSON.parse(ampleRateLimits), general: { requests: limit, seconds: 86_400 } };

/** @type {import('./product.mjs').Product} */
let product;
let proxy;
let trader;
let order;
beforeAll(async () => {
  product = await startProduct({ extraEnv: { 'rest-api': { RATE_LIMITS: JSON.stringify(limits) } } });
  proxy = await openFaultyProxy(product.restUrl);
  trader = await openTrader(product, 'sdk faults: trader');
  order = {
    exchange_account_id: trader.account.id,
    trade_pair_id: trader.pair.id,
    type: 'LIMIT',
    side: 'BUY',
    price: 10_000,
    amount: '0.001',
  };
}, 120_000);
afterEach(() => proxy.plan());
afterAll(async () => {
  await proxy?.stop();
  await product?.stop();
});

/** Opens a client through the proxy, with a new API key. */
async function openApiKeyClient(options = {}) {
  const { id, key } = await trader.api.apiKeys.create({ name: 'by proxy', permissions: ['READ', 'TRADE'] });
  return { id, client: new Client({ baseURL: proxy.url, apiKey: key, logLevel: 'off', ...options }) };
}

/** Opens a signing client through the proxy. */
const openSigningClient = () =>
  new Client({ baseURL: proxy.url, signer: createSigner(trader.privateKey), logLevel: 'off' });

const tradesCount = async () => (await trader.api.trades.list({ include: 'total' })).pagination.total;
const headersOf = (header) => proxy.requests.map(({ headers }) => headers[header]);
const unavailable = { status: 503, body: 'not JSON: a load balancer' };
const busy = { status: 429, headers: { 'retry-after': '1' } };

describe('a request that fails with a connection reset or a temporary status', () => {
  it.each([
    ['resets', ['reset', 'reset']],
    ['429 with Retry-After', [busy, busy]],
    ['503 without a JSON body', [unavailable, unavailable]],
  ])('is sent again after %s, each time with a new signature', async (_what, faults) => {
    const client = openSigningClient();
    proxy.plan(...faults);
    expect(await client.me.get()).toMatchObject({ world: 'test' });
    expect(proxy.requests).toHaveLength(3);
    expect(new Set(headersOf('x-svc-nonce')).size).toBe(3);
    expect(new Set(headersOf('x-svc-sig')).size).toBe(3);
  });

  it.each([
    ['resets', 'reset', ConnectionError],
    ['429', busy, RateLimitError],
    ['503', unavailable, InternalServerError],
  ])('fails with the matching error after two retries that got %s', async (_what, fault, kind) => {
    const client = openSigningClient();
    proxy.plan(fault, fault, fault);
    await expect(client.me.get()).rejects.toBeInstanceOf(kind);
    expect(proxy.requests).toHaveLength(3);
  });

  it('is not retried if Retry-After is longer than a minute; the error contains the wait', async () => {
    const { client } = await openApiKeyClient();
    proxy.plan();
    await Promise.all(Array.from({ length: limit }, () => client.me.get()));
    const rejected = await client.me.get().catch((error) => error);
    expect(rejected).toBeInstanceOf(RateLimitError);
    expect(rejected.retryAfterMs).toBeGreaterThan(60_000);
    expect(proxy.requests).toHaveLength(limit + 1);
  });
});

describe('a trade whose response is lost after the commit', () => {
  it.each([
    ['completely', 'lose'],
    ['half', 'cut'],
  ])('(%s) is created once, and a retry gets the response', async (_how, fault) => {
    const { client } = await openApiKeyClient();
    const before = await tradesCount();
    proxy.plan(fault, fault);
    const { data, response } = await client.trades.create(order).withResponse();
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect(new Set(headersOf('idempotency-key')).size).toBe(1);
    expect(proxy.requests).toHaveLength(3);
    expect(await tradesCount()).toBe(before + 1);
    expect(await client.trades.get(data.id)).toMatchObject({ id: data.id, price: 10_000 });
  });

  it('has an unknown outcome without a retry: a repeated call with the caller’s Idempotency-Key returns the same trade', async () => {
    const { client } = await openApiKeyClient({ maxRetries: 0 });
    const before = await tradesCount();
    const once = { idempotencyKey: 'kept by the caller' };
    proxy.plan('lose');
    await expect(client.trades.create(order, once)).rejects.toBeInstanceOf(ConnectionError);
    const { id } = await client.trades.create(order, once);
    expect(await tradesCount()).toBe(before + 1);
    const [newest] = (await client.trades.list({ limit: 1 })).data;
    expect(newest.id).toBe(id);
  });

  it('is created once per call, even by many concurrent calls with every kind of fault', async () => {
    const { client } = await openApiKeyClient({ maxRetries: 10 });
    const before = await tradesCount();
    const faults = ['reset', 'lose', 'cut', unavailable, busy];
    proxy.plan(...Array.from({ length: 30 }, (_, i) => faults[i % faults.length]));
    const created = await Promise.all(Array.from({ length: 15 }, () => client.trades.create(order)));
    expect(new Set(created.map(({ id }) => id)).size).toBe(15);
    expect(await tradesCount()).toBe(before + 15);
    expect(proxy.requests).toHaveLength(45);
  }, 120_000);
});

describe('an API process that is killed', () => {
  it('while trades are created causes no failed call and no second trade of a call', async () => {
    const { client } = await openApiKeyClient({ baseURL: product.restUrl, maxRetries: 20 });
    const before = await tradesCount();
    const created = [];
    let isOver = false;
    const create = async () => {
      while (!isOver) created.push((await client.trades.create(order)).id);
    };
    const creating = [create(), create()];
    await until(
      async () => created.length,
      (count) => count > 0,
    );
    await product.kill('rest-api');
    const countAtKill = created.length;
    await until(
      async () => created.length,
      (count) => count > countAtKill + 2,
    );
    isOver = true;
    await Promise.all(creating);
    expect(new Set(created).size).toBe(created.length);
    expect(await tradesCount()).toBe(before + created.length);
  }, 120_000);
});

describe('a clock that is wrong by five minutes', () => {
  const { now } = Date;
  afterEach(() => {
    Date.now = now;
  });

  it.each([300_000, -300_000])(
    '(%i ms) causes one rejected request, and is corrected from then on',
    async (offMs) => {
      Date.now = () => now() + offMs;
      const client = openSigningClient();
      proxy.plan();
      expect(await client.me.get()).toMatchObject({ world: 'test' });
      expect(proxy.requests).toHaveLength(2);
      const before = await client.trades.list({ include: 'total' });
      await client.trades.create(order);
      const after = await client.trades.list({ include: 'total' });
      expect(after.pagination.total).toBe(before.pagination.total + 1);
      expect(proxy.requests).toHaveLength(5);
    },
  );
});

describe('a list that is being read', () => {
  it('ends with an AuthenticationError when its API key is revoked, after the records that were already read', async () => {
    for (let i = 0; i < 5; i++) await trader.api.trades.create(order);
    const { id, client } = await openApiKeyClient();
    proxy.plan();
    const items = [];
    const read = async () => {
      for await (const trade of client.trades.list({ limit: 2 })) {
        items.push(trade.id);
        if (items.length === 2) await revoke(id, client);
      }
    };
    await expect(read()).rejects.toBeInstanceOf(AuthenticationError);
    const { data } = await trader.api.trades.list({ limit: 2 });
    expect(items).toEqual(data.map((trade) => trade.id));
  });

  it.each(['asc', 'desc'])(
    'in order %s returns each remaining record once, although records are created and deleted between its pages',
    async (order) => {
      const webhook = (n) => ({ url: `https://receiver.example/${n}`, events: ['trade.*'] });
      const { client } = await openApiKeyClient();
      const { api } = trader;
      const created = [];
      for (let n = 0; n < 9; n++) created.push((await api.webhooks.create(webhook(n))).id);
      const inOrder = order === 'asc' ? created : created.toReversed();
      const change = {
        // Deletes a record of the page that was read, and one of the next page.
        2: () => Promise.all([api.webhooks.delete(inOrder[0]), api.webhooks.delete(inOrder[3])]),
        4: () => api.webhooks.create(webhook('between')),
        5: () => api.webhooks.delete(inOrder[4]),
      };
      const items = [];
      for await (const { id } of client.webhooks.list({ order, limit: 2 })) {
        items.push(id);
        await change[items.length]?.();
      }
      const remaining = inOrder.filter((_, i) => i !== 3);
      expect(items.slice(0, remaining.length)).toEqual(remaining);
      // The record created meanwhile is the last one if ascending, or belongs before the first page if descending.
      expect(items).toHaveLength(order === 'asc' ? remaining.length + 1 : remaining.length);
      for await (const { id } of api.webhooks.list()) await api.webhooks.delete(id);
    },
  );
});

/** Revokes an API key, and waits until the API rejects it. */
async function revoke(id, client) {
  await trader.api.apiKeys.revoke(id);
  await until(
    () => outcomeOf(client.me.get()),
    ({ status }) => status === 401,
  );
}

describe('a stream of events', () => {
  it('whose connection is reset repeatedly delivers each event once, in order', async () => {
    const { client } = await openApiKeyClient();
    proxy.plan();
    const ended = new AbortController();
    const received = [];
    let [opened, cuts] = [0, 0];
    const reading = (async () => {
      const options = { signal: ended.signal, onOpen: () => opened++, onCut: () => cuts++ };
      for await (const event of client.events.stream({ type: 'key.created' }, options))
        received.push(event.data.id);
    })();
    await until(
      async () => opened,
      (count) => count === 1,
    );
    const created = [];
    for (let round = 1; round <= 3; round++) {
      created.push((await trader.api.apiKeys.create({ name: `round ${round}` })).id);
      await until(
        async () => received.length,
        (count) => count === created.length,
      );
      proxy.resetOpenConnections();
      // This key is created before the client has reconnected.
      created.push((await trader.api.apiKeys.create({ name: `round ${round}, disconnected` })).id);
      await until(
        async () => received.length,
        (count) => count >= created.length,
      );
    }
    ended.abort();
    await expect(reading).rejects.toBe(ended.signal.reason);
    expect(received).toEqual(created);
    expect(cuts).toBeGreaterThanOrEqual(3);
  });
});

describe('a DELETE whose response is lost', () => {
  it('is retried, and a record that is already gone is reported as not found', async () => {
    const { id } = await trader.api.webhooks.create({ url: 'https://receiver.example', events: ['*'] });
    const client = openSigningClient();
    proxy.plan('lose');
    await expect(client.webhooks.delete(id)).rejects.toBeInstanceOf(NotFoundError);
  });
});
