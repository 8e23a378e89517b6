/**
 * Tests that profit shares are granted once, despite concurrency and failures, and can be recomputed from the lots.
 * `rule 28` is the row of docs/trading/rules.md that a test proves.
 */
import { newUuid, sqlStateOf } from '@trading-automation/persistence';
import fc from 'fast-check';
import type { Ledger } from '../../ledger/index.js';
import type { Platform } from '../../platform/index.js';
import { BigDecimal } from '../../values/index.js';
import {
  type CopierFixture,
  type LeaderFixture,
  ProfitShareUnderTest,
} from './testing/profit-share-under-test.js';

let env: ProfitShareUnderTest;
let leader: LeaderFixture;
let copier: CopierFixture;
let secondPlatform: Platform;

beforeAll(async () => {
  env = await ProfitShareUnderTest.open();
  secondPlatform = await env.core.openSecondPlatform();
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.resetProgress();
  leader = await env.createLeader();
  copier = await env.createCopier(leader);
});

const week = (n: number) => ({ kind: 'WEEK', from: env.at(n), to: env.at(n + 1) }) as const;
const countGrantedEvents = async () =>
  (await env.core.events(leader.owner.userId)).filter(({ type }) => type === 'reward.granted').length;
const sharesOf = ({ id }: CopierFixture) =>
  env.core.rows(
    `SELECT period_to AS "to", rate, tokens_per_quote AS tokens, mark_before AS before, mark_after AS after, r.amount
     FROM profit_settlements s LEFT JOIN rewards r ON r.profit_settlement_id = s.id
     WHERE s.copier_id = $1 AND s.mark_after > s.mark_before ORDER BY s.period_to`,
    id,
  );

describe('a profit share is granted once', () => {
  it('rule 28: despite concurrent settlements of the same period by several processes', async () => {
    await env.realizeProfit(leader, copier, 0, '100');
    const workers = Array.from({ length: 8 }, (_, i) =>
      env.createService({}, i % 2 === 0 ? env.core.platform : secondPlatform),
    );
    const granted = await Promise.all(workers.map((worker) => worker.settle(week(0), env.at(2))));
    expect(granted.reduce((sum, { granted: count }) => sum + count, 0)).toBe(1);
    expect(await env.grantedAmounts(leader)).toEqual(['10']);
    expect(await countGrantedEvents()).toBe(1);
  });

  it('rule 28: despite workers that settle different periods concurrently', async () => {
    for (const [n, result] of ['100', '50', '-20', '80'].entries())
      await env.realizeProfit(leader, copier, n, result);
    await Promise.all(
      [0, 1, 2, 3, 3, 2, 1, 0].map((n, i) =>
        env.createService({}, i % 2 === 0 ? env.core.platform : secondPlatform).settle(week(n), env.at(5)),
      ),
    );
    const total = (await env.grantedAmounts(leader)).reduce(
      (sum, amount) => sum.plus(amount),
      new BigDecimal(0),
    );
    expect(total.toFixed()).toBe('21');
  });

  it('rule 28: despite two workers that repeatedly settle all due periods at the same time', async () => {
    await env.realizeProfit(leader, copier, 0, '100');
    const workers = [env.createService(), env.createService({}, secondPlatform)];
    for (let round = 0; round < 3; round++)
      await Promise.all(workers.map((worker) => worker.settleDue(env.at(1, 1))));
    expect(await env.grantedAmounts(leader)).toEqual(['10']);
    expect(await countGrantedEvents()).toBe(1);
  });

  it('rule 28: despite lost progress, after which all periods are settled again', async () => {
    await env.realizeProfit(leader, copier, 0, '100');
    await env.realizeProfit(leader, copier, 1, '20');
    for (let round = 0; round < 3; round++) {
      await env.resetProgress();
      await env.settle(1);
    }
    expect(await env.grantedAmounts(leader)).toEqual(['10', '2']);
    expect(await countGrantedEvents()).toBe(2);
  });

  it('rule 28: even if a worker is interrupted: its changes are rolled back, and the next worker grants the share', async () => {
    await env.realizeProfit(leader, copier, 0, '100');
    const failingLedger = {
      get token(): never {
        throw new Error('interrupted');
      },
    } as unknown as Ledger;
    const interruptedWorker = env.createService({}, secondPlatform, failingLedger);
    await expect(interruptedWorker.settleDue(env.at(1, 1))).rejects.toThrow('interrupted');
    expect(await sharesOf(copier)).toEqual([]);
    expect(await countGrantedEvents()).toBe(0);
    await env.settle(0);
    expect(await env.grantedAmounts(leader)).toEqual(['10']);
    expect(await countGrantedEvents()).toBe(1);
  });
});

