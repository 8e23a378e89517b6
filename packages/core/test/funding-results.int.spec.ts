/** Results with funding, each read twice: computed from lots and payments, and from the rollups. */
import { encodeId } from '@trading-automation/contracts';
import { AnalyticsService } from '../src/analytics/analytics.service.js';
import { DailyRollups } from '../src/analytics/daily-rollups.service.js';
import { copierFiguresOf } from '../src/copiers/copier-stats.queries.js';
import { refreshLosses } from '../src/copiers/copying/copier-marks.queries.js';
import { FundingReports } from '../src/funding/index.js';
import { CoreUnderTest, type RecordIds } from '../src/testing/index.js';
import { FillScenario } from '../src/trades/lots/testing/fill-scenario.js';

const DAY_S = 86_400;

let core: CoreUnderTest;
let analytics: AnalyticsService;
let reports: FundingReports;
let pair: RecordIds;
beforeAll(async () => {
  core = await CoreUnderTest.open();
  analytics = new AnalyticsService(core.platform);
  reports = new FundingReports(core.platform);
  pair = await core.pair({ symbol: 'BTC/USDT:USDT', trading_type: 'perpetual' });
});
afterAll(() => core.close());

let scenario: FillScenario;
let strategyId: string;
beforeEach(async () => {
  scenario = await FillScenario.begin(core, pair.uuid);
  strategyId = await scenario.strategy();
});

const pay = (id: string, amount: string, at: number) =>
  reports.storePayments(scenario.accountId, [
    { id, symbol: 'BTC/USDT:USDT', amount, currency: 'USDT', paidAt: FillScenario.at(at) },
  ]);

/** Reads the results from payments and lots, then refreshes the rollups and checks that they give the same. */
async function results(query: Readonly<Record<string, string>> = {}) {
  const read = () => analytics.get(scenario.actor, { interval: 'day', ...query });
  const computed = await read();
  await new DailyRollups(core.platform).refresh();
  expect(await core.rows('SELECT FROM result_marks WHERE user_id = $1', scenario.actor.userId)).toEqual([]);
  expect(await read()).toEqual(computed);
  return computed;
}

it('funding is part of the net result, of no closed trade, and counts on its own day', async () => {
  await scenario.executeTrade({ side: 'BUY', amount: '2', price: '100', at: 1, strategyId });
  await pay('p1', '-3', DAY_S);
  await scenario.executeTrade({ side: 'SELL', amount: '2', price: '110', at: 2 * DAY_S, strategyId });
  const all = await results();
  expect(all).toMatchObject({
    currency: 'USDT',
    funding: '-3',
    net_pnl: '17',
    gross_profit: '20',
    partial_pnl: '0',
    winning_count: 1,
    realized_max_drawdown: { amount: '3' },
  });
  expect(all.by_pair).toMatchObject([{ net_pnl: '17' }]);
  expect(all.by_strategy).toMatchObject([{ net_pnl: '17' }]);
  expect(all.equity_curve.map(({ period_pnl }) => period_pnl)).toEqual(['-3', '20']);
  const day = {
    from: FillScenario.at(DAY_S - 1).toISOString(),
    to: FillScenario.at(DAY_S + 1).toISOString(),
  };
  expect(await results(day)).toMatchObject({ funding: '-3', net_pnl: '-3', closed_count: 0 });
});

it('funding that no lot has a part in counts for the account, but for no strategy', async () => {
  await pay('early', '2', 0);
  await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1, strategyId });
  await pay('later', '-1', 10);
  expect(await results()).toMatchObject({ funding: '1', net_pnl: '1' });
  expect(await results({ strategy_id: encodeId('str', strategyId) })).toMatchObject({ funding: '-1' });
  expect(await results({ trade_pair_id: pair.id })).toMatchObject({ funding: '1' });
});

it('rollups are refreshed when funding arrives and when a late fill moves it', async () => {
  const late = await scenario.trade({ side: 'BUY' });
  await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1, strategyId });
  await results();
  await pay('p1', '-4', 10);
  expect((await results()).by_strategy).toMatchObject([{ net_pnl: '-4' }]);
  await scenario.store({ tradeId: late, amount: '3', at: 2 });
  const moved = await results();
  expect(moved.by_strategy).toMatchObject([{ net_pnl: '-1' }]);
  expect(moved.funding).toBe('-4');
});

it('the figures of a strategy, the stats of a copier and its losses include the funding of their lots', async () => {
  const copierId = await scenario.copier(strategyId);
  const leaderTrade = await scenario.executeTrade({ side: 'BUY', amount: '1', at: 1, strategyId });
  await scenario.executeTrade({
    side: 'BUY',
    amount: '3',
    at: 2,
    copierId,
    copiedStrategyId: strategyId,
    sourceTradeId: leaderTrade.tradeId,
  });
  await pay('p1', '-4', DAY_S);
  await new DailyRollups(core.platform).refresh();
  const { performance } = await core.row(
    'SELECT performance FROM strategy_figures WHERE strategy_id = $1',
    strategyId,
  );
  // The copy is on the account of the strategy, so its lots count as the strategy's own.
  expect(performance).toMatchObject({ net_pnl: '-4' });
  const { manager } = core.platform.database;
  const figures = await copierFiguresOf(manager, [copierId]);
  expect(figures.get(copierId)?.stats.net_pnl).toBe('-3');
  const losses = await refreshLosses(manager, [copierId]);
  expect(losses.map(({ pnl, drawdownQuote }) => [Number(pnl), Number(drawdownQuote)])).toEqual([[-3, 3]]);
});
