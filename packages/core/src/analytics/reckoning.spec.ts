import { analytics, encodeId } from '@trading-automation/contracts';
import type { FillRow, Selection, TradeCount } from './analytics.queries.js';
import { viewAnalytics } from './analytics.view.js';
import { Reckoning } from './reckoning.js';

const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const ACCOUNT = uuid(1);
const [BTC, ETH, EUR] = [uuid(11), uuid(12), uuid(13)];
const STRATEGY = uuid(21);
/** Trades by their letter. */
const trade = (letter: string) => uuid(100 + letter.charCodeAt(0));
const tradeId = (letter: string) => encodeId('trd', trade(letter));

const ALL: Selection = {
  userId: uuid(2),
  accountId: undefined,
  pairId: undefined,
  strategyId: undefined,
  from: undefined,
  to: undefined,
};

type Told = [
  letter: string,
  side: 'BUY' | 'SELL',
  at: string,
  amount: string,
  price: string,
  fee: string,
  more?: Partial<FillRow>,
];

/** January 2026, whose 1st is a Thursday. */
const TOLD: Told[] = [
  // a: 1 BTC for 100.1 and 1 BTC for 102.2.
  ['a', 'BUY', '01T10:00', '1', '100', '0.1 USDT', { tradeFilledAmount: '2', strategyId: STRATEGY }],
  ['a', 'BUY', '01T11:00', '1', '102', '0.2 USDT', { tradeFilledAmount: '2', strategyId: STRATEGY }],
  // b brings 164.7, 109.8 of a BTC: 9.7 over the first lot, and 3.8 over half of the second.
  ['b', 'SELL', '02T10:00', '1.5', '110', '0.3 USDT'],
  // c: 1.998 BTC for 199.8, 100 each; the fee of 0.002 BTC is worth 0.1998.
  ['c', 'BUY', '02T12:00', '2', '99.9', '0.002 BTC'],
  // d brings 52.4, 1.3 over the rest of a, which is closed after 47 hours with 14.8.
  ['d', 'SELL', '03T09:00', '0.5', '105', '0.1 USDT'],
  // e brings 89.91 for what cost 100, then 94.81 for what cost 99.8: c is closed after 46 hours with -15.08.
  ['e', 'SELL', '04T09:00', '1', '90', '0.09 USDT', { tradeFilledAmount: '1.998' }],
  ['e', 'SELL', '04T10:00', '0.998', '95', '0.01 BNB', { tradeFilledAmount: '1.998' }],
  // f: 1 BTC for 50 and 1 BTC for 52.
  ['f', 'BUY', '05T00:00', '1', '50', '0 USDT', { tradeFilledAmount: '2' }],
  ['f', 'BUY', '05T00:01', '1', '52', '0 USDT', { tradeFilledAmount: '2' }],
  // g brings 60, 10 over the first of them.
  ['g', 'SELL', '07T12:00', '1', '60', '0 USDT'],
  // h brings 149.7 for 3 BTC of which one was held: 49.9, 2.1 under its cost. f is closed after 72 hours with 7.9.
  ['h', 'SELL', '08T00:00', '3', '50', '0.3 USDT'],
  // i and j come to nothing: 50.05 for what cost 50.05, after 24 hours.
  ['i', 'BUY', '08T12:00', '10', '5', '0.05 USDT', { pairId: ETH }],
  ['j', 'SELL', '09T12:00', '10', '5.005', '0 USDT', { pairId: ETH }],
  // k and l lose 1 EUR, which is no USDT.
  ['k', 'BUY', '09T13:00', '1', '4', '0 EUR', { pairId: EUR }],
  ['l', 'SELL', '09T14:00', '1', '3', '0 EUR', { pairId: EUR }],
];

const FILLS = TOLD.map(([letter, side, at, amount, price, fee, more], index): FillRow => {
  const [feeAmount = '', feeCurrency = ''] = fee.split(' ');
  return {
    accountId: ACCOUNT,
    pairId: BTC,
    strategyId: null,
    tradeId: trade(letter),
    exchangeFillId: `fill-${index}`,
    side,
    price,
    amount,
    feeAmount,
    feeCurrency,
    executedAt: new Date(`2026-01-${at}:00.000Z`),
    tradeFilledAmount: amount,
    hasTradeEnded: true,
    ...more,
  };
});

