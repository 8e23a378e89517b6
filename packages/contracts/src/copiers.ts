import { z } from 'zod';
import { copierLimits, copierLimitsCreate, copierLimitsUpdate } from './copier-limits.js';
import { decimal, decimalGiven } from './decimal.js';
import { DECISION_OUTCOMES, decision } from './decisions.js';
import { idGiven, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, text } from './operation.js';
import { TRADE_SIDES } from './trades.js';

export const COPIER_STATUSES = ['ACTIVE', 'CLOSE_ONLY', 'PAUSED'] as const;
export type CopierStatus = (typeof COPIER_STATUSES)[number];
export const COPIER_STATUS_REASONS = [
  'USER',
  'DAILY_LOSS',
  'DRAWDOWN',
  'CREDENTIALS',
  'STRATEGY_ARCHIVED',
] as const;
export type CopierStatusReason = (typeof COPIER_STATUS_REASONS)[number];
export const SIZING_MODES = ['FIXED_AMOUNT', 'FIXED_QUOTE', 'MULTIPLIER', 'EQUITY_RATIO'] as const;
export type SizingMode = (typeof SIZING_MODES)[number];
export const BREACH_REACTIONS = ['CLOSE_ONLY', 'PAUSE'] as const;
export type BreachReaction = (typeof BREACH_REACTIONS)[number];
export const BELOW_MINIMUM_RULES = ['SKIP', 'ACCUMULATE', 'ROUND_UP'] as const;
export type BelowMinimumRule = (typeof BELOW_MINIMUM_RULES)[number];

const SIZING_WORDS =
  'FIXED_AMOUNT: `value` in base currency. FIXED_QUOTE: `value` in quote currency for each lot of the strategy. ' +
  "MULTIPLIER: `value` times the strategy's amount. EQUITY_RATIO: `value` times the strategy's amount in the " +
  "proportion of your equity (or `capital`) to the strategy's.";

const trackingParts = z
  .object({
    fees_bps: decimal.describe(
      'That the copies paid other fees than the strategy, for what they were worth.',
    ),
    slippage_bps: decimal.describe("That they were filled at other prices than the strategy's."),
    rounding_bps: decimal.describe(
      'That limits, steps and minimums made them of other amounts than was asked for.',
    ),
    skips_bps: decimal.describe('That they left out some of what the strategy did with the lot.'),
  })
  .meta({ id: 'TrackingParts' });
export type TrackingParts = z.output<typeof trackingParts>;

/** What came of the signals since the copier was made; null where there is nothing to measure. */
export const copierStats = z
  .object({
    copied: z.number().int().nonnegative(),
    skipped: z.number().int().nonnegative(),
    failed: z.number().int().nonnegative(),
    median_latency_ms: z.number().int().nonnegative().nullable(),
    p99_latency_ms: z.number().int().nonnegative().nullable(),
    average_slippage_bps: decimal.nullable(),
    tracking_difference_bps: decimal
      .nullable()
      .describe(
        "The copier's return less the strategy's, in hundredths of a percent, over what was closed of the last 1,000 lots that both held, each weighing what the copies cost.",
      ),
    tracking: trackingParts
      .optional()
      .describe('What the tracking difference is made of; its parts add up to it.'),
    open_exposure_quote: decimal,
    net_pnl: decimal.describe('Net of fees, in quote currency.'),
  })
  .meta({ id: 'CopierStats' });
export type CopierStats = z.output<typeof copierStats>;

/** A copy of a lot that the strategy left, in part or in full, while its copier was paused. */
export const copyDrift = z
  .object({
    symbol: z.string(),
    source_trade_id: idOf('trd').describe("The strategy's trade that opened the lot."),
    held_amount: decimal.describe('What the copier held, in base currency.'),
    excess_amount: decimal.describe('What it would have sold by then, in base currency.'),
  })
  .meta({ id: 'CopyDrift' });
export type CopyDrift = z.output<typeof copyDrift>;

