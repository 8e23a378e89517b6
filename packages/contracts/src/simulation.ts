import { z } from 'zod';
import { trackingParts } from './copiers.js';
import { decimal } from './decimal.js';
import { DECISION_CODES, DECISION_OUTCOMES, decision } from './decisions.js';
import { idInput } from './ids.js';
import { defineOperation, instant } from './operation.js';
import { rangeInput, rejectEmptyRange } from './range.js';

/**
 * A simulation replays at most the newest 20,000 signals and returns at most the newest 1,000
 * decisions.
 */
export const SIMULATED_SIGNALS_MAX = 20_000;
export const SIMULATED_DECISIONS_MAX = 1_000;

const count = z.number().int().nonnegative();

export const simulatedDecision = decision
  .pick({
    signal_id: true,
    sequence: true,
    source_trade_id: true,
    symbol: true,
    kind: true,
    code: true,
    inputs: true,
    target_amount: true,
    sent_amount: true,
  })
  .extend({
    outcome: z.enum(DECISION_OUTCOMES).exclude(['FAILED', 'PENDING']),
    signal_at: instant.describe('Execution time of the fill that caused the signal.'),
  })
  .meta({ id: 'SimulatedDecision' });
export type SimulatedDecision = z.output<typeof simulatedDecision>;

export const simulation = z
  .object({
    from: instant.optional().describe('Time of the first replayed signal.'),
    to: instant.optional().describe('Time of the last replayed signal.'),
    signal_count: count.describe('Number of replayed signals.'),
    left_out_count: count.describe(
      `Number of older signals in the range that were not replayed. At most the newest ${SIMULATED_SIGNALS_MAX} are replayed.`,
    ),
    decisions: z
      .array(simulatedDecision)
      .describe(`Decisions, oldest first. At most the newest ${SIMULATED_DECISIONS_MAX} are returned.`),
    truncated: z
      .boolean()
      .describe('True if `decisions` omits older decisions. The counts include all of them.'),
    copied: count.describe('Signals copied in full.'),
    clamped: count.describe('Signals copied in part.'),
    skipped: count,
    skipped_by_reason: z.partialRecord(z.enum(DECISION_CODES), count),
    currency: z
      .string()
      .optional()
      .describe(
        'The quote currency of most signals. All amounts of money in this object are in this currency and exclude pairs with other quote currencies.',
      ),
    starting_equity: decimal.describe(
      'Current equity of the account, with which the replay starts. On perpetuals, the replay starts without positions, and the free balance is the equity less the initial margins at the current leverage.',
    ),
    fees: decimal,
    net_pnl: decimal.describe(
      "Realized and unrealized profit or loss after fees and funding. Copies are assumed to fill in full at the strategy's price of the time. Lots that are open in the end are valued at the last known price; if `to` is given, at the price of the last signal of their pair.",
    ),
    funding: decimal.describe(
      'Funding received less funding paid, from the recorded rates of the perpetuals. Part of `net_pnl`. 0 on spot, and for times without a recorded rate.',
    ),
    lowest_margin_ratio: decimal
      .nullable()
      .optional()
      .describe(
        'Perpetuals only: the lowest equity ÷ maintenance margin at the times of signals and of funding. The maintenance margin is estimated: the notional ÷ the highest leverage of the pair, or 5 % of the notional if that is unknown. Entries below `min_margin_ratio` are skipped, but not by the estimate of 5 %. Null without a position.',
      ),
    would_be_liquidated_at: instant
      .optional()
      .describe(
        'Perpetuals only: when the margin ratio first was below 1. The simulation liquidates nothing and goes on.',
      ),
    tracking_difference_bps: decimal
      .nullable()
      .describe(
        "As in the copier's stats: the copier's return less that of a perfect copy, in whole basis points of the perfect copy's cost. The perfect copy pays no fees, because signals do not include the strategy's. Null if nothing was closed.",
      ),
    tracking: trackingParts
      .optional()
      .describe(
        'Breakdown of `tracking_difference_bps`. The five values add up to it. Slippage and latency are 0, because copies fill at once.',
      ),
  })
  .meta({ id: 'Simulation' });
export type Simulation = z.output<typeof simulation>;

export const simulationAsked = z
  .strictObject(rangeInput('Signals are selected by the time at which they were emitted.'))
  .superRefine(rejectEmptyRange)
  .meta({ id: 'SimulationAsked' });
export type SimulationAsked = z.output<typeof simulationAsked>;

export const simulationOperations = {
  simulate: defineOperation({
    id: 'copiers.simulate',
    method: 'POST',
    path: '/v1/copiers/:id/simulate',
    summary:
      "Replays past signals of the strategy with the copier's settings, as if the copier had been started just before them. Places no orders. Of another user's strategy, the leader's equity, amounts and fractions are rounded to two significant digits before anything is computed from them. A user runs one simulation at a time. An Idempotency-Key has no effect.",
    isComputation: true,
    access: 'READ',
    bucket: 'simulations',
    params: z.object({ id: idInput('cpr') }),
    body: simulationAsked,
    bodyOptional: true,
    response: simulation,
    status: 200,
    errors: ['not_found', 'invalid_state', 'service_unavailable'],
  }),
} as const;
