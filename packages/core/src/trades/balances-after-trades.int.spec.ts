/** What users see and may spend while the reports of one trade arrive one after the other. */
import { tradeCreate } from '@trading-automation/contracts';
import { inTransaction } from '@trading-automation/persistence';
import {
  AccountSyncService,
  type BalanceUpdate,
  currentBalances,
  seenFillKey,
  seenOrderKey,
} from '../exchange-accounts/index.js';
import type { RecordIds } from '../testing/index.js';
import { equitiesOf } from '../trade-pairs/index.js';
import { loadFreeBalances } from './free-balances.queries.js';
import { OrdersUnderTest, venueFillOf, venueOrderOf } from './testing/orders-under-test.js';
import { TradesService } from './trades.service.js';

let env: OrdersUnderTest;
let accountSync: AccountSyncService;
let account: RecordIds;
beforeAll(async () => {
  env = await OrdersUnderTest.open();
  accountSync = new AccountSyncService(env.core.platform);
  await env.core.rows('UPDATE trade_pairs SET last_price = 100 WHERE id = $1', env.pair.uuid);
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  account = await env.newAccount(env.actor, { USDT: '1000', BTC: '10' });
});

const read = async () => {
  const { manager } = env.core.platform.database;
  const loaded = await inTransaction(env.core.platform.database, (tx) =>
    loadFreeBalances(tx, [account.uuid], ['USDT', 'BTC']),
  );
  const equity = (await equitiesOf(manager, [account.uuid], 'USDT')).get(account.uuid);
  return {
    free: Object.fromEntries(loaded.get(account.uuid)!),
    shown: (await currentBalances(manager, [account.uuid])).get(account.uuid),
    equity: equity?.amount,
  };
};

/** Places and sends a market order of the account's user; returns its uuid. */
async function placeMarket(side: 'BUY' | 'SELL', amount: string): Promise<string> {
  const { platform, lists, commands } = env.core;
  const trades = new TradesService({ platform, lists, commands });
  const input = { exchange_account_id: account.id, trade_pair_id: env.pair.id, type: 'MARKET', side, amount };
  const { client_order_id } = await trades.create(env.actor, tradeCreate.parse(input));
  const row = await env.core.row('SELECT id FROM trades WHERE client_order_id = $1', client_order_id);
  const id = String(row.id);
  await env.execution.claimSubmissions(env.ownershipOf(account), [{ id, venueClientOrderId: `venue-${id}` }]);
  return id;
}

/** The reports of an order that filled completely at `at`: the order, and the stream's balances. */
function reportsOf(
  id: string,
  side: 'BUY' | 'SELL',
  amount: string,
  at: Date,
  balances: BalanceUpdate['balances'],
) {
  const order = venueOrderOf(id, {
    side,
    type: 'MARKET',
    amount,
    filledAmount: amount,
    status: 'FILLED',
    createdAt: at,
    updatedAt: at,
  });
  const fill = venueFillOf(id, 'a', amount, { side, executedAt: at });
  const seen = [seenOrderKey(order.exchangeOrderId), seenFillKey(order.exchangeOrderId, fill.exchangeFillId)];
  return {
    storeOrder: () => env.execution.storeOrder(id, order, [fill]),
    storeBalances: async () => {
      const receivedAt = new Date(await accountSync.databaseTime());
      await accountSync.storeUpdates([{ accountId: account.uuid, balances, at, seen, receivedAt }]);
    },
  };
}

const soon = () => new Date(Date.now() + 1_000);

