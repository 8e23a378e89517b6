/** Copiers and moments that must not hold up, or be taken for, others. */
import { inTransaction } from '@trading-automation/persistence';
import { lockAccounts } from '../../exchange-accounts/index.js';
import { CopyingUnderTest } from '../testing/copying-under-test.js';
import { CopyPlanner } from './copy-planner.service.js';

let the: CopyingUnderTest;
beforeAll(async () => {
  the = await CopyingUnderTest.open();
});
afterAll(() => the.close());
beforeEach(() => the.begin());

/** A chunk waits for the account that the test holds. */
async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const waiting = await the.core.rows(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    if (waiting.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a copier that follows another strategy by the time its chunk is locked', () => {
  it.each([
    ['was given another strategy', "strategy_id = NULL, status = 'PAUSED'"],
    ['was removed', "deleted_at = clock_timestamp(), status = 'PAUSED'"],
    ['began anew after the signal', 'followed_sequence = 1000000'],
  ])('rule 10: buys nothing where it %s', async (_what, change) => {
    const follower = await the.follower();
    await the.leaderBuys('10');
    let planning: Promise<unknown> = Promise.resolve();
    await inTransaction(the.core.platform.database, async (tx) => {
      await lockAccounts(tx, [follower.account.uuid]);
      planning = the.planner.planNext();
      await untilSomebodyWaits();
      await the.core.rows(`UPDATE copiers SET ${change} WHERE id = $1`, follower.uuid);
    });
    await planning;
    await the.work();
    expect(await the.orders(follower)).toEqual([]);
    expect(await the.decisions(follower)).toEqual([]);
  });
});

describe('a size that no number can hold', () => {
  it('rule 9: is clamped as any other, and holds up nobody else’s copies', async () => {
    const sizing = { mode: 'MULTIPLIER', value: '10000000000000000000' };
    const huge = await the.follower({ sizing, limits: { max_trade_quote: '200' } });
    const unbounded = await the.follower({ sizing });
    const usual = await the.follower();
    await the.leaderBuys('100');
    await the.executeAll();
    expect(await the.held(usual)).toBe('50');
    expect(await the.lastDecision(huge)).toMatchObject({ outcome: 'CLAMPED' });
    expect(await the.lastDecision(unbounded)).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await the.leaderSells('100');
    await the.executeAll();
    expect(await the.held(usual)).toBe('0');
    expect(await the.held(huge)).toBe('0');
  });
});

describe('a copier whose numbers make no sense', () => {
  it('row 10: fails by itself, and is told so; the others’ exits and all later signals go on', async () => {
    const all = [await the.follower(), await the.follower(), await the.follower()];
    const lot = await the.leaderBuys('10');
    await the.executeAll();
    const [odd, ...others] = all as [(typeof all)[0], ...typeof all];
    await the.core.rows(
      'UPDATE copied_lots SET ratio_numerator = 0.5 WHERE copier_id = $1 AND lot_trade_id = $2',
      odd.uuid,
      lot,
    );
    await the.leaderSells('10');
    await the.leaderBuys('2');
    await expect(the.planner.planNext()).rejects.toThrow(SyntaxError);
    await the.executeAll();
    expect(await Promise.all(others.map((each) => the.held(each)))).toEqual(['1', '1']);
    expect(await the.decisions(odd)).toMatchObject([
      { outcome: 'COPIED' },
      { outcome: 'FAILED', code: null, settled: true },
      { outcome: 'COPIED' },
    ]);
    expect(await the.held(odd)).toBe('6');
    expect(await the.kindsOf(odd)).toContain('copier.trade_skipped');
  });
});

describe('an exit whose numbers make no sense once it is to be settled', () => {
  it('row 10: holds up none of the same signal', async () => {
    const all = [await the.follower(), await the.follower(), await the.follower()];
    const lot = await the.leaderBuys('10');
    await the.executeAll();
    await the.leaderSells('4');
    await the.planner.planNext();
    const [odd, ...others] = all as [(typeof all)[0], ...typeof all];
    await the.core.rows(
      'UPDATE copied_lots SET ratio_numerator = 0.5, owed_amount = 1 WHERE copier_id = $1 AND lot_trade_id = $2',
      odd.uuid,
      lot,
    );
    for (const each of all) await the.execute(await the.lastOrder(each));
    await expect(the.settlement.settleNext()).rejects.toThrow(SyntaxError);
    for (const each of others)
      expect(await the.lastDecision(each)).toMatchObject({ settled: true, filled: '2' });
    await the.core.rows('UPDATE copied_lots SET ratio_numerator = 1 WHERE copier_id = $1', odd.uuid);
    await the.executeAll();
  });
});

describe('an account whose exchange does not tell its balances', () => {
  const slow = async () => {
    const sizing = { mode: 'EQUITY_RATIO', value: '1' };
    const follower = await the.follower({ sizing });
    await the.core.rows(
      "UPDATE exchange_accounts SET balances_taken_at = clock_timestamp() - interval '5 minutes' WHERE id = $1",
      follower.account.uuid,
    );
    return follower;
  };

  it('rule 25: holds up no copies of another strategy', async () => {
    await slow();
    await the.leaderBuys('1');
    await the.begin();
    const usual = await the.follower();
    await the.leaderBuys('10');
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const planner = new CopyPlanner(the.core.platform, { refreshBalances: () => answered });
    const planning = planner.planNext();
    while ((await the.orders(usual)).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    answer();
    await planning;
    expect(await the.orders(usual)).toHaveLength(1);
  });

  it('rule 6: is not waited for again at each signal', async () => {
    const follower = await slow();
    let asked = 0;
    const refreshBalances = async () => {
      asked += 1;
    };
    const planner = new CopyPlanner(the.core.platform, { refreshBalances });
    for (let signals = 0; signals < 3; signals++) await the.leaderBuys('1', '100', { leader_equity: '1000' });
    await planner.planNext();
    expect(asked).toBe(1);
    for (const { code } of await the.decisions(follower)) expect(code).toBe('STALE_EQUITY');
  });
});

describe('an exit that was held back for months', () => {
  it('rule 14: is settled as any other', async () => {
    const follower = await the.holding();
    await the.leaderSells('10');
    await the.work();
    await the.core.rows(
      "UPDATE decisions SET signal_at = signal_at - interval '90 days' WHERE copier_id = $1",
      follower.uuid,
    );
    await the.executeAll();
    expect(await the.lastDecision(follower)).toMatchObject({ outcome: 'COPIED', settled: true, filled: '5' });
  });
});
