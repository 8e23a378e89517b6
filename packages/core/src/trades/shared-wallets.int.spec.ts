/** What accounts that share a wallet may spend, and what they are worth. */
import { tradeCreate } from '@trading-automation/contracts';
import { inTransaction } from '@trading-automation/persistence';
import { currentBalances, lockWallets } from '../exchange-accounts/index.js';
import type { RecordIds } from '../testing/index.js';
import { equitiesOf } from '../trade-pairs/index.js';
import { accountsWithUnconfirmedSales, loadFreeBalances } from './free-balances.queries.js';
import { OrdersUnderTest, venueFillOf, venueOrderOf } from './testing/orders-under-test.js';
import { TradesService } from './trades.service.js';

let env: OrdersUnderTest;
let perpetualPair: RecordIds;
let trades: TradesService;
/** A spot and a perpetual account with one wallet, and an account of the user with a wallet of its own. */
let spot: RecordIds;
let perpetual: RecordIds;
let other: RecordIds;

beforeAll(async () => {
  env = await OrdersUnderTest.open();
  const { platform, lists, commands } = env.core;
  trades = new TradesService({ platform, lists, commands });
  await env.core.rows('UPDATE trade_pairs SET last_price = 100 WHERE id = $1', env.pair.uuid);
  perpetualPair = await env.core.perpetualPair();
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  const wallet = { USDT: '1000', BTC: '10' };
  spot = await env.newAccount(env.actor, wallet);
  perpetual = await env.core.account(env.actor, wallet, { tradingType: 'perpetual' });
  other = await env.newAccount(env.actor, wallet);
  await env.core.rows(
    'UPDATE exchange_accounts SET wallet_id = $1 WHERE id IN ($1, $2)',
    spot.uuid,
    perpetual.uuid,
  );
  // With a leverage of 1, an order on the perpetual reserves its whole value.
  await env.core.setLeverage(perpetual, perpetualPair, '1');
});

const free = async (asset = 'USDT') => {
  const ids = [spot.uuid, perpetual.uuid, other.uuid];
  const loaded = await inTransaction(env.core.platform.database, async (tx) => {
    await lockWallets(tx, ids);
    return loadFreeBalances(tx, ids, [asset]);
  });
  return ids.map((id) => loaded.get(id)?.get(asset));
};

const buy = (account: RecordIds, amount: string) =>
  trades.create(
    env.actor,
    tradeCreate.parse({
      exchange_account_id: account.id,
      trade_pair_id: account === perpetual ? perpetualPair.id : env.pair.id,
      type: 'LIMIT',
      side: 'BUY',
      price: '100',
      amount,
    }),
  );

