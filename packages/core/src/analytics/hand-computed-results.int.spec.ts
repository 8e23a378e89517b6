/**
 * Compares the results of thirty fills with results that were computed by hand.
 *
 * Pair A is BTC/USDT, B is ETH/USDT and C is ETH/EUR. Fills are on one account unless noted otherwise. `q` is an amount
 * of base currency, `p` a price, `f` a fee in quote currency unless its currency is named. A purchase costs q × p + f,
 * and a sale yields q × p − f. A fee in base reduces the bought amount or increases the sold amount.
 *
 *  n  trade at            q      p     f            cost or proceeds       closures and results
 *  1  a BUY  A 01 10:00   1      100   0.10         100.10
 *  2  a            11:00   1      102   0.20         102.20
 *  3  b SELL A 02 10:00   1.5    110   0.30         164.70 = 109.8 × 1.5   1: 109.8 − 100.10 = 9.70
 *                                                                          2: 54.9 − 51.10 = 3.80        → 13.50
 *  4  c BUY  A 02 12:00   2      99.9  0.002 BTC    199.80 for 1.998: 100 each; the fee is worth 0.1998
 *  5  d SELL A 03 09:00   0.5    105   0.10         52.40                  2: 52.4 − 51.10 = 1.30
 *                         a is closed: 47 h after 1, with 9.70 + 3.80 + 1.30 = 14.80
 *  6  e SELL A 04 09:00   1      90    0.09         89.91                  4: 89.91 − 100 = −10.09
 *  7  e            10:00   0.998  95    0.01 BNB     94.81                  4: 94.81 − 99.80 = −4.99      → −15.08
 *                         c is closed: 46 h after 4, with −15.08
 *  8  f BUY  A 05 00:00   1      50    0            50.00
 *  9  f            00:01   1      52    0            52.00
 * 10  g SELL A 07 12:00   1      60    0            60.00                  8: 60 − 50 = 10
 * 11  h SELL A 08 00:00   3      50    0.30         149.70, 49.90 each     9: 49.90 − 52 = −2.10; 2 are unmatched
 *                         f is closed: 72 h after 8, with 7.90
 * 12  i BUY  B 08 12:00   10     5     0.05         50.05
 * 13  j SELL B 09 12:00   10     5.005 0            50.05                  12: 0
 *                         i is closed: 24 h after 12, with 0
 * 14  k BUY  C 09 13:00   1      4     0            4 EUR
 * 15  l SELL C 09 14:00   1      3     0            3 EUR                  14: −1 EUR; k is closed after 1 h with −1
 * 16  m BUY  B 10 00:00   4      10    0.04 ETH     40 for 3.96; the fee is worth 0.40
 * 17  m            00:00   2      11    0            22
 * 18  n SELL B 10 06:00   3.92   12    0.04 ETH     47.04 for 3.96         16: 47.04 − 40 = 7.04; the fee is worth 0.48
 * 19  o SELL B 10 12:00   1      9     0.09         8.91                   17: 8.91 − 11 = −2.09
 * 20  o            12:30   1      8     0            8                      17: 8 − 11 = −3
 *                         m is closed: 12.5 h after 16, with 7.04 − 2.09 − 3 = 1.95
 * 21  p BUY  A 11 00:00   0.3    100   0            30
 * 22  q BUY  A 11 01:00   0.3    110   0            33
 * 23  r SELL A 11 02:00   0.4    90    0            36 = 90 × 0.4          21: 27 − 30 = −3; 22: 9 − 11 = −2
 *                         p is closed: 2 h after 21, with −3
 * 24  s SELL A 11 03:00   0.2    80    0            16                     22: 16 − 22 = −6
 *                         q is closed: 2 h after 22, with −8
 * On a second account
 * 25  t BUY  A 11 04:00   1      100   1            101
 * 26  u SELL A 11 05:00   1      90    1            89                     25: −12; t is closed after 1 h
 * 27  v BUY  A 12 00:00   1      100   0            100                    stays open
 * 28  w BUY  A 12 00:00   2      100   0            200, of a strategy
 * 29  x SELL A 12 12:00   2      120   0            240, 120 each          27: 20; v is closed after 12 h. 28: 20
 * 30  y SELL A 13 12:00   0.5    130   0            65                     28: 65 − 50 = 15; w is open with a result of 35
 *
 * Closed in USDT, in this order: a 14.80, c −15.08, f 7.90, i 0, m 1.95, p −3, q −8, t −12, v 20.
 */
import { type Analytics, analyticsOperations } from '@trading-automation/contracts';
import { newUuid } from '@trading-automation/persistence';

import { type Actor, querySchemaOf } from '../operations/index.js';
import { CoreUnderTest, type RecordIds } from '../testing/index.js';
import { TradeFixtures } from '../testing/trade-fixtures.js';
import { AnalyticsService } from './analytics.service.js';
import { DailyRollups } from './daily-rollups.service.js';

