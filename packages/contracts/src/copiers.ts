import { z } from 'zod';
import { copierLimits, copierLimitsCreate, copierLimitsUpdate } from './copier-limits.js';
import {
  copierOverrides,
  copierOverridesInput,
  quoteAliases,
  quoteAliasesInput,
  symbolMap,
  symbolMapInput,
} from './copier-pairs.js';
import { copierSizing, sizingInput } from './copier-sizing.js';
import { decimal } from './decimal.js';
import { decimalUpTo } from './decimal-bounds.js';
import { DECISION_OUTCOMES, decision } from './decisions.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, nameText } from './operation.js';
import { UPDATE } from './optional-fields.js';
import { PROFIT_SHARE_PERIODS } from './strategies.js';
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
export const BREACH_REACTIONS = ['CLOSE_ONLY', 'PAUSE'] as const;
export type BreachReaction = (typeof BREACH_REACTIONS)[number];
export const BELOW_MINIMUM_RULES = ['SKIP', 'ACCUMULATE', 'ROUND_UP'] as const;
export type BelowMinimumRule = (typeof BELOW_MINIMUM_RULES)[number];

export const trackingParts = z
  .object({
    fees_bps: decimal.describe(
      "Part caused by fees: what the copies paid beyond the strategy's fee rate. Amounts below one amount step that a fee in base currency leaves count as fees.",
    ),
    slippage_bps: decimal.describe(
      'Part caused by execution: the copies were filled at other prices than the market price at which their orders were planned.',
    ),
    rounding_bps: decimal.describe(
      'Part caused by amount steps and minimums: entries were rounded, or were too small for the exchange.',
    ),
    skips_bps: decimal.describe(
      'Part caused by skipped signals: entries that were skipped for another reason than a minimum, that failed, or that a limit or an incomplete fill reduced. Includes lots that the copier never held.',
    ),
    latency_bps: decimal.describe(
      "Part caused by delay: the market moved between the strategy's fill and the order of the copy. 0 where the market price was unknown; the move then counts as slippage.",
    ),
  })
  .meta({ id: 'TrackingParts' });
export type TrackingParts = z.output<typeof trackingParts>;

/** Results of the signals since the copier was created. A value is null if there is no data for it. */
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
        "The copier's return less that of a perfect copy, in whole basis points of the perfect copy's cost. A perfect copy copies each signal in full, at the strategy's price and fee rate, without limits and minimums. Covers the newest 1,000 lots that the strategy closed, at least in part, while the copier was active. Omits lots that were closed by hand. Null if there is no such lot.",
      ),
    tracking: trackingParts
      .optional()
      .describe('Breakdown of `tracking_difference_bps`. The five values add up to it.'),
    open_exposure_quote: decimal,
    net_pnl: decimal.describe('Realized net profit or loss after fees and funding, in quote currency.'),
    fees_incomplete: z
      .boolean()
      .describe(
        'True while a fee in a third asset has no known price. The results of the copies exclude this fee until then.',
      ),
    unrealized_pnl: decimal.describe(
      'Result of the open lots at the last known prices, after the fees paid, in quote currency.',
    ),
    equity: decimal
      .nullable()
      .describe(
        'Last recorded equity of the account, in the quote currency of the results: the one with the most copied lots. Null before the first copy, which determines the currency, or if none was recorded.',
      ),
    roi: decimal
      .nullable()
      .describe(
        "Return of the copies; 1 means that the capital doubled. The return of a UTC day is the change of the realized and the open result, after fees and funding, ÷ the account's equity at the start of the day. Daily returns are compounded. Deposits, withdrawals and other trades never count. A day without a result needs no equity. Null before the first copy, or if the equity at the start of a day with a result was not recorded.",
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
    sortino: decimal
      .nullable()
      .describe('Sortino ratio: like sharpe, but divided by √(Σ negative return² ÷ (n − 1)).'),
  })
  .meta({ id: 'CopierStats' });
export type CopierStats = z.output<typeof copierStats>;

/** A copied lot that the strategy reduced or closed while the copier was paused. */
export const copyDrift = z
  .object({
    symbol: z.string(),
    source_trade_id: idOf('trd').describe("The strategy's trade that opened the lot."),
    held_amount: decimal.describe('Amount that the copier held at its last start, in base currency.'),
    excess_amount: decimal.describe(
      'Amount that the copier would have sold during the pause if it had copied the exits, in base currency and whole amount steps. If another user owns the strategy, it is computed from the fractions that its signals show; a resync sells the exact amount.',
    ),
  })
  .meta({ id: 'CopyDrift' });
export type CopyDrift = z.output<typeof copyDrift>;

const profitShareTerms = {
  rate: decimal.describe('Fraction of the profit above the high-water mark, from 0 to 0.5.'),
  period: z.enum(PROFIT_SHARE_PERIODS).describe('How often the profit share is settled.'),
};

