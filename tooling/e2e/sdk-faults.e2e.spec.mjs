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

/** The packed SDK and the real API, with a network between them that does what is planned for each request. */

/** More than a test asks for with one credential; none of it comes back meanwhile. */
const limit = 200;
const limits = { ...JSON.parse(ampleRateLimits), general: { requests: limit, seconds: 86_400 } };

/** @type {import('./product.mjs').Product} */
let product;
let proxy;
let trader;
let order;
beforeAll(async () => {
  product = await startProduct({ more: { 'rest-api': { RATE_LIMITS: JSON.stringify(limits) } } });
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

/** A client by way of the proxy, with an API key of its own. */
async function openKeyed(options = {}) {
  const { id, key } = await trader.api.apiKeys.create({ name: 'by proxy', permissions: ['READ', 'TRADE'] });
  return { id, client: new Client({ baseURL: proxy.url, apiKey: key, logLevel: 'off', ...options }) };
}

/** One that signs. */
const openSigning = () =>
  new Client({ baseURL: proxy.url, signer: createSigner(trader.privateKey), logLevel: 'off' });

const tradesCount = async () => (await trader.api.trades.list({ include: 'total' })).pagination.total;
const seenOf = (header) => proxy.seen.map(({ headers }) => headers[header]);
const away = { status: 503, body: 'no JSON: a load balancer' };
const busy = { status: 429, headers: { 'retry-after': '1' } };

describe('a request whose connection is reset, or that somebody between refuses for the moment', () => {
  it.each([
    ['resets', ['reset', 'reset']],
    ['429 with Retry-After', [busy, busy]],
    ['503 that is no JSON', [away, away]],
  ])('is sent again after %s, signed anew each time', async (_what, faults) => {
    const client = openSigning();
    proxy.plan(...faults);
    expect(await client.me.get()).toMatchObject({ world: 'test' });
    expect(proxy.seen).toHaveLength(3);
    expect(new Set(seenOf('x-svc-nonce')).size).toBe(3);
    expect(new Set(seenOf('x-svc-sig')).size).toBe(3);
  });

  it.each([
    ['resets', 'reset', ConnectionError],
    ['429', busy, RateLimitError],
    ['503', away, InternalServerError],
  ])('is given up after two repetitions that met %s, as what it is', async (_what, fault, kind) => {
    const client = openSigning();
    proxy.plan(fault, fault, fault);
    await expect(client.me.get()).rejects.toBeInstanceOf(kind);
    expect(proxy.seen).toHaveLength(3);
  });

  it('reports the wait if the API asks for more than a minute, and does not retry', async () => {
    const { client } = await openKeyed();
    proxy.plan();
    await Promise.all(Array.from({ length: limit }, () => client.me.get()));
    const refused = await client.me.get().catch((error) => error);
    expect(refused).toBeInstanceOf(RateLimitError);
    expect(refused.retryAfterMs).toBeGreaterThan(60_000);
    expect(proxy.seen).toHaveLength(limit + 1);
  });
});

describe('a trade whose answer is lost after it was written', () => {
  it.each([
    ['whole', 'lose'],
    ['by half', 'cut'],
  ])('%s is one trade, and its answer comes with the repetition', async (_how, fault) => {
    const { client } = await openKeyed();
    const before = await tradesCount();
    proxy.plan(fault, fault);
    const { data, response } = await client.trades.create(order).withResponse();
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect(new Set(seenOf('idempotency-key')).size).toBe(1);
    expect(proxy.seen).toHaveLength(3);
    expect(await tradesCount()).toBe(before + 1);
    expect(await client.trades.get(data.id)).toMatchObject({ id: data.id, price: 10_000 });
  });

  it('for good is not known to be one: its caller finds the same trade under its own Idempotency-Key', async () => {
    const { client } = await openKeyed({ maxRetries: 0 });
    const before = await tradesCount();
    const once = { idempotencyKey: 'kept by the caller' };
    proxy.plan('lose');
    await expect(client.trades.create(order, once)).rejects.toBeInstanceOf(ConnectionError);
    const { id } = await client.trades.create(order, once);
    expect(await tradesCount()).toBe(before + 1);
    const [newest] = (await client.trades.list({ limit: 1 })).data;
    expect(newest.id).toBe(id);
  });

  it('among many at once, under every fault there is, is one trade for each call', async () => {
    const { client } = await openKeyed({ maxRetries: 10 });
    const before = await tradesCount();
    const faults = ['reset', 'lose', 'cut', away, busy];
    proxy.plan(...Array.from({ length: 30 }, (_, i) => faults[i % faults.length]));
    const made = await Promise.all(Array.from({ length: 15 }, () => client.trades.create(order)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(15);
    expect(await tradesCount()).toBe(before + 15);
    expect(proxy.seen).toHaveLength(45);
  }, 120_000);
});

describe('an API process that is killed', () => {
  it('while trades are created leaves one trade for each call, and no call fails', async () => {
    const { client } = await openKeyed({ baseURL: product.restUrl, maxRetries: 20 });
    const before = await tradesCount();
    const made = [];
    let isOver = false;
    const create = async () => {
      while (!isOver) made.push((await client.trades.create(order)).id);
    };
    const creating = [create(), create()];
    await until(
      async () => made.length,
      (count) => count > 0,
    );
    await product.kill('rest-api');
    const { length } = made;
    await until(
      async () => made.length,
      (count) => count > length + 2,
    );
    isOver = true;
    await Promise.all(creating);
    expect(new Set(made).size).toBe(made.length);
    expect(await tradesCount()).toBe(before + made.length);
  }, 120_000);
});

describe('a clock that is five minutes off', () => {
  const { now } = Date;
  afterEach(() => {
    Date.now = now;
  });

  it.each([300_000, -300_000])(
    '(%i ms) is found out by one refusal, and signs right from then on',
    async (offMs) => {
      Date.now = () => now() + offMs;
      const client = openSigning();
      proxy.plan();
      expect(await client.me.get()).toMatchObject({ world: 'test' });
      expect(proxy.seen).toHaveLength(2);
      const before = await client.trades.list({ include: 'total' });
      await client.trades.create(order);
      const after = await client.trades.list({ include: 'total' });
      expect(after.pagination.total).toBe(before.pagination.total + 1);
      expect(proxy.seen).toHaveLength(5);
    },
  );
});

describe('a list that is being read', () => {
  it('ends with an AuthenticationError where its API key is revoked, and what came before is kept', async () => {
    for (let i = 0; i < 5; i++) await trader.api.trades.create(order);
    const { id, client } = await openKeyed();
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
    '%s gives each record that stays once, whatever is made and goes between its pages',
    async (order) => {
      const hook = (n) => ({ url: `https://receiver.example/${n}`, events: ['trade.*'] });
      const { client } = await openKeyed();
      const { api } = trader;
      const made = [];
      for (let n = 0; n < 9; n++) made.push((await api.webhooks.create(hook(n))).id);
      const inOrder = order === 'asc' ? made : made.toReversed();
      const change = {
        // On the page that was read, and on the one that comes.
        2: () => Promise.all([api.webhooks.delete(inOrder[0]), api.webhooks.delete(inOrder[3])]),
        4: () => api.webhooks.create(hook('between')),
        5: () => api.webhooks.delete(inOrder[4]),
      };
      const items = [];
      for await (const { id } of client.webhooks.list({ order, limit: 2 })) {
        items.push(id);
        await change[items.length]?.();
      }
      const left = inOrder.filter((_, i) => i !== 3);
      expect(items.slice(0, left.length)).toEqual(left);
      // What was made meanwhile comes last, or came before all that was read.
      expect(items).toHaveLength(order === 'asc' ? left.length + 1 : left.length);
      for await (const { id } of api.webhooks.list()) await api.webhooks.delete(id);
    },
  );
});

/** Until no process knows the key any more. */
async function revoke(id, client) {
  await trader.api.apiKeys.revoke(id);
  await until(
    () => outcomeOf(client.me.get()),
    ({ status }) => status === 401,
  );
}

describe('a stream of events', () => {
  it('that is cut repeatedly delivers each event once, in order', async () => {
    const { client } = await openKeyed();
    proxy.plan();
    const ended = new AbortController();
    const told = [];
    let [opened, cuts] = [0, 0];
    const reading = (async () => {
      const options = { signal: ended.signal, onOpen: () => opened++, onCut: () => cuts++ };
      for await (const event of client.events.stream({ type: 'key.created' }, options))
        told.push(event.data.id);
    })();
    await until(
      async () => opened,
      (count) => count === 1,
    );
    const made = [];
    for (let round = 1; round <= 3; round++) {
      made.push((await trader.api.apiKeys.create({ name: `round ${round}` })).id);
      await until(
        async () => told.length,
        (count) => count === made.length,
      );
      proxy.cutOpen();
      // While no process listens.
      made.push((await trader.api.apiKeys.create({ name: `round ${round}, unheard` })).id);
      await until(
        async () => told.length,
        (count) => count >= made.length,
      );
    }
    ended.abort();
    await expect(reading).rejects.toBe(ended.signal.reason);
    expect(told).toEqual(made);
    expect(cuts).toBeGreaterThanOrEqual(3);
  });
});

describe('a DELETE whose answer is lost', () => {
  it('is retried, and a record that is already gone is reported as not found', async () => {
    const { id } = await trader.api.webhooks.create({ url: 'https://receiver.example', events: ['*'] });
    const client = openSigning();
    proxy.plan('lose');
    await expect(client.webhooks.delete(id)).rejects.toBeInstanceOf(NotFoundError);
  });
});
