import { once } from 'node:events';
import {
  DDoSProtection,
  ExchangeNotAvailable,
  InsufficientFunds,
  InvalidNonce,
  OnMaintenance,
  OperationFailed,
  RequestTimeout,
} from 'ccxt/js/src/base/errors';
import { WebSocket } from 'ws';
import { TestPaperExchange } from './testing/test-paper-exchange.js';

const ORDER = ['BTC/USDT', 'limit', 'buy', 0.1, 60_000] as const;

describe('the weather', () => {
  let venue: TestPaperExchange;
  beforeEach(async () => {
    venue = await TestPaperExchange.start();
  });
  afterEach(() => venue.stop());
  const setWeather = async (forecast: object) => {
    const response = await venue.admin('PUT', 'weather', forecast);
    expect(response.status).toBe(200);
    return response.body;
  };

  it('is returned as it was set, and cleared by an empty body', async () => {
    const fair = {
      latency_ms: 0,
      rate_limit_rate: 0,
      retry_after: 1,
      error_rate: 0,
      call_error_rate: 0,
      drop_answer_rate: 0,
      unknown_answer_rate: 0,
      duplicate_event_rate: 0,
      reorder_event_rate: 0,
      lose_event_rate: 0,
      partial_fill_rate: 0,
      disconnect_rate: 0,
      maintenance: false,
      clock_skew_ms: 0,
    };
    expect(await setWeather({ error_rate: 0.5, latency_ms: 20 })).toEqual({
      ...fair,
      error_rate: 0.5,
      latency_ms: 20,
    });
    expect((await venue.admin('GET', 'weather')).body).toEqual({
      ...fair,
      error_rate: 0.5,
      latency_ms: 20,
      schedule: null,
    });
    expect(await setWeather({})).toEqual(fair);
  });

  it.each([
    { error_rate: 1.1 },
    { error_rate: -0.1 },
    { error_rate: '1' },
    { latency_ms: -1 },
    { fog: 1 },
    { maintenance: 1 },
    { clock_skew_ms: 0.5 },
    { retry_after: 2 },
    [],
  ])('is not changed by the invalid body %j, and the error names the problem', async (body) => {
    await setWeather({ error_rate: 0.25 });
    const response = await venue.admin<{ code: number; msg: string }>('PUT', 'weather', body);
    expect(response).toMatchObject({ status: 400, body: { code: -1100 } });
    expect(response.body.msg).toMatch(
      /error_rate|latency_ms|fog|maintenance|clock_skew_ms|retry_after|expected object/,
    );
    expect((await venue.admin('GET', 'weather')).body).toMatchObject({ error_rate: 0.25 });
  });

  it('with errors, makes a new order fail with 5xx and without effect', async () => {
    const user = await venue.createTrader();
    await user.loadMarkets();
    await setWeather({ error_rate: 1 });
    await expect(user.createOrder(...ORDER)).rejects.toThrow(OperationFailed);
    expect(await user.fetchOpenOrders('BTC/USDT')).toEqual([]);
    await setWeather({});
    await user.createOrder(...ORDER);
    expect(await user.fetchOpenOrders('BTC/USDT')).toHaveLength(1);
  });

  it('with dropped responses, sends no response to an order that takes effect', async () => {
    const user = await venue.createTrader();
    await user.loadMarkets();
    user.timeout = 500;
    await setWeather({ drop_answer_rate: 1 });
    await expect(user.createOrder(...ORDER, { clientOrderId: 'lost' })).rejects.toThrow();
    expect(await user.fetchOrder('', 'BTC/USDT', { origClientOrderId: 'lost' })).toMatchObject({
      status: 'open',
      clientOrderId: 'lost',
    });
    await expect(user.createOrder('BTC/USDT', 'limit', 'buy', 100, 60_000)).rejects.toThrow(
      InsufficientFunds,
    );
  });

  it('with rate limits, makes all calls except admin calls fail with 429 and Retry-After', async () => {
    const user = await venue.createTrader();
    await user.loadMarkets();
    await setWeather({ rate_limit_rate: 1 });
    await expect(user.fetchBalance()).rejects.toThrow(DDoSProtection);
    const response = await fetch(`${venue.url}/api/v3/time`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await response.json()).toMatchObject({ code: -1003 });
    expect((await venue.admin('GET', 'weather')).status).toBe(200);
  });

  it.each([
    [false, null],
    [0, null],
    [true, '1'],
  ])('with rate limits and retry_after %j, sends the Retry-After header %j', async (retryAfter, expected) => {
    await setWeather({ rate_limit_rate: 1, retry_after: retryAfter });
    const response = await fetch(`${venue.url}/api/v3/time`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, expected]);
  });

  it('with call errors, rejects every call except a new order with 5xx and without effect', async () => {
    const user = await venue.createTrader();
    await user.loadMarkets();
    const { id } = await user.createOrder(...ORDER);
    await setWeather({ call_error_rate: 1 });
    await expect(user.fetchBalance()).rejects.toThrow(OperationFailed);
    await expect(user.cancelOrder(String(id), 'BTC/USDT')).rejects.toThrow(OperationFailed);
    await user.createOrder(...ORDER);
    await setWeather({});
    expect(await user.fetchOpenOrders('BTC/USDT')).toHaveLength(2);
  });

  it('with unknown responses, sends 504 for an order that takes effect', async () => {
    const user = await venue.createTrader();
    await user.loadMarkets();
    await setWeather({ unknown_answer_rate: 1 });
    await expect(user.createOrder(...ORDER, { clientOrderId: 'perhaps' })).rejects.toThrow(RequestTimeout);
    expect(await user.fetchOrder('', 'BTC/USDT', { origClientOrderId: 'perhaps' })).toMatchObject({
      status: 'open',
    });
  });

  it('with maintenance, rejects every call and connection except admin calls, and drops the streams', async () => {
    const user = await venue.createTrader();
    await user.loadMarkets();
    const url = `${venue.url.replace('http', 'ws')}/ws/btcusdt@trade`;
    const stream = new WebSocket(url);
    await once(stream, 'open');
    const closed = once(stream, 'close');
    await setWeather({ maintenance: true });
    expect((await closed)[0]).toBe(1006);
    await expect(user.createOrder(...ORDER)).rejects.toThrow(OnMaintenance);
    await expect(user.fetchTime()).rejects.toThrow(ExchangeNotAvailable);
    expect(String((await once(new WebSocket(url), 'error'))[0])).toContain('503');
    expect((await venue.admin('GET', 'weather')).status).toBe(200);
    await setWeather({});
    expect(await user.fetchOpenOrders('BTC/USDT')).toEqual([]);
  });

  it.each([-90_000, 90_000])(
    'with a clock that is wrong by %d ms, rejects signed requests until the client adjusts to the clock',
    async (skew) => {
      const keys = await venue.createAccount();
      const [user, watcher] = [venue.clientOf(keys), await venue.createWatcher(keys)];
      await user.loadMarkets();
      await setWeather({ clock_skew_ms: skew });
      await expect(user.createOrder(...ORDER)).rejects.toThrow(InvalidNonce);
      const socket = new WebSocket(`${venue.url.replace('http', 'ws')}/ws-api/v3`);
      await once(socket, 'open');
      const method = 'userDataStream.subscribe.signature';
      socket.send(JSON.stringify({ id: 1, method, params: watcher.signParams({}) }));
      const [response] = await once(socket, 'message');
      expect(JSON.parse(String(response))).toMatchObject({ status: 400, error: { code: -1021 } });
      socket.terminate();
      user.options.adjustForTimeDifference = true;
      await user.loadTimeDifference();
      await user.createOrder(...ORDER);
      await setWeather({});
      await expect(user.fetchOpenOrders('BTC/USDT')).rejects.toThrow(InvalidNonce);
      await user.loadTimeDifference();
      expect(await user.fetchOpenOrders('BTC/USDT')).toHaveLength(1);
    },
  );

  it('with lost connections, drops streams without a close frame', async () => {
    const stream = new WebSocket(`${venue.url.replace('http', 'ws')}/ws`);
    await once(stream, 'open');
    const closed = once(stream, 'close');
    await setWeather({ disconnect_rate: 1 });
    expect((await closed)[0]).toBe(1006);
  });

  it('with a schedule, has the planned spells until the weather is set directly', async () => {
    const terms = {
      seed: 7,
      lasts_ms: 60_000,
      spell_ms: [1_000, 2_000],
      calm_ms: [0, 0],
      kinds: ['maintenance'],
    };
    const { body: planned } = await venue.admin<{ spells: object[]; spell: object }>(
      'PUT',
      'weather/schedule',
      terms,
    );
    expect(planned).toMatchObject({ ...terms, spell: { at_ms: 0, kind: 'maintenance' } });
    const { body: again } = await venue.admin<typeof planned>('PUT', 'weather/schedule', terms);
    expect(again.spells).toEqual(planned.spells);
    expect((await venue.admin('GET', 'weather')).body).toMatchObject({
      maintenance: true,
      schedule: { seed: 7, spell: { kind: 'maintenance' } },
    });
    const user = await venue.createTrader();
    await expect(user.fetchTime()).rejects.toThrow(OnMaintenance);
    await setWeather({});
    expect((await venue.admin('GET', 'weather')).body).toMatchObject({ maintenance: false, schedule: null });
    expect(await user.fetchTime()).toBeGreaterThan(0);
  });

  it.each([
    {},
    { seed: -1 },
    { seed: 1, kinds: ['frogs'] },
    { seed: 1, spell_ms: [2_000, 1_000] },
    { seed: 1, between: { fog: 1 } },
  ])('is not changed by the invalid schedule %j', async (terms) => {
    await setWeather({ error_rate: 0.25 });
    expect((await venue.admin('PUT', 'weather/schedule', terms)).status).toBe(400);
    expect((await venue.admin('GET', 'weather')).body).toMatchObject({ error_rate: 0.25, schedule: null });
  });

  it('with latency, delays the responses', async () => {
    await setWeather({ latency_ms: 60 });
    const before = performance.now();
    await fetch(`${venue.url}/api/v3/time`);
    expect(performance.now() - before).toBeGreaterThanOrEqual(59);
  });

  it('with partial fills, fills an order in three smaller parts with the same total', async () => {
    const [maker, taker] = [await venue.createTrader(), await venue.createTrader()];
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.5, 60_000);
    await setWeather({ partial_fill_rate: 1 });
    const bought = await taker.createOrder('BTC/USDT', 'market', 'buy', 0.3);
    expect(bought).toMatchObject({ status: 'closed', filled: 0.3, cost: 18_000 });
    expect((await taker.fetchMyTrades('BTC/USDT')).map((fill) => fill.amount)).toEqual([0.1, 0.1, 0.1]);
    const resting = await taker.createOrder('BTC/USDT', 'limit', 'buy', 0.3, 60_000);
    expect(resting).toMatchObject({ status: 'open', filled: 0.2, remaining: 0.1 });
    expect((await taker.fetchOrderBook('BTC/USDT')).bids).toEqual([[60_000, 0.1]]);
  });
});
