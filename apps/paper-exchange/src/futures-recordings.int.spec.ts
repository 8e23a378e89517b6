import { readFileSync } from 'node:fs';
import { shapeDifferences } from './testing/json-shape.js';
import { type Keys, TestPaperExchange } from './testing/test-paper-exchange.js';

interface Recordings {
  readonly calls: Record<string, unknown>;
}

const { calls } = JSON.parse(
  readFileSync(new URL('./testing/recorded-usdm.json', import.meta.url), 'utf8'),
) as Recordings;

/** The routes of public data, which refuse the parameters of a signature. */
const PUBLIC =
  /\/(?:aggTrades|depth|exchangeInfo|fundingInfo|fundingRate|(?:indexPriceK|markPriceK|k)lines|openInterest|premiumIndex|ticker\/.*|time|trades)$/;

/**
 * Fields that were recorded for a trailing stop, on endpoints that no longer take one, and for hedge mode, which is not
 * simulated.
 */
const OTHER_FIELDS = ['activatePrice', 'priceRate', 'HEDGE'];

describe('the answers of the futures API', () => {
  let venue: TestPaperExchange;
  let keys: Keys;
  beforeAll(async () => {
    venue = await TestPaperExchange.start();
    keys = await venue.createFuturesAccount(100_000);
    await prepare();
  });
  afterAll(() => venue.stop());

  const symbol = 'BTCUSDT';
  const limit = { symbol, side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.01', price: '58000' };
  const market = { symbol, type: 'MARKET', quantity: '0.1' };
  const stop = { symbol, side: 'SELL', type: 'STOP_MARKET', algoType: 'CONDITIONAL', quantity: '0.01' };
  const call = async (route: string, params: Record<string, string | number> = {}) => {
    const [method = '', path = ''] = route.split(' ');
    const { body } = await venue.call<Record<string, unknown>>(
      method,
      path,
      params,
      PUBLIC.test(path) ? undefined : keys,
    );
    return body;
  };

  /** Brings about one of each: trades, a candle, a funding, a liquidation, a position and open orders. */
  async function prepare(): Promise<void> {
    await venue.admin('POST', 'market', { symbol: 'BTC/USDT', price: '60000' });
    const spotKeys = await venue.createAccount();
    await venue.call('POST', '/api/v3/order', { ...market, side: 'BUY', quantity: '0.001' }, spotKeys);
    await call('POST /fapi/v1/order', { ...market, side: 'BUY' });
    await venue.admin('POST', 'funding', { symbol: 'BTC/USDT:USDT', rate: '0.0001' });
    await venue.admin('POST', 'adl', { api_key: keys.api_key, symbol });
    await call('POST /fapi/v1/order', { ...market, side: 'BUY' });
    await call('POST /fapi/v1/order', { ...limit, newClientOrderId: 'open', price: '58100' });
    await call('POST /fapi/v1/algoOrder', { ...stop, triggerPrice: '59000', clientAlgoId: 'open' });
  }

  const batch = (...orders: object[]) => ({ batchOrders: JSON.stringify(orders) });
  /** The parameters of each recorded call, in the order in which they are made. */
  const params: Record<string, Record<string, string | number>> = {
    'GET /fapi/v1/aggTrades': { symbol },
    'GET /fapi/v1/ticker/bookTicker': { symbol },
    'GET /fapi/v1/fundingRate': { symbol },
    'GET /fapi/v1/indexPriceKlines': { pair: symbol, interval: '1m' },
    'GET /fapi/v1/klines': { symbol, interval: '1m' },
    'GET /fapi/v1/premiumIndex': { symbol },
    'GET /fapi/v1/markPriceKlines': { symbol, interval: '1m' },
    'GET /fapi/v1/openInterest': { symbol },
    'GET /fapi/v1/depth': { symbol },
    'GET /fapi/v2/ticker/price': { symbol },
    'GET /fapi/v1/trades': { symbol },
    'GET /fapi/v1/ticker/24hr': { symbol },
    'GET /fapi/v1/historicalTrades': { symbol },
    'GET /fapi/v1/commissionRate': { symbol },
    'POST /fapi/v1/leverage': { symbol: 'ETHUSDT', leverage: 21 },
    'POST /fapi/v1/multiAssetsMargin': { multiAssetsMargin: 'false' },
    'POST /fapi/v1/order': limit,
    'POST /fapi/v1/batchOrders': batch({ ...limit, newClientOrderId: 'batch' }, { ...limit, side: 'SELL' }),
    'PUT /fapi/v1/order': {
      symbol,
      origClientOrderId: 'open',
      side: 'BUY',
      quantity: '0.02',
      price: '58200',
    },
    'PUT /fapi/v1/batchOrders': batch({
      symbol,
      origClientOrderId: 'open',
      quantity: '0.03',
      price: '58200',
    }),
    'POST /fapi/v1/algoOrder': { ...stop, triggerPrice: '58000' },
    'GET /fapi/v1/algoOrder': { clientAlgoId: 'open' },
    'GET /fapi/v1/allAlgoOrders': { symbol },
    'GET /fapi/v1/openOrder': { symbol, origClientOrderId: 'open' },
    'GET /fapi/v1/order': { symbol, origClientOrderId: 'open' },
    'GET /fapi/v1/allOrders': { symbol },
    'GET /fapi/v1/userTrades': { symbol },
    'DELETE /fapi/v1/order': { symbol, origClientOrderId: 'open' },
    'DELETE /fapi/v1/batchOrders': { symbol, origClientOrderIdList: '["batch","unknown"]' },
    'DELETE /fapi/v1/algoOrder': { clientAlgoId: 'open' },
    'DELETE /fapi/v1/allOpenOrders': { symbol },
    'DELETE /fapi/v1/algoOpenOrders': { symbol },
  };
  /** Calls whose recorded answer is of a state that the test brings about itself. */
  const special = [
    'POST /fapi/v1/marginType',
    'POST /fapi/v1/positionMargin',
    'POST /fapi/v1/positionSide/dual',
  ];
  const plain = Object.keys(calls).filter((route) => !(route in params) && !special.includes(route));

  const differences = (route: string, answer: unknown) =>
    shapeDifferences(calls[route], answer).filter(
      (line) => !OTHER_FIELDS.some((name) => line.includes(`${name}:`) && line.endsWith('got undefined')),
    );

  it.each([...plain, ...Object.keys(params)])(
    'to %s have the recorded fields and JSON types',
    async (route) => {
      expect(calls).toHaveProperty([route]);
      expect(differences(route, await call(route, params[route]))).toEqual([]);
    },
  );

  it('to changes of the margin and position mode have the recorded fields and JSON types', async () => {
    const sol = { symbol: 'SOLUSDT' };
    await venue.admin('POST', 'market', { symbol: 'SOL/USDT', price: '150' });
    const isolated = await call('POST /fapi/v1/marginType', { ...sol, marginType: 'ISOLATED' });
    expect(differences('POST /fapi/v1/marginType', isolated)).toEqual([]);
    await call('POST /fapi/v1/order', { ...sol, side: 'BUY', type: 'MARKET', quantity: '1' });
    const moved = await call('POST /fapi/v1/positionMargin', { ...sol, amount: '5.5', type: 1 });
    expect(differences('POST /fapi/v1/positionMargin', moved)).toEqual([]);
    expect(moved).toMatchObject({ amount: 5.5, type: 1 });
    keys = await venue.createFuturesAccount();
    await venue.admin('POST', 'accounts/position-mode', { api_key: keys.api_key, dual: true });
    const mode = await call('POST /fapi/v1/positionSide/dual', { dualSidePosition: 'false' });
    expect(differences('POST /fapi/v1/positionSide/dual', mode)).toEqual([]);
  });
});
