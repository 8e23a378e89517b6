/** What an account of perpetuals may spend beside its open orders and positions. */
import { tradeCreate } from '@trading-automation/contracts';
import type { AssetBalance } from '@trading-automation/exchanges';
import { inTransaction, newUuid } from '@trading-automation/persistence';
import { AccountSyncService } from '../exchange-accounts/index.js';
import type { RecordIds } from '../testing/index.js';
import { equitiesOf } from '../trade-pairs/index.js';
import { loadFreeBalances } from './free-balances.queries.js';
import { OrdersUnderTest, venueFillOf, venueOrderOf } from './testing/orders-under-test.js';
import { TradesService } from './trades.service.js';

let env: OrdersUnderTest;
let pair: RecordIds;
let trades: TradesService;
let account: RecordIds;
beforeAll(async () => {
  env = await OrdersUnderTest.open();
  const { platform, lists, commands } = env.core;
  trades = new TradesService({ platform, lists, commands });
  pair = await env.core.perpetualPair();
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  account = await env.newAccount(env.actor, { USDT: '1000' }, { tradingType: 'perpetual' });
});

async function free({ uuid }: RecordIds = account): Promise<string | undefined> {
  const loaded = await inTransaction(env.core.platform.database, (tx) =>
    loadFreeBalances(tx, [uuid], ['USDT']),
  );
  return loaded.get(uuid)?.get('USDT');
}

