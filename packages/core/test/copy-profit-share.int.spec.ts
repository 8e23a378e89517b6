/** Real copies, and the profit share that they grant to the leader. */
import { CopyingUnderTest } from '../src/copiers/testing/copying-under-test.js';
import { Ledger } from '../src/ledger/index.js';
import { ProfitSharesService } from '../src/rewards/index.js';

let the: CopyingUnderTest;
let shares: ProfitSharesService;

beforeAll(async () => {
  the = await CopyingUnderTest.open();
  shares = new ProfitSharesService(the.core.platform, new Ledger(the.core.platform), {});
  await shares.publishRewardType();
});
afterAll(() => the.close());
beforeEach(async () => {
  await the.core.rows('DELETE FROM profit_share_progress');
  await the.reset({ profit_share: { rate: '0.1', period: 'WEEK' } });
});

const DAY_MS = 86_400_000;
/** Settles as if run that many weeks from now, after the current period. */
const settleIn = (weeks: number) => shares.settleDue(new Date(Date.now() + weeks * 7 * DAY_MS + DAY_MS));
const granted = async () =>
  (await the.core.events(the.leader.userId))
    .filter(({ type }) => type === 'reward.granted')
    .map(({ data }) => ({ amount: data.amount, mark: data.high_water_mark }));

it("rule 28: the leader is granted its rate of the rise of the copier's high-water mark, once everything is sold", async () => {
  const follower = await the.holding();
  await the.leaderSells('5', '120');
  await the.executeAll({ price: '120' });
  await settleIn(1);
  expect(await granted()).toEqual([]);
  await the.leaderSells('5', '110');
  await the.executeAll({ price: '110' });
  await settleIn(2);
  // 5 are bought at 100.5; half is sold at 120, half at 110.
  expect(await granted()).toEqual([{ amount: 7.25, mark: { before: 0, after: 72.5 } }]);
  expect((await the.copierOf(follower)).high_water_mark).toBe('72.5');
});

it('rule 28: the profit share of a copier that was deleted before the period ended is still granted', async () => {
  const follower = await the.holding();
  await the.leaderSells('10', '120');
  await the.executeAll({ price: '120' });
  await the.copiers.stop(follower.actor, follower.copier.id);
  await the.copiers.delete(follower.actor, follower.copier.id);
  await settleIn(3);
  expect(await granted()).toEqual([{ amount: 9.75, mark: { before: 0, after: 97.5 } }]);
});
