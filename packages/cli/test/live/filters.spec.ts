/** `--account` and `--pair` of commands that read. */
import { runCaptured } from '../support/captured-run.js';
import { StubStreamingApi } from './stub-streaming-api.js';

const account = (id: string, name: string, exchange: string, type: string) => ({
  id,
  account_name: name,
  exchange_name: exchange,
  trading_type: type,
});
const pair = (id: string, symbol: string, exchange: string, type: string) => ({
  id,
  symbol,
  exchange,
  trading_type: type,
});
const SPOT = account('exa_1', 'spot', 'paper', 'spot');
const PERPETUAL = account('exa_2', 'futures', 'paper', 'perpetual');
const OTHER = account('exa_3', 'elsewhere', 'binance', 'perpetual');

let api: StubStreamingApi;
beforeEach(async () => {
  api = await StubStreamingApi.start();
  api.onList('GET /v1/trade-pairs', [
    pair('tpr_1', 'BTC/USDT', 'paper', 'spot'),
    pair('tpr_2', 'BTC/USDT:USDT', 'paper', 'perpetual'),
  ]);
  api.onList('GET /v1/positions', []);
});
afterEach(() => api.close());

const svc = (...argv: readonly string[]) =>
  runCaptured(argv, { variables: { SVC_BASE_URL: api.url, SVC_API_KEY: 'svc_test_key', NO_COLOR: '1' } });
const queryOfPositions = () => {
  const { url } = api.requests.find(({ route }) => route === 'GET /v1/positions')!;
  const query = Object.fromEntries(new URL(url, api.url).searchParams);
  return [query.exchange_account_id, query.trade_pair_id];
};

it('a symbol selects the pair that the accounts of the user trade', async () => {
  api.onList('GET /v1/exchanges', [SPOT, PERPETUAL, { ...PERPETUAL, id: 'exa_4' }]);
  expect((await svc('positions', 'list', '--pair', 'btc/usdt:usdt')).exitCode).toBe(0);
  expect(queryOfPositions()).toEqual([undefined, 'tpr_2']);
});

it('a symbol costs one request, for the market of the account', async () => {
  api.onList('GET /v1/exchanges', [SPOT, PERPETUAL]);
  await svc('positions', 'list', '--pair', 'btc/usdt:usdt');
  const searches = api.requests.filter(({ route }) => route === 'GET /v1/trade-pairs');
  expect(searches.map(({ url }) => Object.fromEntries(new URL(url, api.url).searchParams))).toEqual([
    { exchange: 'paper', trading_type: 'perpetual', symbol: 'btc/usdt:usdt', limit: '1' },
  ]);
});

it('an account selects its exchange, and an id is sent as it is', async () => {
  api.onList('GET /v1/exchanges', [SPOT, PERPETUAL, OTHER]);
  await svc('positions', 'list', '--account', 'futures', '--pair', 'BTC/USDT:USDT');
  expect(queryOfPositions()).toEqual(['exa_2', 'tpr_2']);
  api.requests.length = 0;
  await svc('positions', 'list', '--pair', 'tpr_9');
  expect(queryOfPositions()).toEqual([undefined, 'tpr_9']);
});

it.each([
  ['a symbol that accounts of several exchanges trade', ['--pair', 'BTC/USDT:USDT'], 'binance (perpetual)'],
  [
    'a symbol that is not traded',
    ['--account', 'futures', '--pair', 'XRP/USDT:USDT'],
    'does not trade XRP/USDT:USDT',
  ],
  ['a pair twice', ['--pair', 'tpr_1', '--trade-pair-id', 'tpr_2'], 'either --pair or --trade-pair-id'],
  ['an account twice', ['--account', 'futures', '--exchange-account-id', 'exa_1'], 'either --account or'],
])('%s is refused, and nothing is listed', async (_what, flags, message) => {
  api.onList('GET /v1/exchanges', [SPOT, PERPETUAL, OTHER]);
  const { exitCode, stderr } = await svc('positions', 'list', ...flags);
  expect([exitCode === 0, stderr]).toEqual([false, expect.stringContaining(message)]);
  expect(api.requests.some(({ route }) => route === 'GET /v1/positions')).toBe(false);
});
