import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDemo } from '../launch/demo.mjs';
import { openAccount } from '../launch/first-trade/client.mjs';
import { openPaperAccount, pairNamed, pairsOf, until } from '../launch/first-trade/scenario.mjs';
import { svc } from '../launch/svc.mjs';
import { keyOf } from './accounts.mjs';
import { startProduct } from './product.mjs';

/** Perpetuals and margin at the paper exchange as a user of the command line sees them: from the first order to a liquidation. */

const SYMBOL = 'BTC/USDT:USDT';

/** @type {import('./product.mjs').Product} */
let product;
/** @type {string} */
let folder;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perpetual-'));
  // Prices change and fundings are paid only by calls of the test.
  product = await startProduct({
    extraEnv: { 'paper-exchange': { MARKET: 'off', SCHEDULED_PAYMENTS: 'off' } },
  });
}, 120_000);
afterAll(async () => {
  await product?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Calls the paper exchange as its administrator. */
async function admin(/** @type {string} */ path, /** @type {object} */ body) {
  const response = await fetch(`${product.paperExchangeUrl}/admin/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

const moveTo = (/** @type {string} */ price) => admin('market', { symbol: SYMBOL, price, mark_price: price });

/** Returns functions that run `svc` with an API key. */
function commandsOf(/** @type {string} */ apiKey) {
  const variables = { SVC_BASE_URL: product.restUrl, SVC_API_KEY: apiKey };
  const run = (/** @type {string[]} */ ...args) => svc(folder, [...args, '--json'], { variables });
  const dataOf = async (/** @type {string[]} */ ...args) => {
    const { code, stdout, stderr } = await run(...args);
    expect([args.join(' '), code, code === 0 ? '' : stderr]).toEqual([args.join(' '), 0, '']);
    return JSON.parse(stdout);
  };
  return { run, dataOf };
}

describe('the demo of npm start', () => {
  it('has an account of perpetuals, with futures balances', async () => {
    const file = join(folder, 'demo.json');
    const demo = await ensureDemo(file, product);
    expect(await ensureDemo(file, product)).toEqual(demo);
    const { dataOf } = commandsOf(demo.api_key);
    const accounts = await until(
      () => dataOf('exchanges', 'list'),
      (list) => list.every(({ last_sync_at }) => last_sync_at !== null),
    );
    expect(accounts.map(({ account_name, trading_type }) => [account_name, trading_type])).toEqual([
      ['Demo perpetuals', 'perpetual'],
      ['Paper account', 'spot'],
    ]);
    expect(accounts[0].balance).toEqual({ USDT: '1000000' });
  });

  it('gets it once if it was created before perpetuals were offered', async () => {
    const file = join(folder, 'older-demo.json');
    const paper = await openPaperAccount(product.paperExchangeUrl);
    const { api } = await openAccount({ restUrl: product.restUrl, privateKey: keyOf('older demo') });
    const { key } = await api.apiKeys.create({ name: 'demo', permissions: ['ADMIN'] });
    const spot = /** @type {const} */ ({ exchange: 'paper', trading_type: 'spot', credentials: paper });
    const { id } = await api.exchanges.create({ ...spot, account_name: 'Paper account' });
    const { id: pairId } = pairNamed('BTC/USDT', await pairsOf(api));
    const stored = { paper, api_key: key, exchange_account_id: id, trade_pair_id: pairId };
    writeFileSync(file, JSON.stringify(stored));

    const demo = await ensureDemo(file, product);
    expect(demo).toEqual({ ...stored, perpetual_account_id: expect.any(String) });
    const added = await until(
      () => api.exchanges.get(demo.perpetual_account_id),
      ({ last_sync_at }) => last_sync_at !== null,
    );
    expect(added).toMatchObject({ account_name: 'Demo perpetuals', balance: { USDT: 1_000_000 } });
    await api.exchanges.delete(added.id);
    expect(await ensureDemo(file, product)).toEqual(demo);
    expect((await api.exchanges.list()).data.map((account) => account.id)).toEqual([id]);
  });
});

it('a position is opened, turned over, charged with funding and liquidated', async () => {
  const { api } = await openAccount({ restUrl: product.restUrl, privateKey: keyOf('perpetuals') });
  const { key } = await api.apiKeys.create({ name: 'perpetuals', permissions: ['ADMIN'] });
  const { run, dataOf } = commandsOf(key);
  const seed = ['dev', 'seed', '--paper-url', product.paperExchangeUrl];
  await dataOf(...seed);
  const { id: account } = await dataOf(...seed, '--trading-type', 'perpetual');
  await moveTo('50000');
  const { id: pair } = pairNamed(SYMBOL, await pairsOf(api, 'perpetual'));

  const trade = async (/** @type {string} */ side, /** @type {string} */ amount) => {
    const terms = ['--side', side, '--type', 'MARKET', '--amount', amount];
    // The pair selects the account: the user has one of spot, too.
    const { id } = await dataOf('trades', 'create', '--pair', SYMBOL, ...terms);
    return until(
      () => dataOf('trades', 'get', id),
      ({ status }) => status === 'FILLED',
    );
  };
  const untilPosition = (/** @type {(position: any) => boolean} */ isExpected) =>
    until(
      () => dataOf('positions', 'list'),
      ([position]) => position !== undefined && isExpected(position),
    ).then(([position]) => position);
  const untilEvent = (/** @type {string} */ type) =>
    until(
      () => api.events.list({ type, limit: 100 }),
      ({ data }) => data.length > 0,
      45_000,
    ).then(({ data }) => data[0].data);

  const bought = await trade('BUY', '0.1');
  expect(bought).toMatchObject({ exchange_account_id: account, position_side: 'LONG', intent: 'OPEN' });
  const long = await untilPosition(({ side }) => side === 'LONG');
  expect(long).toMatchObject({ symbol: SYMBOL, amount: '0.1', entry_price: bought.average_price });

  const leverage = ['exchanges', 'set-leverage', account, '--trade-pair-id', pair, '--leverage'];
  expect(await dataOf(...leverage, '10')).toMatchObject({ leverage: '10', margin_mode: 'CROSS' });
  expect(await run(...leverage, '1000')).toMatchObject({ code: 2 });
  await untilPosition(({ leverage: set }) => set === '10');

  const farOff = ['--side', 'BUY', '--type', 'LIMIT', '--amount', '0.1', '--price', '60000'];
  const { id: refused } = await dataOf('trades', 'create', '--pair', SYMBOL, ...farOff);
  const { failure } = await until(
    () => dataOf('trades', 'get', refused),
    ({ status }) => status === 'FAILED',
  );
  expect(failure).toMatchObject({ message: expect.stringContaining('too far from the market price') });

  await moveTo('51000');
  const sold = await trade('SELL', '0.3');
  const short = await untilPosition(({ side }) => side === 'SHORT');
  expect(short).toMatchObject({
    id: long.id,
    amount: '0.2',
    entry_price: sold.average_price,
    realized_pnl: '0',
  });
  const [open, closed] = await dataOf('lots', 'list');
  expect([open, closed]).toMatchObject([
    { side: 'SELL', status: 'OPEN', remaining_amount: '0.2' },
    { side: 'BUY', status: 'CLOSED', remaining_amount: '0' },
  ]);
  // The price rose by about 1,000; both fees of the closed lot are subtracted.
  const fees = Number(bought.fee.amount) + Number(sold.fee.amount) / 3;
  const gain = 0.1 * (Number(sold.average_price) - Number(bought.average_price)) - fees;
  expect(Number(closed.realized_pnl)).toBeCloseTo(gain, 6);

  await admin('funding', { symbol: SYMBOL, rate: '0.001' });
  const funding = await untilEvent('funding.paid');
  // A short position receives funding at a positive rate: 0.2 × 51,000 × 0.001.
  expect(funding).toMatchObject({ exchange_account_id: account, amount: 10.2, currency: 'USDT' });
  await untilPosition(({ funding_paid }) => funding_paid === '-10.2');

  await moveTo('600000');
  const liquidated = await untilEvent('position.liquidated');
  expect(liquidated).toMatchObject({ id: long.id, symbol: SYMBOL });
  await until(
    () => dataOf('positions', 'list'),
    ({ length }) => length === 0,
  );
  const forced = (await dataOf('trades', 'list', '--all')).filter(({ origin }) => origin === 'LIQUIDATION');
  expect(forced.length).toBeGreaterThan(0);
  expect(forced.every(({ side, status }) => side === 'BUY' && status === 'FILLED')).toBe(true);
  expect(forced.reduce((sum, { filled_amount }) => sum + Number(filled_amount), 0)).toBeCloseTo(0.2, 9);
  expect(await dataOf('lots', 'list', '--status', 'OPEN')).toEqual([]);
}, 120_000);

it('on margin, a short is sold with a loan, and its exit repays the loan', async () => {
  const { api } = await openAccount({ restUrl: product.restUrl, privateKey: keyOf('margin') });
  const { key } = await api.apiKeys.create({ name: 'margin', permissions: ['ADMIN'] });
  const { run, dataOf } = commandsOf(key);
  const seed = ['dev', 'seed', '--paper-url', product.paperExchangeUrl];
  // What an account may borrow depends on the last price.
  await admin('market', { symbol: 'BTC/USDT', price: '50000' });
  const { id: account, balance } = await dataOf(
    ...seed,
    '--trading-type',
    'margin',
    '--balance',
    'USDT=20000',
  );
  expect(balance).toEqual({ USDT: '20000' });

  const trade = async (/** @type {string} */ side, /** @type {string[]} */ ...more) => {
    const terms = ['--side', side, '--type', 'MARKET', '--amount', '0.1', ...more];
    const { id } = await dataOf('trades', 'create', '--pair', 'BTC/USDT', ...terms);
    return until(
      () => dataOf('trades', 'get', id),
      ({ status }) => status === 'FILLED',
    );
  };
  const untilBorrowed = (/** @type {string} */ amount) =>
    until(
      () => dataOf('exchanges', 'get', account),
      ({ balance_detail }) => (balance_detail.BTC?.borrowed ?? '0') === amount,
    );
  const terms = ['--side', 'SELL', '--type', 'MARKET', '--amount', '0.1'];
  const refused = await run('trades', 'create', '--pair', 'BTC/USDT', ...terms);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('insufficient_balance')]);

  expect(await trade('SELL', '--auto-borrow')).toMatchObject({ intent: 'OPEN', side: 'SELL' });
  await untilBorrowed('0.1');
  expect(await dataOf('lots', 'list', '--status', 'OPEN')).toMatchObject([
    { side: 'SELL', remaining_amount: '0.1' },
  ]);
  // The fee of the purchase, 0.1 %, is paid in Bitcoin, so it stays short. It and the interest are still owed.
  await trade('BUY');
  await untilBorrowed('0.000101');
  expect(await dataOf('lots', 'list')).toMatchObject([
    { side: 'SELL', status: 'OPEN', remaining_amount: '0.0001' },
  ]);
}, 120_000);