const countOf = (pairId: string, symbol: string, count: number, more: Partial<TradeCount> = {}) => {
  const [base = '', quote = ''] = symbol.split('/');
  return {
    pairId,
    symbol,
    base,
    quote,
    tradingType: 'spot',
    strategyId: null,
    status: 'FILLED',
    count,
    ...more,
  };
};
const COUNTS = [
  countOf(BTC, 'BTC/USDT', 7),
  countOf(BTC, 'BTC/USDT', 1, { strategyId: STRATEGY }),
  countOf(BTC, 'BTC/USDT', 3, { status: 'CANCELLED' }),
  countOf(EUR, 'ETH/EUR', 2),
  countOf(ETH, 'ETH/USDT', 2),
] as TradeCount[];

function reckon(
  selection: Partial<Selection> = {},
  interval: 'day' | 'week' | 'month' = 'day',
  counts: TradeCount[] = COUNTS,
) {
  const whole = { ...ALL, ...selection };
  const reckoning = new Reckoning(whole, interval, counts);
  for (const fill of FILLS) if (whole.to === undefined || fill.executedAt < whole.to) reckoning.add(fill);
  const record = viewAnalytics(whole, reckoning);
  expect(analytics.parse(record)).toEqual(record);
  return record;
}

describe('the record of a fixture that was computed by hand', () => {
  it('has every total', () => {
    const { by_pair, by_strategy, equity_curve, max_drawdown, ...totals } = reckon();
    expect(totals).toEqual({
      from: null,
      to: null,
      currency: 'USDT',
      excluded_quotes: [{ currency: 'EUR', fill_count: 2, closed_count: 1 }],
      trade_count: 15,
      closed_count: 4,
      winning_count: 2,
      losing_count: 1,
      win_rate: '0.5',
      // 22.7 ÷ 15.08
      profit_factor: '1.50530504',
      // 7.62 ÷ 4
      expectancy: '1.905',
      expectancy_ratio: '0.12632626',
      // 14.8 + 7.9
      gross_profit: '22.7',
      gross_loss: '15.08',
      partial_pnl: '0',
      // 1.14 in USDT, and 0.002 BTC at 99.9
      fees: '1.3398',
      fees_by_currency: [
        { amount: '0.01', currency: 'BNB' },
        { amount: '0.002', currency: 'BTC' },
        { amount: '1.14', currency: 'USDT' },
      ],
      funding: '0',
      net_pnl: '7.62',
      roi: null,
      volume: '1216.16',
      average_win: '11.35',
      average_loss: '15.08',
      best_trade: { trade_id: tradeId('a'), net_pnl: '14.8' },
      worst_trade: { trade_id: tradeId('c'), net_pnl: '-15.08' },
      // (47 + 46 + 72 + 24) hours ÷ 4
      average_holding_seconds: '170100',
      max_consecutive_losses: 1,
      // Over nine days: 13.5, 1.3, -15.08, 10, -2.1 and four of 0.
      sharpe: '2.02728591',
      sortino: '3.00491235',
      calmar: null,
      sample_days: 9,
      low_sample: true,
      unmatched_fill_count: 1,
      by_status: { PENDING: 0, FILLED: 12, PARTIALLY_FILLED: 0, CANCELLED: 3, FAILED: 0 },
    });
  });

  it('has the deepest fall and where it was', () => {
    expect(reckon().max_drawdown).toEqual({
      amount: '15.08',
      percent: null,
      peak_at: '2026-01-03T09:00:00.000Z',
      trough_at: '2026-01-04T10:00:00.000Z',
      recovered_at: null,
    });
  });

  it('has the curve by days, weeks from Monday, and months', () => {
    const curve = (interval: 'day' | 'week' | 'month') =>
      reckon({}, interval).equity_curve.map(({ at, equity, net_pnl, period_pnl, drawdown: fall }) => {
        expect(equity).toBeNull();
        expect(at).toMatch(/T00:00:00\.000Z$/);
        return [at.slice(0, 10), net_pnl, period_pnl, fall];
      });
    expect(curve('day')).toEqual([
      ['2026-01-02', '13.5', '13.5', '0'],
      ['2026-01-03', '14.8', '1.3', '0'],
      ['2026-01-04', '-0.28', '-15.08', '15.08'],
      ['2026-01-07', '9.72', '10', '5.08'],
      ['2026-01-08', '7.62', '-2.1', '7.18'],
      ['2026-01-09', '7.62', '0', '7.18'],
    ]);
    expect(curve('week')).toEqual([
      ['2025-12-29', '-0.28', '-0.28', '15.08'],
      ['2026-01-05', '7.62', '7.9', '7.18'],
    ]);
    expect(curve('month')).toEqual([['2026-01-01', '7.62', '7.62', '7.18']]);
  });

  it('lists each pair under its own currency, and each strategy by the trades that opened its lots', () => {
    const { by_pair, by_strategy } = reckon();
    expect(by_pair).toMatchObject([
      { symbol: 'BTC/USDT', currency: 'USDT', trade_count: 11, closed_count: 3, net_pnl: '7.62' },
      { symbol: 'ETH/EUR', currency: 'EUR', trade_count: 2, closed_count: 1, net_pnl: '-1', win_rate: '0' },
      { symbol: 'ETH/USDT', currency: 'USDT', trade_count: 2, closed_count: 1, net_pnl: '0', win_rate: '0' },
    ]);
    expect(by_strategy).toEqual([
      {
        strategy_id: encodeId('str', STRATEGY),
        currency: 'USDT',
        trade_count: 1,
        closed_count: 1,
        winning_count: 1,
        losing_count: 0,
        win_rate: '1',
        net_pnl: '14.8',
        fees: '0.3',
        volume: '202',
      },
    ]);
  });
});

