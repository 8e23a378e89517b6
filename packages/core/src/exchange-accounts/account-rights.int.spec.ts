import { exchangeAccountCreate } from '@trading-automation/contracts';
import type { CredentialsReport } from '@trading-automation/exchanges';
import { AccountRights } from './account-rights.js';
import { AccountsUnderTest } from './testing/accounts-under-test.js';

let env: AccountsUnderTest;
let rights: AccountRights;
let account: { readonly id: string; readonly sealed: string };
beforeAll(async () => {
  env = await AccountsUnderTest.open();
  rights = new AccountRights(env.core.platform);
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  const input = { exchange: 'paper', trading_type: 'spot', account_name: 'mine' };
  const credentials = { api_key: 'the-key', api_secret: 'the-secret' };
  await env.accounts.create(env.actor, exchangeAccountCreate.parse({ ...input, credentials }));
  const [row] = await env.rows();
  account = { id: String(row?.id), sealed: String(row?.credentials_sealed) };
});

const reportOf = (changes: Partial<CredentialsReport> = {}): CredentialsReport => ({
  tradingTypes: ['spot'],
  canTrade: true,
  canWithdraw: false,
  ...changes,
});
const store = (changes: Partial<CredentialsReport>, sealed = account.sealed) =>
  rights.store(account.id, sealed, reportOf(changes));
const current = async () => (await env.rows())[0];
const events = async () =>
  (await env.core.events(env.actor.userId))
    .filter(({ type }) => type === 'exchange.permissions_changed')
    .map(({ data }) => data);
const setDue = (due: string) =>
  env.core.rows(`UPDATE exchange_accounts SET rights_due_at = ${due} WHERE id = $1`, account.id);
const dueInMinutes = async () => {
  const { minutes } = await env.core.row(
    'SELECT extract(epoch FROM rights_due_at - now()) / 60 AS minutes FROM exchange_accounts WHERE id = $1',
    account.id,
  );
  return Math.round(Number(minutes));
};

describe('the rights of credentials', () => {
  it('are due a day after they were read, and once for one worker', async () => {
    expect(await rights.claimDue([account.id], 10)).toEqual([]);
    await setDue("now() - interval '1 second'");
    const claims = await Promise.all([rights.claimDue([account.id], 10), rights.claimDue([account.id], 10)]);
    expect(claims.flat()).toEqual([account.id]);
    await store({});
    expect(await dueInMinutes()).toBe(24 * 60);
    expect(await rights.claimDue([], 10)).toEqual([]);
  });

  it('are due again in an hour if they could not be read', async () => {
    await setDue('NULL');
    await rights.claimDue([account.id], 10);
    expect(await dueInMinutes()).toBe(60);
  });

  it('of perpetuals are due after a connection, unless they were read within a minute', async () => {
    const dueAfterConnection = async (type: string, due: string) => {
      await env.core.rows('UPDATE exchange_accounts SET trading_type = $1 WHERE id = $2', type, account.id);
      await setDue(due);
      await rights.requestOfPerpetuals([account.id]);
      return Math.abs(await dueInMinutes());
    };
    expect(await dueAfterConnection('perpetual', "now() + interval '20 hours'")).toBe(0);
    expect(await dueAfterConnection('perpetual', "now() + interval '24 hours'")).toBe(24 * 60);
    expect(await dueAfterConnection('spot', "now() + interval '20 hours'")).toBe(20 * 60);
    await rights.requestOfPerpetuals([]);
  });

  it.each<[string, Partial<CredentialsReport>]>([
    ['a right to withdraw', { canWithdraw: true }],
    ['a right to withdraw that is unknown', { canWithdraw: null }],
    ['the loss of the right to trade', { canTrade: false }],
  ])('are reported to the owner when they get worse: %s', async (_what, changes) => {
    await store(changes);
    expect(await events()).toMatchObject([
      {
        can_trade: changes.canTrade ?? true,
        can_withdraw: 'canWithdraw' in changes ? changes.canWithdraw : false,
        is_active: true,
      },
    ]);
    await store(changes);
    expect(await events()).toHaveLength(1);
  });

  it('are stored without a report when they get better or stay the same', async () => {
    await store({});
    await store({ canWithdraw: true });
    await store({ canWithdraw: false });
    expect(await events()).toHaveLength(1);
    expect(await current()).toMatchObject({ can_trade: true, can_withdraw: false });
  });

  it.each([
    ['HEDGE_MODE', 'POSITION_MODE'],
    ['PORTFOLIO_MARGIN', 'PORTFOLIO_MARGIN'],
    ['ACCOUNT_TYPE', 'ACCOUNT_TYPE'],
  ] as const)('deactivate an account of a kind that cannot be traded: %s', async (unsupported, reason) => {
    await store({ unsupported });
    expect(await current()).toMatchObject({ is_active: false, inactive_reason: reason });
    expect(await events()).toMatchObject([{ is_active: false, inactive_reason: reason }]);
    await rights.deactivate(account.id, account.sealed, 'POSITION_MODE');
    expect(await events()).toHaveLength(1);
  });

  it('are ignored if the credentials were replaced meanwhile', async () => {
    await store({ canWithdraw: true, unsupported: 'HEDGE_MODE' }, 'earlier');
    await rights.deactivate(account.id, 'earlier', 'POSITION_MODE');
    expect(await current()).toMatchObject({ is_active: true, can_withdraw: false });
    expect(await events()).toEqual([]);
  });
});
