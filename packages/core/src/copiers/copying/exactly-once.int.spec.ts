/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { setTimeout } from 'node:timers/promises';
import { CopyingUnderTest, type Follower } from '../testing/copying-under-test.js';
import { clientOrderIdOf } from './client-order-id.js';
import { CopyPlanner, type PlanningStep } from './copy-planner.service.js';
import { CopySettlement, type SettlementStep } from './copy-settlement.service.js';

let env: CopyingUnderTest;
beforeAll(async () => {
  env = await CopyingUnderTest.open();
});
afterAll(() => env.close());
beforeEach(() => env.reset());

const followers = (count: number) => Promise.all(Array.from({ length: count }, () => env.follower()));

/** Returns a handler that throws when the step is reached for the `nth` time, and only then. */
function failingAt<Step>(step: Step, nth: number) {
  let count = 0;
  return (current: Step) => {
    if (current === step && ++count === nth) throw new Error(`killed at ${step}`);
  };
}

/** Expects one decision of each copier on each signal, a decision for each order, and at most one order per entry. */
async function expectOneDecisionEach(signalCount: number, all: readonly Follower[]): Promise<void> {
  for (const follower of all) {
    const decisions = await env.decisions(follower);
    expect(decisions.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: signalCount }, (_, index) => index + 1),
    );
  }
  const [tradesWithoutDecision, duplicateEntries] = [
    `SELECT t.id FROM trades t WHERE t.copied_strategy_id = $1
       AND NOT EXISTS (SELECT FROM decisions d WHERE d.copier_id = t.copier_id AND d.sequence = (t.copy->>'sequence')::bigint)`,
    `SELECT copier_id, copy->>'sequence' FROM trades WHERE copied_strategy_id = $1 AND NOT is_exit
     GROUP BY 1, 2 HAVING count(*) > 1`,
  ];
  expect(await env.core.rows(tradesWithoutDecision, env.strategy.uuid)).toEqual([]);
  expect(await env.core.rows(duplicateEntries, env.strategy.uuid)).toEqual([]);
}

