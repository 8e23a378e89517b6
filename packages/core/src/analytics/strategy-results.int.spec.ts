/** A number after `rule` or `row` in a title refers to the first or the second table of docs/trading/rules.md. */
import { strategyOperations } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';

import { type Actor, querySchemaOf } from '../operations/index.js';
import { StrategiesService } from '../strategies/index.js';
import { CoreUnderTest, countStatements, type RecordIds } from '../testing/index.js';
import { TradeFixtures } from '../testing/trade-fixtures.js';
import { DailyRollups } from './daily-rollups.service.js';

let core: CoreUnderTest;
let fixtures: TradeFixtures;
let strategies: StrategiesService;
let pair: RecordIds;
let leader: Actor;
let follower: Actor;
let leaderAccount: RecordIds;
let followerAccount: RecordIds;
let strategyUuid: string;
let strategyId: string;
let copier: string;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  fixtures = new TradeFixtures(core);
  strategies = new StrategiesService(core.platform, core.lists, core.commands);
  pair = await core.pair();
});
afterAll(() => core.close());
beforeEach(async () => {
  leader = await core.actor();
  follower = await core.actor();
  leaderAccount = await core.account(leader);
  followerAccount = await core.account(follower);
  const { id } = await strategies.create(leader, {
    name: 'shown',
    exchange_account_id: leaderAccount.id,
    visibility: 'PUBLIC',
  });
  strategyId = id;
  const { uuid } = await core.row(
    'SELECT id AS uuid FROM strategies WHERE exchange_account_id = $1',
    leaderAccount.uuid,
  );
  strategyUuid = uuid as string;
  copier = newUuid();
  await core.rows(
    `INSERT INTO copiers (id, user_id, strategy_id, exchange_account_id, name, status, sizing_mode, sizing_value,
       max_signal_age_ms, on_breach, below_minimum, copy_existing)
     VALUES ($1, $2, $3, $4, 'c', 'PAUSED', 'MULTIPLIER', 1, 60000, 'CLOSE_ONLY', 'SKIP', false)`,
    copier,
    follower.userId,
    strategyUuid,
    followerAccount.uuid,
  );
});

interface TradeSpec {
  /** The trade whose lot is copied. */
  readonly copyOf?: RecordIds;
  readonly side: 'BUY' | 'SELL';
  readonly at: string;
  readonly price: string;
  /** Whether the trade belongs to the strategy itself. */
  readonly isOfStrategy?: boolean;
  readonly onPair?: RecordIds;
  /** A fee in a third asset; undefined: no fee. */
  readonly feeInBnb?: string;
}

function order({ copyOf, side, at, price, isOfStrategy = true, onPair = pair, feeInBnb }: TradeSpec) {
  const fee = feeInBnb === undefined ? {} : { fee: feeInBnb, feeCurrency: 'BNB' };
  return fixtures.order({
    owner: copyOf ? follower : leader,
    account: copyOf ? followerAccount : leaderAccount,
    pair: onPair,
    side,
    fills: [{ at: `2026-01-${at}:00Z`, price, amount: '1', ...fee }],
    strategy: isOfStrategy && !copyOf ? strategyUuid : undefined,
    copiedStrategy: copyOf && strategyUuid,
    copy: copyOf && { copier, lotTrade: copyOf.uuid, referencePrice: price },
  });
}

/** Reads the strategy's performance, and checks that loading the strategy by id returns the same. */
async function performance(viewer = leader) {
  await fixtures.rebuildLots();
  await new DailyRollups(core.platform).refresh();
  const shown = await strategies.get(viewer, strategyId);
  expect(await strategies.getMany(viewer, [strategyId])).toEqual([shown]);
  return shown.performance;
}

/** Inserts an equity snapshot of the leader's account. */
const insertEquity = (at: string, amount: string, currency = 'USDT') =>
  core.rows(
    `INSERT INTO equity_snapshots (exchange_account_id, currency, period, taken_at, amount)
     VALUES ($1, $4, $2::timestamptz, $2::timestamptz, $3)`,
    leaderAccount.uuid,
    `2026-01-${at}:00Z`,
    amount,
    currency,
  );

