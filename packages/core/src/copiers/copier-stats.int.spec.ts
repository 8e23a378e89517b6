import { type CopierStats, copierStats } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';
import type { RecordIds } from '../testing/index.js';
import { type DecisionFixture, TradeFixtures } from '../testing/trade-fixtures.js';
import { copierFiguresOf, readOwnCopiersWithStats } from './copier-stats.queries.js';
import { CopiersUnderTest } from './testing/copiers-under-test.js';

let env: CopiersUnderTest;
let fixtures: TradeFixtures;
let pair: RecordIds;
let copier: string;
let strategy: string;

beforeAll(async () => {
  env = await CopiersUnderTest.open();
  fixtures = new TradeFixtures(env.core);
  pair = await env.core.pair({ last_price: '120' });
});
afterAll(() => env.close());
beforeEach(async () => {
  await env.reset();
  copier = newUuid();
  strategy = (await env.core.row('SELECT id FROM strategies WHERE exchange_account_id = $1', env.source.uuid))
    .id as string;
  await env.core.rows(
    `INSERT INTO copiers (id, user_id, strategy_id, exchange_account_id, name, status, sizing_mode, sizing_value,
       max_signal_age_ms, on_breach, below_minimum, copy_existing)
     VALUES ($1, $2, $3, $4, 'c', 'PAUSED', 'MULTIPLIER', 1, 60000, 'CLOSE_ONLY', 'SKIP', false)`,
    copier,
    env.actor.userId,
    strategy,
    env.account.uuid,
  );
});

/** Reads the stats, and checks that reading them with the copier's row returns the same stats. */
async function stats(): Promise<CopierStats> {
  await fixtures.rebuildLots();
  const { manager } = env.core.platform.database;
  const all = await copierFiguresOf(manager, [copier]);
  const row = await env.core.row('SELECT * FROM copiers WHERE id = $1', copier);
  const expected = { row: expect.objectContaining(row), ...all.get(copier) };
  expect(await readOwnCopiersWithStats(manager, env.actor.userId, [copier])).toEqual([expected]);
  return copierStats.parse(all.get(copier)?.stats);
}

interface Execution {
  readonly side: 'BUY' | 'SELL';
  readonly at: string;
  readonly price: string;
  readonly amount?: string;
  readonly fee?: string;
  readonly feeCurrency?: string;
}

const fillsOf = ({ at, price, amount = '1', fee = '0', ...rest }: Execution) => [
  { at: `2026-01-01T${at}:00Z`, price, amount, fee, ...rest },
];

const lead = (execution: Execution) =>
  fixtures.order({
    owner: env.actor,
    account: env.source,
    pair,
    side: execution.side,
    fills: fillsOf(execution),
    strategy,
  });

const copy = (lot: RecordIds, referencePrice: string, execution: Execution) =>
  fixtures.order({
    owner: env.actor,
    account: env.account,
    pair,
    side: execution.side,
    fills: fillsOf(execution),
    copiedStrategy: strategy,
    copy: { copier, lotTrade: lot.uuid, referencePrice },
  });

const decide = (lot: RecordIds, decision: DecisionFixture) =>
  fixtures.decide({ copier, lotTrade: lot.uuid, referencePrice: '100' }, decision);

