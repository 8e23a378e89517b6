/**
 * The state machine of a trade: a pure function of state and trigger.
 *
 * A trade is in one of seven stages and reacts to sixteen triggers. `TRANSITIONS` alone defines the next stage for each
 * pair of stage and trigger. Triggers arrive late, twice and out of order. For example, a submission that timed out may
 * still have reached the exchange, and a fill may arrive after its order has ended.
 *
 * Invariants
 * 1. The filled amount is the sum of the known fills, and it never decreases. Fills that arrive after the trade has
 *    ended are added and leave the stage unchanged.
 * 2. FILLED, CANCELLED and FAILED are final.
 * 3. A report of the exchange ends a trade only when our fills add up to the filled amount in the report.
 * 4. FAILED means that the exchange never accepted the order, as far as is known, and that no fill is known.
 * 5. A trade returns to UNSENT only while it may be resubmitted under the same id. In addition, either it is
 *    certain that the order is not at the exchange, or enough consecutive probes did not find it.
 * 6. A capped order never makes its trade FILLED: the rest of the trade is CANCELLED with RISK.
 * 7. An accepted order is never resubmitted. If the exchange no longer has it, it is CANCELLED with its fills.
 */
import type {
  CancelReason,
  Decimal,
  EventType,
  TimeInForce,
  TradeStatus,
} from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** UNSENT, SENT and RESTING have the status PENDING; RESTING means that the exchange has reported the order. */
export const STAGES = [
  'UNSENT',
  'SENT',
  'RESTING',
  'PARTIALLY_FILLED',
  'FILLED',
  'CANCELLED',
  'FAILED',
] as const;
export type Stage = (typeof STAGES)[number];

export const TRIGGERS = [
  /** A worker claims the submission of the order. */
  'SUBMISSION_CLAIMED',
  /** The time limit for the submission has passed. */
  'EXPIRED',
  /** The order cannot be sent, and no submission has started. */
  'UNSENDABLE',
  /** The order was sent; the response is missing or inconclusive. */
  'NO_ACK',
  /** The exchange rejected the order; a resubmission would be rejected too. */
  'REJECTED',
  /** The submission certainly had no effect, and the order may be resubmitted. */
  'REJECTED_RETRYABLE',
  /** A probe found no order, which is not conclusive yet. */
  'NOT_FOUND',
  /** Enough probes found no order, or the exchange's lists do not show it, and it may not be resubmitted. */
  'ABSENT',
  /** Enough probes found no order, and it may be resubmitted. */
  'ABSENT_RESUBMITTABLE',
  /** The order is not at the exchange, and the time limit for its resubmission has passed. */
  'ABSENT_EXPIRED',
  'CANCEL_REQUESTED',
  /** The exchange reported the order, and no fill is known. */
  'REPORTED_OPEN',
  'REPORTED_PARTIALLY_FILLED',
  'REPORTED_FILLED',
  /** The order ended before it was filled completely, and every fill is known. */
  'REPORTED_ENDED',
  /** The exchange accepted and then rejected the order, with nothing filled. */
  'REPORTED_REJECTED',
] as const;
export type Trigger = (typeof TRIGGERS)[number];

const REPORTED = {
  REPORTED_OPEN: 'RESTING',
  REPORTED_PARTIALLY_FILLED: 'PARTIALLY_FILLED',
  REPORTED_FILLED: 'FILLED',
  REPORTED_ENDED: 'CANCELLED',
  REPORTED_REJECTED: 'FAILED',
} as const;

const finalStage = <S extends Stage>(stage: S) =>
  Object.fromEntries(TRIGGERS.map((trigger) => [trigger, stage])) as Record<Trigger, S>;

