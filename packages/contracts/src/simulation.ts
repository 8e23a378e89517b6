import { z } from 'zod';
import { decimal } from './decimal.js';
import { DECISION_CODES, DECISION_OUTCOMES, decision } from './decisions.js';
import { idGiven } from './ids.js';
import { defineOperation, instant } from './operation.js';
import { rangeGiven, refuseEmptyRange } from './range.js';

/** Most signals that one simulation replays, and most decisions that its answer lists: the newest of each. */
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
    outcome: z.enum(DECISION_OUTCOMES).exclude(['FAILED']),
    signal_at: instant.describe('When the fill was executed that made the signal.'),
  })
  .meta({ id: 'SimulatedDecision' });
export type SimulatedDecision = z.output<typeof simulatedDecision>;

export const simulation = z
  .object({
    from: instant.optional().describe('When the first signal was given that was replayed.'),
    to: instant.optional().describe('When the last one was.'),
    signal_count: count.describe('Signals that were replayed.'),
    left_out_count: count.describe(
      `Older signals of the range that were not: at most the newest ${SIMULATED_SIGNALS_MAX} are.`,
    ),
    decisions: z
      .array(simulatedDecision)
      .describe(`Oldest first; the newest ${SIMULATED_DECISIONS_MAX} where there are more.`),
    truncated: z
      .boolean()
      .describe('Whether older decisions are left out of the list; the counts have them all.'),
    copied: count.describe('Copied as the sizing asked.'),
    clamped: count.describe('Copied in part.'),
    skipped: count,
    skipped_by_reason: z.partialRecord(z.enum(DECISION_CODES), count),
    currency: z
      .string()
      .optional()
      .describe(
        'The quote currency of most signals. Amounts of money below are in it, pairs of others not among them.',
      ),
    starting_equity: decimal.describe('What the account is worth now: what the replay begins with.'),
    fees: decimal,
    net_pnl: decimal.describe(
      'Realised and open, net of fees; what is open at the price of the last signal of its pair. Copies are filled in full at the price of the strategy.',
    ),
    tracking_difference_bps: decimal
      .nullable()
      .describe(
        "As in the copier's stats: its return less the strategy's, in hundredths of a percent, over what was closed of the lots that both held, each weighing what the copies cost. The strategy's is before its fees. Null where nothing was closed.",
      ),
  })
  .meta({ id: 'Simulation' });
export type Simulation = z.output<typeof simulation>;

export const simulationAsked = z
  .strictObject(rangeGiven('Signals count by when they were given.'))
  .superRefine(refuseEmptyRange)
  .meta({ id: 'SimulationAsked' });
export type SimulationAsked = z.output<typeof simulationAsked>;

export const simulationOperations = {
  simulate: defineOperation({
    id: 'copiers.simulate',
    method: 'POST',
    path: '/v1/copiers/:id/simulate',
    summary:
      "Replays what the strategy signalled through the copier's settings, as if it had been started just before; nothing is traded.",
    access: 'READ',
    params: z.object({ id: idGiven('cpr') }),
    body: simulationAsked,
    bodyOptional: true,
    response: simulation,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
} as const;
