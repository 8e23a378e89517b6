/**
 * Tests the profit share that the leader is granted for copies that the copying service placed. `rule 28` is the row of
 * docs/trading/rules.md that a test proves.
 */
import { CopyingUnderTest } from '../src/copiers/testing/copying-under-test.js';
import { Ledger } from '../src/ledger/index.js';
import { ProfitSharesService } from '../src/rewards/index.js';
import { type UtcPeriod, utcPeriodAt } from '../src/values/index.js';

let env: CopyingUnderTest;
let shares: ProfitSharesService;

beforeAll(async () => {
  env = await CopyingUnderTest.open();
  shares = new ProfitSharesService(env.core.platform, new Ledger(env.core.platform), {});
  await shares.publishRewardType();
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.core.rows('DELETE FROM profit_share_progress');
  await env.reset({ profit_share: { rate: '0.1', period: 'WEEK' } });
});

const DAY_MS = 86_400_000;
/**
 * Settles as if the current time were one day after the end of the week `week`, or `weeksLater` weeks after that.
 *
 * @param week a week with the fills that are settled: fills that are more than 7 days older than the end of the settled
 *   week would count as too late
 */
const settleAfter = (week: UtcPeriod, weeksLater = 0) =>
  shares.settleDue(new Date(week.to.getTime() + (weeksLater * 7 + 1) * DAY_MS));
const granted = async () =>
  (await env.core.events(env.leader.userId))
    .filter(({ type }) => type === 'reward.granted')
    .map(({ data }) => ({ amount: data.amount, mark: data.high_water_mark }));

it('rule 28: the leader is granted 10 % of each rise of the high-water mark, also while lots are open', async () => {
  const follower = await env.followerWithLot();
  await env.leaderSells('5', '120');
  await env.executeAll({ price: '120' });
  const week = utcPeriodAt('WEEK', new Date());
  await settleAfter(week);
  // Five units were bought at 100.5. Half of them were sold at 120.
  expect(await granted()).toEqual([{ amount: 4.875, mark: { before: 0, after: 48.75 } }]);
  await env.leaderSells('5', '110');
  await env.executeAll({ price: '110' });
  await settleAfter(week, 1);
  // The other half was sold at 110: a profit of 72.5 in all.
  expect(await granted()).toEqual([
    { amount: 4.875, mark: { before: 0, after: 48.75 } },
    { amount: 2.375, mark: { before: 48.75, after: 72.5 } },
  ]);
  expect((await env.copierOf(follower)).high_water_mark).toBe('72.5');
});

it('rule 28: the profit share of a copier that was deleted before the period ended is still granted', async () => {
  const follower = await env.followerWithLot();
  await env.leaderSells('10', '120');
  await env.executeAll({ price: '120' });
  await env.copiers.stop(follower.actor, follower.copier.id);
  await env.copiers.delete(follower.actor, follower.copier.id);
  await settleAfter(utcPeriodAt('WEEK', new Date()), 2);
  expect(await granted()).toEqual([{ amount: 9.75, mark: { before: 0, after: 97.5 } }]);
});
