import { z } from 'zod';
import { decimal } from './decimal.js';
import { idOf } from './ids.js';
import { instant } from './operation.js';

export const SIGNAL_KINDS = ['OPEN', 'INCREASE', 'REDUCE', 'CLOSE'] as const;
export type SignalKind = (typeof SIGNAL_KINDS)[number];
export const DECISION_OUTCOMES = ['COPIED', 'CLAMPED', 'SKIPPED', 'FAILED'] as const;
export type DecisionOutcome = (typeof DECISION_OUTCOMES)[number];

/** Why a signal was not copied, or not in full; in the order in which they are looked at. */
export const DECISION_CODES = [
  'NOT_ACTIVE',
  'NOT_HELD',
  'PAIR_BLOCKED',
  'PAIR_UNAVAILABLE',
  'SIDE_BLOCKED',
  'STALE_SIGNAL',
  'STALE_EQUITY',
  'DAILY_LOSS',
  'DRAWDOWN',
  'MAX_TRADES',
  'MAX_TRADE',
  'MAX_OPEN',
  'BELOW_MINIMUM',
  'INSUFFICIENT_BALANCE',
  'SLIPPAGE',
  'EXCHANGE_REJECTED',
  'CREDENTIALS',
  'RATE_LIMITED',
] as const;
export type DecisionCode = (typeof DECISION_CODES)[number];

/** What became of one signal for one copier. */
export const decision = z
  .object({
    id: idOf('dec'),
    copier_id: idOf('cpr'),
    strategy_id: idOf('str'),
    signal_id: idOf('sig'),
    sequence: z.number().int().positive().describe("The signal's place among the strategy's signals."),
    source_trade_id: idOf('trd').describe('The trade whose fill made the signal.'),
    symbol: z.string(),
    kind: z
      .enum(SIGNAL_KINDS)
      .describe(
        'OPEN and INCREASE enter the lot that a trade of the strategy opened; REDUCE and CLOSE leave it.',
      ),
    outcome: z
      .enum(DECISION_OUTCOMES)
      .describe(
        'CLAMPED: copied in part. FAILED: the exchange did not take the order. Final once settled_at is there.',
      ),
    code: z.enum(DECISION_CODES).optional().describe('Why it was not copied, or not in full.'),
    inputs: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .describe('The numbers it was decided by; amounts as decimal text.'),
    target_amount: decimal.describe(
      'What the sizing asked for, in base currency, before limits and rounding.',
    ),
    sent_amount: decimal.describe('What was ordered, in base currency.'),
    filled_amount: decimal.describe('What was filled, in base currency.'),
    trade_id: idOf('trd').optional().describe('The copy, where one was ordered.'),
    latency_ms: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe("From the fill that made the signal to the copy's sending."),
    slippage_bps: decimal
      .optional()
      .describe("How much worse the copy was filled than the strategy's price, in hundredths of a percent."),
    created_at: instant,
    decided_at: instant,
    settled_at: instant.optional().describe('When nothing more could come of it.'),
  })
  .meta({ id: 'Decision' });
export type Decision = z.output<typeof decision>;