type Pair = 'A' | 'B' | 'C';
/** One fill of the table above; without `n`, the cost or proceeds, and the closures. */
type Line = [trade: string, side: 'BUY' | 'SELL', pair: Pair, at: string, q: string, p: string, f?: string];

const LINES: readonly Line[] = [
  ['a', 'BUY', 'A', '01T10:00', '1', '100', '0.10'],
  ['a', 'BUY', 'A', '01T11:00', '1', '102', '0.20'],
  ['b', 'SELL', 'A', '02T10:00', '1.5', '110', '0.30'],
  ['c', 'BUY', 'A', '02T12:00', '2', '99.9', '0.002 BTC'],
  ['d', 'SELL', 'A', '03T09:00', '0.5', '105', '0.10'],
  ['e', 'SELL', 'A', '04T09:00', '1', '90', '0.09'],
  ['e', 'SELL', 'A', '04T10:00', '0.998', '95', '0.01 BNB'],
  ['f', 'BUY', 'A', '05T00:00', '1', '50'],
  ['f', 'BUY', 'A', '05T00:01', '1', '52'],
  ['g', 'SELL', 'A', '07T12:00', '1', '60'],
  ['h', 'SELL', 'A', '08T00:00', '3', '50', '0.30'],
  ['i', 'BUY', 'B', '08T12:00', '10', '5', '0.05'],
  ['j', 'SELL', 'B', '09T12:00', '10', '5.005'],
  ['k', 'BUY', 'C', '09T13:00', '1', '4'],
  ['l', 'SELL', 'C', '09T14:00', '1', '3'],
  ['m', 'BUY', 'B', '10T00:00', '4', '10', '0.04 ETH'],
  ['m', 'BUY', 'B', '10T00:00', '2', '11'],
  ['n', 'SELL', 'B', '10T06:00', '3.92', '12', '0.04 ETH'],
  ['o', 'SELL', 'B', '10T12:00', '1', '9', '0.09'],
  ['o', 'SELL', 'B', '10T12:30', '1', '8'],
  ['p', 'BUY', 'A', '11T00:00', '0.3', '100'],
  ['q', 'BUY', 'A', '11T01:00', '0.3', '110'],
  ['r', 'SELL', 'A', '11T02:00', '0.4', '90'],
  ['s', 'SELL', 'A', '11T03:00', '0.2', '80'],
  ['t', 'BUY', 'A', '11T04:00', '1', '100', '1'],
  ['u', 'SELL', 'A', '11T05:00', '1', '90', '1'],
  ['v', 'BUY', 'A', '12T00:00', '1', '100'],
  ['w', 'BUY', 'A', '12T00:00', '2', '100'],
  ['x', 'SELL', 'A', '12T12:00', '2', '120'],
  ['y', 'SELL', 'A', '13T12:00', '0.5', '130'],
];
const ON_SECOND_ACCOUNT = new Set(['t', 'u', 'v', 'w', 'x', 'y']);

let core: CoreUnderTest;
let service: AnalyticsService;
let actor: Actor;
let accounts: readonly [RecordIds, RecordIds];
const strategy = newUuid();
const trades = new Map<string, string>();

beforeAll(async () => {
  core = await CoreUnderTest.open();
  service = new AnalyticsService(core.platform);
  const fixtures = new TradeFixtures(core);
  actor = await core.actor();
  accounts = [await core.account(actor), await core.account(actor)];
  await core.rows(
    `INSERT INTO strategies (id, user_id, exchange_account_id, name, visibility, status)
     VALUES ($1, $2, $3, 'mine', 'PRIVATE', 'ACTIVE')`,
    strategy,
    actor.userId,
    accounts[1].uuid,
  );
  const pairs = {
    A: await core.pair(),
    B: await core.pair({ base: 'ETH' }),
    C: await core.pair({ base: 'ETH', quote: 'EUR' }),
  };
  for (const [letter, side, pair] of LINES) {
    if (trades.has(letter)) continue;
    const fills = LINES.filter(([trade]) => trade === letter).map(([, , , at, amount, price, f = '0']) => {
      const [fee = '0', feeCurrency] = f.split(' ');
      return { at: `2026-01-${at}:00Z`, amount, price, fee, ...(feeCurrency ? { feeCurrency } : {}) };
    });
    const account = accounts[ON_SECOND_ACCOUNT.has(letter) ? 1 : 0];
    const { id } = await fixtures.order({
      owner: actor,
      account,
      pair: pairs[pair],
      side,
      fills,
      strategy: letter === 'w' ? strategy : undefined,
    });
    trades.set(letter, id);
  }
  await fixtures.rebuildLots();
});
afterAll(() => core.close());

