/**
 * Tests that copiers, accounts and strategies that are faulty or slow do not affect others.
 * A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md.
 */

import { decodeId, strategyCreate } from '@trading-automation/contracts';
import { inTransaction } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';
import { lockAccounts } from '../../exchange-accounts/index.js';
import { CopyingUnderTest } from '../testing/copying-under-test.js';
import { CopyPlanner, SIGNALS_PER_RUN_MAX } from './copy-planner.service.js';
import { STRATEGIES_PER_USER_MAX, strategiesWithUnplannedSignals } from './planning-progress.queries.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

/** Resolves once a batch waits for the account that the test has locked. */
async function untilLockIsAwaited(): Promise<void> {
  await eventually(async () => {
    const waiting = await env.core.rows(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return waiting.length > 0;
  });
}

describe('a copier that changes before its batch is locked', () => {
  it.each([
    ['no longer follows the strategy', "strategy_id = NULL, status = 'PAUSED'"],
    ['was removed', "deleted_at = clock_timestamp(), status = 'PAUSED'"],
    ['restarted after the signal', 'followed_sequence = 1000000'],
  ])('rule 10: places no order and gets no decision if it %s', async (_case, change) => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    let planning: Promise<unknown> = Promise.resolve();
    await inTransaction(env.core.platform.database, async (tx) => {
      await lockAccounts(tx, [follower.account.uuid]);
      planning = env.planner.planNext();
      await untilLockIsAwaited();
      await env.core.rows(`UPDATE copiers SET ${change} WHERE id = $1`, follower.uuid);
    });
    await planning;
    await env.runUntilIdle();
    expect(await env.orders(follower)).toEqual([]);
    expect(await env.decisions(follower)).toEqual([]);
  });
});

describe('a size that exceeds every storable number', () => {
  it('rule 9: is clamped like any other size, and does not delay other copies', async () => {
    const sizing = { mode: 'MULTIPLIER', value: '10000000000000000000' };
    const huge = await env.follower({ sizing, limits: { max_trade_quote: '200' } });
    const unbounded = await env.follower({ sizing });
    const usual = await env.follower();
    await env.leaderBuys('100');
    await env.executeAll();
    expect(await env.held(usual)).toBe('50');
    expect(await env.lastDecision(huge)).toMatchObject({ outcome: 'CLAMPED' });
    expect(await env.lastDecision(unbounded)).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await env.leaderSells('100');
    await env.executeAll();
    expect(await env.held(usual)).toBe('0');
    expect(await env.held(huge)).toBe('0');
  });
});

describe('a copier with invalid numbers', () => {
  it('row 10: fails alone, with an event; exits of other copiers and all later signals continue', async () => {
    const all = [await env.follower(), await env.follower(), await env.follower()];
    const lot = await env.leaderBuys('10');
    await env.executeAll();
    const [faulty, ...others] = all as [(typeof all)[0], ...typeof all];
    await env.core.rows(
      'UPDATE copied_lots SET ratio_numerator = 0.5 WHERE copier_id = $1 AND lot_trade_id = $2',
      faulty.uuid,
      lot,
    );
    await env.leaderSells('10');
    await env.leaderBuys('2');
    await expect(env.planner.planNext()).rejects.toThrow(SyntaxError);
    await env.executeAll();
    expect(await Promise.all(others.map((each) => env.held(each)))).toEqual(['1', '1']);
    expect(await env.decisions(faulty)).toMatchObject([
      { outcome: 'COPIED' },
      { outcome: 'FAILED', code: null, settled: true },
      { outcome: 'COPIED' },
    ]);
    expect(await env.held(faulty)).toBe('6');
    expect(await env.eventTypes(faulty)).toContain('copier.trade_skipped');
  });
});

describe('an exit whose copier has invalid numbers when it is settled', () => {
  it('row 10: does not delay other exits of the same signal', async () => {
    const all = [await env.follower(), await env.follower(), await env.follower()];
    const lot = await env.leaderBuys('10');
    await env.executeAll();
    await env.leaderSells('4');
    await env.planner.planNext();
    const [faulty, ...others] = all as [(typeof all)[0], ...typeof all];
    await env.core.rows(
      'UPDATE copied_lots SET ratio_numerator = 0.5, owed_amount = 1 WHERE copier_id = $1 AND lot_trade_id = $2',
      faulty.uuid,
      lot,
    );
    for (const each of all) await env.execute(await env.lastOrder(each));
    await expect(env.settlement.settleNext()).rejects.toThrow(SyntaxError);
    for (const each of others)
      expect(await env.lastDecision(each)).toMatchObject({ settled: true, filled: '2' });
    await env.core.rows('UPDATE copied_lots SET ratio_numerator = 1 WHERE copier_id = $1', faulty.uuid);
    await env.executeAll();
  });
});

