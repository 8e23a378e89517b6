/** Tests of the monthly budget of profit shares. `rule 28` is the row of docs/trading/rules.md that a test proves. */
import fc from 'fast-check';
import type { Platform } from '../../platform/index.js';
import { BigDecimal } from '../../values/index.js';
import { type LeaderFixture, ProfitShareUnderTest } from './testing/profit-share-under-test.js';

let env: ProfitShareUnderTest;
let secondPlatform: Platform;

beforeAll(async () => {
  env = await ProfitShareUnderTest.open();
  secondPlatform = await env.core.openSecondPlatform();
});
afterAll(() => env.close());

const claimableEvents = async ({ owner }: LeaderFixture) =>
  (await env.core.events(owner.userId)).filter(({ type }) => type === 'reward.claimable');
const sumOf = (amounts: readonly string[]) =>
  amounts.reduce((sum, amount) => sum.plus(amount), new BigDecimal(0));
const month = (number: number) => new Date(Date.UTC(2026, number));
const hourAfter = (at: Date) => new Date(at.getTime() + 3_600_000);

/** Settles a gain for each new copying user in the given month, up to its end. Returns the leader. */
async function earnIn(number: number, gains: readonly string[], budget: string) {
  const leader = await env.createLeader('0.5');
  const bought = new Date(month(number).getTime() + 1_000);
  for (const gain of gains) {
    const copier = await env.createCopier(leader);
    await env.insertCopy(leader, copier, bought, { side: 'BUY', price: '1000' });
    const price = new BigDecimal(gain).plus(1000).toFixed();
    await env.insertCopy(leader, copier, new Date(bought.getTime() + 1), { side: 'SELL', price });
  }
  const settings = { monthlyBudget: budget };
  await env.createService(settings).settleDue(new Date(month(number).getTime() + 9 * 86_400_000));
  return {
    leader,
    finalize: () => env.createService(settings).settleDue(hourAfter(month(number + 1))),
  };
}

