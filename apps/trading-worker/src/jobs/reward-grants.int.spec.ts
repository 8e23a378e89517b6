import { AccountSyncService } from '@trading-automation/core/exchange-accounts';
import { Ledger } from '@trading-automation/core/ledger';
import { RewardAccrual } from '@trading-automation/core/rewards';
import { CoreUnderTest } from '@trading-automation/core/testing';
import { eventually } from '@trading-automation/runtime/testing';
import { configSchema } from '../config.js';
import { RewardGrants } from './reward-grants.js';

let core: CoreUnderTest;

beforeAll(async () => {
  core = await CoreUnderTest.open();
});
afterAll(() => core.close());

/** Creates a user with an exchange account and emits the event of its first sync. Returns the user's uuid. */
async function syncNewAccount(): Promise<string> {
  const actor = await core.actor();
  const account = await core.account(actor, null);
  await core.rows(
    `UPDATE exchange_accounts SET venue_account_id = 'venue-' || id, sync_requested_at = clock_timestamp()
     WHERE id = $1`,
    account.uuid,
  );
  const accountSync = new AccountSyncService(core.platform);
  await accountSync.storeBalances(
    account.uuid,
    { USDT: { free: '1', locked: '0' } },
    await accountSync.databaseTime(),
  );
  return actor.userId;
}
const rewardsOf = (userId: string) => core.rows('SELECT amount FROM rewards WHERE user_id = $1', userId);
describe('a trading worker', () => {
  it('publishes reward types, grants rewards as events happen, and stops granting when it is stopped', async () => {
    const errors: unknown[] = [];
    const accrual = new RewardAccrual(core.platform, new Ledger(core.platform), { amounts: {} });
    const grants = new RewardGrants(accrual, (error) => errors.push(error));
    await grants.onApplicationBootstrap();
    expect(await core.rows('SELECT code FROM reward_types ORDER BY code')).toEqual([
      { code: 'FIRST_TRADE' },
      { code: 'SIGN_UP' },
    ]);
    const user = await syncNewAccount();
    await eventually(async () => (await rewardsOf(user)).length === 1);
    await grants.onApplicationShutdown();
    const laterUser = await syncNewAccount();
    // Drains the event that the stopped relay left. More than 0 proves that the stopped relay did not process it.
    expect(await accrual.relay((error) => errors.push(error)).drain()).toBeGreaterThan(0);
    expect(await rewardsOf(laterUser)).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it('can be stopped without having started', async () => {
    const accrual = new RewardAccrual(core.platform, new Ledger(core.platform), { amounts: {} });
    await expect(new RewardGrants(accrual, () => undefined).onApplicationShutdown()).resolves.toBeUndefined();
  });
});

describe('the configured amounts and expiry of rewards', () => {
  const { REWARD_SIGN_UP_AMOUNT: amount, REWARD_EXPIRES_DAYS: days } = configSchema.shape;

  it('are exact, may be zero and may be omitted', () => {
    expect(amount.parse('12.000000000000000001')).toBe('12.000000000000000001');
    expect(amount.parse('0')).toBe('0');
    expect(amount.parse(undefined)).toBeUndefined();
    expect(days.parse('30')).toBe(30);
    expect(days.parse(undefined)).toBeUndefined();
  });

  it.each(['-1', 'many', '1,5', '0.0000000000000000001'])('reject %s', (text) => {
    expect(amount.safeParse(text).success).toBe(false);
  });
});