/** The transition table: the next stage for each stage and trigger. */
export const TRANSITIONS: Readonly<Record<Stage, Readonly<Record<Trigger, Stage>>>> = {
  UNSENT: {
    ...REPORTED,
    SUBMISSION_CLAIMED: 'SENT',
    EXPIRED: 'CANCELLED',
    UNSENDABLE: 'FAILED',
    CANCEL_REQUESTED: 'CANCELLED',
    // These are late results of a submission that was made before the trade returned to UNSENT.
    NO_ACK: 'UNSENT',
    REJECTED: 'FAILED',
    REJECTED_RETRYABLE: 'UNSENT',
    NOT_FOUND: 'UNSENT',
    ABSENT: 'UNSENT',
    ABSENT_RESUBMITTABLE: 'UNSENT',
    ABSENT_EXPIRED: 'UNSENT',
  },
  SENT: {
    ...REPORTED,
    SUBMISSION_CLAIMED: 'SENT',
    EXPIRED: 'SENT',
    UNSENDABLE: 'SENT',
    CANCEL_REQUESTED: 'SENT',
    NO_ACK: 'SENT',
    REJECTED: 'FAILED',
    REJECTED_RETRYABLE: 'UNSENT',
    NOT_FOUND: 'SENT',
    ABSENT: 'FAILED',
    ABSENT_RESUBMITTABLE: 'UNSENT',
    ABSENT_EXPIRED: 'CANCELLED',
  },
  RESTING: {
    ...REPORTED,
    SUBMISSION_CLAIMED: 'RESTING',
    EXPIRED: 'RESTING',
    UNSENDABLE: 'RESTING',
    CANCEL_REQUESTED: 'RESTING',
    // The order was reported in the meantime, so the result of the submission no longer matters.
    NO_ACK: 'RESTING',
    REJECTED: 'RESTING',
    REJECTED_RETRYABLE: 'RESTING',
    NOT_FOUND: 'RESTING',
    ABSENT: 'CANCELLED',
    ABSENT_RESUBMITTABLE: 'CANCELLED',
    ABSENT_EXPIRED: 'CANCELLED',
  },
  PARTIALLY_FILLED: {
    ...REPORTED,
    SUBMISSION_CLAIMED: 'PARTIALLY_FILLED',
    EXPIRED: 'PARTIALLY_FILLED',
    UNSENDABLE: 'PARTIALLY_FILLED',
    CANCEL_REQUESTED: 'PARTIALLY_FILLED',
    NO_ACK: 'PARTIALLY_FILLED',
    REJECTED: 'PARTIALLY_FILLED',
    REJECTED_RETRYABLE: 'PARTIALLY_FILLED',
    NOT_FOUND: 'PARTIALLY_FILLED',
    ABSENT: 'CANCELLED',
    ABSENT_RESUBMITTABLE: 'CANCELLED',
    ABSENT_EXPIRED: 'CANCELLED',
    // The report is outdated, or the known fills contradict it.
    REPORTED_OPEN: 'PARTIALLY_FILLED',
    REPORTED_REJECTED: 'CANCELLED',
  },
  FILLED: finalStage('FILLED'),
  CANCELLED: finalStage('CANCELLED'),
  FAILED: finalStage('FAILED'),
};

export interface TradeState {
  readonly status: TradeStatus;
  /** The amount that is ordered at the exchange. */
  readonly amount: Decimal;
  /** Whether less than the trade's amount is ordered. The trade then ends as CANCELLED when the order is filled. */
  readonly isCapped: boolean;
  readonly filledAmount: Decimal;
  readonly timeInForce: TimeInForce;
  readonly isCancelRequested: boolean;
  readonly isSubmitted: boolean;
  /** Whether the exchange has ever reported the order. */
  readonly isAcknowledged: boolean;
}

export interface TradeTransition {
  readonly stage: Stage;
  readonly status: TradeStatus;
  readonly filledAmount: Decimal;
  readonly cancelReason: CancelReason | null;
  /** The event to emit; null if nothing relevant changed. */
  readonly event: Extract<EventType, `trade.${string}`> | null;
}

export const isTerminal = (status: TradeStatus): boolean =>
  status === 'FILLED' || status === 'CANCELLED' || status === 'FAILED';

export function stageOf({ status, isSubmitted, isAcknowledged }: TradeState): Stage {
  if (status !== 'PENDING') return status;
  if (isAcknowledged) return 'RESTING';
  return isSubmitted ? 'SENT' : 'UNSENT';
}

/** Returns the transition for a trigger that brings no fills. */
export function transitionOn(
  state: TradeState,
  trigger: Exclude<Trigger, `REPORTED_${string}`>,
): TradeTransition {
  const stage = TRANSITIONS[stageOf(state)][trigger];
  const reason =
    trigger === 'EXPIRED' || (trigger === 'ABSENT_EXPIRED' && !state.isAcknowledged)
      ? 'EXPIRED'
      : trigger === 'CANCEL_REQUESTED' || state.isCancelRequested
        ? 'USER'
        : 'EXCHANGE';
  return buildTransition(state, stage, state.filledAmount, reason);
}

