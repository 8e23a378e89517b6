import { inTransaction } from '@trading-automation/persistence';
import type { Actor } from '../operations/index.js';

import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { TradeFixtures } from '../testing/trade-fixtures.js';
import { AnalyticsService } from './analytics.service.js';
import { DailyRollups, staleDays } from './daily-rollups.service.js';

let core: CoreUnderTest;
let fixtures: TradeFixtures;
let dailyRollups: DailyRollups;
let pair: RecordIds;
let actor: Actor;
let account: RecordIds;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  fixtures = new TradeFixtures(core);
  dailyRollups = new DailyRollups(core.platform);
  pair = await core.pair();
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor);
});

const order = (side: 'BUY' | 'SELL', at: string, price: string) =>
  fixtures.order({ owner: actor, account, pair, side, fills: [{ at, price, amount: '1' }] });

const storedRollups = async () =>
  (
    await core.rows(
      `SELECT day::text, trim_scale(net_pnl)::text AS pnl, fill_count AS fills FROM result_days
       WHERE user_id = $1 ORDER BY day`,
      actor.userId,
    )
  ).map(({ day, pnl, fills }) => [day, pnl, fills]);
const marks = async () =>
  (
    await core.rows(
      'SELECT DISTINCT day::text AS day FROM result_marks WHERE user_id = $1 ORDER BY 1',
      actor.userId,
    )
  ).map(({ day }) => day);
const netPnl = async () =>
  (await new AnalyticsService(core.platform).get(actor, { interval: 'day' } as never)).net_pnl;

describe('rollups', () => {
  it('are marked stale by a change that affects them, and by no other change', async () => {
    const bought = await order('BUY', '2026-01-01T10:00:00Z', '100');
    expect(await marks()).toEqual(['2026-01-01']);
    await order('SELL', '2026-01-02T10:00:00Z', '110');
    await fixtures.rebuildLots();
    await dailyRollups.refresh();
    expect(await marks()).toEqual([]);
    expect(await storedRollups()).toEqual([
      ['2026-01-01', '0', 1],
      ['2026-01-02', '10', 1],
    ]);
    await core.rows('UPDATE trades SET look_at = now(), version = version + 1 WHERE id = $1', bought.uuid);
    expect(await marks()).toEqual([]);
    await core.rows("UPDATE trades SET status = 'CANCELLED' WHERE id = $1", bought.uuid);
    // The trade was created on the first of these days and closed on the second.
    expect(await marks()).toEqual(['2026-01-01', '2026-01-02']);
  });

  it('are updated for a late fill that changes the results of later days', async () => {
    await order('BUY', '2026-01-02T10:00:00Z', '100');
    await order('SELL', '2026-01-03T10:00:00Z', '110');
    await fixtures.rebuildLots();
    await dailyRollups.refresh();
    expect(await netPnl()).toBe('10');
    // This late fill was executed before the other purchase, so the sale now closes the lot of the late fill.
    await order('BUY', '2026-01-01T10:00:00Z', '60');
    await fixtures.rebuildLots();
    expect(await netPnl()).toBe('50');
    await dailyRollups.refresh();
    expect(await netPnl()).toBe('50');
    expect(await storedRollups()).toEqual([
      ['2026-01-01', '0', 1],
      ['2026-01-02', '0', 1],
      ['2026-01-03', '50', 1],
    ]);
  });

  it('remain stale if a change is committed during their refresh', async () => {
    await order('BUY', '2026-01-01T10:00:00Z', '100');
    await fixtures.rebuildLots();
    await inTransaction((await core.openSecondPlatform()).database, async (tx) => {
      await tx.query("UPDATE trades SET status = 'CANCELLED' WHERE user_id = $1", [actor.userId]);
      await dailyRollups.refresh();
      expect(await marks()).toEqual([]);
    });
    expect(await marks()).toEqual(['2026-01-01']);
    await dailyRollups.refresh();
    const row = await core.row('SELECT cancelled_count FROM result_days WHERE user_id = $1', actor.userId);
    expect(row).toEqual({ cancelled_count: 1 });
  });

  it('are refreshed by one process at a time, and can be deleted and recomputed', async () => {
    await order('BUY', '2026-01-01T10:00:00Z', '100');
    await order('SELL', '2026-01-01T11:00:00Z', '90');
    await fixtures.rebuildLots();
    const other = new DailyRollups(await core.openSecondPlatform());
    const refreshed = await Promise.all([dailyRollups.refresh(), other.refresh()]);
    expect(refreshed.some((count) => count !== null && count > 0)).toBe(true);
    expect(await storedRollups()).toEqual([['2026-01-01', '-10', 2]]);
    await core.rows('DELETE FROM result_days WHERE user_id = $1', actor.userId);
    await core.rows("INSERT INTO result_marks (user_id, day) VALUES ($1, '2026-01-01')", actor.userId);
    expect(await netPnl()).toBe('-10');
    await dailyRollups.refresh();
    expect(await storedRollups()).toEqual([['2026-01-01', '-10', 2]]);
  });

  it('of a user with 2,000 stale days delay the only stale day of another user by one day', async () => {
    const other = await core.actor();
    await core.rows('DELETE FROM result_marks');
    await core.rows(
      `INSERT INTO result_marks (user_id, day)
       SELECT $1, date '2020-01-01' + n FROM generate_series(0, 1999) n, generate_series(1, 3)`,
      actor.userId,
    );
    await core.rows("INSERT INTO result_marks (user_id, day) VALUES ($1, '2026-01-01')", other.userId);
    const { id } = await core.row('SELECT max(id)::text AS id FROM result_marks');
    const days = await staleDays(core.platform.database.manager, String(id));
    expect(days.slice(0, 3)).toEqual([
      { user_id: actor.userId, day: '2020-01-01' },
      { user_id: other.userId, day: '2026-01-01' },
      { user_id: actor.userId, day: '2020-01-02' },
    ]);
    expect(await dailyRollups.refresh()).toBe(2_001);
    expect(await core.rows('SELECT FROM result_marks')).toEqual([]);
  });
});
