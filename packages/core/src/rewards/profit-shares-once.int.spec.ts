/** Profit shares are granted once, despite concurrent settlements and failures, and can be recomputed from the lots. */
import type { ProfitSharePeriod } from '@trading-automation/contracts';
import { newUuid, sqlStateOf } from '@trading-automation/persistence';
import fc from 'fast-check';
import type { Ledger } from '../ledger/index.js';
import type { Platform } from '../platform/index.js';
import { BigDecimal } from '../values/index.js';
import {
  type FollowerFixture,
  type LeaderFixture,
  ProfitShareUnderTest,
} from './testing/profit-share-under-test.js';

let the: ProfitShareUnderTest;
let leading: LeaderFixture;
let follower: FollowerFixture;
let second: Platform;

beforeAll(async () => {
  the = await ProfitShareUnderTest.open();
  second = await the.core.openSecondPlatform();
});
afterAll(() => the.close());
beforeEach(async () => {
  await the.begin();
  leading = await the.strategy();
  follower = await the.follower(leading);
});

const WEEK: ProfitSharePeriod = 'WEEK';
const week = (n: number) => ({ from: the.at(n), to: the.at(n + 1) });
const grantedCount = async () =>
  (await the.core.events(leading.owner.userId)).filter(({ type }) => type === 'reward.granted').length;
const sharesOf = ({ copier }: FollowerFixture) =>
  the.core.rows(
    `SELECT quote, period_to AS "to", rate, tokens_per_quote AS tokens, high_water_before AS before,
       high_water_after AS after, r.amount
     FROM profit_shares f LEFT JOIN rewards r ON r.profit_share_id = f.id WHERE f.copier_id = $1 ORDER BY f.period_to`,
    copier,
  );

describe('a profit share is granted once', () => {
  it('rule 28: despite concurrent settlements of the same period by several processes', async () => {
    await the.realizeProfit(leading, follower, 0, '100');
    const workers = Array.from({ length: 8 }, (_, i) =>
      the.shares({}, i % 2 === 0 ? the.core.platform : second),
    );
    const granted = await Promise.all(workers.map((shares) => shares.settle(WEEK, week(0))));
    expect(granted.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await the.amounts(leading)).toEqual(['10']);
    expect(await grantedCount()).toBe(1);
  });

  it('rule 28: despite workers that settle different periods concurrently', async () => {
    for (const [n, result] of ['100', '50', '-20', '80'].entries())
      await the.realizeProfit(leading, follower, n, result);
    await Promise.all(
      [0, 1, 2, 3, 3, 2, 1, 0].map((n, i) =>
        the.shares({}, i % 2 === 0 ? the.core.platform : second).settle(WEEK, week(n)),
      ),
    );
    const total = (await the.amounts(leading)).reduce((sum, amount) => sum.plus(amount), new BigDecimal(0));
    expect(total.toFixed()).toBe('21');
  });

  it('rule 28: despite two workers that repeatedly settle what is due', async () => {
    await the.realizeProfit(leading, follower, 0, '100');
    const shares = [the.shares(), the.shares({}, second)];
    for (let turn = 0; turn < 3; turn++)
      await Promise.all(shares.map((each) => each.settleDue(the.at(1, 1))));
    expect(await the.amounts(leading)).toEqual(['10']);
    expect(await grantedCount()).toBe(1);
  });

  it('rule 28: despite a repeated settlement of all periods', async () => {
    await the.realizeProfit(leading, follower, 0, '100');
    await the.realizeProfit(leading, follower, 1, '20');
    for (let turn = 0; turn < 3; turn++) {
      await the.begin();
      await the.settle(1);
    }
    expect(await the.amounts(leading)).toEqual(['10', '2']);
    expect(await grantedCount()).toBe(2);
  });

  it('rule 28: despite a worker that is interrupted: its changes are rolled back, and the next worker grants it', async () => {
    await the.realizeProfit(leading, follower, 0, '100');
    const broken = {
      get token(): never {
        throw new Error('cut off');
      },
    } as unknown as Ledger;
    await expect(the.shares({}, second, broken).settleDue(the.at(1, 1))).rejects.toThrow('cut off');
    expect(await sharesOf(follower)).toEqual([]);
    expect(await grantedCount()).toBe(0);
    await the.settle(0);
    expect(await the.amounts(leading)).toEqual(['10']);
    expect(await grantedCount()).toBe(1);
  });
});

