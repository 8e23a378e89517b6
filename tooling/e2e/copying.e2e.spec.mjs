import { units } from '../chaos/amounts.mjs';
import { cutStreams, ledgerOf, openVenueAccount, setWeather, tradeAtVenue } from '../chaos/venue.mjs';
import { createClient, openAccount } from '../launch/first-trade/client.mjs';
import { pairNamed, pairsOf, until } from '../launch/first-trade/scenario.mjs';
import { keyOf } from './accounts.mjs';
import { startKillableProduct } from './killable-product.mjs';

/** Copying as its users see it: over REST, and in the exchange's own ledger. Two workers, so that one may die. */
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
  });
}, 120_000);
afterEach(() => setWeather(product.paperExchangeUrl, {}));
afterAll(() => product?.stop());

/** What an order's amount is a multiple of. */
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
const filledAt = async (trader, side) => {
  const { fills } = await ledger(trader);
  return fills.filter((fill) => fill.side === side).reduce((sum, { amount }) => sum + units(amount), 0n);
};
const heldAt = async (trader) => units((await ledger(trader)).balances.BTC.free);
const decisionsOf = async (copier) =>
  (await follower.api.copiers.decisions(copier.id, { limit: 100, sort: 'sequence', order: 'asc' })).data;
/** Its decisions, once so many of them are all that there is to come. */
const settled = (copier, count) =>
  until(
    () => decisionsOf(copier),
    (all) => all.length === count && all.every(({ settled_at }) => settled_at !== undefined),
  );
const stop = (copier) => follower.api.copiers.stop(copier.id);

it('an entry, a part of an exit and the rest of it are copied, each with its receipt', async () => {
  const copier = await startCopier('receipts');
  await leader.api.trades.create(order({ amount: '0.2' }));
  await until(
    () => filledAt(follower, 'BUY'),
    (amount) => amount === units('0.1'),
  );
  const bought = await heldAt(follower);
  expect(await settled(copier, 1)).toMatchObject([
    { outcome: 'COPIED', sent_amount: 0.1, filled_amount: 0.1 },
  ]);
  const leaderHolds = await heldAt(leader);
  const part = '0.04995';
  await leader.api.trades.create(order({ side: 'SELL', amount: part }));
  // Multiplied before divided, then cut to the step.
  const share = (bought * units(part)) / leaderHolds;
  await until(
    () => filledAt(follower, 'SELL'),
    (amount) => amount === share - (share % STEP),
  );
  await closeAndStop(copier);
}, 120_000);

it('what a fee leaves of a lot, too little to be sold, keeps no trade open: both sides close, with their result', async () => {
  const copier = await startCopier('dust', { sizing: { mode: 'FIXED_QUOTE', value: '300' } });
  const opening = await leader.api.trades.create(order({ amount: '0.0123' }));
  await settled(copier, 1);
  await closeLeader();
  const [entry] = await settled(copier, 2);
  const copy = await follower.api.trades.get(entry.trade_id);
  const own = await leader.api.trades.get(opening.id);
  for (const trade of [copy, own]) expect(trade).toMatchObject({ realized_pnl: expect.any(Number) });
  expect((await stop(copier)).open_lots).toEqual([]);
}, 120_000);

it('the first copy has something to spend on an account that was linked a moment ago', async () => {
  const { account, credentials } = await linkAccount(follower.api, 'new', { USDT: '10000' });
  const copier = await startCopier('at once', { exchange_account_id: account.id });
  await leader.api.trades.create(order({ amount: '0.01' }));
  expect(await settled(copier, 1)).toMatchObject([{ outcome: 'COPIED', filled_amount: 0.005 }]);
  expect(await filledAt({ credentials }, 'BUY')).toBe(units('0.005'));
  await closeLeader();
  await settled(copier, 2);
  await stop(copier);
}, 120_000);

