import { DomainError, exchangeAccountCreate, exchangeAccountUpdate } from '@trading-automation/contracts';
import { AccountsUnderTest } from './testing/accounts-under-test.js';
import { credentialsContext } from './worker-calls.js';

let env: AccountsUnderTest;
beforeAll(async () => {
  env = await AccountsUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const create = () =>
  env.accounts.create(
    env.actor,
    exchangeAccountCreate.parse({
      exchange: 'paper',
      trading_type: 'spot',
      account_name: 'mine',
      credentials: { api_key: 'old-key', api_secret: 'old-secret' },
    }),
  );

describe('changing an account', () => {
  const update = (id: string, changes: Record<string, unknown>) =>
    env.accounts.update(env.actor, id, exchangeAccountUpdate.parse(changes));
  const credentials = { api_key: 'new-key', api_secret: 'new-secret' };

  it('renames the account without a call to the exchange, and leaves it as it was if the input contains no change', async () => {
    const created = await create();
    env.recordedTests = [];
    expect(await update(created.id, {})).toEqual(created);
    expect(await update(created.id, { allow_withdraw_keys: true })).toEqual(created);
    const renamed = await update(created.id, { account_name: 'other' });
    expect(renamed).toEqual({ ...created, account_name: 'other', updated_at: renamed.updated_at });
    expect(await env.accounts.get(env.actor, created.id)).toEqual(renamed);
    expect(env.recordedTests).toEqual([]);
  });

  it('accepts new credentials once they are tested, seals them to the same context, and requests a sync', async () => {
    const created = await create();
    await env.core.rows(
      `UPDATE exchange_accounts SET is_active = false, sync_requested_at = NULL, sync_served_at = clock_timestamp(),
         balances = '{"USDT":{"free":"5","locked":"1"}}' WHERE user_id = $1`,
      env.actor.userId,
    );
    const [before] = await env.rows();
    env.recordedTests = [];
    const changed = await update(created.id, { credentials, account_name: 'other' });
    expect(changed).toMatchObject({
      id: created.id,
      account_name: 'other',
      is_active: true,
      balance: { USDT: '6' },
    });
    const serialized = JSON.stringify({ apiKey: 'new-key', apiSecret: 'new-secret' });
    expect(env.recordedTests).toEqual([{ opened: serialized, exchange: 'paper', trading_type: 'spot' }]);
    const [row] = await env.rows();
    expect(await env.opener.open(String(row?.credentials_sealed), credentialsContext(String(row?.id)))).toBe(
      serialized,
    );
    expect(row).toMatchObject({
      id: before?.id,
      venue_account_id: '42',
      sync_served_at: before?.sync_served_at,
    });
    expect(Number(row?.sync_requested_at)).toBeGreaterThanOrEqual(Number(before?.sync_served_at));
  });

  it('rejects credentials of another account at the exchange', async () => {
    const { id } = await create();
    const before = await env.rows();
    env.report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: false, venueAccountId: '43' });
    await expect(update(id, { credentials, account_name: 'other' })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'credentials', code: 'other_account' }],
    });
    expect(await env.rows()).toEqual(before);
  });

  it("stores the exchange's account id if it was unknown, and never clears it", async () => {
    const venueId = async () => (await env.rows())[0]?.venue_account_id;
    env.report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: false });
    const { id } = await create();
    expect(await venueId()).toBeNull();
    await update(id, { credentials });
    expect(await venueId()).toBeNull();
    env.report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: false, venueAccountId: '43' });
    await update(id, { credentials });
    expect(await venueId()).toBe('43');
    env.report = () => ({ tradingTypes: ['spot'], canTrade: true, canWithdraw: false });
    await update(id, { credentials });
    expect(await venueId()).toBe('43');
  });

  it('accepts credentials that may withdraw only with allow_withdraw_keys, and shows whether they may', async () => {
    const { id } = await create();
    const before = await env.rows();
    const reportOf = (canWithdraw: boolean) => () =>
      ({ tradingTypes: ['spot'], canTrade: true, canWithdraw, venueAccountId: '42' }) as const;
    env.report = reportOf(true);
    await expect(update(id, { credentials })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'credentials', code: 'may_withdraw' }],
    });
    expect(await env.rows()).toEqual(before);
    const allowed = await update(id, { credentials, allow_withdraw_keys: true });
    expect(allowed).toMatchObject({ can_withdraw: true });
    env.report = reportOf(false);
    expect(await update(id, { credentials })).toMatchObject({ can_withdraw: false });
  });

  it('leaves the account unchanged if the exchange rejects the credentials or is unavailable', async () => {
    const { id } = await create();
    const before = await env.rows();
    for (const code of ['exchange_credentials_rejected', 'exchange_unavailable'] as const) {
      env.report = () => {
        throw new DomainError(code);
      };
      await expect(update(id, { credentials, account_name: 'other' })).rejects.toMatchObject({ code });
    }
    expect(await env.rows()).toEqual(before);
  });

  it('does not call the exchange for an account that does not exist', async () => {
    const { id } = await create();
    await env.accounts.delete(env.actor, id);
    env.recordedTests = [];
    await expect(update(id, { credentials })).rejects.toMatchObject({ code: 'not_found' });
    expect(env.recordedTests).toEqual([]);
  });

  it('stores no credentials for an account that is removed while they are tested', async () => {
    const { id } = await create();
    const tested = env.report();
    env.report = async () => {
      await env.accounts.delete(env.actor, id);
      return tested;
    };
    await expect(update(id, { credentials })).rejects.toMatchObject({ code: 'not_found' });
    expect((await env.rows())[0]).toMatchObject({ credentials_sealed: null, is_active: false });
  });
});
