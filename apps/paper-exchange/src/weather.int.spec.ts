import { DDoSProtection, InsufficientFunds } from 'ccxt';
import { PaperVenue } from './testing/paper-venue.js';

const ORDER = ['BTC/USDT', 'limit', 'buy', 0.1, 60_000] as const;

describe('the weather', () => {
  let venue: PaperVenue;
  beforeEach(async () => {
    venue = await PaperVenue.start();
  });
  afterEach(() => venue.stop());
  const set = async (forecast: object) => {
    const answer = await venue.admin('PUT', 'weather', forecast);
    expect(answer.status).toBe(200);
    return answer.body;
  };

  it('is shown as it was set, and cleared by an empty body', async () => {
    const fair = {
      latency_ms: 0,
      rate_limit_rate: 0,
      error_rate: 0,
      drop_answer_rate: 0,
      duplicate_event_rate: 0,
      reorder_event_rate: 0,
      partial_fill_rate: 0,
    };
    expect(await set({ error_rate: 0.5, latency_ms: 20 })).toEqual({
      ...fair,
      error_rate: 0.5,
      latency_ms: 20,
    });
    expect((await venue.admin('GET', 'weather')).body).toMatchObject({ error_rate: 0.5 });
    expect(await set({})).toEqual(fair);
  });

  it.each([
    { error_rate: 1.1 },
    { error_rate: -0.1 },
    { error_rate: '1' },
    { latency_ms: -1 },
    { fog: 1 },
    [],
  ])('refuses %j, says why, and changes nothing', async (body) => {
    await set({ error_rate: 0.25 });
    const answer = await venue.admin<{ code: number; msg: string }>('PUT', 'weather', body);
    expect(answer).toMatchObject({ status: 400, body: { code: -1100 } });
    expect(answer.body.msg).toMatch(/error_rate|latency_ms|fog|expected object/);
    expect((await venue.admin('GET', 'weather')).body).toMatchObject({ error_rate: 0.25 });
  });

  it('with errors, refuses an order with 5xx and has not accepted it', async () => {
    const user = await venue.trader();
    await user.loadMarkets();
    await set({ error_rate: 1 });
    await expect(user.createOrder(...ORDER)).rejects.toThrow('-1001');
    expect(await user.fetchOpenOrders('BTC/USDT')).toEqual([]);
    await set({});
    await user.createOrder(...ORDER);
    expect(await user.fetchOpenOrders('BTC/USDT')).toHaveLength(1);
  });

  it('with dropped answers, accepts an order and never says so', async () => {
    const user = await venue.trader();
    await user.loadMarkets();
    user.timeout = 500;
    await set({ drop_answer_rate: 1 });
    await expect(user.createOrder(...ORDER, { clientOrderId: 'lost' })).rejects.toThrow();
    expect(await user.fetchOrder('', 'BTC/USDT', { origClientOrderId: 'lost' })).toMatchObject({
      status: 'open',
      clientOrderId: 'lost',
    });
    await expect(user.createOrder('BTC/USDT', 'limit', 'buy', 100, 60_000)).rejects.toThrow(
      InsufficientFunds,
    );
  });

  it('with rate limits, answers 429 with Retry-After everywhere but on its own controls', async () => {
    const user = await venue.trader();
    await user.loadMarkets();
    await set({ rate_limit_rate: 1 });
    await expect(user.fetchBalance()).rejects.toThrow(DDoSProtection);
    const answer = await fetch(`${venue.url}/api/v3/time`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await answer.json()).toMatchObject({ code: -1003 });
    expect((await venue.admin('GET', 'weather')).status).toBe(200);
  });

  it('with latency, answers no sooner', async () => {
    await set({ latency_ms: 60 });
    const before = performance.now();
    await fetch(`${venue.url}/api/v3/time`);
    expect(performance.now() - before).toBeGreaterThanOrEqual(59);
  });

  it('with partial fills, fills an order in several smaller parts that come to the same', async () => {
    const [maker, taker] = [await venue.trader(), await venue.trader()];
    await maker.createOrder('BTC/USDT', 'limit', 'sell', 0.5, 60_000);
    await set({ partial_fill_rate: 1 });
    const bought = await taker.createOrder('BTC/USDT', 'market', 'buy', 0.3);
    expect(bought).toMatchObject({ status: 'closed', filled: 0.3, cost: 18_000 });
    expect((await taker.fetchMyTrades('BTC/USDT')).map((fill) => fill.amount)).toEqual([0.1, 0.1, 0.1]);
    const rests = await taker.createOrder('BTC/USDT', 'limit', 'buy', 0.3, 60_000);
    expect(rests).toMatchObject({ status: 'open', filled: 0.2, remaining: 0.1 });
    expect((await taker.fetchOrderBook('BTC/USDT')).bids).toEqual([[60_000, 0.1]]);
  });
});