describe('the database constraints', () => {
  const failureOf = (statement: string, ...params: unknown[]) =>
    env.core.rows(statement, ...params).then(
      () => 'accepted',
      (error) => `${sqlStateOf(error)} ${error.driverError?.constraint}`,
    );
  const insertSettlement = (to: Date, before: string, after: string) =>
    failureOf(
      `INSERT INTO profit_settlements (id, user_id, leader_account_id, currency, period_from, period_to, copier_id,
         strategy_id, rate, tokens_per_quote, realized, open_loss, mark_before, mark_after, amount)
       VALUES ($1, $2, $3, 'USDT', $4, $5, $6, $7, 0.1, 1, $9, 0, $8, $9, 0)`,
      newUuid(),
      copier.actor.userId,
      leader.account.uuid,
      env.at(0),
      to,
      copier.id,
      leader.strategy,
      before,
      after,
    );

  it('rule 28: reject a repeated period, a repeated high-water mark, and a falling high-water mark', async () => {
    await env.realizeProfit(leader, copier, 0, '100');
    await env.settle(0);
    expect(await insertSettlement(env.at(1), '100', '110')).toBe('23505 profit_settlements_period_key');
    expect(await insertSettlement(env.at(2), '0', '110')).toBe('23505 profit_settlements_mark_key');
    expect(await insertSettlement(env.at(2), '100', '90')).toMatch(/^23514 /);
    expect(await insertSettlement(env.at(2), '-10', '90')).toMatch(/^23514 /);
    expect(await sharesOf(copier)).toHaveLength(1);
  });

  it('rule 28: reject a second reward for a settlement, and changes or deletions of settlements', async () => {
    await env.realizeProfit(leader, copier, 0, '100');
    await env.settle(0);
    expect(
      await failureOf(
        `INSERT INTO rewards (id, user_id, type_id, amount, currency, reason, source_kind, source_id,
           profit_settlement_id, claimable_at)
         SELECT gen_random_uuid(), user_id, type_id, amount, currency, reason, source_kind, source_id,
           profit_settlement_id, claimable_at FROM rewards WHERE source_id = $1`,
        copier.id,
      ),
    ).toBe('23505 rewards_profit_settlement_key');
    const appendOnly = '23001 ledger_append_only';
    const change = 'UPDATE profit_settlements SET mark_after = 1000 WHERE copier_id = $1';
    expect(await failureOf('DELETE FROM profit_settlements WHERE copier_id = $1', copier.id)).toBe(
      appendOnly,
    );
    expect(await failureOf(change, copier.id)).toBe(appendOnly);
    for (const table of ['profit_shares', 'copier_terms', 'identity_hashes', 'profit_settlement_lots'])
      expect(await failureOf(`DELETE FROM ${table}`)).toBe(appendOnly);
  });

  it('rule 28: reject a claim of a grant whose amount is not final', async () => {
    await env.realizeProfit(leader, copier, 0, '100');
    await env.settle(0);
    expect(await failureOf('UPDATE rewards SET claimed_at = now() WHERE source_id = $1', copier.id)).toBe(
      '23001 rewards_pending_claim',
    );
  });
});

/** A lot of a copier: its profit, the hour of its purchase, counted from week 0, and the hours until its sale. */
const anyLot = fc.record({
  result: fc.integer({ min: -300, max: 300 }),
  bought: fc.nat(4 * 168 - 2),
  held: fc.integer({ min: 1, max: 200 }),
});

describe('an audit', () => {
  it('rule 28: computes the same rewards from the fills alone as the product granted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyLot, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.integer({ min: 500, max: 1_500 }), { minLength: 12, maxLength: 12 }),
        async (lots, thousandths, prices) => {
          const rate = new BigDecimal(thousandths).div(1000).toFixed();
          await env.resetProgress();
          const auditedLeader = await env.createLeader(rate);
          const auditedCopier = await env.createCopier(auditedLeader);
          // The lots do not overlap, so that each sale closes exactly one lot.
          let nextFreeHour = 0;
          const scheduled = lots
            .toSorted((a, b) => a.bought - b.bought)
            .map(({ result, bought, held }) => {
              const from = Math.max(nextFreeHour, bought);
              nextFreeHour = from + held + 1;
              return { result, from, to: from + held };
            });
          for (const { result, from, to } of scheduled) {
            await env.insertCopy(auditedLeader, auditedCopier, env.at(0, from), {
              side: 'BUY',
              price: '1000',
            });
            await env.insertCopy(auditedLeader, auditedCopier, env.at(0, to), {
              side: 'SELL',
              price: String(1000 + result),
            });
          }
          const weeks = Math.ceil((nextFreeHour + 1) / 168);
          for (const [n, price] of prices.entries()) await env.priceAtEnd(n, String(price));
          await env.settle(weeks);
          const expected: string[] = [];
          let mark = 0;
          for (let n = 0; n <= weeks; n++) {
            const end = (n + 1) * 168;
            const openLosses = scheduled.reduce(
              (sum, { from, to }) =>
                from < end && to >= end ? sum + Math.max(0, 1000 - (prices[n] ?? prices.at(-1)!)) : sum,
              0,
            );
            const profit =
              scheduled.reduce((sum, { result, to }) => sum + (to < end ? result : 0), 0) - openLosses;
            if (profit <= mark) continue;
            expected.push(new BigDecimal(profit - mark).times(rate).toFixed());
            mark = profit;
          }
          expect(await env.grantedAmounts(auditedLeader)).toEqual(expected);
          for (const { before, after, tokens, amount } of await sharesOf(auditedCopier)) {
            const gain = new BigDecimal(String(after)).minus(String(before));
            expect(gain.times(rate).times(String(tokens)).toFixed()).toBe(
              new BigDecimal(String(amount)).toFixed(),
            );
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});