async function read(query = ''): Promise<Analytics> {
  const params = querySchemaOf(analyticsOperations.get).parse(Object.fromEntries(new URLSearchParams(query)));
  return service.get(actor, params as Parameters<AnalyticsService['get']>[1]);
}

describe.each(['fills and lots', 'rollups'])('thirty fills, with results from %s', (source) => {
  beforeAll(async () => {
    if (source === 'rollups') await new DailyRollups(core.platform).refresh();
  });

  it('are the thirty fills of the table', () => {
    expect(LINES).toHaveLength(30);
  });

  it('have the totals that were computed by hand', async () => {
    const { by_pair, by_strategy, equity_curve, max_drawdown, realized_max_drawdown, ...totals } =
      await read();
    expect(totals).toEqual({
      from: null,
      to: null,
      currency: 'USDT',
      excluded_quotes: [{ currency: 'EUR', fill_count: 2, closed_count: 1 }],
      trade_count: 25,
      closed_count: 9,
      // a, f, m, v
      winning_count: 4,
      // c, p, q, t
      losing_count: 4,
      // 4 ÷ 9
      win_rate: '0.44444444',
      // 44.65 ÷ 38.08
      profit_factor: '1.17253151',
      // 6.57 ÷ 9
      expectancy: '0.73',
      // 0.73 ÷ 9.52
      expectancy_ratio: '0.07668067',
      // 14.80 + 7.90 + 1.95 + 20
      gross_profit: '44.65',
      // 15.08 + 3 + 8 + 12
      gross_loss: '38.08',
      // w has realised 20 and 15, and is still partly open.
      partial_pnl: '35',
      // In USDT 0.10 + 0.20 + 0.30 + 0.10 + 0.09 + 0.30 + 0.05 + 0.09 + 1 + 1; 0.1998 in BTC; 0.40 + 0.48 in ETH.
      fees: '4.3098',
      fees_by_currency: [
        { amount: '0.01', currency: 'BNB' },
        { amount: '0.002', currency: 'BTC' },
        { amount: '0.08', currency: 'ETH' },
        { amount: '3.23', currency: 'USDT' },
      ],
      // The fee in BNB has no known value.
      fees_incomplete: true,
      funding: '0',
      // 6.57 of the closed trades, plus 35 of the partly closed trade w
      net_pnl: '41.57',
      // No equity is recorded, and no price of the day on which the lots of w are open.
      equity: null,
      unrealized_pnl: '0',
      roi: null,
      realized_roi: null,
      // 1 to 11: 100 + 102 + 165 + 199.8 + 52.5 + 90 + 94.81 + 50 + 52 + 60 + 150 = 1116.11
      // 12, 13: 50 + 50.05; 16 to 20: 40 + 22 + 47.04 + 9 + 8 = 126.04; 21 to 24: 30 + 33 + 36 + 16 = 115
      // 25 to 30: 100 + 90 + 100 + 200 + 240 + 65 = 795
      volume: '2252.2',
      // 44.65 ÷ 4
      average_win: '11.1625',
      // 38.08 ÷ 4
      average_loss: '9.52',
      best_trade: { trade_id: trades.get('v'), net_pnl: '20' },
      worst_trade: { trade_id: trades.get('c'), net_pnl: '-15.08' },
      // (47 + 46 + 72 + 24 + 12.5 + 2 + 2 + 1 + 12) hours ÷ 9 = 218.5 × 3600 ÷ 9
      average_holding_seconds: '87400',
      // p, q, t
      max_consecutive_losses: 3,
      sharpe: null,
      sortino: null,
      realized_sharpe: expect.any(String),
      realized_sortino: expect.any(String),
      calmar: null,
      // 01 to 13
      sample_days: 13,
      low_sample: true,
      unmatched_fill_count: 1,
      by_status: { PENDING: 0, FILLED: 25, PARTIALLY_FILLED: 0, CANCELLED: 0, FAILED: 0 },
      copy: undefined,
    });
  });

  it('have the equity curve that was computed by hand', async () => {
    const curve = async (interval: string) =>
      (await read(`interval=${interval}`)).equity_curve.map(
        ({ at, equity, net_pnl, period_pnl, drawdown }) => {
          expect(equity).toBeNull();
          return [at.slice(0, 10), period_pnl, net_pnl, drawdown];
        },
      );
    expect(await curve('day')).toEqual([
      ['2026-01-02', '13.5', '13.5', '0'],
      ['2026-01-03', '1.3', '14.8', '0'],
      ['2026-01-04', '-15.08', '-0.28', '15.08'],
      ['2026-01-07', '10', '9.72', '5.08'],
      ['2026-01-08', '-2.1', '7.62', '7.18'],
      ['2026-01-09', '0', '7.62', '7.18'],
      // 7.04 − 2.09 − 3
      ['2026-01-10', '1.95', '9.57', '5.23'],
      // −3 − 2 − 6 − 12
      ['2026-01-11', '-23', '-13.43', '28.23'],
      ['2026-01-12', '40', '26.57', '0'],
      ['2026-01-13', '15', '41.57', '0'],
    ]);
    // The 5th and the 12th are Mondays.
    expect(await curve('week')).toEqual([
      ['2025-12-29', '-0.28', '-0.28', '15.08'],
      ['2026-01-05', '-13.15', '-13.43', '28.23'],
      ['2026-01-12', '55', '41.57', '0'],
    ]);
    expect(await curve('month')).toEqual([['2026-01-01', '41.57', '41.57', '0']]);
  });

  it('have the deepest drawdown from the 3rd to the 11th, and recover on the 12th', async () => {
    expect((await read()).realized_max_drawdown).toEqual({
      amount: '28.23',
      percent: null,
      peak_at: '2026-01-03T00:00:00.000Z',
      trough_at: '2026-01-11T00:00:00.000Z',
      recovered_at: '2026-01-12T00:00:00.000Z',
    });
  });

  it('have the Sharpe and Sortino ratios of their thirteen days', async () => {
    const days = [0, 13.5, 1.3, -15.08, 0, 0, 10, -2.1, 0, 1.95, -23, 40, 15];
    const mean = days.reduce((a, b) => a + b) / 13;
    const deviation = (values: number[]) => Math.sqrt(values.reduce((a, b) => a + b * b, 0) / 12);
    const { realized_sharpe: sharpe, realized_sortino: sortino } = await read();
    const yearly = mean * Math.sqrt(365);
    expect(Number(sharpe)).toBeCloseTo(yearly / deviation(days.map((day) => day - mean)), 7);
    expect(Number(sortino)).toBeCloseTo(yearly / deviation(days.filter((day) => day < 0)), 7);
  });

  it('are grouped by pair in the pair’s currency, and by the strategy of the trade that opened a lot', async () => {
    const { by_pair, by_strategy } = await read();
    expect(by_pair).toMatchObject([
      { symbol: 'BTC/USDT', currency: 'USDT', trade_count: 18, closed_count: 7, net_pnl: '39.62' },
      { symbol: 'ETH/EUR', currency: 'EUR', trade_count: 2, closed_count: 1, net_pnl: '-1', win_rate: '0' },
      { symbol: 'ETH/USDT', currency: 'USDT', trade_count: 5, closed_count: 2, net_pnl: '1.95' },
    ]);
    expect(by_strategy).toMatchObject([
      { currency: 'USDT', trade_count: 1, closed_count: 0, win_rate: null, net_pnl: '35', volume: '200' },
    ]);
  });

  it('match sales in a range with lots bought before the range', async () => {
    const record = await read('from=2026-01-03T00:00:00Z&to=2026-01-04T10:00:00Z');
    // 1.30 and −10.09; a was closed, with 13.50 realised earlier.
    expect(record).toMatchObject({
      net_pnl: '-8.79',
      gross_profit: '14.8',
      gross_loss: '0',
      partial_pnl: '-23.59',
      closed_count: 1,
      profit_factor: null,
      average_loss: null,
      expectancy_ratio: null,
      volume: '142.5',
      fees: '0.19',
      sample_days: 2,
    });
  });

  it('have the same totals if the range is split in two at the instant of any fill', async () => {
    const NAMES = ['net_pnl', 'volume', 'fees', 'closed_count', 'winning_count'] as const;
    /** Sums over all pairs, ignoring currencies, because only additivity is tested. */
    const sums = async (query: string) => {
      const { by_pair } = await read(query);
      return NAMES.map((name) => by_pair.reduce((sum, pair) => sum + Number(pair[name]), 0));
    };
    const whole = await sums('');
    for (const cut of new Set(LINES.map(([, , , at]) => `2026-01-${at}:00Z`))) {
      const [before, after] = [await sums(`to=${cut}`), await sums(`from=${cut}`)];
      for (const [index, expected] of whole.entries())
        expect(before[index]! + after[index]!).toBeCloseTo(expected, 9);
    }
  });

  it('have null for undefined metrics in an empty range', async () => {
    expect(await read('from=2026-01-20T00:00:00Z')).toMatchObject({
      currency: null,
      trade_count: 0,
      win_rate: null,
      profit_factor: null,
      expectancy: null,
      net_pnl: '0',
      average_win: null,
      best_trade: null,
      average_holding_seconds: null,
      max_consecutive_losses: 0,
      max_drawdown: { amount: '0', percent: null, peak_at: null, trough_at: null },
      sharpe: null,
      sortino: null,
      roi: null,
      sample_days: 0,
      low_sample: true,
      by_pair: [],
      by_strategy: [],
      equity_curve: [],
    });
  });
});
