import { createClient, outcomeOf } from '../launch/first-trade/client.mjs';
import { openPaperAccount, until } from '../launch/first-trade/scenario.mjs';
import { openTrader } from './accounts.mjs';
import { startProduct } from './product.mjs';

/** Tests what a caller of the REST API gets while the exchange accepts connections and never responds. */

/** An API waits at most this long for the trading worker, in ms. The test adds 2 s for a busy machine. */
const WAIT_MAX_MS = 10_000 + 2_000;

/** @type {import('./product.mjs').Product} */
let product;
let trader;
beforeAll(async () => {
  product = await startProduct({ extraEnv: { 'paper-exchange': { MARKET: 'off' } } });
  trader = await openTrader(product, 'silent venue');
}, 120_000);
afterAll(async () => {
  await product?.kill('paper-exchange', 'SIGCONT');
  await product?.stop();
});

it('every request that waits for a silent exchange gets exchange_unavailable, and a sync waits for nothing', async () => {
  const { api, privateKey, account, pair } = trader;
  const resting = { type: 'LIMIT', side: 'BUY', price: 10_000, amount: '0.01' };
  const trade = await api.trades.create({
    exchange_account_id: account.id,
    trade_pair_id: pair.id,
    ...resting,
  });
  await until(
    () => api.trades.get(trade.id),
    ({ sub_status }) => sub_status === 'ACCEPTED',
  );
  const credentials = await openPaperAccount(product.paperExchangeUrl);
  const login = { exchange: 'paper', trading_type: 'spot', credentials };
  await product.kill('paper-exchange', 'SIGSTOP');

  const patient = createClient({ restUrl: product.restUrl, privateKey, maxRetries: 0 });
  const timed = async (call) => {
    const startedAt = performance.now();
    const { status, code } = await outcomeOf(call);
    return { status, code, isInTime: performance.now() - startedAt < WAIT_MAX_MS };
  };
  const outcomes = await Promise.all([
    timed(patient.exchanges.test(login)),
    timed(patient.exchanges.create({ ...login, account_name: 'second' })),
    timed(patient.exchanges.update(account.id, { credentials })),
    timed(patient.trades.cancel(trade.id)),
  ]);
  const unavailable = { status: 502, code: 'exchange_unavailable', isInTime: true };
  expect(outcomes).toEqual([unavailable, unavailable, unavailable, unavailable]);
  expect(await outcomeOf(patient.exchanges.sync(account.id))).toMatchObject({ status: 202 });
}, 120_000);
