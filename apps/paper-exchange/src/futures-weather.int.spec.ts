import { type Keys, TestPaperExchange } from './testing/test-paper-exchange.js';

interface Order {
  readonly clientOrderId: string;
  readonly status: string;
  readonly executedQty: string;
}

describe('the futures API in bad weather', () => {
  let venue: TestPaperExchange;
  let keys: Keys;
  beforeEach(async () => {
    venue = await TestPaperExchange.start();
    keys = await venue.createFuturesAccount();
    await venue.admin('POST', 'market', { symbol: 'BTC/USDT', price: '60000', mark_price: '60000' });
  });
  afterEach(() => venue.stop());

  const weather = (settings: object) => venue.admin('PUT', 'weather', settings);
  const buy = (newClientOrderId: string) =>
    venue.call(
      'POST',
      '/fapi/v1/order',
      { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.1', newClientOrderId },
      keys,
    );
  const orders = async () =>
    (await venue.call<Order[]>('GET', '/fapi/v1/allOrders', { symbol: 'BTCUSDT' }, keys)).body;

  it('refuses new orders without effect, and other calls, with 503', async () => {
    await weather({ error_rate: 1 });
    expect(await buy('refused')).toMatchObject({ status: 503, body: { code: -1001 } });
    expect(await orders()).toEqual([]);
    await weather({ call_error_rate: 1 });
    expect((await venue.call('GET', '/fapi/v2/account', {}, keys)).status).toBe(503);
    expect((await buy('accepted')).status).toBe(200);
  });

  it('accepts new orders and conditional orders whose answer is lost or says that the result is unknown', async () => {
    await weather({ unknown_answer_rate: 1 });
    expect(await buy('unknown')).toMatchObject({ status: 504, body: { code: -1007 } });
    const algo = { algoType: 'CONDITIONAL', type: 'STOP_MARKET', triggerPrice: '50000', quantity: '0.1' };
    const params = { symbol: 'BTCUSDT', side: 'SELL', clientAlgoId: 'algo', ...algo };
    expect((await venue.call('POST', '/fapi/v1/algoOrder', params, keys)).status).toBe(504);
    await weather({});
    expect(await orders()).toMatchObject([
      { clientOrderId: 'unknown', status: 'FILLED', executedQty: '0.100' },
    ]);
    expect((await venue.call('GET', '/fapi/v1/openAlgoOrders', {}, keys)).body).toMatchObject([
      { clientAlgoId: 'algo', algoStatus: 'NEW' },
    ]);
  });

  it('accepts new orders whose connection stays silent', async () => {
    await weather({ drop_answer_rate: 1 });
    const silent = buy('silent').then(
      () => 'answered',
      () => 'closed',
    );
    while ((await orders()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await venue.restart();
    expect(await silent).toBe('closed');
    expect(await orders()).toMatchObject([{ clientOrderId: 'silent', status: 'FILLED' }]);
  });

  it('limits requests, closes for maintenance and runs on a skewed clock', async () => {
    await weather({ rate_limit_rate: 1 });
    const limited = await fetch(`${venue.url}/fapi/v1/ping`);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
    await weather({ maintenance: true });
    expect(await venue.call('GET', '/fapi/v1/ping')).toMatchObject({ status: 503, body: { code: 1 } });
    await weather({ clock_skew_ms: 60_000 });
    expect(await buy('late')).toMatchObject({ status: 400, body: { code: -1021 } });
  });

  it('fills an order in several parts', async () => {
    await weather({ partial_fill_rate: 1 });
    await buy('parts');
    const { body } = await venue.call<{ qty: string }[]>(
      'GET',
      '/fapi/v1/userTrades',
      { symbol: 'BTCUSDT' },
      keys,
    );
    expect(body.map(({ qty }) => qty)).toEqual(['0.033', '0.033', '0.034']);
  });
});
