/**
 * Tests the profit share that the leader is granted for copies that the copying service placed. `rule 28` is the row of
 * docs/trading/rules.md that a test proves.
 */
import { CopyingUnderTest } from '../src/copiers/testing/copying-under-test.js';
import { Ledger } from '../src/ledger/index.js';
import { ProfitSharesService } from '../src/rewards/index.js';

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
/** Settles as if the current time were `weeks` weeks and one day later. */
const settleIn = (weeks: number) => shares.settleDue(new Date(Date.now() + weeks * 7 * DAY_MS + DAY_MS));
const granted = async () =>
  (await env.core.events(env.leader.userId))
    .filter(({ type }) => type === 'reward.granted')
    .map(({ data }) => ({ amount: data.amount, mark: data.high_water_mark }));

it('rule 28: the leader is granted 10 % of each rise of the high-water mark, also while lots are open', async () => {
  const follower = await env.followerWithLot();
  await env.leaderSells('5', '120');
  await env.executeAll({ price: '120' });
  await settleIn(1);
  // Five units were bought at 100.5. Half of them were sold at 120.
  expect(await granted()).toEqual([{ amount: 4.875, mark: { before: 0, after: 48.75 } }]);
  await env.leaderSells('5', '110');
  await env.executeAll({ price: '110' });
  await settleIn(2);
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
  await settleIn(3);
  expect(await granted()).toEqual([{ amount: 9.75, mark: { before: 0, after: 97.5 } }]);
});