describe('an account whose exchange does not return its balances', () => {
  const followerWithOldBalances = async () => {
    const sizing = { mode: 'EQUITY_RATIO', value: '1' };
    const follower = await env.follower({ sizing });
    await env.core.rows(
      "UPDATE exchange_accounts SET balances_taken_at = clock_timestamp() - interval '5 minutes' WHERE id = $1",
      follower.account.uuid,
    );
    return follower;
  };

  it('rule 25: does not delay copies of another strategy', async () => {
    await followerWithOldBalances();
    await env.leaderBuys('1');
    await env.reset();
    const usual = await env.follower();
    await env.leaderBuys('10');
    let respond: () => void = () => undefined;
    const response = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const planner = new CopyPlanner(env.core.platform, env.readBookMid, {
      refreshBalances: () => response.then(() => []),
    });
    const planning = planner.planNext();
    await eventually(async () => (await env.orders(usual)).length > 0);
    respond();
    await planning;
    expect(await env.orders(usual)).toHaveLength(1);
  });

  /** Plans three signals. Returns how often the balances were requested. */
  async function countRequests(notRequested: (accountId: string) => readonly string[]): Promise<number> {
    const follower = await followerWithOldBalances();
    let requestCount = 0;
    const refreshBalances = async () => {
      requestCount += 1;
      return notRequested(follower.account.uuid);
    };
    const planner = new CopyPlanner(env.core.platform, env.readBookMid, { refreshBalances });
    for (let signals = 0; signals < 3; signals++) await env.leaderBuys('1', '100', { leader_equity: '1000' });
    await planner.planNext();
    for (const { code } of await env.decisions(follower)) expect(code).toBe('STALE_EQUITY');
    return requestCount;
  }

  it('rule 6: causes only one request for its balances within ten seconds, even for several signals', async () => {
    expect(await countRequests(() => [])).toBe(1);
  });

  it('rule 6: causes another request with the next signal if its balances could not be requested in time', async () => {
    expect(await countRequests((accountId) => [accountId])).toBe(3);
  });
});

describe('an exit that waited for months', () => {
  it('rule 14: is settled like any other exit', async () => {
    const follower = await env.followerWithLot();
    await env.leaderSells('10');
    await env.runUntilIdle();
    await env.core.rows(
      "UPDATE decisions SET signal_at = signal_at - interval '90 days' WHERE copier_id = $1",
      follower.uuid,
    );
    await env.executeAll();
    expect(await env.lastDecision(follower)).toMatchObject({ outcome: 'COPIED', settled: true, filled: '5' });
  });
});

describe('the signals of a user with many strategies', () => {
  /** Copies the strategy's first signal as the signals `from` to `until` of a strategy. */
  const copySignals = async (strategyId: string, from: number, until: number) => {
    await env.core.rows(
      `INSERT INTO signals SELECT (jsonb_populate_record(g, jsonb_build_object('id', gen_random_uuid(),
         'source_fill_id', gen_random_uuid(), 'strategy_id', $2::uuid, 'sequence', n))).*
       FROM signals g, generate_series($3::int, $4::int) n WHERE g.strategy_id = $1 AND g.sequence = 1`,
      env.strategy.uuid,
      strategyId,
      from,
      until,
    );
    await env.core.rows(
      `INSERT INTO strategy_sequences (strategy_id, last_sequence) VALUES ($1, $2)
       ON CONFLICT (strategy_id) DO UPDATE SET last_sequence = excluded.last_sequence`,
      strategyId,
      until,
    );
  };
  const createStrategy = async (actor: typeof env.leader, accountId: string) => {
    const input = strategyCreate.parse({ name: 'another', exchange_account_id: accountId });
    return decodeId('str', (await env.strategies.create(actor, input)).id)!;
  };

  it('fill at most three places of a run, of at most 20 signals each, so that another user’s signal is planned with them', async () => {
    const follower = await env.follower();
    await env.leaderBuys('10');
    await copySignals(env.strategy.uuid, 2, 1_600);
    for (let n = 0; n < 4; n++) await copySignals(await createStrategy(env.leader, env.source.id), 1, 100);
    const other = await env.core.actor();
    const others = await createStrategy(other, (await env.core.account(other)).id);
    await copySignals(others, 1, 1);
    const planned = await strategiesWithUnplannedSignals(env.core.platform.database.manager);
    expect(planned).toHaveLength(STRATEGIES_PER_USER_MAX + 1);
    expect(planned.indexOf(others)).toBeLessThanOrEqual(1);
    // All signals of a strategy that has no copier are planned in one step.
    expect(await env.planner.planNext()).toBe(SIGNALS_PER_RUN_MAX + 3);
    expect(await env.decisions(follower)).toHaveLength(20);
    await env.core.rows('UPDATE strategy_sequences SET last_sequence = 0');
  });
});