const POSITION = {
  symbol: 'BTC/USDT:USDT',
  side: 'LONG',
  amount: '20',
  entry_price: '100',
  mark_price: '100',
  unrealized_pnl: '0',
  leverage: '5',
  max_leverage: '50',
  margin_mode: 'CROSS',
  isolated_margin: null as string | null,
  reported_at: new Date(0),
};
/** Stores a position of 20 BTC at 100 USDT and a leverage of 5: a margin of 400 USDT. */
async function hold(changes: Partial<Record<keyof typeof POSITION, unknown>> = {}, { uuid } = account) {
  const columns = { ...POSITION, ...changes };
  const names = Object.keys(columns);
  await env.core.rows(
    `INSERT INTO positions (id, user_id, exchange_account_id, trade_pair_id, ${names.join(', ')})
     VALUES ($1, $2, $3, $4, ${names.map((_, i) => `$${i + 5}`).join(', ')})
     ON CONFLICT (exchange_account_id, symbol) DO UPDATE SET
       ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    newUuid(),
    env.actor.userId,
    uuid,
    pair.uuid,
    ...Object.values(columns),
  );
}

const buy = (amount: string) =>
  trades.create(
    env.actor,
    tradeCreate.parse({
      exchange_account_id: account.id,
      trade_pair_id: pair.id,
      type: 'LIMIT',
      side: 'BUY',
      price: '100',
      amount,
    }),
  );

describe('the free balance of an account with a position', () => {
  it.each([
    ['its initial margin at the mark price', { mark_price: '110', leverage: '10' }, '780'],
    ['its loss', { mark_price: '90', unrealized_pnl: '-200' }, '440'],
    ['a loss that the exchange has not stated', { mark_price: '90', unrealized_pnl: null }, '440'],
    ['the loss of a short one', { side: 'SHORT', mark_price: '110', unrealized_pnl: null }, '360'],
    ['the margin at the highest leverage, if its own is not known', { leverage: null }, '960'],
    [
      'nothing but its loss, if no leverage is known',
      { leverage: null, max_leverage: null, unrealized_pnl: '-1' },
      '999',
    ],
    [
      'the margin that was moved to it, whatever its result',
      { margin_mode: 'ISOLATED', isolated_margin: '250', unrealized_pnl: '-50' },
      '700',
    ],
  ])('is less by %s', async (_, position, expected) => {
    await hold(position);
    expect(await free()).toBe(expected);
  });

  it('is more by a profit', async () => {
    await hold({ mark_price: '200', unrealized_pnl: '2000' });
    expect(await free()).toBe('2200');
  });

  it('is less by its margin beside what orders on spot lock', async () => {
    await hold();
    await report(new Date(), { free: '700', locked: '300' });
    expect(await free()).toBe('300');
  });

  it('is less once by the margins that the exchange reports, and by the larger of its count and ours', async () => {
    const spot = await env.core.account(env.actor, { USDT: '1000' });
    await env.core.rows(
      'UPDATE exchange_accounts SET wallet_id = $1 WHERE id IN ($1, $2)',
      account.uuid,
      spot.uuid,
    );
    const frees = () => Promise.all([account, spot].map((one) => free(one)));
    // A wallet of 1,000 whose orders on spot lock 300.
    const wallet = { free: '700', locked: '300' };
    const reportBoth = async (at: number, margin?: string) => {
      for (const one of [account, spot]) await report(new Date(at), { ...wallet, margin }, one);
    };
    await hold();
    const start = Date.now();
    await reportBoth(start, '400');
    expect(await frees()).toEqual(['300', '300']);
    await reportBoth(start + 1, '450.5');
    expect(await frees()).toEqual(['249.5', '249.5']);
    await reportBoth(start + 2, '100');
    expect(await frees()).toEqual(['300', '300']);
    // A profit covers margins, and beyond them it is not for spot.
    await hold({ unrealized_pnl: '150' });
    expect(await frees()).toEqual(['450', '450']);
    await hold({ unrealized_pnl: '600' });
    expect(await frees()).toEqual(['900', '700']);
    await hold({ unrealized_pnl: '-50' });
    await reportBoth(start + 3, '420');
    expect(await frees()).toEqual(['230', '230']);
  });

  it('is less by an order after the report, beside margins of positions that only the exchange knows', async () => {
    await report(new Date(), { free: '1000', locked: '0', margin: '300' });
    expect(await free()).toBe('700');
    await hold({ amount: '0' });
    await buy('20');
    expect(await free()).toBe('300');
  });

  it('is not less by what the reported balance lacks already', async () => {
    await hold();
    // The exchange locks the margin, and 100 for orders on spot.
    const locked = { free: '500', locked: '500', marginDeducted: '400' };
    await report(new Date(), locked);
    expect(await free()).toBe('500');
    await hold({ leverage: '4' });
    expect(await free()).toBe('400');
    // The available balance contains the open result, too.
    await hold({ unrealized_pnl: '-50' });
    await report(new Date(Date.now() + 1), { ...locked, free: '450', marginDeducted: '450' });
    expect(await free()).toBe('450');
    await hold({ unrealized_pnl: '600' });
    await report(new Date(Date.now() + 2), { ...locked, free: '1100', marginDeducted: '-200' });
    expect(await free()).toBe('1100');
  });

  it('is less by an order after the report, beside margins that the balance lacks and only the exchange knows', async () => {
    await report(new Date(), { free: '1000', locked: '400', marginDeducted: '400' });
    await hold({ amount: '0' });
    await buy('15');
    expect(await free()).toBe('700');
  });

  it('is less once by the position of a wallet that two accounts see, and for spot never more by its profit', async () => {
    const twin = await env.core.account(env.actor, { USDT: '1000' }, { tradingType: 'perpetual' });
    const spot = await env.core.account(env.actor, { USDT: '1000' });
    await env.core.rows(
      'UPDATE exchange_accounts SET wallet_id = $1 WHERE id IN ($1, $2, $3)',
      account.uuid,
      twin.uuid,
      spot.uuid,
    );
    for (const one of [account, twin]) await hold({}, one);
    expect(await Promise.all([account, twin, spot].map((one) => free(one)))).toEqual(['600', '600', '600']);
    for (const one of [account, twin]) await hold({ mark_price: '200', unrealized_pnl: '2000' }, one);
    expect(await Promise.all([account, twin, spot].map((one) => free(one)))).toEqual([
      '2200',
      '2200',
      '1000',
    ]);
    const equities = await equitiesOf(env.core.platform.database.manager, [account.uuid], 'USDT');
    expect(equities.get(account.uuid)?.amount).toBe('3000');

    // The account that reported last has closed it, and is removed afterwards.
    await hold({ amount: '0', reported_at: new Date(1) }, twin);
    expect(await free()).toBe('1000');
    await env.core.rows('UPDATE exchange_accounts SET deleted_at = now() WHERE id = $1', twin.uuid);
    expect(await free()).toBe('2200');
    await hold({ amount: '0' });
    expect(await free()).toBe('1000');
  });

  it('refuses an order whose margin the position uses, and not one that it leaves free', async () => {
    await hold({ leverage: '2' });
    await env.core.rows('UPDATE positions SET leverage = 2.5 WHERE exchange_account_id = $1', account.uuid);
    await expect(buy('6')).rejects.toMatchObject({
      code: 'insufficient_balance',
      details: [expect.objectContaining({ asset: 'USDT', needed: '240', free: '200' })],
    });
    await buy('5');
    expect(await free()).toBe('0');
  });
});

describe('the margin of an order', () => {
  it('stays reserved while the order is open, also after the wallet is reported again', async () => {
    await hold({ amount: '0', leverage: '5' });
    const { id: tradeId } = await buy('20');
    expect(await free()).toBe('600');
    const row = await env.core.row('SELECT id FROM trades WHERE client_order_id = $1', tradeId);
    const id = String(row.id);
    await env.execution.claimSubmissions(env.ownershipOf(account), [
      { id, venueClientOrderId: `venue-${id}` },
    ]);
    const at = new Date(Date.now() + 1_000);
    const terms = { side: 'BUY', type: 'LIMIT', amount: '20', createdAt: at } as const;
    await env.execution.storeOrder(
      id,
      venueOrderOf(id, { ...terms, filledAmount: '0', status: 'OPEN', updatedAt: at }),
      [],
    );
    await report(new Date(at.getTime() + 10));
    expect(await free()).toBe('600');

    // A quarter fills. Its margin counts once: with the order until the position is reported, and with the position then.
    const filledAt = new Date(at.getTime() + 20);
    await env.execution.storeOrder(
      id,
      venueOrderOf(id, { ...terms, filledAmount: '5', status: 'OPEN', updatedAt: filledAt }),
      [venueFillOf(id, 'a', '5', { side: 'BUY', executedAt: filledAt })],
    );
    expect(await free()).toBe('600');
    await hold({ amount: '5', reported_at: filledAt });
    expect(await free()).toBe('600');

    await env.execution.storeOrder(
      id,
      venueOrderOf(id, {
        ...terms,
        filledAmount: '5',
        status: 'CANCELLED',
        updatedAt: new Date(at.getTime() + 30),
      }),
      [],
    );
    expect(await free()).toBe('900');
    await report(new Date(at.getTime() + 40));
    expect(await free()).toBe('900');
  });
});

/** The stream reports the wallet, by default 1,000 USDT. */
async function report(
  at: Date,
  usdt: AssetBalance = { free: '1000', locked: '0' },
  { uuid } = account,
): Promise<void> {
  const sync = new AccountSyncService(env.core.platform);
  const receivedAt = new Date(await sync.databaseTime());
  await sync.storeUpdates([{ accountId: uuid, balances: { USDT: usdt }, at, seen: [], receivedAt }]);
}
