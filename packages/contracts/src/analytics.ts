import { z } from 'zod';
import { decimal } from './decimal.js';
import { DECISION_CODES } from './decisions.js';
import { idGiven, idOf } from './ids.js';
import { defineOperation, instant } from './operation.js';
import { rangeGiven, refuseEmptyRange } from './range.js';
import { TRADE_STATUSES, type TradeStatus } from './trades.js';

export const ANALYTICS_INTERVALS = ['day', 'week', 'month'] as const;
export type AnalyticsInterval = (typeof ANALYTICS_INTERVALS)[number];

const count = z.number().int().nonnegative();
const optionalDecimal = decimal.nullable();
const money = z.object({ amount: decimal, currency: z.string() });

/** What a group of trades did, in one currency. */
const performance = {
  currency: z.string().describe('Quote currency of the amounts beside it.'),
  trade_count: count.describe('Trades created in the range, in every state.'),
  closed_count: count,
  winning_count: count,
  losing_count: count,
  win_rate: optionalDecimal.describe('winning_count ÷ closed_count; null where nothing was closed.'),
  net_pnl: decimal,
  fees: decimal,
  volume: decimal,
};

export const pairResult = z
  .object({ trade_pair_id: idOf('tpr'), symbol: z.string(), ...performance })
  .meta({ id: 'PairResult' });
export type PairResult = z.output<typeof pairResult>;

export const strategyResult = z
  .object({ strategy_id: idOf('str'), ...performance })
  .meta({ id: 'StrategyResult' });
export type StrategyResult = z.output<typeof strategyResult>;

const tradeResult = z.object({ trade_id: idOf('trd'), net_pnl: decimal });

const drawdown = z.object({
  amount: decimal.describe(
    'The deepest fall of the cumulated net_pnl below its highest point, both at the end of a UTC day: what rises and falls within a day is not seen. Never negative.',
  ),
  percent: optionalDecimal.describe(
    "Of the equity at the end of the peak's day, in hundredths; null where that was not recorded, or where nothing fell.",
  ),
  peak_at: instant
    .nullable()
    .describe('The day of the highest point; null where it is the beginning, or where nothing fell.'),
  trough_at: instant.nullable().describe('The day of the lowest point after it.'),
  recovered_at: instant
    .nullable()
    .describe('The day on which the highest point was reached again; null where it was not.'),
});

const curvePoint = z.object({
  at: instant.describe('Where the period begins, in UTC; weeks begin on Monday.'),
  equity: optionalDecimal.describe(
    'What the accounts with results in currency were worth, open lots and all, as it was recorded last in or before the period; null where one of them was not recorded yet.',
  ),
  net_pnl: decimal.describe('Cumulated over the range, at the end of the period.'),
  period_pnl: decimal.describe('Of the period alone.'),
  drawdown: decimal.describe('How far net_pnl then stands below its highest point so far.'),
});

