import {
  type Analytics,
  analytics,
  analyticsOperations,
  encodeId,
  type TradeStatus,
} from '@trading-automation/contracts';
import { inTransaction, newUuid } from '@trading-automation/persistence';

import { type Actor, querySchemaOf } from '../operations/index.js';
import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { TradeFixtures } from '../testing/trade-fixtures.js';
import { AnalyticsService } from './analytics.service.js';
import { DailyRollups } from './daily-rollups.service.js';

let core: CoreUnderTest;
let fixtures: TradeFixtures;
let service: AnalyticsService;
let rollups: DailyRollups;
let pair: RecordIds;
let actor: Actor;
let account: RecordIds;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  fixtures = new TradeFixtures(core);
  service = new AnalyticsService(core.platform);
  rollups = new DailyRollups(core.platform);
  pair = await core.pair();
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor();
  account = await core.account(actor);
});

async function readOnce(query: string, caller: Actor): Promise<Analytics> {
  const params = querySchemaOf(analyticsOperations.get).parse(Object.fromEntries(new URLSearchParams(query)));
  const record = await service.get(caller, params as Parameters<AnalyticsService['get']>[1]);
  expect(analytics.parse(record)).toEqual(record);
  return record;
}

/** Reads the record for a query string, and checks that it is the same with and without rollups. */
async function read(query = '', caller = actor): Promise<Analytics> {
  await fixtures.rebuildLots();
  const withoutRollups = await readOnce(query, caller);
  await rollups.refresh();
  expect(await readOnce(query, caller)).toEqual(withoutRollups);
  return withoutRollups;
}

interface TradeSpec {
  readonly side?: 'BUY' | 'SELL';
  readonly status?: TradeStatus;
  readonly price?: string;
  readonly amount?: string;
  readonly fee?: string;
  readonly feeCurrency?: string;
  readonly at?: string;
  readonly owner?: { user: Actor; account: RecordIds };
  readonly pair?: RecordIds;
  /** The number of fills. */
  readonly fills?: number;
  readonly strategy?: string;
}

/** Inserts a trade with equal fills, one second apart, and returns its id. */
async function trade(spec: TradeSpec = {}): Promise<string> {
  const { user: owner, account: onAccount } = spec.owner ?? { user: actor, account };
  const { side = 'BUY', status = 'FILLED', price = '100', amount = '1', at = '2026-01-01T00:00:00Z' } = spec;
  const count = spec.fills ?? (status === 'PENDING' || status === 'FAILED' ? 0 : 1);
  const fills = Array.from({ length: count }, (_, n) => ({
    at: new Date(Date.parse(at) + (n + 1) * 1_000).toISOString(),
    price,
    amount,
    fee: spec.fee ?? '0',
    feeCurrency: spec.feeCurrency ?? 'USDT',
  }));
  const order = {
    owner,
    account: onAccount,
    pair: spec.pair ?? pair,
    side,
    status,
    at,
    strategy: spec.strategy,
  };
  return (await fixtures.order({ ...order, fills })).id;
}

