import { z } from 'zod';
import { decimal, decimalInput } from './decimal.js';
import { decimalUpTo } from './decimal-bounds.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, text } from './operation.js';

export const STRATEGY_VISIBILITIES = ['PRIVATE', 'PUBLIC'] as const;
export type StrategyVisibility = (typeof STRATEGY_VISIBILITIES)[number];
export const STRATEGY_STATUSES = ['ACTIVE', 'ARCHIVED'] as const;
export type StrategyStatus = (typeof STRATEGY_STATUSES)[number];
export const PROFIT_SHARE_PERIODS = ['WEEK', 'MONTH', 'QUARTER'] as const;
export type ProfitSharePeriod = (typeof PROFIT_SHARE_PERIODS)[number];

/** Maximum number of pairs in `trade_pair_ids`. */
const TRADE_PAIRS_MAX = 200;
/** Maximum number of copiers that one call may link. */
const LINKED_COPIERS_MAX = 500;

/** Results of the strategy's closed lots, after fees. */
export const strategyResults = z
  .object({
    since: instant.describe('Time at which the strategy was created. The results cover the time since then.'),
    closed_count: z.number().int().nonnegative().describe('Number of closed lots.'),
    win_rate: decimal
      .nullable()
      .describe('Fraction of closed lots with a profit, from 0 to 1. Null if no lot is closed.'),
    net_pnl: decimal.describe(
      'Net profit or loss after fees, in the quote currency with the most closed lots. Results in other currencies are excluded.',
    ),
    roi: decimal
      .nullable()
      .describe(
        "Return: each day's result ÷ the account's equity at the start of the day, compounded. Null if an equity was not recorded.",
      ),
    max_drawdown_percent: decimal
      .nullable()
      .describe(
        'Largest fall of the cumulative result from its peak, measured at the end of each UTC day, in percent of the equity at the peak. Null if there was no drawdown or the equity was not recorded.',
      ),
    sharpe: decimal
      .nullable()
      .describe('Annualized Sharpe ratio of the daily returns. Null for fewer than two days.'),
    copier_net_pnl: decimal.describe('Actual net profit or loss of all copiers of the strategy, after fees.'),
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
    status: z.enum(STRATEGY_STATUSES),
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
  name: text({ max: 100 }),
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
  })
  .meta({ id: 'StrategyUpdate' });
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
    summary: 'Lists your strategies. Use `visibility=PUBLIC` for the active public strategies of all users.',
    access: 'READ',
    query: z.strictObject({
      visibility: z
        .enum(STRATEGY_VISIBILITIES)
        .optional()
        .describe('PUBLIC: the active public strategies of all users. PRIVATE: your private strategies.'),
      status: z.enum(STRATEGY_STATUSES).optional(),
    }),
    list: { sorts: ['created_at', 'name'], limitDefault: 20 },
    response: strategy,
    status: 200,
    errors: [],
  }),
  get: defineOperation({
    id: 'strategies.get',
    method: 'GET',
    path: '/v1/strategies/:id',
    summary: "Returns one of your strategies, or another user's active public strategy.",
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
