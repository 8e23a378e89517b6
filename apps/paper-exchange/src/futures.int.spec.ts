import { OrderNotFound } from 'ccxt/js/src/base/errors';
import { type Keys, TestPaperExchange } from './testing/test-paper-exchange.js';

const SYMBOL = 'BTC/USDT:USDT';
type Client = ReturnType<TestPaperExchange['futuresClientOf']>;

interface Ledger {
  readonly futures_balances: { readonly USDT: { readonly wallet: string } };
  readonly positions: readonly Record<string, unknown>[];
  readonly funding: readonly { readonly amount: string }[];
  readonly interest: readonly unknown[];
  readonly liquidations: readonly { readonly reason: string; readonly client_order_id: string }[];
  readonly fills: readonly { readonly realized_pnl: string }[];
}

describe('the futures of the paper exchange, traded by an unmodified ccxt client', () => {
  let venue: TestPaperExchange;
  let keys: Keys;
  let client: Client;
  beforeEach(async () => {
    venue = await TestPaperExchange.start();
    await venue.admin('POST', 'market', { symbol: 'BTC/USDT', price: '60000', mark_price: '60000' });
    keys = await venue.createFuturesAccount();
    client = venue.futuresClientOf(keys);
    await client.loadMarkets();
  });
  afterEach(() => venue.stop());

  const ledger = async () => (await venue.admin<Ledger>('GET', `ledger?api_key=${keys.api_key}`)).body;
  const position = async () => (await client.fetchPositions([SYMBOL]))[0];

  it('opens, partly closes and flips a position', async () => {
    const opened = await client.createOrder(SYMBOL, 'market', 'buy', 0.2);
    expect(opened).toMatchObject({ status: 'closed', filled: 0.2, average: 60_006 });
    expect(await position()).toMatchObject({
      side: 'long',
      contracts: 0.2,
      entryPrice: 60_006,
      marginMode: 'cross',
      leverage: 20,
    });
    await client.createOrder(SYMBOL, 'market', 'sell', 0.05, undefined, { reduceOnly: true });
    expect(await position()).toMatchObject({ contracts: 0.15, entryPrice: 60_006 });
    await client.createOrder(SYMBOL, 'market', 'sell', 0.25);
    expect(await position()).toMatchObject({ side: 'short', contracts: 0.1, entryPrice: 59_994 });
    const trades = await client.fetchMyTrades(SYMBOL);
    expect(trades.map(({ info }) => info.realizedPnl)).toEqual(['0.00000000', '-0.60000000', '-1.80000000']);
    // 0.05 % of each of the three trades.
    const fees = 0.0005 * (0.2 * 60_006 + 0.3 * 59_994);
    expect(Number((await ledger()).futures_balances.USDT.wallet)).toBeCloseTo(10_000 - 2.4 - fees, 8);
    // Its unrealised profit counts, too: the mark price is 6 USDT above the entry price.
    expect((await client.fetchBalance()).total).toEqual({ USDT: 10_000 - 2.4 - fees - 0.6 });
  });

  it('pays funding, which the income history lists', async () => {
    await client.createOrder(SYMBOL, 'market', 'buy', 0.2);
    expect((await venue.admin('POST', 'funding', { symbol: SYMBOL, rate: '0.0005' })).status).toBe(200);
    expect(await client.fetchFundingHistory(SYMBOL)).toMatchObject([{ amount: -6, code: 'USDT' }]);
    expect(await client.fetchFundingRateHistory(SYMBOL)).toMatchObject([{ fundingRate: 0.0005 }]);
    expect(await client.fetchFundingRate(SYMBOL)).toMatchObject({ markPrice: 60_000, indexPrice: 60_000 });
    expect((await ledger()).funding.map(({ amount }) => amount)).toEqual(['-6']);
  });

  it('is liquidated once the mark price moves too far, and the ledger says so', async () => {
    await client.setLeverage(100, SYMBOL);
    await client.createOrder(SYMBOL, 'market', 'buy', 3);
    await venue.admin('POST', 'market', { symbol: SYMBOL, price: '57000', mark_price: '56000' });
    expect(await client.fetchPositions([SYMBOL])).toEqual([]);
    const forced = (await client.fetchMyLiquidations(SYMBOL)) as unknown[];
    expect(forced).toHaveLength(1);
    const { liquidations, positions, futures_balances, interest } = await ledger();
    expect(liquidations).toMatchObject([{ reason: 'LIQUIDATION' }]);
    expect(liquidations[0]?.client_order_id).toMatch(/^autoclose-/);
    expect([positions, interest, futures_balances.USDT.wallet]).toEqual([[], [], '0']);
  });

  it('is auto-deleveraged by an admin call, and its contract settled when it is delisted', async () => {
    await client.createOrder(SYMBOL, 'market', 'sell', 0.1);
    await venue.admin('POST', 'adl', { api_key: keys.api_key, symbol: SYMBOL });
    await client.createOrder(SYMBOL, 'market', 'buy', 0.1);
    await venue.admin('POST', 'listing', { symbol: SYMBOL, listed: false });
    expect((await ledger()).liquidations.map(({ reason }) => reason)).toEqual(['ADL', 'SETTLEMENT']);
    await expect(client.createOrder(SYMBOL, 'market', 'buy', 0.1)).rejects.toThrow('-4141');
  });

  it('places, finds, amends, lists and cancels limit orders', async () => {
    const placed = await client.createOrder(SYMBOL, 'limit', 'buy', 0.1, 59_000, { clientOrderId: 'mine' });
    expect(placed).toMatchObject({ status: 'open', price: 59_000, clientOrderId: 'mine' });
    const edited = await client.editOrder(placed.id as string, SYMBOL, 'limit', 'buy', 0.2, 59_100);
    expect(edited).toMatchObject({ id: placed.id, amount: 0.2, price: 59_100 });
    expect(await client.fetchOpenOrders(SYMBOL)).toMatchObject([{ id: placed.id }]);
    expect(await client.fetchOrder('', SYMBOL, { clientOrderId: 'mine' })).toMatchObject({ amount: 0.2 });
    expect((await client.fetchOrderBook(SYMBOL, 20)).bids).toContainEqual([59_100, 0.2]);
    const postOnly = await client.createOrder(SYMBOL, 'limit', 'buy', 0.1, 59_000, { postOnly: true });
    expect(await client.editOrder(postOnly.id as string, SYMBOL, 'limit', 'buy', 0.1, 60_100)).toMatchObject({
      id: postOnly.id,
      status: 'canceled',
      filled: 0,
    });
    expect(await client.cancelOrder(placed.id as string, SYMBOL)).toMatchObject({ status: 'canceled' });
    await expect(client.cancelOrder(placed.id as string, SYMBOL)).rejects.toThrow(OrderNotFound);
    await client.createOrders([
      { symbol: SYMBOL, type: 'limit', side: 'buy', amount: 0.1, price: 58_000 },
      { symbol: SYMBOL, type: 'limit', side: 'sell', amount: 0.1, price: 62_000 },
    ]);
    expect(await client.fetchOpenOrders(SYMBOL)).toHaveLength(2);
    await client.cancelAllOrders(SYMBOL);
    expect(await client.fetchOpenOrders(SYMBOL)).toEqual([]);
  });

  it('places conditional orders on the algo endpoints, and refuses them on the old one', async () => {
    await client.createOrder(SYMBOL, 'market', 'buy', 0.2);
    const stop = await client.createOrder(SYMBOL, 'market', 'sell', 0.2, undefined, {
      stopLossPrice: 59_000,
      reduceOnly: true,
    });
    expect(await client.fetchOpenOrders(SYMBOL, undefined, undefined, { trigger: true })).toMatchObject([
      { id: stop.id, triggerPrice: 59_000 },
    ]);
    await venue.admin('POST', 'market', { symbol: SYMBOL, price: '58900', mark_price: '60000' });
    expect(await client.fetchPositions([SYMBOL])).toEqual([]);
    expect(await client.fetchOrder(stop.id as string, SYMBOL, { trigger: true })).toMatchObject({
      info: { algoStatus: 'FINISHED', actualQty: '0.200' },
    });
    const old = { symbol: 'BTCUSDT', side: 'SELL', type: 'STOP_MARKET', stopPrice: '50000', quantity: '1' };
    expect(await venue.call('POST', '/fapi/v1/order', old, keys)).toMatchObject({
      status: 400,
      body: { code: -4120 },
    });
  });

  it('lists conditional orders by pages: from an id on, or the newest ones first', async () => {
    const ids: string[] = [];
    for (const stopLossPrice of [51_000, 52_000, 53_000, 54_000, 55_000]) {
      const { id } = await client.createOrder(SYMBOL, 'market', 'sell', 0.1, undefined, { stopLossPrice });
      ids.push(id as string);
    }
    const listed = async (params: Record<string, string | number>) => {
      const query = { symbol: 'BTCUSDT', limit: 2, ...params };
      const { body } = await venue.call<{ algoId: number }[]>('GET', '/fapi/v1/allAlgoOrders', query, keys);
      return body.map(({ algoId }) => String(algoId));
    };
    expect(await listed({})).toEqual(ids.slice(3));
    expect(await listed({ page: 1 })).toEqual(ids.slice(3));
    expect(await listed({ page: 2 })).toEqual(ids.slice(1, 3));
    expect(await listed({ page: 3 })).toEqual(ids.slice(0, 1));
    expect(await listed({ page: 4 })).toEqual([]);
    expect(await listed({ algoId: ids[1]!, page: 2 })).toEqual(ids.slice(3));
    expect(await listed({ startTime: 1, page: 3 })).toEqual(ids.slice(4));
    const zero = { symbol: 'BTCUSDT', page: 0 };
    expect((await venue.call('GET', '/fapi/v1/allAlgoOrders', zero, keys)).body).toMatchObject({
      code: -1100,
    });
  });

  it('changes leverage and margin mode, and moves isolated margin', async () => {
    await client.setMarginMode('isolated', SYMBOL);
    await expect(
      client.fapiPrivatePostMarginType({ symbol: 'BTCUSDT', marginType: 'ISOLATED' }),
    ).rejects.toThrow('-4046');
    await client.setLeverage(10, SYMBOL);
    await client.createOrder(SYMBOL, 'market', 'buy', 0.2);
    await client.addMargin(SYMBOL, 100);
    expect(await position()).toMatchObject({ marginMode: 'isolated', leverage: 10 });
    await expect(client.setLeverage(5, SYMBOL)).rejects.toThrow('-4161');
    await expect(client.setMarginMode('cross', SYMBOL)).rejects.toThrow('-4048');
    expect(await client.fetchLeverage(SYMBOL)).toMatchObject({ longLeverage: 10, marginMode: 'isolated' });
  });

  it('refuses hedge mode, but an admin call can set it, and then no order is accepted', async () => {
    expect(await client.fetchPositionMode(SYMBOL)).toMatchObject({ hedged: false });
    await expect(client.setPositionMode(true, SYMBOL)).rejects.toThrow('-1020');
    await venue.admin('POST', 'accounts/position-mode', { api_key: keys.api_key, dual: true });
    expect(await client.fetchPositionMode(SYMBOL)).toMatchObject({ hedged: true });
    await expect(client.createOrder(SYMBOL, 'market', 'buy', 0.1)).rejects.toThrow('-4061');
    await client.setPositionMode(false, SYMBOL);
    await expect(client.setPositionMode(false, SYMBOL)).rejects.toThrow('-4059');
  });

  it('rejects orders with the error codes of the venue', async () => {
    await expect(client.createOrder(SYMBOL, 'market', 'buy', 10)).rejects.toThrow('-2019');
    await expect(
      client.createOrder(SYMBOL, 'limit', 'buy', 0.001, 58_000, { postOnly: true }),
    ).resolves.toBeDefined();
    await expect(
      client.createOrder(SYMBOL, 'limit', 'buy', 0.01, 61_000, { postOnly: true }),
    ).rejects.toThrow('-5022');
    await expect(
      client.createOrder(SYMBOL, 'market', 'sell', 0.01, undefined, { reduceOnly: true }),
    ).rejects.toThrow('-2022');
    const unknown = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '1', unknown: '1' };
    expect((await venue.call('POST', '/fapi/v1/order', unknown, keys)).body).toMatchObject({ code: -1104 });
    const precise = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '1' };
    for (const [price, code] of [
      ['60000.05', -4014],
      ['60000.005', -1111],
    ] as const)
      expect((await venue.call('POST', '/fapi/v1/order', { ...precise, price }, keys)).body).toMatchObject({
        code,
      });
  });

  it('has the same state after a restart', async () => {
    await client.createOrder(SYMBOL, 'market', 'buy', 0.2);
    await client.createOrder(SYMBOL, 'limit', 'sell', 0.1, 62_000);
    await client.createOrder(SYMBOL, 'market', 'sell', 0.1, undefined, { stopLossPrice: 59_000 });
    await venue.admin('POST', 'funding', { symbol: SYMBOL, rate: -0.0001 });
    const before = await ledger();
    await venue.restart();
    expect(await ledger()).toEqual(before);
    const restarted = venue.futuresClientOf(keys);
    expect((await restarted.fetchOrderBook(SYMBOL, 5)).asks).toEqual([[62_000, 0.1]]);
    expect(await restarted.fetchOpenOrders(SYMBOL, undefined, undefined, { trigger: true })).toHaveLength(1);
  });

  it('counts request weight and orders apart from spot', async () => {
    const weightOf = async (path: string) =>
      Number((await fetch(`${venue.url}${path}`)).headers.get('x-mbx-used-weight-1m'));
    // The tickers of all contracts weigh 40.
    expect(await weightOf('/fapi/v1/ticker/24hr')).toBeGreaterThanOrEqual(40);
    expect(await weightOf('/api/v3/ping')).toBeLessThan(40);
    expect(
      (await venue.call<{ rateLimits: unknown }>('GET', '/fapi/v1/exchangeInfo')).body.rateLimits,
    ).toEqual([
      { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 2_400 },
      { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 300 },
      { rateLimitType: 'ORDERS', interval: 'MINUTE', intervalNum: 1, limit: 1_200 },
    ]);
  });

  it('follows the spot market while the market maker is on', async () => {
    await venue.restart({ MARKET: 'on' });
    const { bids, asks } = await venue.futuresClientOf(keys).fetchOrderBook(SYMBOL, 5);
    expect((Number(bids[0]![0]) + Number(asks[0]![0])) / 2 / 60_000).toBeCloseTo(1, 2);
  });
});