describe('the analytics of a user', () => {
  it('count trades in every state, and are invisible to other users', async () => {
    const other = await core.actor();
    const foreign = { user: other, account: await core.account(other) };
    const statuses = ['PENDING', 'FAILED', 'CANCELLED', 'PARTIALLY_FILLED', 'FILLED'] as const;
    for (const [hour, status] of statuses.entries())
      await trade({ status, at: `2026-01-01T0${hour}:00:00Z` });
    await trade({ side: 'SELL', price: '110', at: '2026-01-02T00:00:00Z' });
    await trade({ owner: foreign, price: '7' });
    expect(await read()).toMatchObject({
      currency: 'USDT',
      trade_count: 6,
      closed_count: 1,
      net_pnl: '10',
      by_status: { PENDING: 1, FAILED: 1, CANCELLED: 1, PARTIALLY_FILLED: 1, FILLED: 2 },
      by_pair: [{ trade_pair_id: pair.id, symbol: 'BTC/USDT', trade_count: 6 }],
    });
    expect(await read('', other)).toMatchObject({
      trade_count: 1,
      volume: '7',
      closed_count: 0,
      net_pnl: '0',
    });
  });

  it('are null or zero without data', async () => {
    expect(await read()).toMatchObject({ currency: null, trade_count: 0, win_rate: null, equity_curve: [] });
  });

  it('equal independent sums of the database over 12,000 fills', async () => {
    await trade({ fills: 6_000, amount: '0.5', price: '100.01', fee: '0.001' });
    await trade({
      side: 'SELL',
      fills: 6_000,
      amount: '0.25',
      price: '103.7',
      fee: '0.002',
      at: '2026-01-03T00:00:00Z',
    });
    const fine = await core.pair({ base: 'FINE' });
    await trade({
      pair: fine,
      fills: 5,
      price: '0.000000000000000001',
      amount: '12345678901234.123456789012345678',
    });
    const sums = await core.row(
      `SELECT trim_scale(round(sum(f.price * f.amount), 18))::text AS volume, trim_scale(sum(f.fee_amount))::text AS fees
       FROM fills f JOIN trades t ON t.id = f.trade_id WHERE t.user_id = $1`,
      actor.userId,
    );
    const record = await read();
    expect(record).toMatchObject({ ...sums, trade_count: 3, closed_count: 0 });
    // 1,500 of 3,000 BTC sold: each brought 103.7 - 0.008 and had cost 100.01 + 0.002.
    expect(record.net_pnl).toBe('5520');
    expect(record.equity_curve).toHaveLength(1);
  });

  it('match sales in a range with purchases before the range, and count a trade in the range of its creation', async () => {
    await trade({ price: '100' });
    const sold = await trade({ side: 'SELL', price: '90', at: '2026-02-01T00:00:00Z' });
    await trade({ price: '95', at: '2026-03-01T00:00:00Z' });
    expect(await read('from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z&interval=month')).toMatchObject({
      from: '2026-02-01T00:00:00.000Z',
      to: '2026-03-01T00:00:00.000Z',
      trade_count: 1,
      closed_count: 1,
      net_pnl: '-10',
      volume: '90',
      equity_curve: [{ at: '2026-02-01T00:00:00.000Z', net_pnl: '-10', equity: null, drawdown: '10' }],
    });
    expect(sold).toMatch(/^trd_/);
    expect((await read('to=2026-02-01T00:00:00Z')).net_pnl).toBe('0');
    expect((await read('from=2026-03-01T02:00:00%2B02:00')).trade_count).toBe(1);
  });

  it('never add different currencies', async () => {
    const euro = await core.pair({ quote: 'EUR' });
    await trade({ pair: euro });
    await trade({ pair: euro, side: 'SELL', price: '120', at: '2026-01-02T00:00:00Z' });
    await trade();
    expect(await read()).toMatchObject({
      currency: 'EUR',
      net_pnl: '20',
      volume: '220',
      trade_count: 3,
      excluded_quotes: [{ currency: 'USDT', fill_count: 1, closed_count: 0 }],
      by_pair: [
        { currency: 'EUR', net_pnl: '20' },
        { currency: 'USDT', volume: '100' },
      ],
    });
  });

  it('keep the lots of two accounts separate', async () => {
    const second = await core.account(actor);
    await trade({ price: '100' });
    await trade({
      side: 'SELL',
      price: '110',
      owner: { user: actor, account: second },
      at: '2026-01-02T00:00:00Z',
    });
    expect(await read()).toMatchObject({ closed_count: 0, net_pnl: '0', unmatched_fill_count: 1 });
    expect(await read(`exchange_account_id=${second.id}`)).toMatchObject({ trade_count: 1, volume: '110' });
  });

  it('can still be read for an account that was removed', async () => {
    await trade();
    await core.rows(
      'UPDATE exchange_accounts SET deleted_at = now(), credentials_sealed = NULL WHERE id = $1',
      account.uuid,
    );
    expect((await read()).volume).toBe('100');
    expect((await read(`exchange_account_id=${account.id}`)).volume).toBe('100');
  });

  it('include only a strategy’s own trades if they are filtered by that strategy', async () => {
    const uuid = newUuid();
    await core.rows(
      `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
       VALUES ($1, $2, $3, 'mine', 'PRIVATE', 'ACTIVE')`,
      uuid,
      actor.userId,
      account.uuid,
    );
    const strategy = encodeId('str', uuid);
    await trade({ price: '100', strategy: uuid });
    await trade({ price: '200', at: '2026-01-01T01:00:00Z' });
    await trade({ side: 'SELL', amount: '2', price: '150', at: '2026-01-02T00:00:00Z' });
    expect(await read(`strategy_id=${strategy}`)).toMatchObject({
      trade_count: 1,
      closed_count: 1,
      net_pnl: '50',
      volume: '100',
      by_strategy: [{ strategy_id: strategy, trade_count: 1, net_pnl: '50' }],
    });
    expect(await read()).toMatchObject({ closed_count: 2, net_pnl: '0', winning_count: 1, losing_count: 1 });
    const other = await core.actor();
    await expect(read(`strategy_id=${strategy}`, other)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('include the recorded equity and the returns relative to it', async () => {
    const insertSnapshot = (at: string, amount: string) =>
      core.rows(
        `INSERT INTO equity_snapshots (exchange_account_id, currency, period, taken_at, amount)
         VALUES ($1, 'USDT', $2::timestamptz, $2::timestamptz, $3)`,
        account.uuid,
        at,
        amount,
      );
    await trade({ price: '100' });
    await trade({ side: 'SELL', price: '120', at: '2026-01-02T00:00:00Z' });
    await trade({ price: '200', at: '2026-01-03T00:00:00Z' });
    await trade({ side: 'SELL', price: '90', at: '2026-01-04T00:00:00Z' });
    expect(await read()).toMatchObject({ roi: null, calmar: null, max_drawdown: { percent: null } });
    await insertSnapshot('2026-01-01T00:00:30Z', '200');
    await insertSnapshot('2026-01-02T23:55:00Z', '220');
    // A deposit of 1,780 counts as capital, not as profit.
    await insertSnapshot('2026-01-03T12:00:00Z', '2200');
    await insertSnapshot('2026-01-03T23:55:00Z', '2000');
    const record = await read();
    expect(record).toMatchObject({
      net_pnl: '-90',
      // 20 of 200, then −110 of 2,000: 1.1 × 0.945 − 1
      roi: '0.0395',
      realized_roi: '0.0395',
      // A fall of 110 from an equity of 220 at the end of 2 January.
      realized_max_drawdown: { amount: '110', percent: '50', peak_at: '2026-01-02T00:00:00.000Z' },
      // The return of the day was −110 of 2,000.
      max_drawdown: { amount: '110', percent: '5.5', peak_at: '2026-01-02T00:00:00.000Z' },
      // 0.0395 × 365 ÷ 4 ÷ 0.055
      calmar: '65.53409091',
      equity: '2000',
      unrealized_pnl: '0',
    });
    expect(record.equity_curve.map(({ equity }) => equity)).toEqual(['220', '2000']);
    expect((await read('from=2026-01-05T00:00:00Z')).roi).toBeNull();
  });

  it('include the copy metrics of the range, and omit them if it has no decisions', async () => {
    const [strategy, copier] = [newUuid(), newUuid()];
    const leaderAccount = await core.account(actor);
    await core.rows(
      `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
       VALUES ($1, $2, $3, 'mine', 'PRIVATE', 'ACTIVE')`,
      strategy,
      actor.userId,
      leaderAccount.uuid,
    );
    await core.rows(
      `INSERT INTO copiers (id, user_id, strategy_id, exchange_account_id, name, status, sizing_mode, sizing_value,
         max_signal_age_ms, on_breach, below_minimum, copy_existing)
       VALUES ($1, $2, $3, $4, 'c', 'PAUSED', 'MULTIPLIER', 1, 60000, 'CLOSE_ONLY', 'SKIP', false)`,
      copier,
      actor.userId,
      strategy,
      account.uuid,
    );
    await trade({ owner: { user: actor, account: leaderAccount }, strategy });
    expect((await read()).copy).toBeUndefined();
    const [leaderTrade] = await core.rows('SELECT id FROM trades WHERE strategy_id = $1', strategy);
    const copy = { copier, lotTrade: String(leaderTrade?.id), referencePrice: '100' };
    const at = '2026-01-01T10:00:00Z';
    await fixtures.decide(copy, { at, outcome: 'COPIED', latencyMs: 8, slippageBps: '2.5' });
    await fixtures.decide(copy, { at, outcome: 'COPIED', latencyMs: 4, slippageBps: '-0.5' });
    await fixtures.decide(copy, { at, outcome: 'SKIPPED', code: 'MAX_OPEN' });
    await fixtures.decide(copy, { at, outcome: 'SKIPPED', code: 'MAX_OPEN' });
    await fixtures.decide(copy, { at: '2026-03-01T00:00:00Z', outcome: 'SKIPPED', code: 'STALE_SIGNAL' });
    expect((await read('to=2026-02-01T00:00:00Z')).copy).toEqual({
      median_latency_ms: 6,
      p99_latency_ms: 8,
      average_slippage_bps: '1',
      skipped_by_reason: { MAX_OPEN: 2 },
    });
    expect((await read(`exchange_account_id=${leaderAccount.id}`)).copy).toBeUndefined();
    expect((await read()).copy?.skipped_by_reason).toEqual({ MAX_OPEN: 2, STALE_SIGNAL: 1 });
    expect((await read('', await core.actor())).copy).toBeUndefined();
  });

  it.each(['strategy_id', 'exchange_account_id', 'trade_pair_id'])(
    'fail for a %s that does not exist or belongs to another user',
    async (field) => {
      const other = await core.actor();
      const foreign = await core.account(other);
      const unknown = { strategy_id: 'str', exchange_account_id: 'exa', trade_pair_id: 'tpr' }[field] ?? '';
      const ids = ['x', encodeId(unknown as 'str', newUuid()), foreign.id];
      for (const id of ids) {
        await expect(read(`${field}=${id}`)).rejects.toMatchObject({
          code: 'not_found',
          details: [{ field }],
        });
      }
    },
  );

  it('use one connection for all concurrent requests of a user', async () => {
    await trade();
    const other = await core.actor();
    const reads = await inTransaction((await core.openSecondPlatform()).database, async (tx) => {
      await tx.query('LOCK TABLE result_days IN ACCESS EXCLUSIVE MODE');
      const requests = Array.from({ length: 40 }, () => readOnce('', actor));
      // More requests than connections: if all ran at once, no connection would be left for other users.
      await expect(core.row('SELECT 1 AS one')).resolves.toEqual({ one: 1 });
      return requests;
    });
    const records = await Promise.all(reads);
    expect(records.map(({ volume }) => volume)).toEqual(reads.map(() => '100'));
    await expect(read('exchange_account_id=x')).rejects.toMatchObject({ code: 'not_found' });
    await expect(Promise.all([read(), read('', other)])).resolves.toMatchObject([
      { volume: '100' },
      { volume: '0' },
    ]);
  });

  it('leave connections for other work while many users send requests', async () => {
    const users = await Promise.all(Array.from({ length: 30 }, () => core.actor()));
    const reads = await inTransaction((await core.openSecondPlatform()).database, async (tx) => {
      await tx.query('LOCK TABLE result_days IN ACCESS EXCLUSIVE MODE');
      const requests = users.map((user) => readOnce('', user));
      while (
        (await tx.query("SELECT FROM pg_locks WHERE NOT granted AND relation = 'result_days'::regclass"))
          .length < 3
      );
      await expect(core.row('SELECT 1 AS one')).resolves.toEqual({ one: 1 });
      return requests;
    });
    expect(await Promise.all(reads)).toHaveLength(30);
  });

  it('require only READ', async () => {
    const reader = { ...actor, credential: { ...actor.credential, permissions: ['READ' as const] } };
    await expect(read('', reader)).resolves.toMatchObject({ trade_count: 0 });
  });
});