const acceptedProfitShare = z
  .object({
    ...profitShareTerms,
    accepted_at: instant.describe(
      'Time at which you accepted the terms. A cut of the rate does not change it.',
    ),
    next: z
      .object({ ...profitShareTerms, from: instant.describe('Start of the period in which they apply.') })
      .optional()
      .describe('Terms that you accepted and that apply from the next period on.'),
  })
  .meta({ id: 'AcceptedProfitShare' });

const offeredProfitShare = z.object(profitShareTerms).meta({ id: 'OfferedProfitShare' });

export const copier = z
  .object({
    id: idOf('cpr'),
    name: z.string(),
    strategy_id: idOf('str').optional().describe('The strategy that the copier follows.'),
    exchange_account_id: idOf('exa').describe('The account on which the copier places its orders.'),
    status: z
      .enum(COPIER_STATUSES)
      .describe('ACTIVE copies entries and exits, CLOSE_ONLY copies only exits, and PAUSED copies nothing.'),
    status_reason: z.enum(COPIER_STATUS_REASONS).optional().describe('Why the copier is no longer ACTIVE.'),
    sizing: copierSizing,
    limits: copierLimits,
    quote_aliases: quoteAliases,
    symbol_map: symbolMap,
    overrides: copierOverrides,
    on_breach: z.enum(BREACH_REACTIONS),
    below_minimum: z.enum(BELOW_MINIMUM_RULES),
    copy_existing: z.boolean(),
    high_water_mark: decimal.describe(
      'Highest net profit of this copier so far, in quote currency. The mark of profit shares covers all your copiers of the same account of a leader.',
    ),
    profit_share: acceptedProfitShare
      .optional()
      .describe(
        'Terms of the profit share that you accepted. The first start with a strategy accepts its terms (rate 0 if it has none). A cut applies at once, a raise only after you accept it. Of several copiers of one account of a leader, the lowest rate counts. Absent before the first start.',
      ),
    profit_share_offer: offeredProfitShare
      .optional()
      .describe('Terms that the strategy offers now, if they differ from those that you accepted.'),
    stats: copierStats,
    drift: z
      .array(copyDrift)
      .describe(
        'Lots that the copier still held at its last start although its strategy had reduced or closed them during the pause. They are not sold automatically; start the copier with `{"resync": "EXITS"}` to sell them.',
      ),
    started_at: instant
      .optional()
      .describe('Time of the last start. The copier copies lots that the strategy opens after this time.'),
    stopped_at: instant.optional().describe('Time at which the copier was last paused or set to CLOSE_ONLY.'),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Copier' });
export type Copier = z.output<typeof copier>;

/** The amount of one pair and side that stays open and that no copier closes. */
export const openLot = z
  .object({
    symbol: z.string(),
    side: z.enum(TRADE_SIDES),
    amount: decimal.describe('Open amount in base currency.'),
    average_price: decimal,
  })
  .meta({ id: 'OpenLot' });
export type OpenLot = z.output<typeof openLot>;

/** A stopped copier: the response of `stop`, and the `data` of `copier.stopped`. */
export const stoppedCopier = copier
  .extend({
    open_lots: z.array(openLot).describe('Copies that stay open. They are not closed automatically.'),
  })
  .meta({ id: 'StoppedCopier' });
export type StoppedCopier = z.output<typeof stoppedCopier>;

const commonFields = {
  name: nameText({ max: 100 }),
  on_breach: z.enum(BREACH_REACTIONS).describe('What the copier does when a loss limit is reached.'),
  below_minimum: z
    .enum(BELOW_MINIMUM_RULES)
    .describe(
      "What to do with a copy below the exchange's minimum. SKIP: do not place it. ACCUMULATE: add it to the next copy " +
        'of the same lot. ROUND_UP: raise it to the minimum, to at most twice its size.',
    ),
  copy_existing: z
    .boolean()
    .describe(
      'Whether a start also copies the lots that the strategy has open at that time: what the strategy still holds of them, at the last price, within `max_slippage_bps`. A lot for which the copier ever placed an order is not copied again.',
    ),
};

export const copierCreate = z
  .strictObject({
    name: commonFields.name,
    strategy_id: idInput('str')
      .optional()
      .describe("Your own strategy, or another user's active public one."),
    exchange_account_id: idInput('exa').describe(
      "The account on which the copier places its orders. It cannot be the strategy's own account.",
    ),
    sizing: sizingInput,
    limits: copierLimitsCreate.prefault({}),
    quote_aliases: quoteAliasesInput.default([]),
    symbol_map: symbolMapInput.default({}),
    overrides: copierOverridesInput.default({}),
    on_breach: commonFields.on_breach.default('CLOSE_ONLY'),
    below_minimum: commonFields.below_minimum.default('ACCUMULATE'),
    copy_existing: commonFields.copy_existing.default(false),
  })
  .meta({ id: 'CopierCreate' });
export type CopierCreate = z.output<typeof copierCreate>;

export const copierUpdate = z
  .strictObject({
    name: commonFields.name.optional(),
    strategy_id: idInput('str')
      .nullable()
      .optional()
      .describe('Can be changed only while the copier is PAUSED. Null removes the strategy.'),
    sizing: sizingInput.optional(),
    limits: copierLimitsUpdate
      .optional()
      .describe('Limits to change; others keep their value. Null removes a limit.'),
    quote_aliases: quoteAliasesInput.optional(),
    symbol_map: symbolMapInput.optional(),
    overrides: copierOverridesInput.optional(),
    on_breach: commonFields.on_breach.optional(),
    below_minimum: commonFields.below_minimum.optional(),
    copy_existing: commonFields.copy_existing.optional(),
  })
  .meta({ id: 'CopierUpdate', ...UPDATE });
export type CopierUpdate = z.output<typeof copierUpdate>;

export const copierStop = z
  .strictObject({
    mode: z
      .enum(['PAUSED', 'CLOSE_ONLY'])
      .default('PAUSED')
      .describe("PAUSED: copies neither entries nor exits. CLOSE_ONLY: still copies the strategy's exits."),
  })
  .meta({ id: 'CopierStop' });
export type CopierStop = z.output<typeof copierStop>;

export const copierStart = z
  .strictObject({
    resync: z
      .enum(['EXITS'])
      .optional()
      .describe(
        'EXITS: sells the amounts of copied lots that the strategy sold while the copier was paused.',
      ),
    copy_existing: z.boolean().optional().describe("Overrides the copier's `copy_existing` for this start."),
  })
  .meta({ id: 'CopierStart' });
export type CopierStart = z.output<typeof copierStart>;

export const profitShareAccept = z
  .strictObject({
    rate: decimalUpTo('0.5', 'non_negative').describe('The offered rate.'),
    period: z.enum(PROFIT_SHARE_PERIODS).describe('The offered period.'),
  })
  .meta({ id: 'ProfitShareAccept' });
export type ProfitShareAccept = z.output<typeof profitShareAccept>;

const pathParams = z.object({ id: idInput('cpr') });

export const copierOperations = {
  list: defineOperation({
    id: 'copiers.list',
    method: 'GET',
    path: '/v1/copiers',
    summary: 'Lists your copiers.',
    access: 'READ',
    query: z.strictObject({
      status: z.enum(COPIER_STATUSES).optional(),
      strategy_id: idInput('str').optional(),
      exchange_account_id: idInput('exa').optional(),
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
    summary: 'Returns a copier.',
    access: 'READ',
    params: pathParams,
    response: copier,
    status: 200,
    errors: ['not_found'],
  }),
  create: defineOperation({
    id: 'copiers.create',
    method: 'POST',
    path: '/v1/copiers',
    summary: 'Creates a copier. It is PAUSED until you start it.',
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
    summary: 'Updates a copier. New sizing and limits apply to lots opened after the change.',
    access: 'TRADE',
    params: pathParams,
    body: copierUpdate,
    response: copier,
    status: 200,
    errors: ['not_found', 'invalid_state', 'limit_reached'],
  }),
  delete: defineOperation({
    id: 'copiers.delete',
    method: 'DELETE',
    path: '/v1/copiers/:id',
    summary: 'Deletes a PAUSED copier. Its trades remain readable.',
    access: 'TRADE',
    params: pathParams,
    response: deletedOf(idOf('cpr')),
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  start: defineOperation({
    id: 'copiers.start',
    method: 'POST',
    path: '/v1/copiers/:id/start',
    summary: 'Starts a copier. It copies lots that its strategy opens from now on.',
    access: 'TRADE',
    params: pathParams,
    body: copierStart,
    bodyOptional: true,
    response: copier,
    status: 200,
    errors: ['not_found', 'invalid_state', 'exchange_unavailable', 'service_unavailable'],
  }),
  stop: defineOperation({
    id: 'copiers.stop',
    method: 'POST',
    path: '/v1/copiers/:id/stop',
    summary:
      'Stops a copier. Its positions stay open; the response lists those that are not closed automatically.',
    access: 'TRADE',
    params: pathParams,
    body: copierStop,
    bodyOptional: true,
    response: stoppedCopier,
    status: 200,
    errors: ['not_found'],
  }),
  acceptProfitShare: defineOperation({
    id: 'copiers.acceptProfitShare',
    method: 'POST',
    path: '/v1/copiers/:id/profit-share',
    summary:
      'Accepts exactly the profit share that the strategy offers. It applies from the next period on; other terms are refused with 409.',
    access: 'TRADE',
    params: pathParams,
    body: profitShareAccept,
    response: copier,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  decisions: defineOperation({
    id: 'copiers.decisions',
    method: 'GET',
    path: '/v1/copiers/:id/decisions',
    summary:
      "Lists a copier's decision on every signal: copied, reduced, skipped, failed or pending. Also works for deleted copiers.",
    access: 'READ',
    params: pathParams,
    query: z.strictObject({
      signal_id: idInput('sig').optional(),
      outcome: z.enum(DECISION_OUTCOMES).optional(),
    }),
    list: { sorts: ['created_at', 'sequence'], limitDefault: 20 },
    response: decision,
    status: 200,
    errors: ['not_found'],
  }),
} as const;
