import { TestPaperExchange } from './testing/test-paper-exchange.js';

describe('the rate limits', () => {
  let venue: TestPaperExchange;
  beforeEach(async () => {
    venue = await TestPaperExchange.start({ WEIGHT_PER_MINUTE: '60', ORDERS_PER_10S: '2' });
  });
  afterEach(() => venue.stop());

  it('are in exchangeInfo, the used weight is in every response, and a request over the limit gets 429', async () => {
    const info = await (await fetch(`${venue.url}/api/v3/exchangeInfo`)).json();
    expect(info).toMatchObject({
      rateLimits: [
        { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 60 },
        { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 2 },
        { rateLimitType: 'ORDERS', interval: 'DAY', intervalNum: 1, limit: 200_000 },
      ],
    });
    // A minute may end between two calls and restart the count. Compare only consecutive calls for that reason.
    const used: number[] = [];
    let rejected: Response | undefined;
    for (let call = 0; call < 30 && rejected === undefined; call += 1) {
      const response = await fetch(`${venue.url}/api/v3/depth?symbol=BTCUSDT`);
      if (response.status === 429) rejected = response;
      else used.push(Number(response.headers.get('x-mbx-used-weight-1m')));
    }
    expect(used.filter((weight, at) => at > 0 && weight === (used[at - 1] ?? 0) + 5).length).toBeGreaterThan(
      5,
    );
    const retryAfter = Number(rejected?.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(await rejected?.json()).toMatchObject({ code: -1003 });
  });

  it('count the orders of each account, and reject an order over the limit without effect', async () => {
    await venue.restart({ ORDERS_PER_10S: '100', ORDERS_PER_DAY: '2' });
    const [user, other] = [await venue.createTrader(), await venue.createTrader()];
    const place = (client: typeof user) => client.createOrder('BTC/USDT', 'limit', 'buy', 0.1, 60_000);
    await place(user);
    await place(user);
    expect(user.last_response_headers).toMatchObject({ 'X-Mbx-Order-Count-1d': '2' });
    await expect(place(user)).rejects.toThrow('-1015');
    await place(other);
    expect(await user.fetchOpenOrders('BTC/USDT')).toHaveLength(2);
  });
});
