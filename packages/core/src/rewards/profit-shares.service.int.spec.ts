import { encodeId, reward as rewardSchema } from '@trading-automation/contracts';
import type { Platform } from '../platform/index.js';
import type { RecordIds } from '../testing/index.js';
import {
  type FollowerFixture,
  type LeaderFixture,
  ProfitShareUnderTest,
} from './testing/profit-share-under-test.js';

let the: ProfitShareUnderTest;
let leading: LeaderFixture;
let follower: FollowerFixture;

beforeAll(async () => {
  the = await ProfitShareUnderTest.open();
});
afterAll(() => the.close());
beforeEach(async () => {
  await the.begin();
  leading = await the.strategy();
  follower = await the.follower(leading);
});

const makes = (week: number, result: string) => the.realizeProfit(leading, follower, week, result);
const copies = (week: number, hour: number, side: 'BUY' | 'SELL', price: string, amount = '1') =>
  the.copy(leading, follower, the.at(week, hour), { side, price, amount });

describe('a profit share', () => {
  it('rule 28: is a reward of the owner of the strategy that shows its origin, with an event', async () => {
    await makes(0, '125.5');
    await the.settle(0);
    const [reward, ...more] = await the.granted(leading);
    expect(more).toEqual([]);
    expect(reward).toMatchObject({
      amount: '12.55',
      currency: 'SVC-TEST',
      status: 'CLAIMABLE',
      source: { kind: 'copier', id: encodeId('cpr', follower.copier) },
      period: { from: '2026-01-05T00:00:00.000Z', to: '2026-01-12T00:00:00.000Z' },
      high_water_mark: { before: '0', after: '125.5' },
      profit_share: {
        strategy_id: encodeId('str', leading.strategy),
        quote: 'USDT',
        rate: '0.1',
        tokens_per_quote: '1',
      },
    });
    expect(reward?.reason).toContain('10 % of the 125.5 USDT');
    expect(rewardSchema.parse(reward)).toEqual(reward);
    const events = await the.core.events(leading.owner.userId);
    expect(events.filter(({ type }) => type === 'reward.granted')).toMatchObject([
      { data: { id: reward?.id, amount: 12.55, high_water_mark: { before: 0, after: 125.5 } } },
    ]);
  });

  it('rule 28: is claimed like any reward, into the ledger', async () => {
    await makes(0, '50');
    await the.settle(0);
    const [reward] = await the.granted(leading);
    const claimed = await the.rewards.claim(leading.owner, reward!.id);
    expect(claimed).toMatchObject({ status: 'CLAIMED', period: reward!.period });
    expect(await the.rewards.balance(leading.owner)).toMatchObject({ available: '5' });
  });

  it('rule 28: counts only above the high-water mark: a loss is made good before anything is shared', async () => {
    for (const [week, result] of ['100', '-60', '40', '30', '-500', '489'].entries()) {
      await makes(week, result);
      await the.settle(week);
    }
    expect(await the.amounts(leading)).toEqual(['10', '1']);
    expect((await the.granted(leading)).map(({ high_water_mark }) => high_water_mark)).toEqual([
      { before: '0', after: '100' },
      { before: '100', after: '110' },
    ]);
    await makes(6, '11');
    await the.settle(6);
    expect(await the.amounts(leading)).toEqual(['10', '1']);
    await makes(7, '1');
    await the.settle(7);
    expect(await the.amounts(leading)).toEqual(['10', '1', '0.1']);
  });

  it('rule 28: is not granted for a copier with a loss, nor for own copiers of the owner', async () => {
    await makes(0, '-10');
    const own = await the.follower(leading, leading.owner);
    await the.realizeProfit(leading, own, 0, '1000');
    await the.settle(0);
    expect(await the.granted(leading)).toEqual([]);
    expect(await the.core.rows('SELECT FROM profit_shares WHERE strategy_id = $1', leading.strategy)).toEqual(
      [],
    );
  });

  it('rule 28: is net of fees, including those in base currency', async () => {
    await the.copy(leading, follower, the.at(0, 1), {
      side: 'BUY',
      price: '100',
      amount: '10',
      fee: '0.01',
      feeCurrency: 'BTC',
    });
    await the.copy(leading, follower, the.at(0, 2), { side: 'SELL', price: '120', amount: '9.99', fee: '2' });
    await the.settle(0);
    // 9.99 × 120 − 2 − 10 × 100.
    expect(await the.amounts(leading)).toEqual(['19.68']);
  });

  it('rule 28: waits while the copier holds part of the strategy, and is settled with the next period', async () => {
    await makes(0, '100');
    await copies(0, 100, 'BUY', '1000');
    await the.settle(0);
    expect(await the.granted(leading)).toEqual([]);
    await copies(1, 5, 'SELL', '1020');
    await the.settle(0);
    expect(await the.granted(leading)).toEqual([]);
    await the.settle(1);
    expect(await the.granted(leading)).toMatchObject([
      { amount: '12', period: { to: '2026-01-19T00:00:00.000Z' }, high_water_mark: { after: '120' } },
    ]);
  });

  it('rule 28: does not wait for a remainder too small to sell', async () => {
    // Half a unit is left, worth less than the exchange accepts.
    await copies(0, 1, 'BUY', '1', '10');
    await copies(0, 2, 'SELL', '1.1', '9.5');
    await the.settle(0);
    expect(await the.amounts(leading)).toEqual(['0.095']);
  });

  it('rule 28: includes the loss on a remainder of less than one step', async () => {
    await copies(0, 1, 'BUY', '1000', '1.009');
    await copies(0, 2, 'SELL', '1100', '1');
    await the.settle(0);
    // 1,100 − 1,009.
    expect(await the.amounts(leading)).toEqual(['9.1']);
  });

  it('rule 28: uses the profit at the end of the period, however late it is settled', async () => {
    await makes(0, '100');
    await makes(1, '-40');
    await makes(2, '90');
    await the.settle(2);
    expect((await the.granted(leading)).map(({ period, amount }) => [period?.to, amount])).toEqual([
      ['2026-01-12T00:00:00.000Z', '10'],
      ['2026-01-26T00:00:00.000Z', '5'],
    ]);
  });

  it('rule 28: is not settled before the period has ended and its last fills can be known', async () => {
    await makes(0, '100');
    for (const early of [the.at(0, 167), the.at(1), new Date(the.at(1).getTime() + 9 * 60_000)]) {
      await the.shares().settleDue(early);
      expect(await the.granted(leading)).toEqual([]);
    }
    await the.shares().settleDue(new Date(the.at(1).getTime() + 10 * 60_000));
    expect(await the.amounts(leading)).toEqual(['10']);
  });

  it('rule 28: continues after stops, restarts, and the removal of copier and strategy', async () => {
    await makes(0, '100');
    await the.settle(0);
    const set = (columns: string) =>
      the.core.rows(`UPDATE copiers SET ${columns} WHERE id = $1`, follower.copier);
    await set("status = 'PAUSED', stopped_at = now()");
    await makes(1, '-30');
    await the.settle(1);
    await set("status = 'ACTIVE', started_at = now(), stopped_at = NULL");
    await makes(2, '20');
    await the.settle(2);
    await set("status = 'PAUSED', deleted_at = now(), strategy_id = NULL");
    await the.core.rows(
      "UPDATE strategies SET status = 'ARCHIVED', deleted_at = now() WHERE id = $1",
      leading.strategy,
    );
    await makes(3, '15');
    await the.settle(3);
    expect(await the.amounts(leading)).toEqual(['10', '0.5']);
  });

  it('rule 28: is computed separately for each strategy that a copier follows', async () => {
    const second = await the.strategy('0.5', 'WEEK', leading.owner);
    await makes(0, '100');
    await the.realizeProfit(second, follower, 0, '-80');
    await the.settle(0);
    await the.realizeProfit(second, follower, 1, '90');
    await the.settle(1);
    expect(await the.amounts(leading)).toEqual(['10', '5']);
  });

  it.each([
    ['MONTH', '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['QUARTER', '2026-01-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
  ])('rule 28: is settled by the %s where the strategy says so', async (kind, from, to) => {
    const slow = await the.strategy('0.2', kind);
    const by = await the.follower(slow);
    await the.realizeProfit(slow, by, 0, '50');
    await the.shares().settleDue(new Date(Date.parse(to) - 1));
    expect(await the.granted(slow)).toEqual([]);
    await the.shares().settleDue(new Date(Date.parse(to) + 3_600_000));
    expect(await the.granted(slow)).toMatchObject([{ amount: '10', period: { from, to } }]);
  });

  it('rule 28: uses the rate at settlement, never for profit that was settled or free before', async () => {
    const free = await the.strategy(null);
    const by = await the.follower(free);
    await the.realizeProfit(free, by, 0, '100');
    await the.settle(0);
    const ask = (rate: string) =>
      the.core.rows(
        "UPDATE strategies SET profit_share_rate = $2, profit_share_period = 'WEEK' WHERE id = $1",
        free.strategy,
        rate,
      );
    await ask('0.1');
    await the.settle(1);
    expect(await the.granted(free)).toEqual([]);
    await the.realizeProfit(free, by, 2, '10');
    await the.settle(2);
    await ask('0.5');
    await the.realizeProfit(free, by, 3, '10');
    await the.settle(3);
    expect(await the.amounts(free)).toEqual(['1', '5']);
  });
});

describe('quote currencies', () => {
  let other: RecordIds;
  beforeAll(async () => {
    other = await the.core.pair({ quote: 'EUR' });
  });

  it('have separate marks and conversion rates', async () => {
    await makes(0, '100');
    await the.realizeProfit(leading, follower, 0, '-70', other);
    await the.realizeProfit(leading, follower, 1, '90', other);
    await the.settle(1, { tokensPerQuote: { USDT: '2', EUR: '1.5' } });
    const shown = (await the.granted(leading)).map(({ amount, profit_share }) => [
      profit_share?.quote,
      profit_share?.tokens_per_quote,
      amount,
    ]);
    expect(shown).toEqual([
      ['USDT', '2', '20'],
      ['EUR', '1.5', '3'],
    ]);
  });

  it('rule 28: without a conversion rate grant nothing, and their profit is carried until there is one', async () => {
    await the.realizeProfit(leading, follower, 0, '70', other);
    await the.settle(0);
    expect(await the.granted(leading)).toEqual([]);
    await the.settle(1, { tokensPerQuote: { EUR: '1' } });
    expect(await the.granted(leading)).toMatchObject([{ amount: '7', high_water_mark: { before: '0' } }]);
  });

  it('wait for each other: a holding in one belongs to the same strategy', async () => {
    await makes(0, '100');
    await the.copy(leading, follower, the.at(0, 3), { side: 'BUY', price: '1000', pair: other });
    await the.settle(0);
    expect(await the.granted(leading)).toEqual([]);
  });

  it('have no rate in the live world unless it is configured', async () => {
    const { database, listener, instance } = the.core.platform;
    const live = { ...the.core.platform, database, listener, instance, world: 'live' } as Platform;
    await makes(0, '100');
    await the.shares({}, live).publishRewardType();
    const type = () => the.core.row("SELECT is_active FROM reward_types WHERE code = 'PROFIT_SHARE'");
    expect(await type()).toEqual({ is_active: false });
    await the.shares({}, live).settleDue(the.at(1, 1));
    expect(await the.granted(leading)).toEqual([]);
    await the.shares().publishRewardType();
    expect(await type()).toEqual({ is_active: true });
  });
});

describe('the reward type', () => {
  it('is published with its rule; publishing it again changes nothing', async () => {
    const read = () => the.core.rows("SELECT * FROM reward_types WHERE code = 'PROFIT_SHARE'");
    const before = await read();
    await Promise.all([the.shares().publishRewardType(), the.shares().publishRewardType()]);
    expect(await read()).toEqual(before);
    expect(await the.types()).toMatchObject([
      { code: 'PROFIT_SHARE', rule: { basis: 'PROFIT_SHARE', rate: '0.5', period: 'WEEK|MONTH|QUARTER' } },
    ]);
  });
});
