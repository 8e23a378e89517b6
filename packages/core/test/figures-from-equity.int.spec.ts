/**
 * A leader buys 2 at 100 on 1 March and keeps them. The price falls to 80 on 2 March and rises to 130 on 4 March, when
 * one is sold. The equity at the start of the days is 1,000, 1,000, then 5,960 after a deposit of 5,000.
 *
 *  day  price  open result             result of the day   equity   return
 *  01   100    0                        0                   1,000    0
 *  02   80     −40                     −40                  1,000    −0.04
 *  03   80     −40                      0                   5,960    0
 *  04   130    30 (one), realised 30   100                  5,960    0.01677852
 */
import { analyticsOperations } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import { AnalyticsService } from '../src/analytics/analytics.service.js';
import { DailyRollups } from '../src/analytics/daily-rollups.service.js';
import { EquitySnapshots } from '../src/analytics/equity-snapshots.service.js';
import { CopiersService } from '../src/copiers/index.js';
import { type Actor, querySchemaOf } from '../src/operations/index.js';
import { StrategiesService } from '../src/strategies/index.js';
import { CoreUnderTest, type RecordIds } from '../src/testing/index.js';
import { TradeFixtures } from '../src/testing/trade-fixtures.js';

let core: CoreUnderTest;
let fixtures: TradeFixtures;
let strategies: StrategiesService;
let pair: RecordIds;
let leader: Actor;
let account: RecordIds;
let strategy: RecordIds;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  fixtures = new TradeFixtures(core);
  strategies = new StrategiesService(core.platform, core.lists, core.commands);
});
afterAll(() => core.close());
beforeEach(async () => {
  pair = await core.pair({ symbol: `T${newUuid().slice(-8).toUpperCase()}/USDT` });
  leader = await core.actor();
  account = await core.account(leader);
  const { id } = await strategies.create(leader, {
    name: 'kept',
    exchange_account_id: account.id,
    visibility: 'PUBLIC',
  });
  const { uuid } = await core.row(
    'SELECT id AS uuid FROM strategies WHERE exchange_account_id = $1',
    account.uuid,
  );
  strategy = { id, uuid: String(uuid) };
});

const insertEquity = (on: RecordIds, at: string, amount: string) =>
  core.rows(
    `INSERT INTO equity_snapshots (exchange_account_id, currency, period, taken_at, amount)
     VALUES ($1, 'USDT', $2::timestamptz, $2::timestamptz, $3)`,
    on.uuid,
    `2026-03-${at}Z`,
    amount,
  );

async function insertPrices(): Promise<void> {
  for (const [day, price] of [
    ['01', '100'],
    ['02', '80'],
    ['04', '130'],
  ])
    await core.rows(
      `INSERT INTO pair_day_prices (trade_pair_id, day, price, taken_at) VALUES ($1, $2::date, $3, now())`,
      pair.uuid,
      `2026-03-${day}`,
      price,
    );
}

/** Plays the history above on one account. */
async function play(more: Partial<Parameters<TradeFixtures['order']>[0]> = {}): Promise<RecordIds> {
  const on = more.account ?? account;
  const common = { owner: leader, account, pair, strategy: strategy.uuid, ...more };
  const lot = await fixtures.order({
    ...common,
    side: 'BUY',
    fills: [{ at: '2026-03-01T10:00:00Z', price: '100', amount: '2' }],
  });
  await fixtures.order({
    ...common,
    side: 'SELL',
    fills: [{ at: '2026-03-04T10:00:00Z', price: '130', amount: '1' }],
  });
  await insertEquity(on, '01T00:01:00', '1000');
  await insertEquity(on, '01T23:59:00', '1000');
  await insertEquity(on, '02T23:59:00', '5960');
  return lot;
}

async function refresh(): Promise<void> {
  await fixtures.rebuildLots();
  await new DailyRollups(core.platform).refresh();
}

const readAnalytics = (query: Record<string, string> = {}) => {
  const parsed = querySchemaOf(analyticsOperations.get).parse(query);
  const service = new AnalyticsService(core.platform);
  return service.get(leader, parsed as Parameters<AnalyticsService['get']>[1]);
};

const OPEN = {
  unrealized_pnl: '30',
  equity: '5960',
  // 0.96 × (1 + 100 ÷ 5,960) − 1
  roi: '-0.02389262',
};