describe('the free balance of a shared wallet', () => {
  it('is read by a statement that the connection plans once, not for each order', async () => {
    const plans = await inTransaction(env.core.platform.database, async (tx) => {
      const loadTwenty = async () => {
        for (let i = 0; i < 20; i++) await loadFreeBalances(tx, [spot.uuid], ['USDT']);
        const [row] = await tx.query(
          `SELECT sum(custom_plans)::int AS custom, sum(generic_plans)::int AS generic FROM pg_prepared_statements
           WHERE strpos(statement, 'wallet_accounts(ARRAY[$1::uuid])') > 0`,
        );
        return row;
      };
      const before = await loadTwenty();
      return { before, after: await loadTwenty() };
    });
    expect(plans.after).toEqual({ custom: plans.before.custom, generic: plans.before.generic + 20 });
  });

  it('is less by the orders of each account, and refuses what their sum does not allow', async () => {
    await buy(spot, '6');
    expect(await free()).toEqual(['400', '400', '1000']);
    await buy(perpetual, '3');
    expect(await free()).toEqual(['100', '100', '1000']);
    await expect(buy(perpetual, '2')).rejects.toMatchObject({
      code: 'insufficient_balance',
      details: [expect.objectContaining({ asset: 'USDT', needed: '200', free: '100' })],
    });
    await buy(other, '10');
    expect(await free()).toEqual(['100', '100', '0']);
  });

  it('is reserved by one of two orders that are placed on both accounts at once', async () => {
    const placed = await Promise.allSettled([buy(spot, '9'), buy(perpetual, '9'), buy(spot, '9')]);
    expect(placed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await free()).toEqual(['100', '100', '1000']);
  });

  it('follows a fill of either account until the exchange reports it', async () => {
    const { id: tradeId } = await buy(spot, '4');
    const row = await env.core.row('SELECT id FROM trades WHERE client_order_id = $1', tradeId);
    const id = String(row.id);
    await env.execution.claimSubmissions(env.ownershipOf(spot), [{ id, venueClientOrderId: `venue-${id}` }]);
    const at = new Date(Date.now() + 1_000);
    const terms = { side: 'BUY', type: 'LIMIT', amount: '4', filledAmount: '4', status: 'FILLED' } as const;
    const order = venueOrderOf(id, { ...terms, createdAt: at, updatedAt: at });
    await env.execution.storeOrder(id, order, [venueFillOf(id, 'a', '4', { side: 'BUY', executedAt: at })]);
    expect(await free()).toEqual(['600', '600', '1000']);
    expect(await free('BTC')).toEqual(['14', '14', '10']);
    const { manager } = env.core.platform.database;
    const shown = await currentBalances(manager, [perpetual.uuid, other.uuid]);
    expect(Object.fromEntries(shown)).toEqual({
      [perpetual.uuid]: { BTC: '14', USDT: '600' },
      [other.uuid]: { BTC: '10', USDT: '1000' },
    });
  });

  it('counts an order that was placed at the exchange once, if both accounts have adopted it', async () => {
    const twin = await env.newAccount(env.actor, { USDT: '1000', BTC: '10' });
    await env.core.rows('UPDATE exchange_accounts SET wallet_id = $1 WHERE id = $2', spot.uuid, twin.uuid);
    const at = new Date(Date.now() + 1_000);
    const terms = { side: 'BUY', type: 'LIMIT', amount: '4', createdAt: at, updatedAt: at } as const;
    const order = venueOrderOf('manual', { ...terms, filledAmount: '1', status: 'OPEN' });
    const fill = venueFillOf('manual', 'a', '1', { side: 'BUY', executedAt: at });
    for (const { uuid } of [spot, twin])
      expect(await env.execution.adopt(uuid, [order], [fill])).toHaveLength(1);
    expect(await free()).toEqual(['600', '600', '1000']);
    expect(await free('BTC')).toEqual(['11', '11', '10']);
    const { manager } = env.core.platform.database;
    const shown = await currentBalances(manager, [spot.uuid]);
    expect(shown.get(spot.uuid)).toEqual({ BTC: '11', USDT: '900' });
  });

  it('may be understated for each of them while a sale of one is not confirmed', async () => {
    const input = { exchange_account_id: spot.id, trade_pair_id: env.pair.id, type: 'MARKET', side: 'SELL' };
    await trades.create(env.actor, tradeCreate.parse({ ...input, amount: '1' }));
    await env.core.rows('UPDATE trades SET submitted_at = now() WHERE exchange_account_id = $1', spot.uuid);
    const { manager } = env.core.platform.database;
    const doubted = await accountsWithUnconfirmedSales(
      manager,
      [spot.uuid, perpetual.uuid, other.uuid],
      'BTC',
    );
    expect([...doubted].sort()).toEqual([spot.uuid, perpetual.uuid].sort());
  });
});

it('accounts that share a wallet have the equity of the wallet, with the open result of its positions and its loans', async () => {
  await env.core.rows(
    `UPDATE positions SET side = 'SHORT', amount = 2, entry_price = 100, mark_price = 90
     WHERE exchange_account_id = $1`,
    perpetual.uuid,
  );
  const ids = [spot.uuid, perpetual.uuid, other.uuid];
  const equities = await equitiesOf(env.core.platform.database.manager, ids, 'USDT');
  expect(ids.map((id) => equities.get(id)?.amount)).toEqual(['2020', '2020', '2000']);
  await env.core.rows(
    `UPDATE exchange_accounts SET loans = '{"USDT": {"borrowed": "70", "interest": "0.5"}}' WHERE id = $1`,
    perpetual.uuid,
  );
  const net = await equitiesOf(env.core.platform.database.manager, ids, 'USDT');
  expect(ids.map((id) => net.get(id)?.amount)).toEqual(['1949.5', '1949.5', '2000']);
  await env.core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', perpetual.uuid);
  const left = await equitiesOf(env.core.platform.database.manager, [spot.uuid], 'USDT');
  expect(left.get(spot.uuid)?.amount).toBe('2000');
});