export interface OrderObservation {
  /** The status in the exchange's report; OPEN if only fills of the order were reported. */
  readonly orderStatus: 'OPEN' | 'FILLED' | 'CANCELLED' | 'EXPIRED' | 'REJECTED';
  readonly orderFilledAmount: Decimal;
  /** The sum of all fills known so far. */
  readonly knownFilledAmount: Decimal;
}

/** Returns the transition for an exchange's report of an order. */
export function transitionOnReport(state: TradeState, report: OrderObservation): TradeTransition {
  const filled = BigDecimal.max(state.filledAmount, report.knownFilledAmount);
  const trigger = triggerOf(state, report, filled);
  if (trigger === 'REPORTED_FILLED' && state.isCapped) {
    const stage = TRANSITIONS[stageOf(state)].REPORTED_ENDED;
    return buildTransition(state, stage, filled.toString(), 'RISK');
  }
  const stage = TRANSITIONS[stageOf(state)][trigger];
  return buildTransition(state, stage, filled.toString(), reasonOf(state, report));
}

function triggerOf(state: TradeState, report: OrderObservation, filled: BigDecimal): Trigger {
  const isAllKnown = filled.gte(report.orderFilledAmount);
  const isComplete = filled.gte(state.amount) || (report.orderStatus === 'FILLED' && filled.gt(0));
  if (isComplete && isAllKnown) return 'REPORTED_FILLED';
  const isEnded = ['CANCELLED', 'EXPIRED', 'REJECTED'].includes(report.orderStatus);
  if (isEnded && isAllKnown)
    return report.orderStatus === 'REJECTED' && filled.isZero() ? 'REPORTED_REJECTED' : 'REPORTED_ENDED';
  return filled.gt(0) ? 'REPORTED_PARTIALLY_FILLED' : 'REPORTED_OPEN';
}

function reasonOf(
  { timeInForce, isCancelRequested }: TradeState,
  { orderStatus }: OrderObservation,
): CancelReason {
  if (isCancelRequested) return 'USER';
  if (timeInForce === 'FOK') return 'FOK_UNFILLED';
  if (timeInForce === 'IOC') return 'IOC_REMAINDER';
  return orderStatus === 'EXPIRED' ? 'EXPIRED' : 'EXCHANGE';
}

const PENDING_STAGES: readonly Stage[] = ['UNSENT', 'SENT', 'RESTING'];
const ENDED_BY = { FILLED: 'trade.filled', CANCELLED: 'trade.cancelled', FAILED: 'trade.failed' } as const;

function buildTransition(
  state: TradeState,
  stage: Stage,
  filledAmount: Decimal,
  cancelReason: CancelReason,
): TradeTransition {
  const status = PENDING_STAGES.includes(stage) ? 'PENDING' : (stage as TradeStatus);
  const hasEnded = !isTerminal(state.status) && isTerminal(status);
  const hasGrown = new BigDecimal(filledAmount).gt(state.filledAmount);
  const eventOfGrowth = status === 'PARTIALLY_FILLED' && hasGrown ? 'trade.partially_filled' : null;
  return {
    stage,
    status,
    filledAmount,
    cancelReason: hasEnded && status === 'CANCELLED' ? cancelReason : null,
    event: hasEnded ? ENDED_BY[status as keyof typeof ENDED_BY] : eventOfGrowth,
  };
}

/** After this number of consecutive probes that find no order, the order counts as absent. */
const ABSENT_PROBES = 6;

/** Returns whether an order that `probes` consecutive probes did not find is absent. */
export const isAbsentAfter = (probes: number): boolean => probes >= ABSENT_PROBES;

export interface FeePart {
  readonly amount: Decimal;
  readonly currency: string;
  /** The number of fills that make up the fee. */
  readonly count: number;
}

/** Sums fees by currency, sorted by number of fills (descending), then by currency. */
export function sumFees(fees: readonly FeePart[]): { amount: Decimal; currency: string }[] {
  const sums = new Map<string, { amount: BigDecimal; count: number }>();
  for (const { amount, currency, count } of fees) {
    const sum = sums.get(currency) ?? { amount: new BigDecimal(0), count: 0 };
    sums.set(currency, { amount: sum.amount.plus(amount), count: sum.count + count });
  }
  return [...sums]
    .sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1))
    .map(([currency, { amount }]) => ({ amount: amount.toString(), currency }));
}
