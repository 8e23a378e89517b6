import { encodeId, type SimulatedDecision, type Simulation } from '@trading-automation/contracts';
import { formatInstant } from '../../values/index.js';
import type { ReplayCounts, ReplayedDecision, ReplayResult } from './replay.js';

export interface SimulationOutcome {
  readonly first: Date | null;
  readonly last: Date | null;
  readonly signalCount: number;
  readonly leftOutCount: number;
  /** The newest decisions, oldest first. */
  readonly decisions: readonly ReplayedDecision[];
  readonly counts: ReplayCounts;
  readonly currency: string | null;
  readonly startingEquity: string;
  readonly result: ReplayResult;
}

export function viewSimulation(outcome: SimulationOutcome): Simulation {
  const { first, last, counts, result } = outcome;
  return {
    from: first === null ? undefined : formatInstant(first),
    to: last === null ? undefined : formatInstant(last),
    signal_count: outcome.signalCount,
    left_out_count: outcome.leftOutCount,
    decisions: outcome.decisions.map(viewSimulatedDecision),
    truncated: outcome.decisions.length < outcome.signalCount,
    copied: counts.copied,
    clamped: counts.clamped,
    skipped: counts.skipped,
    skipped_by_reason: counts.skippedByReason,
    currency: outcome.currency ?? undefined,
    starting_equity: outcome.startingEquity,
    fees: result.fees,
    net_pnl: result.netPnl,
    tracking_difference_bps: result.trackingDifferenceBps,
  };
}

function viewSimulatedDecision({ signal, plan }: ReplayedDecision): SimulatedDecision {
  return {
    signal_id: encodeId('sig', signal.id),
    sequence: signal.sequence,
    source_trade_id: encodeId('trd', signal.sourceTradeId),
    symbol: signal.symbol,
    kind: signal.kind,
    outcome: plan.outcome,
    code: plan.code ?? undefined,
    inputs: plan.inputs,
    target_amount: plan.targetAmount,
    sent_amount: plan.order?.amount ?? '0',
    signal_at: formatInstant(signal.signalAt),
  };
}