export const copier = z
  .object({
    id: idOf('cpr'),
    name: z.string(),
    strategy_id: idOf('str').optional().describe('The strategy that it follows.'),
    exchange_account_id: idOf('exa').describe('Where its copies are made.'),
    status: z
      .enum(COPIER_STATUSES)
      .describe('ACTIVE copies entries and exits, CLOSE_ONLY exits alone, PAUSED nothing.'),
    status_reason: z.enum(COPIER_STATUS_REASONS).optional().describe('Why it is no longer ACTIVE.'),
    sizing: z
      .object({ mode: z.enum(SIZING_MODES), value: decimal, capital: decimal.optional() })
      .describe(SIZING_WORDS),
    limits: copierLimits,
    on_breach: z.enum(BREACH_REACTIONS),
    below_minimum: z.enum(BELOW_MINIMUM_RULES),
    copy_existing: z.boolean(),
    high_water_mark: decimal.describe(
      'Highest net profit so far, in quote currency; profit shares count above it.',
    ),
    stats: copierStats,
    drift: z
      .array(copyDrift)
      .describe(
        'What it held, when it was started last, of lots that its strategy had left while it was paused. Nobody sells it without you: start it with `{"resync": "EXITS"}`.',
      ),
    started_at: instant
      .optional()
      .describe('When it was started last: it copies what the strategy opens from then on.'),
    stopped_at: instant.optional().describe('When it was last paused or set to CLOSE_ONLY.'),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Copier' });
export type Copier = z.output<typeof copier>;

/** What is open of one pair and side, and no longer looked after. */
export const openLot = z
  .object({
    symbol: z.string(),
    side: z.enum(TRADE_SIDES),
    amount: decimal.describe('In base currency.'),
    average_price: decimal,
  })
  .meta({ id: 'OpenLot' });
export type OpenLot = z.output<typeof openLot>;

/** A copier that was stopped: the answer of `stop`, and what `copier.stopped` carries. */
export const stoppedCopier = copier
  .extend({ open_lots: z.array(openLot).describe('Copies that stay open and that nobody closes for you.') })
  .meta({ id: 'StoppedCopier' });
export type StoppedCopier = z.output<typeof stoppedCopier>;

const sizingGiven = z
  .strictObject({
    mode: z.enum(SIZING_MODES),
    value: decimalGiven(),
    capital: decimalGiven()
      .optional()
      .describe('For EQUITY_RATIO alone: what counts as your equity, in quote currency.'),
  })
  .superRefine(({ mode, capital }, context) => {
    if (capital === undefined || mode === 'EQUITY_RATIO') return;
    const message = `capital is not taken for ${mode}; leave it out.`;
    context.addIssue({ code: 'custom', path: ['capital'], message, params: { code: 'not_allowed' } });
  })
  .describe(SIZING_WORDS)
  .meta({ id: 'SizingGiven' });

const given = {
  name: text({ max: 100 }),
  on_breach: z.enum(BREACH_REACTIONS).describe('What it does once a loss limit is reached.'),
  below_minimum: z
    .enum(BELOW_MINIMUM_RULES)
    .describe(
      "A copy under the exchange's minimum is left out (SKIP), added to the next of the same lot (ACCUMULATE) or " +
        'raised to the minimum, to twice its size at most (ROUND_UP).',
    ),
  copy_existing: z
    .boolean()
    .describe('Whether a start also copies what the strategy has open at that moment.'),
};

export const copierCreate = z
  .strictObject({
    name: given.name,
    strategy_id: idGiven('str')
      .optional()
      .describe("Your own strategy, or another user's active public one."),
    exchange_account_id: idGiven('exa').describe("Where copies are made; never the strategy's own account."),
    sizing: sizingGiven,
    limits: copierLimitsCreate.prefault({}),
    on_breach: given.on_breach.default('CLOSE_ONLY'),
    below_minimum: given.below_minimum.default('ACCUMULATE'),
    copy_existing: given.copy_existing.default(false),
  })
  .meta({ id: 'CopierCreate' });
export type CopierCreate = z.output<typeof copierCreate>;

export const copierUpdate = z
  .strictObject({
    name: given.name.optional(),
    strategy_id: idGiven('str').nullable().optional().describe('Only while PAUSED. Null: it follows none.'),
    sizing: sizingGiven.optional(),
    limits: copierLimitsUpdate
      .optional()
      .describe('Those that are given change, the others stay; null removes one.'),
    on_breach: given.on_breach.optional(),
    below_minimum: given.below_minimum.optional(),
    copy_existing: given.copy_existing.optional(),
  })
  .meta({ id: 'CopierUpdate' });
export type CopierUpdate = z.output<typeof copierUpdate>;

export const copierStop = z
  .strictObject({
    mode: z
      .enum(['PAUSED', 'CLOSE_ONLY'])
      .default('PAUSED')
      .describe("PAUSED: no more entries and no exits. CLOSE_ONLY: it still follows the strategy's exits."),
  })
  .meta({ id: 'CopierStop' });
export type CopierStop = z.output<typeof copierStop>;

export const copierStart = z
  .strictObject({
    resync: z
      .enum(['EXITS'])
      .optional()
      .describe('EXITS: sells what the strategy sold of copied lots while the copier was paused.'),
    copy_existing: z
      .boolean()
      .optional()
      .describe("For this start, instead of the copier's `copy_existing`."),
  })
  .meta({ id: 'CopierStart' });
export type CopierStart = z.output<typeof copierStart>;

const path = z.object({ id: idGiven('cpr') });

export const copierOperations = {
  list: defineOperation({
    id: 'copiers.list',
    method: 'GET',
    path: '/v1/copiers',
    summary: 'Your copiers.',
    access: 'READ',
    query: z.strictObject({
      status: z.enum(COPIER_STATUSES).optional(),
      strategy_id: idGiven('str').optional(),
      exchange_account_id: idGiven('exa').optional(),
    }),
    list: { sorts: ['created_at', 'name'], limitDefault: 20 },
    response: copier,
    status: 200,
    errors: ['not_found'],
  }),
  get: defineOperation({
    id: 'copiers.get',
    method: 'GET',
    path: '/v1/copiers/:id',
    summary: 'One copier.',
    access: 'READ',
    params: path,
    response: copier,
    status: 200,
    errors: ['not_found'],
  }),
  create: defineOperation({
    id: 'copiers.create',
    method: 'POST',
    path: '/v1/copiers',
    summary: 'Makes a copier; it is PAUSED until it is started.',
    access: 'TRADE',
    body: copierCreate,
    response: copier,
    status: 201,
    errors: ['not_found', 'invalid_state', 'limit_reached'],
  }),
  update: defineOperation({
    id: 'copiers.update',
    method: 'PATCH',
    path: '/v1/copiers/:id',
    summary: 'Changes a copier; sizing and limits apply to lots that are opened from then on.',
    access: 'TRADE',
    params: path,
    body: copierUpdate,
    response: copier,
    status: 200,
    errors: ['not_found', 'invalid_state', 'limit_reached'],
  }),
  delete: defineOperation({
    id: 'copiers.delete',
    method: 'DELETE',
    path: '/v1/copiers/:id',
    summary: 'Removes a PAUSED copier; its trades stay readable.',
    access: 'TRADE',
    params: path,
    response: deletedOf(idOf('cpr')),
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  start: defineOperation({
    id: 'copiers.start',
    method: 'POST',
    path: '/v1/copiers/:id/start',
    summary: 'Starts a copier: it copies what its strategy opens from now on.',
    access: 'TRADE',
    params: path,
    body: copierStart,
    bodyOptional: true,
    response: copier,
    status: 200,
    errors: ['not_found', 'invalid_state', 'service_unavailable'],
  }),
  stop: defineOperation({
    id: 'copiers.stop',
    method: 'POST',
    path: '/v1/copiers/:id/stop',
    summary: 'Stops a copier; positions stay open, and the answer lists those that nobody closes for you.',
    access: 'TRADE',
    params: path,
    body: copierStop,
    bodyOptional: true,
    response: stoppedCopier,
    status: 200,
    errors: ['not_found'],
  }),
  decisions: defineOperation({
    id: 'copiers.decisions',
    method: 'GET',
    path: '/v1/copiers/:id/decisions',
    summary: 'What was copied, cut, skipped or failed, for every signal; also of a copier that was removed.',
    access: 'READ',
    params: path,
    query: z.strictObject({
      signal_id: idGiven('sig').optional(),
      outcome: z.enum(DECISION_OUTCOMES).optional(),
    }),
    list: { sorts: ['created_at', 'sequence'], limitDefault: 20 },
    response: decision,
    status: 200,
    errors: ['not_found'],
  }),
} as const;