describe('the database constraints', () => {
  const byHand = (to: Date, before: string, after: string) =>
    the.core
      .rows(
        `INSERT INTO profit_shares (id, copier_id, strategy_id, quote, period_from, period_to, rate, tokens_per_quote,
           high_water_before, high_water_after) VALUES ($1, $2, $3, 'USDT', $4, $5, 0.1, 1, $6, $7)`,
        newUuid(),
        follower.copier,
        leading.strategy,
        the.at(0),
        to,
        before,
        after,
      )
      .then(
        () => 'it went through',
        (error) => `${sqlStateOf(error)} ${error.driverError?.constraint}`,
      );

  it('rule 28: reject a repeated period, a repeated mark, and a mark that falls', async () => {
    await the.realizeProfit(leading, follower, 0, '100');
    await the.settle(0);
    expect(await byHand(the.at(1), '100', '110')).toBe('23505 profit_shares_period_key');
    expect(await byHand(the.at(2), '0', '110')).toBe('23505 profit_shares_mark_key');
    expect(await byHand(the.at(2), '100', '90')).toMatch(/^23514 /);
    expect(await byHand(the.at(2), '-10', '90')).toMatch(/^23514 /);
    expect(await sharesOf(follower)).toHaveLength(1);
  });

  it('rule 28: reject a second reward for a share, and changes or removal of shares', async () => {
    await the.realizeProfit(leading, follower, 0, '100');
    await the.settle(0);
    const failureOf = (statement: string) =>
      the.core.rows(statement, follower.copier).then(
        () => 'it went through',
        (error) => `${sqlStateOf(error)} ${error.driverError?.constraint}`,
      );
    expect(
      await failureOf(
        `INSERT INTO rewards (id, user_id, type_id, amount, currency, reason, source_kind, source_id, profit_share_id,
           claimable_at)
         SELECT gen_random_uuid(), user_id, type_id, amount, currency, reason, source_kind, source_id, profit_share_id,
           claimable_at FROM rewards WHERE source_id = $1`,
      ),
    ).toBe('23505 rewards_profit_share_key');
    const refused = '23001 ledger_append_only';
    expect(await failureOf('DELETE FROM profit_shares WHERE copier_id = $1')).toBe(refused);
    expect(await failureOf('UPDATE profit_shares SET high_water_after = 1000 WHERE copier_id = $1')).toBe(
      refused,
    );
  });
});

/** A copier's trades: the price rise of a lot, and the hours after the start at which it was bought and sold. */
const traded = fc.record({
  result: fc.integer({ min: -300, max: 300 }),
  bought: fc.nat(4 * 168 - 2),
  held: fc.integer({ min: 1, max: 200 }),
});

describe('an audit', () => {
  it('rule 28: recomputes every reward from fills alone, and finds no other reward', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(traded, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 500 }),
        async (lots, thousandths) => {
          const rate = new BigDecimal(thousandths).div(1000).toFixed();
          await the.begin();
          const led = await the.strategy(rate);
          const by = await the.follower(led);
          // One lot after the other, so that each closure is evident without matching.
          let free = 0;
          const plain = lots
            .toSorted((a, b) => a.bought - b.bought)
            .map(({ result, bought, held }) => {
              const from = Math.max(free, bought);
              free = from + held + 1;
              return { result, from, to: from + held };
            });
          for (const { result, from, to } of plain) {
            await the.copy(led, by, the.at(0, from), { side: 'BUY', price: '1000' });
            await the.copy(led, by, the.at(0, to), { side: 'SELL', price: String(1000 + result) });
          }
          const weeks = Math.ceil((free + 1) / 168);
          await the.settle(weeks);
          const expected: string[] = [];
          let mark = 0;
          for (let n = 0; n <= weeks; n++) {
            const end = (n + 1) * 168;
            if (plain.some(({ from, to }) => from < end && to >= end)) continue;
            const profit = plain.reduce((sum, { result, to }) => sum + (to < end ? result : 0), 0);
            if (profit <= mark) continue;
            expected.push(new BigDecimal(profit - mark).times(rate).toFixed());
            mark = profit;
          }
          expect(await the.amounts(led)).toEqual(expected);
          for (const { before, after, tokens, amount } of await sharesOf(by)) {
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