describe('the stats of a copier', () => {
  it('are zero or null before the first signal', async () => {
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
      fees_incomplete: false,
      unrealized_pnl: '0',
      equity: null,
      roi: null,
      max_drawdown_percent: null,
      sharpe: null,
      sortino: null,
    });
  });

  it('count decisions by outcome, and measure latency and slippage of copies', async () => {
    const lot = await lead({ side: 'BUY', at: '10:00', price: '100' });
    await decide(lot, { outcome: 'COPIED', latencyMs: 10, slippageBps: '4' });
    await decide(lot, { outcome: 'CLAMPED', code: 'MAX_OPEN', latencyMs: 20, slippageBps: '-1' });
    await decide(lot, { outcome: 'COPIED', latencyMs: 90, slippageBps: '0' });
    await decide(lot, { outcome: 'SKIPPED', code: 'BELOW_MINIMUM' });
    await decide(lot, { outcome: 'FAILED', code: 'EXCHANGE_REJECTED' });
    for (const outcome of ['COPIED', 'SKIPPED', 'FAILED'] as const)
      await decide(lot, { outcome, isSettled: false });
    expect(await stats()).toMatchObject({
      copied: 3,
      skipped: 1,
      failed: 1,
      median_latency_ms: 20,
      p99_latency_ms: 90,
      average_slippage_bps: '1',
    });
  });

  it('include the realised result, and the open exposure at the last price', async () => {
    const lot = await lead({ side: 'BUY', at: '10:00', price: '100', amount: '2' });
    await copy(lot, '100', { side: 'BUY', at: '10:01', price: '100', amount: '2', fee: '2' });
    await copy(lot, '110', { side: 'SELL', at: '11:00', price: '110', amount: '0.5' });
    // Result: 55 − 50.5. Exposure: 1.5 at 120.
    expect(await stats()).toMatchObject({ net_pnl: '4.5', open_exposure_quote: '180' });
  });

  it('include the open result at the last price of a day, and the equity from the first copy on', async () => {
    await env.core.rows(
      `INSERT INTO equity_snapshots (exchange_account_id, currency, period, taken_at, amount)
       SELECT $1, quote, '2025-12-31Z', '2025-12-31Z', 1000 FROM trade_pairs WHERE id = $2`,
      env.account.uuid,
      pair.uuid,
    );
    expect(await stats()).toMatchObject({ equity: null, roi: null });
    const lot = await lead({ side: 'BUY', at: '10:00', price: '100', amount: '2' });
    await copy(lot, '100', { side: 'BUY', at: '10:01', price: '100', amount: '2', fee: '2' });
    await copy(lot, '110', { side: 'SELL', at: '11:00', price: '110', amount: '0.5' });
    await env.core.rows(
      `INSERT INTO pair_day_prices (trade_pair_id, day, price, taken_at) VALUES ($1, '2026-01-02', 120, now())`,
      pair.uuid,
    );
    // What is held: 1.5 at 120, with a cost of 151.5.
    expect(await stats()).toMatchObject({ unrealized_pnl: '28.5', equity: '1000' });
  });

  it('report fees_incomplete while a fee of a lot has no value, also if the user closed the lot', async () => {
    const valueFees = () => env.core.rows('UPDATE fills SET fee_value = 1 WHERE fee_value IS NULL');
    const lot = await lead({ side: 'BUY', at: '10:00', price: '100', fee: '1', feeCurrency: 'BNB' });
    await copy(lot, '100', { side: 'BUY', at: '10:01', price: '100', amount: '2', fee: '2' });
    // Only the leader's fee has no value.
    expect(await stats()).toMatchObject({ fees_incomplete: false });
    await copy(lot, '100', { side: 'BUY', at: '10:02', price: '100', fee: '1', feeCurrency: 'BNB' });
    expect(await stats()).toMatchObject({ fees_incomplete: true });
    await valueFees();
    expect(await stats()).toMatchObject({ fees_incomplete: false });
    const closing = { side: 'SELL', at: '11:00', price: '110', fee: '1', feeCurrency: 'BNB' } as const;
    await fixtures.order({
      owner: env.actor,
      account: env.account,
      pair,
      side: 'SELL',
      fills: fillsOf(closing),
    });
    expect(await stats()).toMatchObject({ fees_incomplete: true });
    await valueFees();
    expect(await stats()).toMatchObject({ fees_incomplete: false });
  });

  it('include the tracking difference and its parts', async () => {
    const lot = await lead({ side: 'BUY', at: '10:00', price: '100' });
    await decide(lot, { outcome: 'COPIED' });
    await copy(lot, '100', { side: 'BUY', at: '10:01', price: '101', fee: '1' });
    const exit = await lead({ side: 'SELL', at: '11:00', price: '110' });
    await decide(lot, { outcome: 'COPIED', exitTrade: exit.uuid });
    await copy(lot, '110', { side: 'SELL', at: '11:01', price: '110', fee: '1' });
    // The perfect copy gains 10 on a cost of 100. The copier gains 7: it paid 1 more for the entry, and 2 in fees.
    expect(await stats()).toMatchObject({
      tracking_difference_bps: '-300',
      tracking: {
        fees_bps: '-200',
        slippage_bps: '-100',
        rounding_bps: '0',
        skips_bps: '0',
        latency_bps: '0',
      },
    });
  });

  it('exclude lots that the user closed by hand from the tracking difference', async () => {
    const lot = await lead({ side: 'BUY', at: '10:00', price: '100' });
    await decide(lot, { outcome: 'COPIED' });
    await copy(lot, '100', { side: 'BUY', at: '10:01', price: '100' });
    const exit = await lead({ side: 'SELL', at: '11:00', price: '110' });
    await decide(lot, { outcome: 'SKIPPED', code: 'NOT_HELD', exitTrade: exit.uuid });
    await fixtures.order({
      owner: env.actor,
      account: env.account,
      pair,
      side: 'SELL',
      fills: fillsOf({ side: 'SELL', at: '12:00', price: '50' }),
    });
    expect(await stats()).toMatchObject({ net_pnl: '-50', tracking_difference_bps: null });
  });

  it('are read for many copiers with one call, including copiers without a signal', async () => {
    const all = await copierFiguresOf(env.core.platform.database.manager, [copier, newUuid()]);
    expect(all.size).toBe(2);
    expect(await copierFiguresOf(env.core.platform.database.manager, [])).toEqual(new Map());
  });
});