it('an answer that never comes makes one order on either side, and the copy comes all the same', async () => {
  const copier = await startCopier('no answers');
  const orders = async (trader) => (await ledger(trader)).orders.length;
  const before = [await orders(leader), await orders(follower)];
  await setWeather(product.paperExchangeUrl, { drop_answer_rate: 1 });
  await leader.api.trades.create(order({ amount: '0.02' }));
  expect(await settled(copier, 1)).toMatchObject([{ outcome: 'COPIED', filled_amount: 0.01 }]);
  expect([await orders(leader), await orders(follower)]).toEqual(before.map((count) => count + 1));
  await setWeather(product.paperExchangeUrl, {});
  await closeLeader();
  await settled(copier, 2);
  await stop(copier);
}, 120_000);

it('a copy that every worker died over comes once', async () => {
  const copier = await startCopier('killed over');
  const before = await filledAt(leader, 'BUY');
  await leader.api.trades.create(order({ amount: '0.02' }));
  await until(
    () => filledAt(leader, 'BUY'),
    (amount) => amount > before,
  );
  await Promise.all(product.workerNames.map((name) => product.kill(name)));
  expect(await settled(copier, 1)).toMatchObject([{ outcome: 'COPIED', filled_amount: 0.01 }]);
  const { data: mine } = await follower.api.trades.list({ limit: 100 });
  expect(mine.filter(({ copier_id }) => copier_id === copier.id)).toHaveLength(1);
  await closeLeader();
  await settled(copier, 2);
  await stop(copier);
}, 120_000);

it('the copy comes although the API is gone since the leader’s order was taken', async () => {
  const copier = await startCopier('without the API');
  const before = await filledAt(follower, 'BUY');
  await leader.api.trades.create(order({ amount: '0.1' }));
  await product.kill('rest-api');
  await until(
    () => filledAt(follower, 'BUY'),
    (amount) => amount - before === units('0.05'),
  );
  await until(
    () => decisionsOf(copier).catch(() => []),
    (decisions) => decisions.some(({ outcome }) => outcome === 'COPIED'),
  );
  await closeAndStop(copier);
}, 120_000);

it('trades made at the exchange itself appear as EXTERNAL, also those made while no worker was running', async () => {
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
  // Pending stream events are lost with the workers.
  await cutStreams(product.paperExchangeUrl);
  for (const name of product.workerNames) await product.resume(name);
  await until(externals, (count) => count === before + 2);
}, 120_000);

it('accounts of a worker that died are another’s within 15 s, and their orders are sent', async () => {
  // Each in turn: whichever of them has the accounts.
  for (const dying of product.workerNames) {
    // The launcher would restart a dead worker, so it is suspended, as on a lost machine.
    product.pause(dying);
    const placed = await Promise.all([leader, follower].map((trader) => buyByHand(trader)));
    await Promise.all(
      placed.map(({ trader, id }) =>
        until(
          () => trader.api.trades.get(id),
          ({ status }) => status === 'FILLED',
          15_000,
        ),
      ),
    );
    product.resume(dying);
  }
}, 120_000);

async function buyByHand(trader) {
  const { id } = await trader.api.trades.create({
    exchange_account_id: trader.account.id,
    trade_pair_id: pair.id,
    type: 'MARKET',
    side: 'BUY',
    amount: '0.001',
  });
  return { trader, id };
}

/** The leader sells all, the copier follows, and is stopped. */
async function closeAndStop(copier) {
  await closeLeader();
  await until(
    () => heldAt(follower),
    (amount) => amount < units('0.00002'),
  );
  await stop(copier);
}

/** Sells whatever the leader holds, at the exchange itself. */
async function closeLeader() {
  const held = Number(await heldAt(leader)) / 1e18;
  const quantity = (Math.floor(held * 1e5) / 1e5).toFixed(5);
  const sell = { symbol: 'BTCUSDT', side: 'SELL', quantity };
  expect(await tradeAtVenue(product.paperExchangeUrl, leader.credentials, sell)).toBe(true);
}