describe('a fill', () => {
  const after = { USDT: { free: '500', locked: '0' }, BTC: { free: '15', locked: '0' } };

  it.each(['order', 'balances'] as const)(
    'row 9: of a purchase moves both legs at once and counts once, if its %s arrives first',
    async (first) => {
      const id = await placeMarket('BUY', '5');
      const reports = reportsOf(id, 'BUY', '5', soon(), after);
      const expected = { shown: { USDT: '500', BTC: '15' }, equity: '2000' };
      await (first === 'order' ? reports.storeOrder() : reports.storeBalances());
      expect(await read()).toMatchObject(expected);
      await (first === 'order' ? reports.storeBalances() : reports.storeOrder());
      expect(await read()).toEqual({ ...expected, free: { USDT: '500', BTC: '15' } });
    },
  );

  it('row 9: of a sale gives its proceeds once: a buy of 1.5 times what is free is refused at once', async () => {
    const id = await placeMarket('SELL', '5');
    const sold = { USDT: { free: '1500', locked: '0' }, BTC: { free: '5', locked: '0' } };
    const reports = reportsOf(id, 'SELL', '5', soon(), sold);
    await reports.storeBalances();
    await reports.storeOrder();
    expect(await read()).toEqual({
      free: { USDT: '1500', BTC: '5' },
      shown: { USDT: '1500', BTC: '5' },
      equity: '2000',
    });
    await expect(placeMarket('BUY', '22.5')).rejects.toMatchObject({
      code: 'insufficient_balance',
      details: [{ free: '1500', needed: '2250' }],
    });
    await expect(placeMarket('BUY', '15')).resolves.toBeDefined();
  });

  it.each([
    ['10', '0', 'lacks'],
    ['15', '-500', 'contains'],
    ['0', '0', 'lacks'],
    ['5', '-500', 'contains'],
  ])(
    'row 9: moves both legs together, if the stream reports one of them in the instant of a snapshot (%s BTC, %s USDT) that %s the fill',
    async (btc, usdt, relation) => {
      const held = relation === 'lacks' ? Number(btc) : Number(btc) - 5;
      account = await env.newAccount(env.actor, { USDT: '1000', ...(held > 0 && { BTC: String(held) }) });
      const id = await placeMarket('BUY', '5');
      const at = soon();
      const spendable = (amount: number) => ({ free: String(amount), locked: '0' });
      const balances = { USDT: spendable(1000 + Number(usdt)), BTC: spendable(Number(btc)) };
      const takenAt = await accountSync.databaseTime();
      await accountSync.storeSnapshots([{ accountId: account.uuid, balances, takenAt, at, until: at }]);
      const receivedAt = new Date(await accountSync.databaseTime());
      const locked = { USDT: { free: '500', locked: '500' } };
      await accountSync.storeUpdates([
        { accountId: account.uuid, balances: locked, at, receivedAt, seen: [seenOrderKey('another')] },
      ]);
      expect(await read()).toMatchObject({ equity: String(1000 + held * 100) });
      await reportsOf(id, 'BUY', '5', at, {}).storeOrder();
      expect(await read()).toMatchObject({
        equity: String(1000 + held * 100),
        shown: { USDT: '500', BTC: String(held + 5) },
      });
    },
  );

  it('that a write-off records changes no balance, because the report already lacks the amount', async () => {
    const id = await placeMarket('SELL', '5');
    await env.core.rows("UPDATE trades SET origin = 'RECONCILIATION' WHERE id = $1", id);
    await reportsOf(id, 'SELL', '5', soon(), {}).storeOrder();
    expect(await read()).toMatchObject({ free: { USDT: '1000' }, shown: { USDT: '1000', BTC: '10' } });
  });
});

describe('balances of the previous release, which have no venue time', () => {
  /** Writes balances as the previous release does. */
  const writeOld = (usdt: string, btc: string) =>
    env.core.rows(
      `UPDATE exchange_accounts SET balances = $2, balances_taken_at = clock_timestamp() WHERE id = $1`,
      account.uuid,
      JSON.stringify({ USDT: { free: usdt, locked: '0' }, BTC: { free: btc, locked: '0' } }),
    );

  it('count once they are written, with the fills that are stored later, until a report is received', async () => {
    await writeOld('700', '13');
    expect(await read()).toEqual({
      free: { USDT: '700', BTC: '13' },
      shown: { USDT: '700', BTC: '13' },
      equity: '2000',
    });
    const id = await placeMarket('BUY', '2');
    const reports = reportsOf(id, 'BUY', '2', soon(), {
      USDT: { free: '500', locked: '0' },
      BTC: { free: '15', locked: '0' },
    });
    await reports.storeOrder();
    const expected = { free: { USDT: '500', BTC: '15' }, shown: { USDT: '500', BTC: '15' }, equity: '2000' };
    expect(await read()).toEqual(expected);
    await reports.storeBalances();
    expect(await read()).toEqual(expected);
  });

  it('of an account that this release has never read are replaced by its first snapshot', async () => {
    await env.core.rows(
      "UPDATE exchange_accounts SET venue_balances = '{}', venue_balances_at = NULL WHERE id = $1",
      account.uuid,
    );
    expect((await read()).shown).toEqual({ USDT: '1000', BTC: '10' });
    const snapshot = { USDT: { free: '1', locked: '2' } };
    await accountSync.storeBalances(account.uuid, snapshot, await accountSync.databaseTime());
    expect(await read()).toEqual({ free: { USDT: '1', BTC: '0' }, shown: { USDT: '3' }, equity: '3' });
    const { balances } = await env.core.row(
      'SELECT balances FROM exchange_accounts WHERE id = $1',
      account.uuid,
    );
    expect(balances).toEqual(snapshot);
  });
});