describe('rule 19: exactly-once copying', () => {
  it.each<PlanningStep>(['locked', 'planned', 'ordered', 'decided', 'finished'])(
    'a planner that dies at the step %s neither loses nor duplicates a copy',
    async (step) => {
      const all = await followers(5);
      await env.leaderBuys('10');
      await env.leaderBuys('4');
      for (const nth of [1, 2, 1]) {
        const dying = new CopyPlanner(env.core.platform, env.readBookMid, {
          batchMax: 2,
          onStep: failingAt(step, nth),
        });
        await expect(dying.planNext()).rejects.toThrow(`killed at ${step}`);
      }
      await new CopyPlanner(env.core.platform, env.readBookMid, { batchMax: 2 }).planNext();
      await expectOneDecisionEach(2, all);
      expect(await env.planner.planNext()).toBe(0);
      for (const follower of all) {
        expect((await env.orders(follower)).map(({ amount }) => amount)).toEqual(['5', '2']);
      }
    },
  );

  it.each<SettlementStep>(['counted', 'ordered', 'written'])(
    'a settlement that dies at the step %s neither sells an amount twice nor loses one',
    async (step) => {
      const follower = await env.followerWithLot();
      await env.leaderSells('10');
      await env.runUntilIdle();
      await env.execute(await env.lastOrder(follower), { amount: '2' });
      await env.runUntilIdle();
      const dying = new CopySettlement(env.core.platform, { onStep: failingAt(step, 1) });
      await env.core.rows('UPDATE decisions SET look_at = now() WHERE settled_at IS NULL');
      await expect(dying.settleNext()).rejects.toThrow(`killed at ${step}`);
      await env.runDecisionsNow();
      await env.executeAll();
      expect((await env.orders(follower)).map(({ side, amount }) => [side, amount])).toEqual([
        ['BUY', '5'],
        ['SELL', '5'],
        ['SELL', '3'],
      ]);
      expect(await env.held(follower)).toBe('0');
      expect(await env.lastDecision(follower)).toMatchObject({
        outcome: 'COPIED',
        filled: '5',
        settled: true,
      });
    },
  );

  it('row 2: a copy that is planned again after a crash keeps its client order id', async () => {
    const follower = await env.follower();
    const lotTradeId = await env.leaderBuys('10');
    const dying = new CopyPlanner(env.core.platform, env.readBookMid, {
      onStep: failingAt<PlanningStep>('decided', 1),
    });
    await expect(dying.planNext()).rejects.toThrow('killed at decided');
    expect(await env.orders(follower)).toEqual([]);
    await env.runUntilIdle();
    const identity = {
      copierId: follower.uuid,
      lotTradeId,
      sequence: 1,
      intent: 'OPEN',
      attempt: 1,
    } as const;
    expect(await env.lastOrder(follower)).toMatchObject({ client_order_id: clientOrderIdOf(identity) });
  });

  it('a planner whose connection fails before its commit leaves no changes and blocks no other planner', async () => {
    const all = await followers(3);
    await env.leaderBuys('10');
    const other = await env.core.openSecondPlatform();
    const dying = new CopyPlanner(other, env.readBookMid, {
      onStep: async (step) => {
        if (step !== 'decided') return;
        await env.core.rows(
          `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a
           WHERE a.datname = current_database() AND a.state = 'idle in transaction'`,
        );
      },
    });
    await expect(dying.planNext()).rejects.toThrow();
    await env.runUntilIdle();
    await expectOneDecisionEach(1, all);
  });

  it('a settlement does not wait while another worker settles the exits of the same signal', async () => {
    const follower = await env.followerWithLot();
    await env.leaderSells('10');
    await env.runUntilIdle();
    await env.core.rows(
      "UPDATE trades SET status = 'CANCELLED' WHERE id = $1",
      (await env.lastOrder(follower)).id,
    );
    const other = new CopySettlement(await env.core.openSecondPlatform());
    let settledByOther: number | string | undefined;
    const settlement = new CopySettlement(env.core.platform, {
      onStep: async (step) => {
        if (step === 'counted')
          settledByOther = await Promise.race([other.settleNext(), setTimeout(3_000, 'it waits')]);
      },
    });
    expect(await settlement.settleNext()).toBe(1);
    expect(settledByOther).toBe(0);
  });

  it('concurrent planners and settlements of several workers make each decision once, and sell once', async () => {
    const all = await followers(6);
    const other = await env.core.openSecondPlatform();
    const workers = [env.core.platform, other, env.core.platform, other].map((platform) => ({
      planner: new CopyPlanner(platform, env.readBookMid, { batchMax: 2 }),
      settlement: new CopySettlement(platform),
    }));
    const runWorkersUntilIdle = async () => {
      for (let idleRounds = 0; idleRounds < 2; ) {
        const counts = await Promise.all(
          workers.flatMap(({ planner, settlement }) => [planner.planNext(), settlement.settleNext()]),
        );
        idleRounds = counts.every((count) => count === 0) ? idleRounds + 1 : 0;
      }
    };
    await env.leaderBuys('10');
    await env.leaderBuys('6');
    await Promise.all([runWorkersUntilIdle(), env.leaderBuys('4')]);
    await expectOneDecisionEach(3, all);
    await env.executeAll();
    await env.leaderSells('20');
    await runWorkersUntilIdle();
    await env.executeAll();
    for (const follower of all) expect(await env.held(follower)).toBe('0');
  });

  it('each copier has one decision on each signal, despite concurrent starts and stops', async () => {
    const all = await followers(4);
    const stopAndStart = async (follower: Follower) => {
      for (let round = 0; round < 4; round++) {
        await env.copiers.stop(follower.actor, follower.copier.id);
        await env.copiers.start(follower.actor, follower.copier.id, { copy_existing: round % 2 === 0 });
      }
    };
    const leading = async () => {
      for (let round = 0; round < 6; round++) await env.leaderBuys('2');
    };
    const planning = async () => {
      for (let round = 0; round < 20; round++) await env.planner.planNext();
    };
    await Promise.all([leading(), planning(), ...all.map(stopAndStart)]);
    await env.runUntilIdle();
    await expectOneDecisionEach(6, all);
  });

  it('a start whose order would have no decision is rolled back', async () => {
    const follower = await env.follower({ limits: { blocked_pairs: ['BTC/USDT'] } });
    await env.leaderBuys('10');
    await env.runUntilIdle();
    await env.copiers.stop(follower.actor, follower.copier.id);
    await env.core.rows('UPDATE copiers SET blocked_pairs = NULL WHERE id = $1', follower.uuid);
    // A decision that is not settled is never replaced.
    const settle = (at: string) =>
      env.core.rows(`UPDATE decisions SET settled_at = ${at} WHERE copier_id = $1`, follower.uuid);
    await settle('NULL');
    const start = () => env.copiers.start(follower.actor, follower.copier.id, { copy_existing: true });
    await expect(start()).rejects.toThrow('already has a decision on the signal');
    expect(await env.orders(follower)).toEqual([]);
    expect(await env.copierOf(follower)).toMatchObject({ status: 'PAUSED' });
    await settle('now()');
    await start();
    expect(await env.orders(follower)).toHaveLength(1);
  });

  it('a copier started while signals arrive has a decision on each signal after its watermark', async () => {
    const waiting = await Promise.all(Array.from({ length: 5 }, () => env.follower({}, { start: false })));
    const leading = (async () => {
      for (let round = 0; round < 8; round++) await env.leaderBuys('2');
    })();
    await Promise.all([
      leading,
      ...waiting.map(({ actor, copier }) => env.copiers.start(actor, copier.id)),
      (async () => {
        for (let round = 0; round < 20; round++) await env.planner.planNext();
      })(),
    ]);
    await env.runUntilIdle();
    for (const follower of waiting) {
      const { started_sequence } = await env.core.row(
        'SELECT started_sequence::int FROM copiers WHERE id = $1',
        follower.uuid,
      );
      const sequences = (await env.decisions(follower)).map(({ sequence }) => sequence);
      const after = Array.from({ length: 8 }, (_, index) => index + 1).filter(
        (each) => each > Number(started_sequence),
      );
      expect(sequences).toEqual(after);
    }
  });

  it('a stop that is concurrent with planning leaves no open order', async () => {
    for (let round = 0; round < 5; round++) {
      const follower = await env.follower();
      await env.leaderBuys('10');
      await Promise.all([env.planner.planNext(), env.copiers.stop(follower.actor, follower.copier.id)]);
      await env.runUntilIdle();
      expect((await env.orders(follower)).filter(({ status }) => status === 'PENDING')).toEqual([]);
    }
  });

  it('row 10: a strategy whose planning fails delays no other strategy, and is planned later', async () => {
    const stuck = await env.follower();
    await env.leaderBuys('10');
    const stuckStrategy = env.strategy.uuid;
    await env.reset();
    const other = await env.follower();
    await env.leaderBuys('10');
    const planner = new CopyPlanner(env.core.platform, env.readBookMid);
    const plan = planner.planStrategy.bind(planner);
    planner.planStrategy = async (id) => {
      if (id === stuckStrategy) throw new Error('broken');
      return plan(id);
    };
    await expect(planner.planNext()).rejects.toThrow('broken');
    expect(await env.decisions(other)).toHaveLength(1);
    await env.runUntilIdle();
    expect(await env.decisions(stuck)).toHaveLength(1);
  });
});
