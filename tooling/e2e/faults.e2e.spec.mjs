import { Redis } from 'ioredis';
import { createClient, outcomeOf } from '../launch/first-trade/client.mjs';
import { startReceiver } from '../launch/first-trade/receiver.mjs';
import { until } from '../launch/first-trade/scenario.mjs';
import { openTrader } from './accounts.mjs';
import { startProduct } from './product.mjs';

/** @type {import('./product.mjs').Product} */
let product;
let trader;
beforeAll(async () => {
  product = await startProduct({
    extraEnv: { 'webhook-dispatcher': { ATTEMPT_TIMEOUT_MS: '2000', LEASE_MS: '3000', SWEEP_MS: '500' } },
  });
  trader = await openTrader(product, 'faults: trader');
}, 120_000);
afterAll(() => product?.stop());

const marketBuy = (amount) => ({
  exchange_account_id: trader.account.id,
  trade_pair_id: trader.pair.id,
  type: 'MARKET',
  side: 'BUY',
  amount,
});

async function ledger() {
  const url = `${product.paperExchangeUrl}/admin/ledger?api_key=${trader.credentials.api_key}`;
  return (await fetch(url)).json();
}

async function setWeather(weather) {
  const response = await fetch(`${product.paperExchangeUrl}/admin/weather`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(weather),
  });
  expect(response.status).toBe(200);
}

describe('a kill -9 of the trading worker', () => {
  afterEach(() => setWeather({}));

  it('after the order was sent and before its response is stored leads to no second order, and the order is found', async () => {
    const before = (await ledger()).orders.length;
    // The account stream could report the order before the kill, so its events are lost, too.
    await setWeather({ drop_answer_rate: 1, lose_event_rate: 1 });
    const trade = await trader.api.trades.create(marketBuy('0.02'));
    await until(ledger, ({ orders }) => orders.length === before + 1);
    await product.kill('trading-worker');
    const atKill = await trader.api.trades.get(trade.id);
    expect(atKill).toMatchObject({ status: 'PENDING', sub_status: 'SUBMITTING' });
    await setWeather({});

    const found = await until(
      () => trader.api.trades.get(trade.id),
      ({ status }) => status === 'FILLED',
      60_000,
    );
    const { orders, fills } = await ledger();
    expect(orders).toHaveLength(before + 1);
    const fillsOfOrder = fills.filter(({ order_id }) => order_id === found.exchange_order_id);
    expect(found.fills.map(({ exchange_fill_id }) => exchange_fill_id).sort()).toEqual(
      fillsOfOrder.map(({ fill_id }) => fill_id).sort(),
    );
  }, 90_000);

  it('while trades arrive loses no trade and duplicates none', async () => {
    const before = (await ledger()).orders.length;
    const ids = [];
    for (let i = 0; i < 12; i++) {
      if (i % 4 === 2) await product.kill('trading-worker');
      ids.push((await trader.api.trades.create(marketBuy('0.001'))).id);
    }
    const ended = await Promise.all(
      ids.map((id) =>
        until(
          () => trader.api.trades.get(id),
          ({ status }) => status === 'FILLED' || status === 'FAILED',
          60_000,
        ),
      ),
    );
    const filled = ended.filter(({ status }) => status === 'FILLED');
    const { orders } = await ledger();
    // If the worker died before it sent the order, the trade is FAILED: the product never sends a user's order twice.
    expect(orders).toHaveLength(before + filled.length);
    expect(new Set(orders.map(({ client_order_id }) => client_order_id)).size).toBe(orders.length);
    for (const { failure, status } of ended)
      if (status === 'FAILED') expect(failure.code).toBe('not_accepted');
  }, 120_000);

  it('is not required for recovery: an order whose response was lost is found without it, too', async () => {
    const before = (await ledger()).orders.length;
    await setWeather({ drop_answer_rate: 1 });
    const trade = await trader.api.trades.create(marketBuy('0.01'));
    await until(ledger, ({ orders }) => orders.length === before + 1);
    await setWeather({});
    await until(
      () => trader.api.trades.get(trade.id),
      ({ status }) => status === 'FILLED',
      60_000,
    );
    expect((await ledger()).orders).toHaveLength(before + 1);
  }, 90_000);
});

describe('a kill -9 of the webhook dispatcher', () => {
  it('in the middle of a delivery loses no event, and the event is sent again with the same id', async () => {
    let isHolding = true;
    /** @type {{ id: string } | undefined} */
    let trade;
    // The last fill of the test before may still be on its way, and arrive here, too.
    const isOfTrade = ({ event }) => event.data.id === trade?.id;
    const receiver = await startReceiver({
      statusFor: async (received) => {
        while (isHolding && (trade === undefined || isOfTrade(received)))
          await new Promise((resolve) => setTimeout(resolve, 20));
        return 204;
      },
    });
    const webhook = await trader.api.webhooks.create({ url: receiver.url, events: ['trade.filled'] });
    receiver.useSecret(webhook.secret);
    trade = await trader.api.trades.create(marketBuy('0.01'));
    const first = await receiver.until('the held delivery', isOfTrade);
    await product.kill('webhook-dispatcher');
    isHolding = false;

    const second = await receiver.until(
      'the delivery after the restart',
      (received) => received !== first && received.event.event_id === first.event.event_id,
      60_000,
    );
    expect(second).toMatchObject({ isGenuine: true, event: first.event });
    await until(
      () => trader.api.webhooks.deliveries(webhook.id),
      ({ data }) =>
        data.some(({ status, event_id }) => status === 'SUCCEEDED' && event_id === first.event.event_id),
    );
    await receiver.stop();
  }, 90_000);
});

describe('a Redis that does not respond', () => {
  it('blocks signed requests, but stops no trade and loses no event', async () => {
    const receiver = await startReceiver();
    const webhook = await trader.api.webhooks.create({ url: receiver.url, events: ['trade.filled'] });
    receiver.useSecret(webhook.secret);
    const { key } = await trader.api.apiKeys.create({ name: 'without Redis' });
    const keyClient = createClient({ restUrl: product.restUrl, apiKey: key });
    const redis = new Redis(product.redisUrl);
    const info = await redis.info('server').finally(() => redis.disconnect());
    const pid = Number(/^process_id:(\d+)/m.exec(info)[1]);
    process.kill(pid, 'SIGSTOP');
    let trade;
    try {
      const signed = await outcomeOf(trader.api.me.get({ maxRetries: 0 }));
      expect(signed).toMatchObject({ status: 503, code: 'service_unavailable' });
      expect(Number(signed.headers.get('retry-after'))).toBeGreaterThan(0);
      trade = await keyClient.trades.create(marketBuy('0.01'));
      await until(
        () => keyClient.trades.get(trade.id),
        ({ status }) => status === 'FILLED',
      );
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const delivery = await receiver.until(
      'the fill',
      ({ event, isGenuine }) => isGenuine && event.data.id === trade.id,
      60_000,
    );
    expect(delivery.event.type).toBe('trade.filled');
    expect(await trader.api.me.get()).toMatchObject({ world: 'test' });
    await receiver.stop();
  }, 120_000);
});