const copying = z
  .object({
    median_latency_ms: count.nullable(),
    p99_latency_ms: count.nullable().describe('99 of 100 copies were sent within it.'),
    average_slippage_bps: optionalDecimal.describe('Mean over the copies that were filled.'),
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
        'Currency of all totals: the quote currency in which most trades were closed, or else filled. Amounts of different currencies are never added: trades in other quotes are counted in excluded_quotes, and stand in by_pair and by_strategy under their own currency. Null where nothing was filled.',
      ),
    excluded_quotes: z
      .array(z.object({ currency: z.string(), fill_count: count, closed_count: count }))
      .describe('What the totals leave out because it is quoted in another currency.'),
    trade_count: count.describe('Trades created in the range, in every state and currency.'),
    closed_count: count.describe(
      'Trades closed in the range: what they opened has been offset in full, oldest lots first. Rates, averages and gross amounts are of these alone.',
    ),
    winning_count: count.describe('Closed trades with a net gain.'),
    losing_count: count.describe('Closed trades with a net loss; one that broke even is in neither count.'),
    win_rate: optionalDecimal.describe(
      'winning_count ÷ closed_count, 0 to 1; null where nothing was closed.',
    ),
    profit_factor: optionalDecimal.describe('gross_profit ÷ gross_loss; null where nothing was lost.'),
    expectancy: optionalDecimal.describe('Mean net result of a closed trade; null where nothing was closed.'),
    expectancy_ratio: optionalDecimal.describe('expectancy ÷ average_loss; null where nothing was lost.'),
    gross_profit: decimal.describe('Sum of the gains of winning trades, after fees.'),
    gross_loss: decimal.describe('Sum of the losses of losing trades, after fees, as a positive amount.'),
    partial_pnl: decimal.describe(
      'net_pnl less gross_profit plus gross_loss: what trades that are still partly open have realised in the range, less what trades closed in it had realised before it.',
    ),
    fees: decimal.describe(
      'Paid in the range in currency; those in base currency at the price of their own fill. Fees in a third currency have no known rate here: they are in fees_by_currency alone, and in no other amount.',
    ),
    fees_by_currency: z.array(money).describe('All fees of the range as they were paid, in every currency.'),
    funding: optionalDecimal.describe(
      '0 on spot, which has none; null where the selection holds other trades.',
    ),
    net_pnl: decimal.describe(
      'Realised in the range: every part of a lot that was offset in it, first in, first out, after the fees of both sides. Lots bought before the range count with what they cost.',
    ),
    roi: optionalDecimal.describe(
      "Return over the range, 1 for a doubling: each day's net_pnl ÷ the equity that the day began with, the days chained. Deposits and withdrawals are no profit: they are capital from the next day on. Null where an equity was not recorded.",
    ),
    volume: decimal.describe('Price × amount of the fills in the range, both sides.'),
    average_win: optionalDecimal,
    average_loss: optionalDecimal.describe('As a positive amount.'),
    best_trade: tradeResult.nullable().describe('The closed trade with the highest net result.'),
    worst_trade: tradeResult.nullable().describe('The closed trade with the lowest net result.'),
    average_holding_seconds: optionalDecimal.describe(
      'From the first fill of a closed trade until it was offset in full; to milliseconds.',
    ),
    max_consecutive_losses: count.describe('Longest run of losing trades, in the order of their closing.'),
    max_drawdown: drawdown,
    sharpe: optionalDecimal.describe(
      'Mean ÷ standard deviation (n − 1) of the daily results, × √365, with no riskless rate. A day is one of UTC; days without a closing count as 0. The results are put in proportion to a constant capital, whose size does not matter to the ratio. Null under 2 days and where the deviation is 0. To 8 decimals.',
    ),
    sortino: optionalDecimal.describe(
      'As sharpe, with the deviation of the losing days alone: √(Σ loss² ÷ (n − 1)). Null where no day lost.',
    ),
    calmar: optionalDecimal.describe(
      'roi × 365 ÷ sample_days, ÷ the percent of max_drawdown as a share. Null under 2 days, and where one of them is null or nothing fell.',
    ),
    sample_days: count.describe('UTC days from the first to the last fill in the range.'),
    low_sample: z.boolean().describe('True under 30 sample days: sharpe and sortino say little then.'),
    unmatched_fill_count: count.describe(
      'Fills of the range that sold, in whole or in part, what had not been bought here: a spot sale without a lot opens nothing and has no known result.',
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
      .describe('By the strategy of the trade that opened a lot, and by currency.'),
    copy: copying
      .optional()
      .describe(
        'How your copiers copied in the range, by when they decided; left out where they decided nothing.',
      ),
    equity_curve: z.array(curvePoint).describe('Periods in which something was realised, oldest first.'),
  })
  .meta({ id: 'Analytics' });
export type Analytics = z.output<typeof analytics>;

const analyticsQuery = z
  .strictObject({
    ...rangeGiven('Trades count by created_at, results by their closing.'),
    strategy_id: idGiven('str').optional(),
    exchange_account_id: idGiven('exa').optional(),
    trade_pair_id: idGiven('tpr').optional(),
    interval: z.enum(ANALYTICS_INTERVALS).default('day').describe('Period of equity_curve.'),
  })
  .superRefine(refuseEmptyRange);

export const analyticsOperations = {
  get: defineOperation({
    id: 'trades.analytics',
    method: 'GET',
    path: '/v1/trades/analytics',
    summary: 'What your trades came to, computed from your fills alone.',
    access: 'READ',
    query: analyticsQuery,
    response: analytics,
    status: 200,
    errors: ['not_found'],
  }),
} as const;
