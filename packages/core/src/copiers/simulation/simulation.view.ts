import { encodeId, type SimulatedDecision, type Simulation } from '@trading-automation/contracts';
import { maskInputs, ownInputs } from '../../strategies/index.js';
import { coarse, formatInstant } from '../../values/index.js';
import type { ReplayCounts, ReplayedDecision, ReplayResult } from './replay.types.js';
import type { SimulatedMarginState } from './simulated-margin.js';

export interface SimulationOutcome {
  /** Whether the copier's user also owns the strategy. */
  readonly isOwnStrategy: boolean;
  /** When the first and the last replayed signal were emitted; null if none was replayed. */
  readonly firstEmittedAt: Date | null;
  readonly lastEmittedAt: Date | null;
  readonly signalCount: number;
  /**
   * The number of signals of the range that are too old to be replayed, because the replay is limited to the newest.
   */
  readonly olderSignalCount: number;
  /** The most recent decisions, in order of time. */
  readonly decisions: readonly ReplayedDecision[];
  readonly counts: ReplayCounts;
  readonly currency: string | null;
  readonly startingEquity: string;
  readonly result: ReplayResult;
  readonly isPerpetual: boolean;
  readonly funding: string;
  readonly margin: SimulatedMarginState;
}

export function viewSimulation(outcome: SimulationOutcome): Simulation {
  const { firstEmittedAt, lastEmittedAt, counts, result } = outcome;
  return {
    from: firstEmittedAt === null ? undefined : formatInstant(firstEmittedAt),
    to: lastEmittedAt === null ? undefined : formatInstant(lastEmittedAt),
    signal_count: outcome.signalCount,
    left_out_count: outcome.olderSignalCount,
    decisions: outcome.decisions.map((decision) => viewSimulatedDecision(decision, outcome.isOwnStrategy)),
    truncated: outcome.decisions.length < outcome.signalCount,
    copied: counts.copied,
    clamped: counts.clamped,
    skipped: counts.skipped,
    skipped_by_reason: counts.skippedByReason,
    currency: outcome.currency ?? undefined,
    starting_equity: outcome.startingEquity,
    fees: result.fees,
    net_pnl: result.netPnl,
    funding: outcome.funding,
    lowest_margin_ratio: outcome.isPerpetual ? outcome.margin.lowestRatio : undefined,
    would_be_liquidated_at:
      outcome.margin.liquidatedAt === null ? undefined : formatInstant(outcome.margin.liquidatedAt),
    tracking_difference_bps: result.tracking?.differenceBps ?? null,
    tracking: result.tracking?.parts,
  };
}

function viewSimulatedDecision(
  { signal, plan }: ReplayedDecision,
  isOwnStrategy: boolean,
): SimulatedDecision {
  return {
    signal_id: encodeId('sig', signal.id),
    sequence: signal.sequence,
    source_trade_id: encodeId('trd', signal.sourceTradeId),
    symbol: signal.symbol,
    kind: signal.kind,
    outcome: plan.outcome,
    code: plan.code ?? undefined,
    inputs: isOwnStrategy ? ownInputs(plan.inputs) : maskInputs(plan.inputs),
    target_amount: isOwnStrategy ? plan.targetAmount : coarse(plan.targetAmount),
    sent_amount: plan.order?.amount ?? '0',
    signal_at: formatInstant(signal.signalAt),
  };
}
