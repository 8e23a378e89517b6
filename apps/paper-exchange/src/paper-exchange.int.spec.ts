import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuthenticationError, BadRequest, binance, InsufficientFunds, OrderNotFound } from 'ccxt';
import { configSchema, startPaperExchange } from './index.js';

function rewrite(urls: Record<string, unknown>, base: string): void {
  for (const [name, value] of Object.entries(urls)) {
    if (typeof value === 'string') urls[name] = value.replace(/^https?:\/\/[^/]+/, base);
    else if (value !== null && typeof value === 'object') rewrite(value as Record<string, unknown>, base);
  }
}

function client(base: string, keys: { api_key: string; api_secret: string }): binance {
  const exchange = new binance({
    apiKey: keys.api_key,
    secret: keys.api_secret,
    options: {
      defaultType: 'spot',
      fetchMarkets: { types: ['spot'] },
      fetchCurrencies: false,
      fetchMargins: false,
    },
  });
  rewrite(exchange.urls.api as Record<string, unknown>, base);
  return exchange;
}

async function post(url: string, body: object): Promise<{ api_key: string; api_secret: string }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { api_key: string; api_secret: string };
}

describe('the paper exchange, by the public ccxt client', () => {
  let directory: string;
  let running: Awaited<ReturnType<typeof startPaperExchange>>;
  const start = (market = 'off') =>
    startPaperExchange(configSchema.parse({ DATA_DIR: directory, MARKET: market }));
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'paper-exchange-'));
    running = await start();
  });
  afterEach(async () => {
    await running.close();
    await rm(directory, { recursive: true });
  });
  const trader = async () =>
    client(running.url, await post(`${running.url}/admin/accounts`, { balances: { USDT: 100_000, BTC: 2 } }));

  it('rests, finds, matches at several prices, cancels and keeps the balance of every step', async () => {
    const [maker, taker] = [await trader(), await trader()];
    await maker.loadMarkets();
    expect(maker.market('BTC/USDT')).toMatchObject({
      precision: { price: 0.01, amount: 0.00001 },
      limits: { cost: { min: 10 } },
    });
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.5, 60_000, { clientOrderId: 'ask-1' });
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.5, 60_100, { clientOrderId: 'ask-2' });
    expect((await taker.fetchOrderBook('BTC/USDT')).asks).toEqual([
      [60_000, 0.5],
      [60_100, 0.5],
    ]);
    const bought = await taker.createOrder('BTC/USDT', 'market', 'buy', 0.75);
    expect(bought).toMatchObject({ status: 'closed', filled: 0.75, cost: 45_025 });
    expect((await taker.fetchMyTrades('BTC/USDT')).map((trade) => [trade.price, trade.amount])).toEqual([
      [60_000, 0.5],
      [60_100, 0.25],
    ]);
    expect((await taker.fetchBalance()).total).toMatchObject({ USDT: 54_975, BTC: 2.74925 });
    expect(
      (await maker.fetchOpenOrders('BTC/USDT')).map((order) => [order.clientOrderId, order.remaining]),
    ).toEqual([['ask-2', 0.25]]);
    const found = await maker.fetchOrder('', 'BTC/USDT', { origClientOrderId: 'ask-1' });
    expect(found).toMatchObject({ status: 'closed', filled: 0.5 });
    const [open] = await maker.fetchOpenOrders('BTC/USDT');
    expect(await maker.cancelOrder(String(open?.id), 'BTC/USDT')).toMatchObject({ status: 'canceled' });
    expect((await maker.fetchBalance()).used).toMatchObject({ BTC: 0 });
  });

  it('refuses what the venue refuses, as ccxt knows it', async () => {
    const user = await trader();
    await user.loadMarkets();
    await expect(user.createOrder('BTC/USDT', 'limit', 'buy', 5, 60_000)).rejects.toThrow(InsufficientFunds);
    await expect(user.createOrder('BTC/USDT', 'limit', 'buy', 0.0001, 60_000)).rejects.toThrow(BadRequest);
    await expect(user.fetchOrder('99', 'BTC/USDT')).rejects.toThrow(OrderNotFound);
    user.secret = 'wrong';
    await expect(user.fetchBalance()).rejects.toThrow(AuthenticationError);
  });

  it('is the same after a restart', async () => {
    const keys = await post(`${running.url}/admin/accounts`, { balances: { USDT: 100_000 } });
    await client(running.url, keys).createOrder('BTC/USDT', 'limit', 'buy', 0.5, 60_000, {
      clientOrderId: 'stays',
    });
    const ledger = async (): Promise<unknown> =>
      (await fetch(`${running.url}/admin/ledger?api_key=${keys.api_key}`)).json();
    const before = await ledger();
    await running.close();
    running = await start();
    expect(await ledger()).toEqual(before);
    expect((await client(running.url, keys).fetchOrderBook('BTC/USDT')).bids).toEqual([[60_000, 0.5]]);
  });

  it('fills the resting orders that a move of the price crosses', async () => {
    const user = await trader();
    await user.createOrder('BTC/USDT', 'limit', 'buy', 0.5, 60_000);
    await post(`${running.url}/admin/market`, { symbol: 'BTC/USDT', price: 59_000 });
    expect((await user.fetchMyTrades('BTC/USDT')).map((trade) => [trade.price, trade.amount])).toEqual([
      [60_000, 0.5],
    ]);
  });

  it('shows five BTC within ten basis points of the mid on each side', async () => {
    await running.close();
    running = await start('on');
    const { bids, asks } = await (await trader()).fetchOrderBook('BTC/USDT');
    const mid = (Number(bids[0]![0]) + Number(asks[0]![0])) / 2;
    for (const side of [bids, asks]) {
      const near = side
        .filter(([price]) => Math.abs(Number(price) / mid - 1) <= 0.001)
        .reduce((sum, [, size]) => sum + Number(size), 0);
      expect(near).toBeGreaterThanOrEqual(5);
    }
  });
});
