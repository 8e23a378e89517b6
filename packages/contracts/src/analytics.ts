import { z } from 'zod';
import { decimal } from './decimal.js';
import { DECISION_CODES } from './decisions.js';
import { TRADING_TYPES } from './exchange-accounts.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, instant } from './operation.js';
import { rangeInput, rejectEmptyRange } from './range.js';
import { TRADE_STATUSES, type TradeStatus } from './trades.js';

export const ANALYTICS_INTERVALS = ['day', 'week', 'month'] as const;
export type AnalyticsInterval = (typeof ANALYTICS_INTERVALS)[number];

const count = z.number().int().nonnegative();
const optionalDecimal = decimal.nullable();
const money = z.object({ amount: decimal, currency: z.string() });

/** Results of a group of trades in one currency. */
const performance = {
  currency: z.string().describe('Quote currency of the amounts in this object.'),
  trade_count: count.describe('Number of trades created in the range, regardless of status.'),
  closed_count: count,
  winning_count: count,
  losing_count: count,
  win_rate: optionalDecimal.describe('winning_count ÷ closed_count. Null if no trade was closed.'),
  net_pnl: decimal.describe('Realized result after fees, plus funding and loan interest.'),
  fees: decimal,
  volume: decimal,
};

export const pairResult = z
  .object({
    trade_pair_id: idOf('tpr'),
    symbol: z.string(),
    trading_type: z.enum(TRADING_TYPES),
    ...performance,
  })
  .meta({ id: 'PairResult' });
export type PairResult = z.output<typeof pairResult>;

export const strategyResult = z
  .object({ strategy_id: idOf('str'), ...performance })
  .meta({ id: 'StrategyResult' });
export type StrategyResult = z.output<typeof strategyResult>;

const tradeResult = z.object({ trade_id: idOf('trd'), net_pnl: decimal });

const drawdown = z.object({
  amount: decimal.describe(
    'Largest fall of the cumulative result below its previous peak, as a positive amount. It is measured at the end of each UTC day; changes within a day are ignored.',
  ),
  percent: optionalDecimal.describe(
    'Of realized results: the fall in percent of the equity at the end of the day of the peak. Otherwise: the largest fall of the compounded daily returns, in percent. Null if an equity was not recorded or there was no drawdown.',
  ),
  peak_at: instant
    .nullable()
    .describe('Day of the peak. Null if the peak is the start of the range or there was no drawdown.'),
  trough_at: instant
    .nullable()
    .describe('Day of the lowest point after the peak. Null if there was no drawdown.'),
  recovered_at: instant
    .nullable()
    .describe('Day on which the peak was reached again. Null if it was not reached again.'),
});

const curvePoint = z.object({
  at: instant.describe('Start of the period in UTC. Weeks start on Monday.'),
  equity: optionalDecimal.describe(
    'Sum of the latest equity of each account with results in `currency`, as recorded in or before the period. It includes open lots. Null if an account has no recorded equity yet.',
  ),
  net_pnl: decimal.describe('Cumulative result from the start of the range to the end of the period.'),
  period_pnl: decimal.describe('Result of this period only.'),
  drawdown: decimal.describe('How far net_pnl is below its peak so far, at the end of the period.'),
});

const copying = z
  .object({
    median_latency_ms: count.nullable(),
    p99_latency_ms: count.nullable().describe('Time within which 99 % of the copies were sent.'),
    average_slippage_bps: optionalDecimal.describe('Mean slippage of the filled copies, in basis points.'),
    skipped_by_reason: z.partialRecord(z.enum(DECISION_CODES), count),
  })
  .meta({ id: 'CopyingResults' });

