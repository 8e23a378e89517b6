import { z } from 'zod';
import { decimal, decimalInput } from './decimal.js';
import { decimalUpTo } from './decimal-bounds.js';
import { TRADING_TYPES } from './exchange-accounts.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, nameText, text } from './operation.js';
import { UPDATE } from './optional-fields.js';

export const STRATEGY_VISIBILITIES = ['PRIVATE', 'PUBLIC'] as const;
export type StrategyVisibility = (typeof STRATEGY_VISIBILITIES)[number];
export const STRATEGY_STATUSES = ['ACTIVE', 'ARCHIVED'] as const;
export type StrategyStatus = (typeof STRATEGY_STATUSES)[number];
export const PROFIT_SHARE_PERIODS = ['WEEK', 'MONTH', 'QUARTER'] as const;
export type ProfitSharePeriod = (typeof PROFIT_SHARE_PERIODS)[number];

/** Maximum number of pairs in `trade_pair_ids`. */
const TRADE_PAIRS_MAX = 200;
/** A hundred years. */
const MIN_DAYS_MAX = 36_500;
/** Maximum number of copiers that one call may link. */
const LINKED_COPIERS_MAX = 500;

const indexPoint = z
  .object({
    at: instant.describe('End of a UTC day, or the start of the first one.'),
    index: decimal.describe('Value of 100 that was invested at the start: 100 × Π(1 + daily return).'),
  })
  .meta({ id: 'IndexPoint' });

const ownerOnly = "Returned only to the strategy's owner.";

/**
 * Results of a strategy in the quote currency with the most closed trades; results in other currencies are excluded. They
 * include those of the owner's archived and deleted strategies on the same account that were created earlier. To other
 * users, they contain ratios and counts alone, rounded, because exact figures reveal the account's equity.
 */
export const strategyResults = z
  .object({
    since: instant.describe(
      "Start of the record: the creation of the strategy or, if earlier, of the owner's first archived strategy on the same account, whose results count too.",
    ),
    closed_count: z
      .number()
      .int()
      .nonnegative()
      .describe(
        'Number of closed trades: their lots were fully offset, first in, first out. A trade counts once, however many fills opened or closed it.',
      ),
    win_rate: decimal
      .nullable()
      .describe('Fraction of closed trades with a profit, from 0 to 1. Null if no trade is closed.'),
    profit_factor: decimal
      .nullable()
      .describe(
        'Profits ÷ losses of the closed trades, after fees, with two significant digits. Null if there was no loss.',
      ),
    roi: decimal
      .nullable()
      .describe(
        "Return; 1 means that the capital doubled. The return of a UTC day is the change of the realized and the open result, after fees and funding, ÷ the account's equity at the start of the day. Daily returns are compounded. Open lots are valued at the last price of the day. Deposits, withdrawals and trades outside the strategy never count. A day without a result needs no equity. Null before the first fill, or if the equity at the start of a day with a result was not recorded.",
      ),
    max_drawdown_percent: decimal
      .nullable()
      .describe(
        'Largest fall of the compounded daily returns from their peak, in percent. Null if there was no fall or an equity was not recorded.',
      ),
    sharpe: decimal
      .nullable()
      .describe(
        'Sharpe ratio: mean ÷ standard deviation (n − 1) of the daily returns on equity, × √365, without a risk-free rate. Null for fewer than 2 days, a deviation of 0, or an equity that was not recorded.',
      ),
    low_sample: z
      .boolean()
      .describe('True if the record has fewer than 30 days. The ratios are then unreliable.'),
    fees_incomplete: z
      .boolean()
      .describe(
        'True while a fee in a third asset, paid for a lot of the strategy, has no known price. Its results exclude this fee until then.',
      ),
    copier_roi: decimal
      .nullable()
      .describe(
        "Result of all copiers of other users, realized and open, after fees, ÷ the sum of their accounts' equities at the last hour before the day of their first copy, or else the first hour of that day, with two decimals. Others than the owner see it change at most once a day. Null unless at least 5 users other than the owner and you have copied the strategy.",
      ),
    curve: z
      .array(indexPoint)
      .describe(
        'Compounded daily returns, oldest first; the first point is 100. Long records have about 100 points. Empty if an equity was not recorded.',
      ),
    net_pnl: decimal
      .optional()
      .describe(`Realized profit or loss of the closed parts of lots, after fees. ${ownerOnly}`),
    unrealized_pnl: decimal
      .optional()
      .describe(`Result of the open lots at the last known prices, after the fees paid. ${ownerOnly}`),
    equity: decimal
      .nullable()
      .optional()
      .describe(
        `Last recorded equity of the account, in the currency of the results. Null before the first fill, which determines the currency, or if none was recorded. ${ownerOnly}`,
      ),
    sortino: decimal
      .nullable()
      .optional()
      .describe(`Sortino ratio: like sharpe, but divided by √(Σ negative return² ÷ (n − 1)). ${ownerOnly}`),
    realized_roi: decimal
      .nullable()
      .optional()
      .describe(`Like roi, of realized results alone. 0 while no lot was closed. ${ownerOnly}`),
    realized_max_drawdown_percent: decimal
      .nullable()
      .optional()
      .describe(
        `Largest fall of the cumulative realized result, in percent of the equity at its peak. ${ownerOnly}`,
      ),
    realized_sharpe: decimal
      .nullable()
      .optional()
      .describe(`Sharpe ratio of the realized results by day, relative to a constant capital. ${ownerOnly}`),
    realized_sortino: decimal
      .nullable()
      .optional()
      .describe(`Sortino ratio of the realized results by day, relative to a constant capital. ${ownerOnly}`),
    copier_net_pnl: decimal
      .optional()
      .describe(`Realized net profit or loss of all copiers of the strategy, after fees. ${ownerOnly}`),
  })
  .meta({ id: 'StrategyResults' });