describe('the budget of a month', () => {
  beforeAll(() => env.resetProgress());

  it('rule 28: scales all grants of the month by one factor once the month has ended; marks are not scaled', async () => {
    const { leader, finalize } = await earnIn(1, ['100', '300'], '50');
    const before = await env.grantedRewards(leader);
    expect(before.map(({ amount, status }) => [amount, status])).toEqual([
      ['50', 'PENDING'],
      ['150', 'PENDING'],
    ]);
    await finalize();
    const after = await env.grantedRewards(leader);
    expect(
      after.map(({ amount, status, profit_share, high_water_mark }) => [
        amount,
        status,
        profit_share?.scale,
        profit_share?.unscaled_amount,
        high_water_mark?.after,
      ]),
    ).toEqual([
      ['12.5', 'CLAIMABLE', '0.25', '50', '100'],
      ['37.5', 'CLAIMABLE', '0.25', '150', '300'],
    ]);
    const events = await claimableEvents(leader);
    expect(events.map(({ data }) => [data.id, data.amount, data.status]).sort()).toEqual(
      after.map(({ id, amount }) => [id, Number(amount), 'CLAIMABLE']).sort(),
    );
  });

  it('rule 28: does not scale grants within the budget', async () => {
    const { leader, finalize } = await earnIn(2, ['100', '300'], '200');
    await finalize();
    const granted = await env.grantedRewards(leader);
    expect(granted.map(({ amount, profit_share }) => [amount, profit_share?.scale])).toEqual([
      ['50', '1'],
      ['150', '1'],
    ]);
  });

  it('rule 28: is applied once, by workers that settle at the same time and by later settlements', async () => {
    const { leader } = await earnIn(3, ['100'], '10');
    const workers = [env.core.platform, secondPlatform, env.core.platform].map((platform) =>
      env.createService({ monthlyBudget: '10' }, platform),
    );
    await Promise.all(workers.map((worker) => worker.settleDue(hourAfter(month(4)))));
    await env.createService({ monthlyBudget: '1' }).settleDue(hourAfter(month(4)));
    expect(await env.grantedAmounts(leader)).toEqual(['10']);
    expect(await claimableEvents(leader)).toHaveLength(1);
    const months = await env.core.rows(
      'SELECT budget::int FROM profit_share_months WHERE month = $1',
      '2026-04-01',
    );
    expect(months).toEqual([{ budget: 10 }]);
  });

  it('a grant of which the scale leaves nothing expires', async () => {
    const { leader, finalize } = await earnIn(4, ['0.000000000000000004', '1000'], '1');
    await finalize();
    const granted = await env.grantedRewards(leader);
    expect(granted.map(({ amount, status }) => [amount, status])).toEqual([
      ['0', 'EXPIRED'],
      ['0.999999999999999999', 'CLAIMABLE'],
    ]);
    expect(await claimableEvents(leader)).toMatchObject([{ data: { id: granted[1]?.id } }]);
  });

  it('rule 28: counts a late grant for the next month whose grants are not final', async () => {
    const first = await earnIn(5, ['100'], '10');
    await first.finalize();
    await env.core.rows("DELETE FROM profit_share_progress WHERE period = 'WEEK'");
    await env.core.rows(
      "INSERT INTO profit_share_progress (period, settled_until) VALUES ('WEEK', '2026-06-01Z')",
    );
    const late = await earnIn(5, ['60'], '10');
    await env.createService({ monthlyBudget: '10' }).settleDue(hourAfter(month(6)));
    expect(await env.grantedRewards(late.leader)).toMatchObject([{ status: 'PENDING', amount: '30' }]);
    await env.createService({ monthlyBudget: '10' }).settleDue(hourAfter(month(7)));
    expect(await env.grantedRewards(late.leader)).toMatchObject([{ status: 'CLAIMABLE', amount: '10' }]);
  });

  it('rule 28: is 0 in the live world by default: nothing is granted, and the mark rises', async () => {
    const { database, listener, instance } = env.core.platform;
    const live = { ...env.core.platform, database, listener, instance, world: 'live' } as Platform;
    const leader = await env.createLeader('0.5');
    const copier = await env.createCopier(leader);
    await env.core.rows("UPDATE users SET created_at = '2020-01-01' WHERE id = $1", copier.actor.userId);
    const bought = new Date(month(8).getTime() + 1_000);
    await env.insertCopy(leader, copier, bought, { side: 'BUY', price: '1000' });
    await env.insertCopy(leader, copier, new Date(bought.getTime() + 1), { side: 'SELL', price: '1100' });
    const service = env.createService({ tokensPerQuote: { USDT: '1' } }, live);
    await service.settleDue(new Date(month(8).getTime() + 9 * 86_400_000));
    expect(await env.grantedRewards(leader)).toEqual([]);
    const [settled] = await env.core.rows(
      'SELECT withheld, mark_after::int FROM profit_settlements WHERE user_id = $1',
      copier.actor.userId,
    );
    expect(settled).toEqual({ withheld: 'NO_BUDGET', mark_after: 100 });
  });

  it('rule 28: is never exceeded, and each grant is the share that an exact computation gives, rounded down', async () => {
    let number = 12;
    const gains = fc.array(fc.integer({ min: 1, max: 999_999_999 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        gains,
        fc.integer({ min: 1, max: 1_000_000_000 }),
        async (millionths, budgetMillionths) => {
          const amounts = millionths.map((gain) => new BigDecimal(gain).div(1_000_000).toFixed());
          const budget = new BigDecimal(budgetMillionths).div(1_000_000).toFixed();
          const { leader, finalize } = await earnIn(number++, amounts, budget);
          await finalize();
          const granted = await env.grantedAmounts(leader);
          const requested = millionths.reduce((sum, gain) => sum + BigInt(gain), 0n);
          const expected = millionths.map((gain) => {
            // Half of the gain in units of 10⁻¹⁸, scaled by budget ÷ (requested ÷ 2), at most 1.
            const unscaled = (BigInt(gain) * 10n ** 12n) / 2n;
            const scaled = (unscaled * BigInt(budgetMillionths) * 2n) / requested;
            return new BigDecimal((scaled < unscaled ? scaled : unscaled).toString()).div('1e18').toFixed();
          });
          expect(granted).toEqual(expected);
          expect(sumOf(granted).lte(budget)).toBe(true);
        },
      ),
      { numRuns: 15 },
    );
  });
});
