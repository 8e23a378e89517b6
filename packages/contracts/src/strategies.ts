import { z } from 'zod';
import { decimal, decimalGiven } from './decimal.js';
import { decimalUpTo } from './decimal-bounds.js';
import { idGiven, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, text } from './operation.js';

export const STRATEGY_VISIBILITIES = ['PRIVATE', 'PUBLIC'] as const;
export type StrategyVisibility = (typeof STRATEGY_VISIBILITIES)[number];
export const STRATEGY_STATUSES = ['ACTIVE', 'ARCHIVED'] as const;
export type StrategyStatus = (typeof STRATEGY_STATUSES)[number];
export const PROFIT_SHARE_PERIODS = ['WEEK', 'MONTH', 'QUARTER'] as const;
export type ProfitSharePeriod = (typeof PROFIT_SHARE_PERIODS)[number];

/** Most pairs that a strategy may be kept to. */
const TRADE_PAIRS_MAX = 200;
/** Most copiers that one call may link. */
const LINKED_AT_ONCE_MAX = 500;

/** What the strategy made, from its closed lots alone, net of fees. */
export const strategyResults = z
  .object({
    since: instant.describe('From when on it is measured: the making of the strategy.'),
    closed_count: z.number().int().nonnegative().describe('Lots that were closed.'),
    win_rate: decimal.nullable().describe('Closed lots with a profit, 0 to 1; null while none is closed.'),
    net_pnl: decimal.describe(
      'Net of fees, in the quote currency in which most was closed; results in others are not added to it.',
    ),
    roi: decimal
      .nullable()
      .describe(
        "Each day's result ÷ the equity of its account that the day began with, the days chained; null where an equity was not recorded.",
      ),
    max_drawdown_percent: decimal
      .nullable()
      .describe(
        'The deepest fall of the cumulated result between two ends of UTC days, in hundredths of the equity at its peak; null where nothing fell, or the equity was not recorded.',
      ),
    sharpe: decimal.nullable().describe('Of daily returns, annualised; null under two days.'),
    copier_net_pnl: decimal.describe('What its copiers together really made, net of fees.'),
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
      .describe('The account whose trades are its signals; shown to the owner alone.'),
    trade_pair_ids: z
      .array(idOf('tpr'))
      .optional()
      .describe('The pairs that it trades; any pair of its exchange where left out.'),
    visibility: z.enum(STRATEGY_VISIBILITIES),
    status: z.enum(STRATEGY_STATUSES),
    copier_count: z.number().int().nonnegative().describe('Copiers linked to it, whatever their state.'),
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

const profitShareGiven = z
  .strictObject({
    rate: decimalUpTo('0.5', 'non_negative').describe(
      'Share of the profit above the high-water mark, 0 to 0.5.',
    ),
    basis: z.literal('HIGH_WATER_MARK').default('HIGH_WATER_MARK'),
    period: z.enum(PROFIT_SHARE_PERIODS).describe('How often it is settled.'),
  })
  .meta({ id: 'ProfitShareGiven' });

const given = {
  name: text({ max: 100 }),
  description: text({ min: 0, max: 2000 }),
  trade_pair_ids: z
    .array(idGiven('tpr'))
    .min(1)
    .max(TRADE_PAIRS_MAX)
    .describe("Pairs of the account's exchange and trading type; leave it out for any."),
  visibility: z
    .enum(STRATEGY_VISIBILITIES)
    .describe('PUBLIC: every user may read and copy it, without its account and balances.'),
  profit_share: profitShareGiven,
  min_copy_equity: decimalGiven().describe('Least equity of a copier, in quote currency.'),
  capacity: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .describe('Most copiers that may be linked; those that are linked stay.'),
};

export const strategyCreate = z
  .strictObject({
    ...given,
    exchange_account_id: idGiven('exa').describe('The account whose trades are its signals.'),
    description: given.description.optional(),
    trade_pair_ids: given.trade_pair_ids.optional(),
    visibility: given.visibility.default('PRIVATE'),
    profit_share: given.profit_share.optional(),
    min_copy_equity: given.min_copy_equity.optional(),
    capacity: given.capacity.optional(),
  })
  .meta({ id: 'StrategyCreate' });
export type StrategyCreate = z.output<typeof strategyCreate>;

export const strategyUpdate = z
  .strictObject({
    name: given.name.optional(),
    description: given.description.nullable().optional().describe('Null removes it.'),
    trade_pair_ids: given.trade_pair_ids.nullable().optional().describe('Null: any pair of its exchange.'),
    visibility: given.visibility.optional(),
    status: z
      .enum(STRATEGY_STATUSES)
      .optional()
      .describe('ARCHIVED: it takes no more signals, and its active copiers go CLOSE_ONLY.'),
    profit_share: given.profit_share.nullable().optional().describe('Null: copying is free.'),
    min_copy_equity: given.min_copy_equity.nullable().optional().describe('Null removes it.'),
    capacity: given.capacity.nullable().optional().describe('Null: no bound.'),
  })
  .meta({ id: 'StrategyUpdate' });
export type StrategyUpdate = z.output<typeof strategyUpdate>;

export const strategyDelete = z
  .strictObject({
    stop_copiers: z
      .boolean()
      .default(false)
      .describe('Pause the copiers that still follow it; without it they keep it from being deleted.'),
  })
  .meta({ id: 'StrategyDelete' });
export type StrategyDelete = z.output<typeof strategyDelete>;

export const copiersLink = z
  .strictObject({
    copier_ids: z
      .array(idGiven('cpr'))
      .min(1)
      .max(LINKED_AT_ONCE_MAX)
      .describe('Your copiers: all of them are linked, or none.'),
  })
  .meta({ id: 'CopiersLink' });
export type CopiersLink = z.output<typeof copiersLink>;

const path = z.object({ id: idGiven('str') });

export const strategyOperations = {
  list: defineOperation({
    id: 'strategies.list',
    method: 'GET',
    path: '/v1/strategies',
    summary: "Your strategies; with `visibility=PUBLIC` every user's active public ones.",
    access: 'READ',
    query: z.strictObject({
      visibility: z
        .enum(STRATEGY_VISIBILITIES)
        .optional()
        .describe("PUBLIC: every user's active public ones. PRIVATE: your own private ones."),
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
    summary: "One strategy: yours, or another user's active public one.",
    access: 'READ',
    params: path,
    response: strategy,
    status: 200,
    errors: ['not_found'],
  }),
  create: defineOperation({
    id: 'strategies.create',
    method: 'POST',
    path: '/v1/strategies',
    summary: 'Makes a strategy: trades made with its id are what copiers follow.',
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
    summary: 'Changes a strategy, or archives it.',
    access: 'TRADE',
    params: path,
    body: strategyUpdate,
    response: strategy,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  delete: defineOperation({
    id: 'strategies.delete',
    method: 'DELETE',
    path: '/v1/strategies/:id',
    summary: 'Removes a strategy; its trades stay readable.',
    access: 'TRADE',
    params: path,
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
    summary: 'Has your copiers follow the strategy, all of them or none; they are started one by one.',
    access: 'TRADE',
    params: path,
    body: copiersLink,
    response: strategy,
    status: 200,
    errors: ['not_found', 'invalid_state', 'limit_reached'],
  }),
} as const;
