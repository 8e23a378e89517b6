import { units } from '../chaos/amounts.mjs';
import { disconnectStreams, ledgerOf, openVenueAccount, setWeather, tradeAtVenue } from '../chaos/venue.mjs';
import { createClient, openAccount } from '../launch/first-trade/client.mjs';
import { pairNamed, pairsOf, until } from '../launch/first-trade/scenario.mjs';
import { keyOf } from './accounts.mjs';
import { startKillableProduct } from './killable-product.mjs';

/** Checks copies over REST and in the exchange's own records. Two workers run, so that one can replace the other. */
let product;
let leader;
let follower;
let pair;
let strategy;

beforeAll(async () => {
  product = await startKillableProduct({ workers: 2 });
  leader = await openTrader('copying leader', { USDT: '100000' });
  follower = await openTrader('copying follower', { USDT: '50000' });
  pair = pairNamed('BTC/USDT', await pairsOf(leader.api));
  strategy = await leader.api.strategies.create({
    name: 'followed',
    exchange_account_id: leader.account.id,
    visibility: 'PUBLIC',
    allow_multiplier: true,
  });
}, 120_000);
afterEach(() => setWeather(product.paperExchangeUrl, {}));
afterAll(() => product?.stop());

/** The amount step of the pair. */
const STEP = units('0.00001');

async function openTrader(label, balances) {
  const { api: signed } = await openAccount({ restUrl: product.restUrl, privateKey: keyOf(label) });
  const { key } = await signed.apiKeys.create({ name: label, permissions: ['READ', 'TRADE'] });
  const api = createClient({ restUrl: product.restUrl, apiKey: key });
  return { api, ...(await linkAccount(api, label, balances)) };
}

async function linkAccount(api, label, balances) {
  const credentials = await openVenueAccount(product.paperExchangeUrl, balances);
  const account = await api.exchanges.create({
    exchange: 'paper',
    account_name: label,
    trading_type: 'spot',
    credentials,
  });
  return { credentials, account };
}

async function startCopier(name, more = {}) {
  const copier = await follower.api.copiers.create({
    name,
    strategy_id: strategy.id,
    exchange_account_id: follower.account.id,
    sizing: { mode: 'MULTIPLIER', value: '0.5' },
    ...more,
  });
  return await follower.api.copiers.start(copier.id);
}

const order = (more) => ({
  exchange_account_id: leader.account.id,
  trade_pair_id: pair.id,
  strategy_id: strategy.id,
  type: 'MARKET',
  side: 'BUY',
  ...more,
});
const ledger = (trader) => ledgerOf(product.paperExchangeUrl, trader.credentials);
const filledAmount = async (trader, side) => {
  const { fills } = await ledger(trader);
  return fills.filter((fill) => fill.side === side).reduce((sum, { amount }) => sum + units(amount), 0n);
};
const holdingOf = async (trader) => units((await ledger(trader)).balances.BTC.free);
const decisionsOf = async (copier) =>
  (await follower.api.copiers.decisions(copier.id, { limit: 100, sort: 'sequence', order: 'asc' })).data;
/** Waits until a copier has exactly `count` decisions and all are settled, and returns them. */
const untilSettled = (copier, count) =>
  until(
    () => decisionsOf(copier),
    (all) => all.length === count && all.every(({ settled_at }) => settled_at !== undefined),
  );
const stop = (copier) => follower.api.copiers.stop(copier.id);

it('an entry, a partial exit and the final exit are copied, and the decision of the entry contains its amounts', async () => {
  const copier = await startCopier('receipts');
  await leader.api.trades.create(order({ amount: '0.2' }));
  await until(
    () => filledAmount(follower, 'BUY'),
    (amount) => amount === units('0.1'),
  );
  const bought = await holdingOf(follower);
  expect(await untilSettled(copier, 1)).toMatchObject([
    { outcome: 'COPIED', sent_amount: 0.1, filled_amount: 0.1 },
  ]);
  const leaderHolds = await holdingOf(leader);
  const part = '0.04995';
  await leader.api.trades.create(order({ side: 'SELL', amount: part }));
  // The product multiplies before it divides, and then rounds down to the step.
  const share = (bought * units(part)) / leaderHolds;
  await until(
    () => filledAmount(follower, 'SELL'),
    (amount) => amount === share - (share % STEP),
  );
  await closeAndStop(copier);
}, 120_000);

it('a remainder that is too small to sell does not keep a trade open: the leader’s trade and its copy get their results', async () => {
  const copier = await startCopier('dust', { sizing: { mode: 'FIXED_QUOTE', value: '300' } });
  const opening = await leader.api.trades.create(order({ amount: '0.0123' }));
  await untilSettled(copier, 1);
  await closeLeader();
  const [entry] = await untilSettled(copier, 2);
  const copy = await follower.api.trades.get(entry.trade_id);
  const leaderTrade = await leader.api.trades.get(opening.id);
  for (const trade of [copy, leaderTrade]) expect(trade).toMatchObject({ realized_pnl: expect.any(Number) });
  expect((await stop(copier)).open_lots).toEqual([]);
}, 120_000);