describe('a part of the fixture', () => {
  const at = (text: string) => new Date(`2026-01-${text}:00.000Z`);

  it('matches sales in the range with lots that were bought before it', () => {
    const record = reckon({ from: at('03T00:00'), to: at('04T10:00') });
    // 1.3 and -10.09; a was closed, with 13.5 that it had realised before.
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

  it('adds up to the whole, wherever it is cut', () => {
    const NAMES = ['net_pnl', 'volume', 'fees', 'closed_count', 'winning_count'] as const;
    /** The sums over all pairs; the currencies are of no matter to whether they add up. */
    const sums = (selection: Partial<Selection>) => {
      const { by_pair } = reckon(selection);
      return NAMES.map((name) => by_pair.reduce((sum, pair) => sum + Number(pair[name]), 0));
    };
    const whole = sums({});
    for (const cut of FILLS.map(({ executedAt }) => executedAt)) {
      const [before, after] = [sums({ to: cut }), sums({ from: cut })];
      for (const [index, expected] of whole.entries())
        expect(before[index]! + after[index]!).toBeCloseTo(expected, 9);
    }
  });

  it('of a strategy has what its trades opened, whoever closed it', () => {
    const counts = COUNTS.map((count) => ({ ...count, count: count.strategyId === STRATEGY ? 1 : 0 }));
    const record = reckon({ strategyId: STRATEGY }, 'day', counts);
    expect(record).toMatchObject({
      trade_count: 1,
      closed_count: 1,
      net_pnl: '14.8',
      volume: '202',
      fees: '0.3',
      excluded_quotes: [],
      unmatched_fill_count: 0,
      by_pair: [{ symbol: 'BTC/USDT', trade_count: 1 }],
    });
  });

  it('with nothing in it says null where nothing is defined', () => {
    const counts = COUNTS.map((count) => ({ ...count, count: 0 }));
    expect(reckon({ from: at('20T00:00') }, 'day', counts)).toMatchObject({
      currency: null,
      trade_count: 0,
      closed_count: 0,
      win_rate: null,
      profit_factor: null,
      expectancy: null,
      net_pnl: '0',
      average_win: null,
      best_trade: null,
      average_holding_seconds: null,
      max_drawdown: { amount: '0', peak_at: null, trough_at: null },
      sharpe: null,
      sortino: null,
      sample_days: 0,
      low_sample: true,
      by_pair: [],
      by_strategy: [],
      equity_curve: [],
    });
  });
});
