/** Which accounts share a wallet, and that they share its balances. */
import {
  type ExchangeAccount,
  exchangeAccountCreate,
  exchangeAccountOperations,
  type TradingType,
} from '@trading-automation/contracts';
import type { CredentialsReport } from '@trading-automation/exchanges';
import { querySchemaOf } from '../operations/index.js';
import { AccountRights } from './account-rights.js';
import { AccountSyncService } from './account-sync.service.js';
import { AccountsUnderTest, PAPER } from './testing/accounts-under-test.js';

let env: AccountsUnderTest;
let sync: AccountSyncService;
beforeAll(async () => {
  env = await AccountsUnderTest.open();
  await env.catalogue.publish([{ ...PAPER, tradingTypes: ['spot', 'margin', 'perpetual'] }]);
  sync = new AccountSyncService(env.core.platform);
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const LIST_ALL = querySchemaOf(exchangeAccountOperations.list).parse({}) as Parameters<
  AccountsUnderTest['accounts']['list']
>[1];

interface Reported extends Partial<CredentialsReport> {
  readonly tradingType: TradingType;
}

const reportOf = ({ tradingType, ...report }: Reported): CredentialsReport => ({
  tradingTypes: [tradingType],
  canTrade: true,
  canWithdraw: false,
  venueAccountId: '42',
  isUnified: true,
  ...report,
});

async function add(reported: Reported): Promise<{ uuid: string; record: ExchangeAccount }> {
  env.report = () => reportOf(reported);
  const record = await env.accounts.create(
    env.actor,
    exchangeAccountCreate.parse({
      exchange: 'paper',
      trading_type: reported.tradingType,
      account_name: reported.tradingType,
      credentials: { api_key: 'the-key', api_secret: 'the-secret' },
    }),
  );
  const rows = await env.rows();
  const uuid = String(rows.sort((a, b) => Number(b.created_at) - Number(a.created_at))[0]!.id);
  return { uuid, record };
}

async function walletOf(uuid: string): Promise<unknown> {
  return (await env.core.row('SELECT wallet_id FROM exchange_accounts WHERE id = $1', uuid)).wallet_id;
}

describe('accounts of one user', () => {
  it('share the wallet of a unified account, whose id is that of the first of them', async () => {
    const spot = await add({ tradingType: 'spot' });
    expect(await walletOf(spot.uuid)).toBeNull();
    const perpetual = await add({ tradingType: 'perpetual' });
    const margin = await add({ tradingType: 'margin' });
    for (const { uuid } of [spot, perpetual, margin]) expect(await walletOf(uuid)).toBe(spot.uuid);
    expect(await sync.find(margin.uuid)).toMatchObject({ walletId: spot.uuid });
  });

  it.each([
    ['another account at the exchange', { tradingType: 'perpetual', venueAccountId: '43' }],
    [
      'an account that the exchange does not identify',
      { tradingType: 'perpetual', venueAccountId: undefined },
    ],
    ['an account that is not unified', { tradingType: 'perpetual', isUnified: false }],
  ] as const)('do not share a wallet with %s', async (_, other) => {
    const spot = await add({ tradingType: 'spot' });
    const { uuid } = await add(other);
    expect([await walletOf(spot.uuid), await walletOf(uuid)]).toEqual([null, null]);
    expect(await sync.find(uuid)).toMatchObject({ walletId: uuid });
  });

  it('share the wallet of one trading type, also without a unified account', async () => {
    const first = await add({ tradingType: 'spot', isUnified: false });
    const second = await add({ tradingType: 'spot', isUnified: false });
    expect([await walletOf(first.uuid), await walletOf(second.uuid)]).toEqual([first.uuid, first.uuid]);
  });

  it('do not share a wallet with another user, nor with an account that was removed', async () => {
    const removed = await add({ tradingType: 'spot' });
    await env.accounts.delete(env.actor, removed.record.id);
    const second = await add({ tradingType: 'perpetual' });
    await env.reset();
    const other = await add({ tradingType: 'margin' });
    expect([await walletOf(second.uuid), await walletOf(other.uuid)]).toEqual([null, null]);
  });

  it('join the wallet once the exchange reports it in the daily reading of rights', async () => {
    const spot = await add({ tradingType: 'spot' });
    const perpetual = await add({
      tradingType: 'perpetual',
      venueAccountId: undefined,
      isUnified: undefined,
    });
    expect(await walletOf(perpetual.uuid)).toBeNull();
    const row = await env.core.row(
      'SELECT credentials_sealed FROM exchange_accounts WHERE id = $1',
      perpetual.uuid,
    );
    const rights = new AccountRights(env.core.platform);
    await rights.store(
      perpetual.uuid,
      String(row.credentials_sealed),
      reportOf({ tradingType: 'perpetual' }),
    );
    expect([await walletOf(spot.uuid), await walletOf(perpetual.uuid)]).toEqual([spot.uuid, spot.uuid]);
  });
});

describe('the balances of a shared wallet', () => {
  it('are those of each account, whichever was read or reported by a stream', async () => {
    const spot = await add({ tradingType: 'spot' });
    const perpetual = await add({ tradingType: 'perpetual' });
    const shown = async () => {
      const { items } = await env.accounts.list(env.actor, LIST_ALL);
      return Object.fromEntries(items.map(({ trading_type: type, balance }) => [type, balance]));
    };
    const takenAt = await sync.databaseTime();
    await sync.storeBalances(spot.uuid, { USDT: { free: '70', locked: '30' } }, takenAt);
    expect(await shown()).toEqual({ spot: { USDT: '100' }, perpetual: { USDT: '100' } });
    await sync.storeUpdates([
      {
        accountId: perpetual.uuid,
        balances: { USDT: { free: '55', locked: '0' } },
        at: new Date(Date.now() + 1_000),
        receivedAt: new Date(),
        seen: [],
      },
    ]);
    expect(await shown()).toEqual({ spot: { USDT: '55' }, perpetual: { USDT: '55' } });
  });

  it('do not give the loans of one account to another one', async () => {
    const spot = await add({ tradingType: 'spot' });
    const margin = await add({ tradingType: 'margin' });
    const takenAt = await sync.databaseTime();
    const at = new Date(takenAt);
    const loans = { USDT: { borrowed: '30', interest: '0' } };
    const balances = { USDT: { free: '100', locked: '0' } };
    await sync.storeSnapshots([{ accountId: margin.uuid, balances, loans, takenAt, at, until: at }]);
    expect(await sync.holdingsOf(margin.uuid)).toEqual({ balances, loans });
    expect(await sync.holdingsOf(spot.uuid)).toEqual({ balances, loans: null });
  });
});