async function list(viewer: Actor, query: Record<string, string>) {
  const params = querySchemaOf(strategyOperations.list).parse({ ...query, limit: '100' });
  return (await strategies.list(viewer, params as Parameters<StrategiesService['list']>[1])).items;
}

describe('the performance of a strategy', () => {
  it('is null or zero before the first closure', async () => {
    expect(await performance()).toEqual({
      since: expect.any(String),
      closed_count: 0,
      win_rate: null,
      profit_factor: null,
      roi: null,
      max_drawdown_percent: null,
      sharpe: null,
      low_sample: true,
      fees_incomplete: false,
      copier_roi: null,
      curve: [],
      net_pnl: '0',
      unrealized_pnl: '0',
      equity: null,
      sortino: null,
      realized_roi: null,
      realized_max_drawdown_percent: null,
      realized_sharpe: null,
      realized_sortino: null,
      copier_net_pnl: '0',
    });
  });

  it('contains the results of its own lots, even if other trades close them, and the results of its copiers separately', async () => {
    const lot = await order({ side: 'BUY', at: '01T10:00', price: '100' });
    await order({ copyOf: lot, side: 'BUY', at: '01T10:01', price: '101' });
    await order({ side: 'SELL', at: '02T10:00', price: '110', isOfStrategy: false });
    await order({ copyOf: lot, side: 'SELL', at: '02T10:01', price: '108' });
    await order({ side: 'BUY', at: '03T10:00', price: '100' });
    await order({ side: 'SELL', at: '03T11:00', price: '95' });
    // These are not trades of the strategy.
    await order({ side: 'BUY', at: '04T10:00', price: '10', isOfStrategy: false });
    await order({ side: 'SELL', at: '04T11:00', price: '90', isOfStrategy: false });
    expect(await performance()).toMatchObject({
      closed_count: 2,
      win_rate: '0.5',
      net_pnl: '5',
      copier_net_pnl: '7',
      roi: null,
      max_drawdown_percent: null,
      sharpe: null,
      realized_sharpe: expect.any(String),
    });
  });

  it('counts closed trades, however their fills are split, and no trade with an open lot', async () => {
    const fixture = { owner: leader, account: leaderAccount, pair, strategy: strategyUuid };
    const fill = (at: string, price: string, amount: string) => ({ at: `2026-01-${at}:00Z`, price, amount });
    // One fill of the first trade gains 3, the other loses 1.
    await fixtures.order({
      ...fixture,
      side: 'BUY',
      fills: [fill('01T10:00', '100', '1'), fill('01T10:01', '104', '1')],
    });
    await fixtures.order({ ...fixture, side: 'BUY', fills: [fill('01T11:00', '106', '2')] });
    await fixtures.order({ ...fixture, side: 'BUY', fills: [fill('01T12:00', '50', '2')] });
    await fixtures.order({
      ...fixture,
      side: 'SELL',
      fills: [fill('02T10:00', '103', '1.5'), fill('02T10:01', '103', '3.5')],
    });
    expect(await performance()).toMatchObject({
      closed_count: 2,
      win_rate: '0.5',
      // 2 ÷ 6; the closed half of the third trade gained 53.
      profit_factor: '0.33333333',
      net_pnl: '49',
    });
  });

  it('reports fees_incomplete to everybody while a fee of its lots has no value', async () => {
    const valueFees = () => core.rows('UPDATE fills SET fee_value = 1 WHERE fee_value IS NULL');
    const reported = async () => [
      (await performance(leader)).fees_incomplete,
      (await performance(follower)).fees_incomplete,
    ];
    const lot = await order({ side: 'BUY', at: '01T10:00', price: '100', feeInBnb: '0.1' });
    expect(await reported()).toEqual([true, true]);
    await valueFees();
    expect(await reported()).toEqual([false, false]);
    // The fee of a copy is no part of the strategy's results; that of a trade that closes its lot is.
    await order({ copyOf: lot, side: 'BUY', at: '01T10:01', price: '101', feeInBnb: '0.1' });
    await order({ side: 'SELL', at: '02T10:00', price: '110', isOfStrategy: false, feeInBnb: '0.1' });
    expect(await reported()).toEqual([true, true]);
    await core.rows(
      'UPDATE fills SET fee_value = 1 WHERE exchange_account_id = $1 AND fee_value IS NULL',
      leaderAccount.uuid,
    );
    expect(await reported()).toEqual([false, false]);
  });

  it('reports no fees_incomplete where an earlier release stored the figures', async () => {
    await order({ side: 'BUY', at: '01T10:00', price: '100' });
    await performance();
    await core.rows(
      `UPDATE strategy_figures SET performance = performance - 'fees_incomplete',
         public_performance = public_performance - 'fees_incomplete' WHERE strategy_id = $1`,
      strategyUuid,
    );
    for (const viewer of [leader, follower])
      expect((await strategies.get(viewer, strategyId)).performance.fees_incomplete).toBe(false);
  });

  it('has no equity and no return before the first fill, and a realised return of 0 until a lot is closed', async () => {
    await insertEquity('01T00:01', '1000');
    expect(await performance()).toMatchObject({ equity: null, roi: null, realized_roi: null });
    await order({ side: 'BUY', at: '01T10:00', price: '100' });
    expect(await performance()).toMatchObject({ closed_count: 0, equity: '1000', realized_roi: '0' });
    await order({ side: 'SELL', at: '01T11:00', price: '110' });
    expect(await performance()).toMatchObject({ closed_count: 1, equity: '1000', realized_roi: '0.01' });
  });

  it('has the last recorded equity, also if it was recorded after the figures were computed', async () => {
    await insertEquity('01T00:01', '1000');
    await order({ side: 'BUY', at: '01T10:00', price: '100' });
    await order({ side: 'SELL', at: '01T11:00', price: '110' });
    expect(await performance()).toMatchObject({ equity: '1000' });
    await insertEquity('01T12:00', '1510.5');
    await insertEquity('01T12:05', '9', 'ZAR');
    const [own] = await strategies.getMany(leader, [strategyId]);
    expect(own?.performance).toMatchObject({ equity: '1510.5', roi: '0.01' });
    expect(await strategies.get(leader, strategyId)).toEqual(own);
    expect((await strategies.get(follower, strategyId)).performance.equity).toBeUndefined();
  });

  it('without a recorded equity has a realised return of 0 until a lot is closed, then none', async () => {
    await order({ side: 'BUY', at: '01T10:00', price: '100' });
    expect(await performance()).toMatchObject({ equity: null, win_rate: null, realized_roi: '0' });
    await order({ side: 'SELL', at: '01T11:00', price: '110' });
    expect(await performance()).toMatchObject({ equity: null, win_rate: '1', realized_roi: null });
  });

  it('is relative to the recorded equity of its account', async () => {
    await insertEquity('01T00:01', '1000');
    await insertEquity('02T23:59', '1100');
    await order({ side: 'BUY', at: '01T10:00', price: '100' });
    await order({ side: 'SELL', at: '02T10:00', price: '200' });
    await order({ side: 'BUY', at: '03T10:00', price: '200' });
    await order({ side: 'SELL', at: '03T11:00', price: '90' });
    // 100 of 1,000, then −110 of 1,100.
    expect(await performance()).toMatchObject({ roi: '-0.01', max_drawdown_percent: '10' });
  });

  it('is relative to the first equity snapshot of the first day that has one', async () => {
    await insertEquity('01T00:01', '1000');
    await insertEquity('01T23:59', '2000');
    await order({ side: 'BUY', at: '01T10:00', price: '100' });
    await order({ side: 'SELL', at: '01T11:00', price: '200' });
    expect(await performance()).toMatchObject({ roi: '0.1' });
  });

  it('covers only the main currency of trades in several currencies, and the equity in that currency', async () => {
    const randPair = await core.pair({ quote: 'ZAR' });
    await insertEquity('02T23:59', '1100');
    await insertEquity('01T00:01', '1000');
    await insertEquity('01T00:02', '1', 'ZAR');
    await insertEquity('02T23:58', '2', 'ZAR');
    await order({ side: 'BUY', at: '01T09:00', price: '50', onPair: randPair });
    await order({ side: 'SELL', at: '01T09:30', price: '51', onPair: randPair });
    await order({ side: 'BUY', at: '01T10:00', price: '100' });
    await order({ side: 'SELL', at: '02T10:00', price: '200' });
    await order({ side: 'BUY', at: '03T10:00', price: '200' });
    await order({ side: 'SELL', at: '03T11:00', price: '90' });
    expect(await performance()).toMatchObject({
      closed_count: 2,
      net_pnl: '-10',
      roi: '-0.01',
      max_drawdown_percent: '10',
    });
    const load = () => strategies.getMany(leader, [strategyId]);
    expect(await countStatements(core.platform.database, load)).toBe(1);
  });

  it('shows other users a profit factor of two digits, however large it is', async () => {
    for (const [day, exit] of [
      ['01', '99.95'],
      ['02', '817.39'],
    ] as const) {
      await order({ side: 'BUY', at: `${day}T10:00`, price: '100' });
      await order({ side: 'SELL', at: `${day}T11:00`, price: exit });
    }
    expect(await performance()).toMatchObject({ profit_factor: '14347.8' });
    expect(await performance(follower)).toMatchObject({ profit_factor: '14000' });
  });

  it('rule 30: is visible to other users, but does not reveal the account and its holdings', async () => {
    await insertEquity('01T00:01', '1000');
    await order({ side: 'BUY', at: '01T10:00', price: '100' });
    await order({ side: 'SELL', at: '02T10:00', price: '110' });
    expect(await performance()).toMatchObject({ net_pnl: '10', equity: '1000', sharpe: '13.50925609' });
    const shown = await performance(follower);
    // Ratios and counts alone, rounded; 100 × (1 + 10 ÷ 1000) at the end of 2 January.
    expect(shown).toEqual({
      since: expect.any(String),
      closed_count: 1,
      win_rate: '1',
      profit_factor: null,
      roi: '0.01',
      max_drawdown_percent: null,
      sharpe: '13.51',
      low_sample: true,
      fees_incomplete: false,
      copier_roi: null,
      curve: [
        { at: '2026-01-01T00:00:00.000Z', index: '100' },
        { at: '2026-01-02T00:00:00.000Z', index: '100' },
        { at: '2026-01-03T00:00:00.000Z', index: '101' },
      ],
    });
    const shownToFollower = (await list(follower, { visibility: 'PUBLIC' })).find(
      ({ id }) => id === strategyId,
    );
    expect(shownToFollower?.performance).toEqual(shown);
    expect(shownToFollower).not.toHaveProperty('exchange_account_id', expect.anything());
    const json = JSON.stringify(shownToFollower);
    for (const secret of [leaderAccount.id, leaderAccount.uuid, '1000']) expect(json).not.toContain(secret);
  });

  it('is computed separately for each strategy of a list', async () => {
    const id = newUuid();
    await core.rows(
      `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
       VALUES ($1, $2, $3, 'other', 'PRIVATE', 'ACTIVE')`,
      id,
      leader.userId,
      leaderAccount.uuid,
    );
    await order({ side: 'BUY', at: '01T10:00', price: '100' });
    await order({ side: 'SELL', at: '02T10:00', price: '110' });
    await performance();
    const items = await list(leader, {});
    expect(items.map(({ performance: { net_pnl } }) => net_pnl).sort()).toEqual(['0', '10']);
  });
});