export const analytics = z
  .object({
    from: instant.nullable(),
    to: instant.nullable(),
    currency: z
      .string()
      .nullable()
      .describe(
        'Currency of all totals: the quote currency with the most closed trades; if several have the most, the one of them with the most fills. Amounts in different currencies are never added. Trades in other quote currencies are counted in excluded_quotes and listed in by_pair and by_strategy under their own currency. Null if nothing was filled.',
      ),
    excluded_quotes: z
      .array(z.object({ currency: z.string(), fill_count: count, closed_count: count }))
      .describe(
        'Fills and closed trades that the totals exclude because they are quoted in another currency.',
      ),
    trade_count: count.describe('Number of trades created in the range, regardless of status and currency.'),
    closed_count: count.describe(
      'Number of trades closed in the range: their lots were fully offset, first in, first out. Rates, averages and gross amounts cover only these trades.',
    ),
    winning_count: count.describe('Number of closed trades with a net profit.'),
    losing_count: count.describe(
      'Number of closed trades with a net loss. A trade that broke even counts as neither winning nor losing.',
    ),
    win_rate: optionalDecimal.describe(
      'winning_count ÷ closed_count, from 0 to 1. Null if no trade was closed.',
    ),
    profit_factor: optionalDecimal.describe('gross_profit ÷ gross_loss. Null if there was no loss.'),
    expectancy: optionalDecimal.describe('Mean net result of a closed trade. Null if no trade was closed.'),
    expectancy_ratio: optionalDecimal.describe('expectancy ÷ average_loss. Null if there was no loss.'),
    gross_profit: decimal.describe('Sum of the profits of winning trades, after fees.'),
    gross_loss: decimal.describe('Sum of the losses of losing trades, after fees, as a positive amount.'),
    partial_pnl: decimal.describe(
      'net_pnl − funding − gross_profit + gross_loss. This is the result that partly open trades realized in the range, less the result that trades closed in the range had realized before it.',
    ),
    fees: decimal.describe(
      'Fees paid in the range, in currency. Fees in base currency are converted at the price of their own fill, fees in a third asset at the price of the time of their fill.',
    ),
    fees_incomplete: z
      .boolean()
      .describe(
        'True while a fee in a third asset has no known price yet. Such a fee appears in fees_by_currency, but in no other figure.',
      ),
    fees_by_currency: z
      .array(money)
      .describe('All fees paid in the range, by the currency in which they were paid.'),
    funding: decimal.describe(
      'Funding payments less interest on loans, as far as they were paid in the range: positive if received. Part of net_pnl. 0 on spot. Funding in another currency than the quote currency is left out.',
    ),
    net_pnl: decimal.describe(
      'Profit or loss realized in the range: the parts of lots that were offset in the range, first in, first out, after the fees of the opening and the closing fills, plus `funding`. Lots bought before the range count at their cost.',
    ),
    unrealized_pnl: decimal.describe(
      'Result of the lots that are open at the end of the range, at the last known prices, after the fees paid.',
    ),
    equity: optionalDecimal.describe(
      'Sum of the last recorded equity of each account with results in `currency`. Null if an account has none.',
    ),
    roi: optionalDecimal.describe(
      'Return over the range; 1 means that the capital doubled. The return of a UTC day is the change of the realized and the open result, after fees and funding, ÷ the equity at the start of the day. Daily returns are compounded. Open lots are valued at the last price of each day; without one, at the last price before it. Deposits and withdrawals are not profit; they change the capital from the next day on. A day without a result needs no equity. Null if nothing was filled, or if the equity at the start of a day with a result was not recorded.',
    ),
    realized_roi: optionalDecimal.describe(
      'Like roi, of net_pnl alone: open lots do not count. 0 while no lot was closed.',
    ),
    volume: decimal.describe('Sum of price × amount over all fills in the range, buys and sells.'),
    average_win: optionalDecimal,
    average_loss: optionalDecimal.describe('As a positive amount.'),
    best_trade: tradeResult.nullable().describe('The closed trade with the highest net result.'),
    worst_trade: tradeResult.nullable().describe('The closed trade with the lowest net result.'),
    average_holding_seconds: optionalDecimal.describe(
      'Mean time from the first fill of a closed trade until it was fully offset, exact to the millisecond.',
    ),
    max_consecutive_losses: count.describe(
      'Longest run of losing trades, in the order in which they were closed.',
    ),
    max_drawdown: drawdown.describe('Drawdown of the realized and the open result.'),
    realized_max_drawdown: drawdown.describe('Drawdown of net_pnl.'),
    sharpe: optionalDecimal.describe(
      'Sharpe ratio: mean ÷ standard deviation (n − 1) of the daily returns on equity, × √365, without a risk-free rate. n is sample_days. Null for fewer than 2 days, a deviation of 0, or an equity that was not recorded. Rounded to 8 decimals.',
    ),
    sortino: optionalDecimal.describe(
      'Sortino ratio: like sharpe, but divided by √(Σ negative return² ÷ (n − 1)) instead of the standard deviation. Null for fewer than 2 days, if no day had a loss, or if an equity was not recorded.',
    ),
    realized_sharpe: optionalDecimal.describe(
      'Sharpe ratio of the daily net_pnl, relative to a constant capital, from the first to the last day with a fill. A day without a closed trade counts as 0.',
    ),
    realized_sortino: optionalDecimal.describe('Sortino ratio of the daily net_pnl, like realized_sharpe.'),
    calmar: optionalDecimal.describe(
      'Calmar ratio: roi × 365 ÷ sample_days, divided by the percent of max_drawdown as a fraction. Null for fewer than 2 days, if roi or the percent is null, or if there was no drawdown.',
    ),
    sample_days: count.describe(
      'UTC days of the range from the first fill, or the first day if lots were open before, to the last day with a fill or an open lot.',
    ),
    low_sample: z
      .boolean()
      .describe('True if sample_days is below 30. sharpe and sortino are then unreliable.'),
    unmatched_fill_count: count.describe(
      'Fills in the range that sold more than the open lots held. A spot sale without a lot opens no lot, and its result is unknown.',
    ),
    by_status: z.object(
      Object.fromEntries(TRADE_STATUSES.map((status) => [status, count])) as Record<
        TradeStatus,
        typeof count
      >,
    ),
    by_pair: z.array(pairResult),
    by_strategy: z
      .array(strategyResult)
      .describe('Results by currency and by the strategy of the trade that opened the lot.'),
    copy: copying
      .optional()
      .describe(
        'How your copiers copied in the range, by the time of their decisions. Absent if there were no decisions.',
      ),
    equity_curve: z.array(curvePoint).describe('Periods with a realized result, oldest first.'),
  })
  .meta({ id: 'Analytics' });
export type Analytics = z.output<typeof analytics>;

const analyticsQuery = z
  .strictObject({
    ...rangeInput(
      'Selects trades by created_at, and profits and losses by the time at which they were realized.',
    ),
    strategy_id: idInput('str').optional(),
    exchange_account_id: idInput('exa').optional(),
    trade_pair_id: idInput('tpr').optional(),
    interval: z.enum(ANALYTICS_INTERVALS).default('day').describe('Length of each period in equity_curve.'),
  })
  .superRefine(rejectEmptyRange);

export const analyticsOperations = {
  get: defineOperation({
    id: 'trades.analytics',
    method: 'GET',
    path: '/v1/trades/analytics',
    summary: 'Returns trading results and statistics, computed from your fills only.',
    access: 'READ',
    query: analyticsQuery,
    response: analytics,
    status: 200,
    errors: ['not_found'],
  }),
} as const;