describe('figures from equity', () => {
  it('of a strategy that never sells its losers show the fall, which realised figures hide', async () => {
    await play();
    await insertPrices();
    await refresh();
    const { performance } = await strategies.get(leader, strategy.id);
    expect(performance).toMatchObject({
      ...OPEN,
      net_pnl: '30',
      max_drawdown_percent: '4',
      realized_max_drawdown_percent: null,
      // 30 ÷ 5,960
      realized_roi: '0.00503356',
      low_sample: true,
    });
    expect(performance.curve.map(({ index }) => index)).toEqual(['100', '100', '96', '96', '97.61073826']);
    const [first] = performance.curve;
    expect(first).toEqual({ at: '2026-03-01T00:00:00.000Z', index: '100' });
  });

  it.each([
    ['computed from fills', false],
    ['stored by day', true],
  ])('of analytics have the same values, %s', async (_, isStored) => {
    await play();
    await insertPrices();
    await fixtures.rebuildLots();
    if (isStored) await refresh();
    expect(await readAnalytics()).toMatchObject({
      ...OPEN,
      net_pnl: '30',
      sample_days: 4,
      max_drawdown: {
        amount: '40',
        percent: '4',
        peak_at: null,
        trough_at: '2026-03-02T00:00:00.000Z',
        recovered_at: '2026-03-04T00:00:00.000Z',
      },
      realized_max_drawdown: { amount: '0', percent: null },
    });
    // A range begins with what was held before it, at the price before it.
    expect(await readAnalytics({ from: '2026-03-03T00:00:00Z' })).toMatchObject({
      unrealized_pnl: '30',
      roi: '0.01677852',
      sample_days: 2,
    });
    expect(await readAnalytics({ to: '2026-03-03T00:00:00Z' })).toMatchObject({
      unrealized_pnl: '-40',
      roi: '-0.04',
    });
  });

  it('of days that an earlier release stored are computed from fills', async () => {
    await play();
    await insertPrices();
    await refresh();
    await core.rows(
      'UPDATE result_days SET held_change = NULL, cost_change = NULL WHERE user_id = $1',
      leader.userId,
    );
    expect(await readAnalytics()).toMatchObject(OPEN);
    await new DailyRollups(core.platform).refresh();
    const missing = await core.rows(
      'SELECT FROM result_days WHERE user_id = $1 AND held_change IS NULL',
      leader.userId,
    );
    expect(missing).toEqual([]);
  });

  it('do not count trades outside the strategy', async () => {
    await play();
    await fixtures.order({
      owner: leader,
      account,
      pair,
      side: 'BUY',
      fills: [{ at: '2026-03-02T10:00:00Z', price: '100', amount: '5' }],
    });
    await insertPrices();
    await refresh();
    expect((await strategies.get(leader, strategy.id)).performance).toMatchObject(OPEN);
  });

  it('of a copier have the same values', async () => {
    const follower = await core.actor();
    const followed = await core.account(follower);
    const copier = newUuid();
    await core.rows(
      `INSERT INTO copiers (id, user_id, strategy_id, exchange_account_id, name, status, sizing_mode, sizing_value,
         max_signal_age_ms, on_breach, below_minimum, copy_existing)
       VALUES ($1, $2, $3, $4, 'c', 'PAUSED', 'FIXED_QUOTE', 1, 60000, 'CLOSE_ONLY', 'SKIP', false)`,
      copier,
      follower.userId,
      strategy.uuid,
      followed.uuid,
    );
    const lot = await play();
    await play({
      owner: follower,
      account: followed,
      strategy: undefined,
      copiedStrategy: strategy.uuid,
      copy: { copier, lotTrade: lot.uuid, referencePrice: '100' },
    });
    await insertPrices();
    await refresh();
    const copiers = new CopiersService(core.platform, core.lists, core.commands);
    const query = { limit: 20, offset: 0, sort: 'created_at', order: 'desc', include: [] } as const;
    const { items } = await copiers.list(follower, query);
    expect(items[0]?.stats).toMatchObject({ ...OPEN, net_pnl: '30', max_drawdown_percent: '4' });
  });

  it('value lots at the price that the job records last on a day', async () => {
    const today = new Date().toISOString().slice(0, 10);
    await fixtures.order({
      owner: leader,
      account,
      pair,
      strategy: strategy.uuid,
      side: 'BUY',
      fills: [{ at: '2026-03-01T10:00:00Z', price: '100', amount: '2' }],
    });
    await fixtures.rebuildLots();
    const snapshots = new EquitySnapshots(core.platform);
    for (const price of ['90', '97']) {
      await core.rows('UPDATE trade_pairs SET last_price = $2 WHERE id = $1', pair.uuid, price);
      await snapshots.take();
    }
    const stored = await core.rows(
      'SELECT day::text, trim_scale(price)::text AS price FROM pair_day_prices WHERE trade_pair_id = $1',
      pair.uuid,
    );
    expect(stored.at(-1)?.price).toBe('97');
    expect(String(stored.at(-1)?.day) >= today).toBe(true);
    expect((await readAnalytics()).unrealized_pnl).toBe('-6');
  });
});
