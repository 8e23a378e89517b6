import { z } from 'zod';
import { decimal } from './decimal.js';
import { idOf } from './ids.js';
import { instant } from './operation.js';

export const SIGNAL_KINDS = ['OPEN', 'INCREASE', 'REDUCE', 'CLOSE'] as const;
export type SignalKind = (typeof SIGNAL_KINDS)[number];
export const DECISION_OUTCOMES = ['COPIED', 'CLAMPED', 'SKIPPED', 'FAILED', 'PENDING'] as const;
export type DecisionOutcome = (typeof DECISION_OUTCOMES)[number];
/** The outcome of a settled decision. */
export type FinalOutcome = Exclude<DecisionOutcome, 'PENDING'>;

/** Why a signal was not copied, or was copied only in part. The codes are in the order of the checks. */
export const DECISION_CODES = [
  'NOT_ACTIVE',
  'NOT_HELD',
  'PAIR_BLOCKED',
  'PAIR_UNAVAILABLE',
  'SIDE_BLOCKED',
  'STALE_SIGNAL',
  'OFF_MARKET',
  'STALE_EQUITY',
  'DAILY_LOSS',
  'DRAWDOWN',
  'MAX_TRADES',
  'MAX_TRADE',
  'MAX_OPEN',
  'MAX_LEVERAGE',
  'MARGIN_RATIO',
  'BELOW_MINIMUM',
  'INSUFFICIENT_BALANCE',
  'SLIPPAGE',
  'EXCHANGE_REJECTED',
  'NOT_ACCEPTED',
  'CREDENTIALS',
  'RATE_LIMITED',
] as const;
export type DecisionCode = (typeof DECISION_CODES)[number];

/** The decision of one copier about one signal. */
export const decision = z
  .object({
    id: idOf('dec'),
    copier_id: idOf('cpr'),
    strategy_id: idOf('str'),
    signal_id: idOf('sig').describe(
      'The signal that caused the decision. If a start copied the lot (`copy_existing`), the last signal of the lot.',
    ),
    sequence: z.number().int().positive().describe("The signal's number within its strategy."),
    source_trade_id: idOf('trd').describe('The trade whose fill caused the signal.'),
    symbol: z.string(),
    kind: z
      .enum(SIGNAL_KINDS)
      .describe(
        'What the copier does: OPEN and INCREASE are entries into a lot of the strategy, REDUCE and CLOSE are exits. It is the kind of the signal. If a start copied the lot (`copy_existing`), it is OPEN, even if the signal is of another kind.',
      ),
    outcome: z
      .enum(DECISION_OUTCOMES)
      .describe(
        'PENDING: not final yet; settled_at is absent. CLAMPED: copied in part. FAILED: the order was rejected or never reached the exchange.',
      ),
    code: z
      .enum(DECISION_CODES)
      .optional()
      .describe(
        'Why the signal was not copied, or was copied only in part. While the outcome is PENDING: why the copy waits, or which limit reduced it.',
      ),
    inputs: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .describe(
        'The values behind the decision. Amounts are decimal strings. If another user owns the strategy, the amounts of its account are omitted, and `ratio` and values that are proportional to such amounts have two significant digits, are computed from amounts of two digits, and may be null. `copy_existing` is true if a start decided on a lot that was already open; the other values are those at the start.',
      ),
    target_amount: decimal.describe(
      'Amount that the sizing yields, in base currency, before limits and rounding. If another user owns the strategy: computed from amounts of two significant digits, or the ordered amount, and rounded to two digits.',
    ),
    sent_amount: decimal.describe(
      'Amount ordered, in base currency. An amount that is ordered again counts once.',
    ),
    filled_amount: decimal.describe('Amount filled, in base currency.'),
    trade_id: idOf('trd').optional().describe('The copy, if an order was placed.'),
    latency_ms: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe(
        'Time from the fill that caused the signal until the copy was sent, in milliseconds. If a start copied the lot (`copy_existing`), time from the start.',
      ),
    slippage_bps: decimal
      .optional()
      .describe(
        "How much worse the copy's price is than the strategy's, in basis points. Negative if it is better. If a start copied the lot (`copy_existing`), the price is compared with the last price at the start. Absent if nothing was filled, and for an exit of another user's strategy that several orders sold in parts.",
      ),
    created_at: instant,
    decided_at: instant.describe(
      'Time at which the copier first decided on the signal. A later start may replace a decision that placed no order; the time does not change then.',
    ),
    settled_at: instant.optional().describe('Time at which the decision became final.'),
  })
  .meta({ id: 'Decision' });
export type Decision = z.output<typeof decision>;
