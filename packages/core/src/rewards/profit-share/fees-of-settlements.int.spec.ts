/**
 * Tests that settlements wait for the values of fees in a third asset. `rule 28` is the row of docs/trading/rules.md that
 * a test proves.
 */
import {
  type CopierFixture,
  type LeaderFixture,
  ProfitShareUnderTest,
} from './testing/profit-share-under-test.js';

let env: ProfitShareUnderTest;
let leader: LeaderFixture;
let copier: CopierFixture;

beforeAll(async () => {
  env = await ProfitShareUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.core.rows('UPDATE fills SET fee_value = 0 WHERE fee_value IS NULL');
  await env.resetProgress();
  leader = await env.createLeader();
  copier = await env.createCopier(leader);
});

const HOUR_MS = 3_600_000;
const settleAt = (week: number, hour: number) => env.createService().settleDue(env.at(week, hour));

/** Earns 100 in week 0 with a sale at the given hour, whose fee is paid in BNB. */
async function earnWithFeeInBnb(hour: number, of = copier): Promise<void> {
  await env.insertCopy(leader, of, env.at(0, 1), { side: 'BUY', price: '1000' });
  const fee = { fee: '0.1', feeCurrency: 'BNB' };
  await env.insertCopy(leader, of, env.at(0, hour), { side: 'SELL', price: '1100', ...fee });
}

/** Stores the value of all fees in BNB and books them, as the valuation does. */
async function valueFees(value: string): Promise<void> {
  await env.core.rows('UPDATE fills SET fee_value = $1 WHERE fee_value IS NULL AND fee_amount <> 0', value);
  await env.core.rows(
    `UPDATE lot_closures c SET pnl = c.pnl - $1 FROM fills f WHERE f.id = c.fill_id AND f.fee_currency = 'BNB'
       AND f.exchange_account_id = $2`,
    value,
    copier.account.uuid,
  );
}

describe('a fee without a value', () => {
  it('rule 28: delays the settlement until its price is known, so that it is settled with the right profit', async () => {
    await earnWithFeeInBnb(166);
    await settleAt(1, 1);
    expect(await env.grantedRewards(leader)).toEqual([]);
    expect(
      await env.core.rows('SELECT 1 FROM profit_settlements WHERE user_id = $1', copier.actor.userId),
    ).toEqual([]);
    await valueFees('60');
    await settleAt(1, 2);
    expect(await env.grantedRewards(leader)).toMatchObject([
      {
        amount: '4',
        period: { to: '2026-01-12T00:00:00.000Z' },
        high_water_mark: { before: '0', after: '40' },
      },
    ]);
  });

  it('rule 28: carries the profit into the next period six hours after the fill, and never grants too much', async () => {
    await earnWithFeeInBnb(166);
    // The fill was two hours before the end of the period.
    await env.createService().settleDue(new Date(env.at(1, 4).getTime() - 1));
    const progress = () =>
      env.core.row("SELECT settled_until AS at FROM profit_share_progress WHERE period = 'WEEK'");
    expect(await progress()).toEqual({ at: env.at(0) });
    await settleAt(1, 4);
    expect(await progress()).toEqual({ at: env.at(1) });
    expect(await env.grantedRewards(leader)).toEqual([]);
    await valueFees('60');
    await env.realizeProfit(leader, copier, 1, '10');
    await env.settle(1);
    expect(await env.grantedRewards(leader)).toMatchObject([
      {
        amount: '5',
        period: { to: '2026-01-19T00:00:00.000Z' },
        high_water_mark: { before: '0', after: '50' },
      },
    ]);
  });

  it('rule 28: of an opening fill delays it too, because the open loss contains the fee', async () => {
    await env.realizeProfit(leader, copier, 0, '100');
    const fee = { fee: '0.1', feeCurrency: 'BNB' };
    await env.insertCopy(leader, copier, env.at(0, 167), { side: 'BUY', price: '1000', ...fee });
    await settleAt(1, 1);
    expect(await env.grantedRewards(leader)).toEqual([]);
  });

  it('rule 28: delays neither other users, nor the user if its fill is after the end of the period', async () => {
    const other = await env.createCopier(leader);
    await env.realizeProfit(leader, other, 0, '50');
    await earnWithFeeInBnb(166);
    await settleAt(1, 1);
    expect(await env.grantedAmounts(leader)).toEqual(['5']);
    await settleAt(1, 2);
    expect(await env.grantedAmounts(leader)).toEqual(['5']);
    await valueFees('0');
    const fee = { fee: '0.1', feeCurrency: 'BNB' };
    await env.insertCopy(leader, copier, env.at(1, 1), { side: 'BUY', price: '1000', ...fee });
    await settleAt(1, 3);
    expect(await env.grantedAmounts(leader)).toEqual(['5', '10']);
  });

  it('rule 28: keeps the grants of the month open, so that a grant that waited counts for its own month', async () => {
    const monthly = await env.createLeader('0.1', 'MONTH');
    const user = await env.createCopier(monthly);
    await env.realizeProfit(leader, copier, 0, '100');
    await env.settle(0);
    const end = Date.UTC(2026, 1, 1);
    await env.insertCopy(monthly, user, new Date(end - 2 * HOUR_MS), { side: 'BUY', price: '1000' });
    const fee = { fee: '0.1', feeCurrency: 'BNB' };
    await env.insertCopy(monthly, user, new Date(end - HOUR_MS), { side: 'SELL', price: '1100', ...fee });
    await env.createService().settleDue(new Date(end + HOUR_MS));
    expect(await env.grantedRewards(leader)).toMatchObject([{ status: 'PENDING' }]);
    await env.core.rows('UPDATE fills SET fee_value = 0 WHERE fee_value IS NULL');
    await env.createService().settleDue(new Date(end + 2 * HOUR_MS));
    expect(await env.grantedRewards(leader)).toMatchObject([{ status: 'CLAIMABLE' }]);
    expect(await env.grantedRewards(monthly)).toMatchObject([
      { status: 'CLAIMABLE', amount: '10', period: { to: '2026-02-01T00:00:00.000Z' } },
    ]);
  });
});
