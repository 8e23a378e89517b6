import { type CopierStats, copierStats } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import type { RecordIds } from '../testing/index.js';
import { type DecisionFixture, TradeFixtures } from '../testing/trade-fixtures.js';
import { copierStatsOf, ownWithStats } from './copier-stats.queries.js';
import { CopiersUnderTest } from './testing/copiers-under-test.js';

let under: CopiersUnderTest;
let ledger: TradeFixtures;
let pair: RecordIds;
let copier: string;
let strategy: string;

beforeAll(async () => {
  under = await CopiersUnderTest.open();
  ledger = new TradeFixtures(under.core);
  pair = await under.core.pair({ last_price: '120' });
});
afterAll(() => under.close());
beforeEach(async () => {
  await under.reset();
  copier = newUuid();
  strategy = (
    await under.core.row('SELECT id FROM strategies WHERE exchange_account_id = $1', under.source.uuid)
  ).id as string;
  await under.core.rows(
    `INSERT INTO copiers (id, user_id, strategy_id, exchange_account_id, name, status, sizing_mode, sizing_value,
       max_signal_age_ms, on_breach, below_minimum, copy_existing)
     VALUES ($1, $2, $3, $4, 'c', 'PAUSED', 'MULTIPLIER', 1, 60000, 'CLOSE_ONLY', 'SKIP', false)`,
    copier,
    under.actor.userId,
    strategy,
    under.account.uuid,
  );
});

/** Reads the stats, and checks that they equal those read together with the copier's row. */
async function stats(): Promise<CopierStats> {
  await ledger.rebuildLots();
  const { manager } = under.core.platform.database;
  const all = await copierStatsOf(manager, [copier]);
  const row = await under.core.row('SELECT * FROM copiers WHERE id = $1', copier);
  const expected = { row: expect.objectContaining(row), stats: all.get(copier) };
  expect(await ownWithStats(manager, under.actor.userId, [copier])).toEqual([expected]);
  return copierStats.parse(all.get(copier));
}

interface Side {
  readonly side: 'BUY' | 'SELL';
  readonly at: string;
  readonly price: string;
  readonly amount?: string;
  readonly fee?: string;
}

const fillsOf = ({ at, price, amount = '1', fee = '0' }: Side) => [
  { at: `2026-01-01T${at}:00Z`, price, amount, fee },
];

const lead = (side: Side) =>
  ledger.order({
    owner: under.actor,
    account: under.source,
    pair,
    side: side.side,
    fills: fillsOf(side),
    strategy,
  });

const copy = (lot: RecordIds, referencePrice: string, side: Side) =>
  ledger.order({
    owner: under.actor,
    account: under.account,
    pair,
    side: side.side,
    fills: fillsOf(side),
    copiedStrategy: strategy,
    copy: { copier, lotTrade: lot.uuid, referencePrice },
  });

const decide = (lot: RecordIds, made: DecisionFixture) =>
  ledger.decide({ copier, lotTrade: lot.uuid, referencePrice: '100' }, made);

describe('the stats of a copier', () => {
  it('are zero, or null if there is nothing to measure, before the first signal', async () => {
    expect(await stats()).toEqual({
      copied: 0,
      skipped: 0,
      failed: 0,
      median_latency_ms: null,
      p99_latency_ms: null,
      average_slippage_bps: null,
      tracking_difference_bps: null,
      open_exposure_quote: '0',
      net_pnl: '0',
    });
  });

  it('count decisions by outcome, and measure latency and slippage of copies', async () => {
    const lot = await lead({ side: 'BUY', at: '10:00', price: '100' });
    await decide(lot, { outcome: 'COPIED', latencyMs: 10, slippageBps: '4' });
    await decide(lot, { outcome: 'CLAMPED', code: 'MAX_OPEN', latencyMs: 20, slippageBps: '-1' });
    await decide(lot, { outcome: 'COPIED', latencyMs: 90, slippageBps: '0' });
    await decide(lot, { outcome: 'SKIPPED', code: 'BELOW_MINIMUM' });
    await decide(lot, { outcome: 'FAILED', code: 'EXCHANGE_REJECTED' });
    expect(await stats()).toMatchObject({
      copied: 3,
      skipped: 1,
      failed: 1,
      median_latency_ms: 20,
      p99_latency_ms: 90,
      average_slippage_bps: '1',
    });
  });

  it('include its own result, and the open exposure at the last price', async () => {
    const lot = await lead({ side: 'BUY', at: '10:00', price: '100', amount: '2' });
    await copy(lot, '100', { side: 'BUY', at: '10:01', price: '100', amount: '2', fee: '2' });
    await copy(lot, '110', { side: 'SELL', at: '11:00', price: '110', amount: '0.5' });
    // 55 − 50.5; 1.5 at 120.
    expect(await stats()).toMatchObject({ net_pnl: '4.5', open_exposure_quote: '180' });
  });

  it('include the tracking difference and its parts', async () => {
    const lot = await lead({ side: 'BUY', at: '10:00', price: '100' });
    await copy(lot, '100', { side: 'BUY', at: '10:01', price: '101', fee: '1' });
    await lead({ side: 'SELL', at: '11:00', price: '110' });
    await copy(lot, '110', { side: 'SELL', at: '11:01', price: '110', fee: '1' });
    const { tracking_difference_bps, tracking } = await stats();
    // 109 ÷ 102 − 1, less 10 %
    expect(Number(tracking_difference_bps)).toBeCloseTo((109 / 102 - 1.1) * 10_000, 4);
    // 110 ÷ 101 − 1, less 10 %; the rest is fees.
    expect(Number(tracking?.slippage_bps)).toBeCloseTo((110 / 101 - 1.1) * 10_000, 4);
    expect(Number(tracking?.fees_bps)).toBeCloseTo((109 / 102 - 110 / 101) * 10_000, 4);
    expect(tracking).toMatchObject({ rounding_bps: '0', skips_bps: '0' });
  });

  it('exclude what the user closed by hand from the tracking difference', async () => {
    const lot = await lead({ side: 'BUY', at: '10:00', price: '100' });
    await copy(lot, '100', { side: 'BUY', at: '10:01', price: '100' });
    await lead({ side: 'SELL', at: '11:00', price: '110' });
    await ledger.order({
      owner: under.actor,
      account: under.account,
      pair,
      side: 'SELL',
      fills: fillsOf({ side: 'SELL', at: '12:00', price: '50' }),
    });
    expect(await stats()).toMatchObject({ net_pnl: '-50', tracking_difference_bps: null });
  });

  it('are read for a page of copiers with one call, including copiers without a signal', async () => {
    const all = await copierStatsOf(under.core.platform.database.manager, [copier, newUuid()]);
    expect(all.size).toBe(2);
    expect(await copierStatsOf(under.core.platform.database.manager, [])).toEqual(new Map());
  });
});