export type StrategyResults = z.output<typeof strategyResults>;

export const strategy = z
  .object({
    id: idOf('str'),
    name: z.string(),
    description: z.string().optional(),
    exchange_account_id: idOf('exa')
      .optional()
      .describe('The account whose trades cause the signals. Returned only to the owner of the strategy.'),
    trade_pair_ids: z
      .array(idOf('tpr'))
      .optional()
      .describe('Pairs that the strategy trades. Absent if it may trade any pair of its exchange.'),
    visibility: z.enum(STRATEGY_VISIBILITIES),
    status: z
      .enum(STRATEGY_STATUSES)
      .describe(
        'A strategy that another user has copied stays listed after its deletion and while it is private; other users then see it as ARCHIVED.',
      ),
    copier_count: z.number().int().nonnegative().describe('Number of linked copiers, regardless of status.'),
    profit_share: z
      .object({
        rate: decimal,
        basis: z.literal('HIGH_WATER_MARK'),
        period: z.enum(PROFIT_SHARE_PERIODS),
      })
      .optional(),
    min_copy_equity: decimal.optional(),
    capacity: z.number().int().positive().optional(),
    allow_multiplier: z
      .boolean()
      .describe(
        'Whether other users may copy with the sizing mode MULTIPLIER, which shows them your amounts.',
      ),
    performance: strategyResults,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Strategy' });
export type Strategy = z.output<typeof strategy>;

const profitShareInput = z
  .strictObject({
    rate: decimalUpTo('0.5', 'non_negative').describe(
      'Fraction of the profit above the high-water mark, from 0 to 0.5.',
    ),
    basis: z.literal('HIGH_WATER_MARK').default('HIGH_WATER_MARK'),
    period: z.enum(PROFIT_SHARE_PERIODS).describe('How often the profit share is settled.'),
  })
  .meta({ id: 'ProfitShareGiven' });

const commonFields = {
  name: nameText({ max: 100 }),
  description: text({ min: 0, max: 2000 }),
  trade_pair_ids: z
    .array(idInput('tpr'))
    .min(1)
    .max(TRADE_PAIRS_MAX)
    .describe(
      "Pairs that the strategy may trade, of the account's exchange and trading type. Omit to allow any pair.",
    ),
  visibility: z
    .enum(STRATEGY_VISIBILITIES)
    .describe('PUBLIC: every user can read and copy the strategy, but cannot see its account and balances.'),
  profit_share: profitShareInput,
  min_copy_equity: decimalInput().describe('Minimum equity of a copier, in quote currency.'),
  capacity: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .describe('Maximum number of linked copiers. Lowering it does not remove linked copiers.'),
  allow_multiplier: z
    .boolean()
    .describe(
      'Whether other users may copy with the sizing mode MULTIPLIER. Their sizes then show the amounts that your account trades. Existing copiers keep their mode.',
    ),
};

export const strategyCreate = z
  .strictObject({
    ...commonFields,
    exchange_account_id: idInput('exa').describe('The account whose trades cause the signals.'),
    description: commonFields.description.optional(),
    trade_pair_ids: commonFields.trade_pair_ids.optional(),
    visibility: commonFields.visibility.default('PRIVATE'),
    profit_share: commonFields.profit_share.optional(),
    min_copy_equity: commonFields.min_copy_equity.optional(),
    capacity: commonFields.capacity.optional(),
    allow_multiplier: commonFields.allow_multiplier
      .optional()
      .describe(
        'Default: false. Whether other users may copy with the sizing mode MULTIPLIER. Their sizes then show the amounts that your account trades.',
      ),
  })
  .meta({ id: 'StrategyCreate' });
export type StrategyCreate = z.output<typeof strategyCreate>;

export const strategyUpdate = z
  .strictObject({
    name: commonFields.name.optional(),
    description: commonFields.description.nullable().optional().describe('Null removes the value.'),
    trade_pair_ids: commonFields.trade_pair_ids
      .nullable()
      .optional()
      .describe('Null allows any pair of the exchange.'),
    visibility: commonFields.visibility.optional(),
    status: z
      .enum(STRATEGY_STATUSES)
      .optional()
      .describe('ARCHIVED: the strategy emits no more signals, and its active copiers become CLOSE_ONLY.'),
    profit_share: commonFields.profit_share.nullable().optional().describe('Null makes copying free.'),
    min_copy_equity: commonFields.min_copy_equity.nullable().optional().describe('Null removes the value.'),
    capacity: commonFields.capacity.nullable().optional().describe('Null removes the limit.'),
    allow_multiplier: commonFields.allow_multiplier.optional(),
  })
  .meta({ id: 'StrategyUpdate', ...UPDATE });
export type StrategyUpdate = z.output<typeof strategyUpdate>;

export const strategyDelete = z
  .strictObject({
    stop_copiers: z
      .boolean()
      .default(false)
      .describe(
        'True: pauses the copiers that still follow the strategy. False: the request fails if a copier still follows the strategy.',
      ),
  })
  .meta({ id: 'StrategyDelete' });
export type StrategyDelete = z.output<typeof strategyDelete>;

export const copiersLink = z
  .strictObject({
    copier_ids: z
      .array(idInput('cpr'))
      .min(1)
      .max(LINKED_COPIERS_MAX)
      .describe('Ids of your copiers. Either all of them are linked, or none.'),
  })
  .meta({ id: 'CopiersLink' });
export type CopiersLink = z.output<typeof copiersLink>;

const pathParams = z.object({ id: idInput('str') });

export const strategyOperations = {
  list: defineOperation({
    id: 'strategies.list',
    method: 'GET',
    path: '/v1/strategies',
    summary:
      'Lists your strategies. Use `visibility=PUBLIC` for the public strategies of all users, active and archived.',
    access: 'READ',
    query: z.strictObject({
      visibility: z
        .enum(STRATEGY_VISIBILITIES)
        .optional()
        .describe(
          'PUBLIC: the public strategies of all users, and the former ones that another user has copied. PRIVATE: your private strategies.',
        ),
      status: z.enum(STRATEGY_STATUSES).optional(),
      trading_type: z.enum(TRADING_TYPES).optional().describe("Trading type of the strategy's account."),
      symbol: z
        .string()
        .max(64)
        .optional()
        .describe('Strategies that are restricted to this pair among others, or that have traded it.'),
      min_days: z
        .preprocess(
          (value) => (typeof value === 'string' && /^(0|[1-9]\d{0,4})$/.test(value) ? Number(value) : value),
          z.int().min(0).max(MIN_DAYS_MAX),
        )
        .optional()
        .describe('Strategies whose record (`performance.since`) is at least this many days old.'),
    }),
    list: {
      sorts: ['created_at', 'name', 'roi', 'max_drawdown_percent', 'copier_roi', 'copier_count'],
      limitDefault: 20,
    },
    response: strategy,
    status: 200,
    errors: [],
  }),
  get: defineOperation({
    id: 'strategies.get',
    method: 'GET',
    path: '/v1/strategies/:id',
    summary:
      "Returns one of your strategies, or another user's public strategy, or one that was public and copied.",
    access: 'READ',
    params: pathParams,
    response: strategy,
    status: 200,
    errors: ['not_found'],
  }),
  create: defineOperation({
    id: 'strategies.create',
    method: 'POST',
    path: '/v1/strategies',
    summary: 'Creates a strategy. Copiers follow the trades that you create with its id.',
    access: 'TRADE',
    body: strategyCreate,
    response: strategy,
    status: 201,
    errors: ['not_found'],
  }),
  update: defineOperation({
    id: 'strategies.update',
    method: 'PATCH',
    path: '/v1/strategies/:id',
    summary: 'Updates or archives a strategy.',
    access: 'TRADE',
    params: pathParams,
    body: strategyUpdate,
    response: strategy,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  delete: defineOperation({
    id: 'strategies.delete',
    method: 'DELETE',
    path: '/v1/strategies/:id',
    summary: 'Deletes a strategy. Its trades remain readable.',
    access: 'TRADE',
    params: pathParams,
    body: strategyDelete,
    bodyOptional: true,
    response: deletedOf(idOf('str')),
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  linkCopiers: defineOperation({
    id: 'strategies.linkCopiers',
    method: 'POST',
    path: '/v1/strategies/:id/copiers',
    summary: 'Links your copiers to a strategy, all of them or none. It does not start them.',
    access: 'TRADE',
    params: pathParams,
    body: copiersLink,
    response: strategy,
    status: 200,
    errors: ['not_found', 'invalid_state', 'limit_reached'],
  }),
} as const;