it('the first copy can spend the balance of a newly linked account', async () => {
  const { account, credentials } = await linkAccount(follower.api, 'new', { USDT: '10000' });
  const copier = await startCopier('at once', { exchange_account_id: account.id });
  await leader.api.trades.create(order({ amount: '0.01' }));
  expect(await untilSettled(copier, 1)).toMatchObject([{ outcome: 'COPIED', filled_amount: 0.005 }]);
  expect(await filledAmount({ credentials }, 'BUY')).toBe(units('0.005'));
  await closeLeader();
  await untilSettled(copier, 2);
  await stop(copier);
}, 120_000);

it('if responses are lost, the leader and the follower still place exactly one order each, and the trade is copied', async () => {
  const copier = await startCopier('no answers');
  const orders = async (trader) => (await ledger(trader)).orders.length;
  const before = [await orders(leader), await orders(follower)];
  await setWeather(product.paperExchangeUrl, { drop_answer_rate: 1 });
  await leader.api.trades.create(order({ amount: '0.02' }));
  expect(await untilSettled(copier, 1)).toMatchObject([{ outcome: 'COPIED', filled_amount: 0.01 }]);
  expect([await orders(leader), await orders(follower)]).toEqual(before.map((count) => count + 1));
  await setWeather(product.paperExchangeUrl, {});
  await closeLeader();
  await untilSettled(copier, 2);
  await stop(copier);
}, 120_000);

it('a copy is placed once although all workers are killed as soon as the leader’s order is filled', async () => {
  const copier = await startCopier('killed workers');
  const before = await filledAmount(leader, 'BUY');
  await leader.api.trades.create(order({ amount: '0.02' }));
  await until(
    () => filledAmount(leader, 'BUY'),
    (amount) => amount > before,
  );
  await Promise.all(product.workerNames.map((name) => product.kill(name)));
  expect(await untilSettled(copier, 1)).toMatchObject([{ outcome: 'COPIED', filled_amount: 0.01 }]);
  const { data: trades } = await follower.api.trades.list({ limit: 100 });
  expect(trades.filter(({ copier_id }) => copier_id === copier.id)).toHaveLength(1);
  await closeLeader();
  await untilSettled(copier, 2);
  await stop(copier);
}, 120_000);

it('a trade is copied although the API is killed after it accepted the leader’s order', async () => {
  const copier = await startCopier('without the API');
  const before = await filledAmount(follower, 'BUY');
  await leader.api.trades.create(order({ amount: '0.1' }));
  await product.kill('rest-api');
  await until(
    () => filledAmount(follower, 'BUY'),
    (amount) => amount - before === units('0.05'),
  );
  await until(
    () => decisionsOf(copier).catch(() => []),
    (decisions) => decisions.some(({ outcome }) => outcome === 'COPIED'),
  );
  await closeAndStop(copier);
}, 120_000);

it('orders placed directly at the exchange become EXTERNAL trades, even if all workers were suspended then', async () => {
  const externals = async () => {
    const { data: trades } = await leader.api.trades.list({ limit: 100 });
    return trades.filter(({ origin, status }) => origin === 'EXTERNAL' && status === 'FILLED').length;
  };
  const before = await externals();
  const buy = { symbol: 'BTCUSDT', side: 'BUY', quantity: '0.01' };
  expect(await tradeAtVenue(product.paperExchangeUrl, leader.credentials, buy)).toBe(true);
  await until(externals, (count) => count === before + 1);
  for (const name of product.workerNames) await product.pause(name);
  expect(await tradeAtVenue(product.paperExchangeUrl, leader.credentials, buy)).toBe(true);
  // Closes the streams, so that the resumed workers do not learn of the order from pending stream events.
  await disconnectStreams(product.paperExchangeUrl);
  for (const name of product.workerNames) await product.resume(name);
  await until(externals, (count) => count === before + 2);
}, 120_000);

it('another worker takes over the accounts of a suspended worker within 15 s, and sends their orders', async () => {
  // Suspends each worker in turn, because either may own the accounts.
  for (const suspended of product.workerNames) {
    // The launcher would restart a killed worker. A suspended worker is like a machine that stops responding.
    product.pause(suspended);
    const placed = await Promise.all([leader, follower].map((trader) => buyWithoutStrategy(trader)));
    await Promise.all(
      placed.map(({ trader, id }) =>
        until(
          () => trader.api.trades.get(id),
          ({ status }) => status === 'FILLED',
          15_000,
        ),
      ),
    );
    product.resume(suspended);
  }
}, 120_000);

async function buyWithoutStrategy(trader) {
  const { id } = await trader.api.trades.create({
    exchange_account_id: trader.account.id,
    trade_pair_id: pair.id,
    type: 'MARKET',
    side: 'BUY',
    amount: '0.001',
  });
  return { trader, id };
}

/** Sells all of the leader's holding, waits until the copier has followed, and stops the copier. */
async function closeAndStop(copier) {
  await closeLeader();
  await until(
    () => holdingOf(follower),
    (amount) => amount < units('0.00002'),
  );
  await stop(copier);
}

/** Sells all that the leader holds, directly at the exchange. */
async function closeLeader() {
  const held = Number(await holdingOf(leader)) / 1e18;
  const quantity = (Math.floor(held * 1e5) / 1e5).toFixed(5);
  const sell = { symbol: 'BTCUSDT', side: 'SELL', quantity };
  expect(await tradeAtVenue(product.paperExchangeUrl, leader.credentials, sell)).toBe(true);
}
