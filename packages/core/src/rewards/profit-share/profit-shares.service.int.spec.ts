/** Tests of the settlement of profit shares. `rule 28` is the row of docs/trading/rules.md that a test proves. */
import { encodeId, reward as rewardSchema } from '@trading-automation/contracts';
import type { Platform } from '../../platform/index.js';
import type { RecordIds } from '../../testing/index.js';
import {
  type CopierFixture,
  type LeaderFixture,
  ProfitShareUnderTest,
} from './testing/profit-share-under-test.js';

let env: ProfitShareUnderTest;
let leader: LeaderFixture;
let copier: CopierFixture;

beforeAll(async () => {
  env = await ProfitShareUnderTest.open();
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.resetProgress();
  leader = await env.createLeader();
  copier = await env.createCopier(leader);
});

const realizeProfit = (week: number, result: string) => env.realizeProfit(leader, copier, week, result);
const copyTrade = (week: number, hour: number, side: 'BUY' | 'SELL', price: string, amount = '1') =>
  env.insertCopy(leader, copier, env.at(week, hour), { side, price, amount });

describe('a profit share', () => {
  it('rule 28: is granted to the owner of the strategy as a reward that shows its origin, and emits an event', async () => {
    await realizeProfit(0, '125.5');
    await env.settle(0);
    const [reward, ...more] = await env.grantedRewards(leader);
    expect(more).toEqual([]);
    expect(reward).toMatchObject({
      amount: '12.55',
      currency: 'SVC-TEST',
      status: 'PENDING',
      claimable_at: '2026-02-01T00:00:00.000Z',
      source: { kind: 'copier', id: encodeId('cpr', copier.id) },
      period: { from: '2026-01-05T00:00:00.000Z', to: '2026-01-12T00:00:00.000Z' },
      high_water_mark: { before: '0', after: '125.5' },
      profit_share: {
        strategy_id: encodeId('str', leader.strategy),
        quote: 'USDT',
        rate: '0.1',
        tokens_per_quote: '1',
        realized: '125.5',
        open_loss: '0',
        unscaled_amount: '12.55',
        lot_count: 1,
      },
    });
    const lot = await env.core.row('SELECT id FROM lots WHERE copier_id = $1', copier.id);
    expect(reward?.profit_share?.lots).toEqual([encodeId('lot', String(lot.id))]);
    expect(reward?.profit_share).not.toHaveProperty('scale');
    expect(reward?.reason).toContain('10 % of the 125.5 USDT');
    expect(rewardSchema.parse(reward)).toEqual(reward);
    const events = await env.core.events(leader.owner.userId);
    expect(events.filter(({ type }) => type === 'reward.granted')).toMatchObject([
      { data: { id: reward?.id, amount: 12.55, high_water_mark: { before: 0, after: 125.5 } } },
    ]);
  });

  it('rule 28: can be claimed like any other reward, which adds it to the balance', async () => {
    await realizeProfit(0, '50');
    await env.settle(0);
    const [pending] = await env.grantedRewards(leader);
    await expect(env.rewards.claim(leader.owner, pending!.id)).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await env.settleJanuary();
    const [reward] = await env.grantedRewards(leader);
    expect(reward).toMatchObject({ status: 'CLAIMABLE', amount: '5', profit_share: { scale: '1' } });
    const claimed = await env.rewards.claim(leader.owner, reward!.id);
    expect(claimed).toMatchObject({ status: 'CLAIMED', period: reward!.period });
    expect(await env.rewards.balance(leader.owner)).toMatchObject({ available: '5' });
  });

  it('rule 28: is granted only for profit above the high-water mark: a loss must be recovered first', async () => {
    for (const [week, result] of ['100', '-60', '40', '30', '-500', '489'].entries()) {
      await realizeProfit(week, result);
      await env.settle(week);
    }
    expect(await env.grantedAmounts(leader)).toEqual(['10', '1']);
    expect((await env.grantedRewards(leader)).map(({ high_water_mark }) => high_water_mark)).toEqual([
      { before: '0', after: '100' },
      { before: '100', after: '110' },
    ]);
    await realizeProfit(6, '11');
    await env.settle(6);
    expect(await env.grantedAmounts(leader)).toEqual(['10', '1']);
    await realizeProfit(7, '1');
    await env.settle(7);
    expect(await env.grantedAmounts(leader)).toEqual(['10', '1', '0.1']);
  });

  it('rule 28: is not granted for a copier with a loss, nor for the owner’s own copiers', async () => {
    await realizeProfit(0, '-10');
    const ownersCopier = await env.createCopier(leader, leader.owner);
    await env.realizeProfit(leader, ownersCopier, 0, '1000');
    await env.settle(0);
    expect(await env.grantedRewards(leader)).toEqual([]);
    const settled = await env.core.rows(
      'SELECT user_id, amount::int, mark_after::int FROM profit_settlements WHERE strategy_id = $1',
      leader.strategy,
    );
    expect(settled).toEqual([{ user_id: copier.actor.userId, amount: 0, mark_after: 0 }]);
  });

  it('rule 28: is net of fees, including fees in base currency', async () => {
    await env.insertCopy(leader, copier, env.at(0, 1), {
      side: 'BUY',
      price: '100',
      amount: '10',
      fee: '0.01',
      feeCurrency: 'BTC',
    });
    await env.insertCopy(leader, copier, env.at(0, 2), {
      side: 'SELL',
      price: '120',
      amount: '9.99',
      fee: '2',
    });
    await env.settle(0);
    // 9.99 × 120 − 2 − 10 × 100.
    expect(await env.grantedAmounts(leader)).toEqual(['19.68']);
  });

  it('rule 28: is settled although lots are open; their losses are deducted, their gains are not added', async () => {
    await realizeProfit(0, '100');
    await copyTrade(0, 100, 'BUY', '1000');
    await env.priceAtEnd(0, '970');
    await env.settle(0);
    expect(await env.grantedRewards(leader)).toMatchObject([
      {
        amount: '7',
        high_water_mark: { before: '0', after: '70' },
        profit_share: { open_loss: '30', lot_count: 2 },
      },
    ]);
    await env.priceAtEnd(1, '1500');
    await env.settle(1);
    expect(await env.grantedAmounts(leader)).toEqual(['7', '3']);
    await copyTrade(2, 5, 'SELL', '1020');
    await env.settle(2);
    expect(await env.grantedAmounts(leader)).toEqual(['7', '3', '2']);
  });

  it('rule 28: the gain of one open lot does not offset the loss of another', async () => {
    const otherPair = await env.core.pair({ base: 'ETH' });
    await realizeProfit(0, '100');
    await copyTrade(0, 100, 'BUY', '1000');
    await env.insertCopy(leader, copier, env.at(0, 101), { side: 'BUY', price: '1000', pair: otherPair });
    await env.priceAtEnd(0, '1900');
    await env.priceAtEnd(0, '950', otherPair);
    await env.settle(0);
    expect(await env.grantedAmounts(leader)).toEqual(['5']);
  });

  it('rule 28: is settled although a remainder is left that is too small to sell', async () => {
    // Half a unit is left. Its value of 0.5 USDT is below the minimum order value of the pair.
    await copyTrade(0, 1, 'BUY', '1', '10');
    await copyTrade(0, 2, 'SELL', '1.1', '9.5');
    await env.settle(0);
    expect(await env.grantedAmounts(leader)).toEqual(['0.095']);
  });

  it('rule 28: includes the loss on a remainder of less than one amount step', async () => {
    await copyTrade(0, 1, 'BUY', '1000', '1.009');
    await copyTrade(0, 2, 'SELL', '1100', '1');
    await env.settle(0);
    // 1,100 − 1,009.
    expect(await env.grantedAmounts(leader)).toEqual(['9.1']);
  });

  it('rule 28: uses the profit at the end of the period, even if the period is settled late', async () => {
    await realizeProfit(0, '100');
    await realizeProfit(1, '-40');
    await realizeProfit(2, '90');
    await env.settle(2);
    expect((await env.grantedRewards(leader)).map(({ period, amount }) => [period?.to, amount])).toEqual([
      ['2026-01-12T00:00:00.000Z', '10'],
      ['2026-01-26T00:00:00.000Z', '5'],
    ]);
  });

  it('rule 28: is settled ten minutes after the end of the period, because its last fills may be reported late', async () => {
    await realizeProfit(0, '100');
    for (const early of [env.at(0, 167), env.at(1), new Date(env.at(1).getTime() + 9 * 60_000)]) {
      await env.createService().settleDue(early);
      expect(await env.grantedRewards(leader)).toEqual([]);
    }
    await env.createService().settleDue(new Date(env.at(1).getTime() + 10 * 60_000));
    expect(await env.grantedAmounts(leader)).toEqual(['10']);
  });

  it('rule 28: counts profit from the first copy on, even if the copier is stopped, restarted or removed', async () => {
    await realizeProfit(0, '100');
    await env.settle(0);
    const set = (columns: string) => env.core.rows(`UPDATE copiers SET ${columns} WHERE id = $1`, copier.id);
    await set("status = 'PAUSED', stopped_at = now()");
    await realizeProfit(1, '-30');
    await env.settle(1);
    await set("status = 'ACTIVE', started_at = now(), stopped_at = NULL");
    await realizeProfit(2, '20');
    await env.settle(2);
    await set("status = 'PAUSED', deleted_at = now(), strategy_id = NULL");
    await env.core.rows(
      "UPDATE strategies SET status = 'ARCHIVED', deleted_at = now() WHERE id = $1",
      leader.strategy,
    );
    await realizeProfit(3, '15');
    await env.settle(3);
    expect(await env.grantedAmounts(leader)).toEqual(['10', '0.5']);
  });

  it('rule 28: is computed separately for each account that a copier’s strategies trade on', async () => {
    const second = await env.createLeader('0.5', 'WEEK', leader.owner);
    await env.acceptTerms(second, copier, null, '0.5');
    await realizeProfit(0, '100');
    await env.realizeProfit(second, copier, 0, '-80');
    await env.settle(0);
    await env.realizeProfit(second, copier, 1, '90');
    await env.settle(1);
    expect(await env.grantedAmounts(leader)).toEqual(['10', '5']);
  });

  it.each([
    ['MONTH', '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['QUARTER', '2026-01-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
  ])('rule 28: is settled at the end of each %s if the strategy has that period', async (kind, from, to) => {
    const otherLeader = await env.createLeader('0.2', kind);
    const otherCopier = await env.createCopier(otherLeader);
    await env.realizeProfit(otherLeader, otherCopier, 0, '50');
    await env.createService().settleDue(new Date(Date.parse(to) - 1));
    expect(await env.grantedRewards(otherLeader)).toEqual([]);
    await env.createService().settleDue(new Date(Date.parse(to) + 3_600_000));
    expect(await env.grantedRewards(otherLeader)).toMatchObject([{ amount: '10', period: { from, to } }]);
  });
});

describe('quote currencies', () => {
  let otherPair: RecordIds;
  beforeAll(async () => {
    otherPair = await env.core.pair({ quote: 'EUR' });
  });

  it('rule 28: share one mark, in the currency with most volume at the first settlement, for ever', async () => {
    await env.quotePrice('EUR', 'USDT', env.at(0), '2');
    await env.quotePrice('EUR', 'USDT', env.at(1, 2), '3');
    await realizeProfit(0, '100');
    await env.insertCopy(leader, copier, env.at(0, 3), { side: 'BUY', price: '400', pair: otherPair });
    await env.insertCopy(leader, copier, env.at(0, 4), { side: 'SELL', price: '390', pair: otherPair });
    await env.settle(0);
    // 100 − 10 EUR at 2 USDT.
    expect(await env.grantedRewards(leader)).toMatchObject([
      { amount: '8', high_water_mark: { after: '80' }, profit_share: { quote: 'USDT' } },
    ]);
    await env.realizeProfit(leader, copier, 1, '50', otherPair);
    await env.settle(1);
    // 50 EUR at 3 USDT, the price at the time of the sale. The volume in EUR is larger now.
    expect(
      (await env.grantedRewards(leader)).map(({ amount, profit_share }) => [amount, profit_share?.quote]),
    ).toEqual([
      ['8', 'USDT'],
      ['15', 'USDT'],
    ]);
  });

  it('that have no price are not shared: the whole profit waits for a price', async () => {
    const pair = await env.core.pair({ quote: 'XYZ' });
    await realizeProfit(0, '100');
    await env.realizeProfit(leader, copier, 0, '-10', pair);
    await env.settle(0);
    expect(await env.grantedRewards(leader)).toEqual([]);
    await env.quotePrice('XYZ', 'USDT', env.at(1), '0.5');
    await env.settle(1);
    expect(await env.grantedAmounts(leader)).toEqual(['9.5']);
  });

  it('rule 28: without a conversion rate grant no share; their profit is shared once there is a rate', async () => {
    await env.realizeProfit(leader, copier, 0, '70', otherPair);
    await env.settle(0);
    expect(await env.grantedRewards(leader)).toEqual([]);
    await env.settle(1, { tokensPerQuote: { EUR: '1' } });
    expect(await env.grantedRewards(leader)).toMatchObject([
      { amount: '7', high_water_mark: { before: '0' } },
    ]);
  });

  it('have no conversion rate in the live world by default, so no share is granted', async () => {
    const { database, listener, instance } = env.core.platform;
    const live = { ...env.core.platform, database, listener, instance, world: 'live' } as Platform;
    await realizeProfit(0, '100');
    await env.createService({}, live).publishRewardType();
    const type = () => env.core.row("SELECT is_active FROM reward_types WHERE code = 'PROFIT_SHARE'");
    expect(await type()).toEqual({ is_active: false });
    await env.createService({}, live).settleDue(env.at(1, 1));
    expect(await env.grantedRewards(leader)).toEqual([]);
    await env.createService().publishRewardType();
    expect(await type()).toEqual({ is_active: true });
  });
});

describe('the reward type', () => {
  it('is published with its rule; publishing it again does not change the row', async () => {
    const read = () => env.core.rows("SELECT * FROM reward_types WHERE code = 'PROFIT_SHARE'");
    const before = await read();
    await Promise.all([env.createService().publishRewardType(), env.createService().publishRewardType()]);
    expect(await read()).toEqual(before);
    expect(await env.rewardTypes()).toMatchObject([
      { code: 'PROFIT_SHARE', rule: { basis: 'PROFIT_SHARE', rate: '0.5', period: 'WEEK|MONTH|QUARTER' } },
    ]);
  });
});
