/**
 * What becomes of a trade when something is learned of it. Pure: state and fact in, state out.
 *
 * Where a trade stands is one of seven stages; what can be learned is one of fifteen facts; `NEXT` has an answer to
 * each of them in each stage, and nothing else decides. Facts come late, twice and out of order: a lost answer may be
 * followed by the order itself, a refusal by nothing, a fill by the end that came before it.
 *
 * Invariants
 * 1. The filled amount is the sum of the known fills, nothing else; it never falls. Fills that come late, after
 *    the end, are added to it and leave the stage as it is.
 * 2. FILLED, CANCELLED and FAILED are final.
 * 3. A trade does not end by what the exchange tells before every fill that the exchange counts is known.
 * 4. FAILED means that the exchange never accepted the order: nothing of it is or was filled, as far as anybody knew.
 * 5. A trade goes back to UNSENT only where its order certainly is not at the exchange, or was looked for in vain as
 *    often as it takes to believe that, and only while it may be sent again under the same id.
 * 6. What was accepted once is never sent again: gone from the exchange it is CANCELLED, with the fills it had.
 */
import type {
  CancelReason,
  Decimal,
  EventType,
  TimeInForce,
  TradeStatus,
} from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** UNSENT, SENT and RESTING are PENDING; RESTING is what the exchange has told of. */
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
  /** Somebody writes that the order is being sent. */
  'SUBMISSION_CLAIMED',
  /** The time within which it was to be sent is over. */
  'EXPIRED',
  /** It can't be sent, and nobody has begun to. */
  'UNSENDABLE',
  /** Sent, and no answer, or one that says nothing. */
  'NO_ACK',
  /** The exchange refused it, and would again. */
  'REFUSED',
  /** It certainly had no effect, and may be sent again. */
  'REJECTED_RETRYABLE',
  /** A look found no such order, which proves nothing yet. */
  'NOT_FOUND',
  /** Looked for often enough: the exchange has no such order, and it is not to be sent again. */
  'ABSENT',
  /** The same of an order that may be sent again. */
  'CONFIRMED_ABSENT_RESENDABLE',
  'CANCEL_REQUESTED',
  /** The exchange told of the order, and no fill is known. */
  'REPORTED_OPEN',
  'REPORTED_PARTIALLY_FILLED',
  'REPORTED_FILLED',
  /** Over before it was filled in full, and every fill is known. */
  'REPORTED_ENDED',
  /** Taken and then refused, with nothing filled. */
  'REPORTED_REJECTED',
] as const;
export type Trigger = (typeof TRIGGERS)[number];

const seen = {
  REPORTED_OPEN: 'RESTING',
  REPORTED_PARTIALLY_FILLED: 'PARTIALLY_FILLED',
  REPORTED_FILLED: 'FILLED',
  REPORTED_ENDED: 'CANCELLED',
  REPORTED_REJECTED: 'FAILED',
} as const;

const final = <S extends Stage>(stage: S) =>
  Object.fromEntries(TRIGGERS.map((fact) => [fact, stage])) as Record<Trigger, S>;

/** The whole table: what follows each stage on each fact. */
export const TRANSITIONS: Readonly<Record<Stage, Readonly<Record<Trigger, Stage>>>> = {
  UNSENT: {
    ...seen,
    SUBMISSION_CLAIMED: 'SENT',
    EXPIRED: 'CANCELLED',
    UNSENDABLE: 'FAILED',
    CANCEL_REQUESTED: 'CANCELLED',
    // Late news of a sending before this trade was put back.
    NO_ACK: 'UNSENT',
    REFUSED: 'FAILED',
    REJECTED_RETRYABLE: 'UNSENT',
    NOT_FOUND: 'UNSENT',
    ABSENT: 'UNSENT',
    CONFIRMED_ABSENT_RESENDABLE: 'UNSENT',
  },
  SENT: {
    ...seen,
    SUBMISSION_CLAIMED: 'SENT',
    EXPIRED: 'SENT',
    UNSENDABLE: 'SENT',
    CANCEL_REQUESTED: 'SENT',
    NO_ACK: 'SENT',
    REFUSED: 'FAILED',
    REJECTED_RETRYABLE: 'UNSENT',
    NOT_FOUND: 'SENT',
    ABSENT: 'FAILED',
    CONFIRMED_ABSENT_RESENDABLE: 'UNSENT',
  },
  RESTING: {
    ...seen,
    SUBMISSION_CLAIMED: 'RESTING',
    EXPIRED: 'RESTING',
    UNSENDABLE: 'RESTING',
    CANCEL_REQUESTED: 'RESTING',
    // The order was told of in the meantime: what the sender heard counts no more.
    NO_ACK: 'RESTING',
    REFUSED: 'RESTING',
    REJECTED_RETRYABLE: 'RESTING',
    NOT_FOUND: 'RESTING',
    ABSENT: 'CANCELLED',
    CONFIRMED_ABSENT_RESENDABLE: 'CANCELLED',
  },
  PARTIALLY_FILLED: {
    ...seen,
    SUBMISSION_CLAIMED: 'PARTIALLY_FILLED',
    EXPIRED: 'PARTIALLY_FILLED',
    UNSENDABLE: 'PARTIALLY_FILLED',
    CANCEL_REQUESTED: 'PARTIALLY_FILLED',
    NO_ACK: 'PARTIALLY_FILLED',
    REFUSED: 'PARTIALLY_FILLED',
    REJECTED_RETRYABLE: 'PARTIALLY_FILLED',
    NOT_FOUND: 'PARTIALLY_FILLED',
    ABSENT: 'CANCELLED',
    CONFIRMED_ABSENT_RESENDABLE: 'CANCELLED',
    // An older state of the order, and one that its fills contradict.
    REPORTED_OPEN: 'PARTIALLY_FILLED',
    REPORTED_REJECTED: 'CANCELLED',
  },
  FILLED: final('FILLED'),
  CANCELLED: final('CANCELLED'),
  FAILED: final('FAILED'),
};

export interface TradeState {
  readonly status: TradeStatus;
  readonly amount: Decimal;
  readonly filledAmount: Decimal;
  readonly timeInForce: TimeInForce;
  readonly isCancelRequested: boolean;
  readonly isSubmitted: boolean;
  /** Whether the exchange has ever told of the order. */
  readonly isAcknowledged: boolean;
}

export interface TradeTransition {
  readonly stage: Stage;
  readonly status: TradeStatus;
  readonly filledAmount: Decimal;
  readonly cancelReason: CancelReason | null;
  /** What is announced; null where nothing that matters changed. */
  readonly event: Extract<EventType, `trade.${string}`> | null;
}

export const isTerminal = (status: TradeStatus): boolean =>
  status === 'FILLED' || status === 'CANCELLED' || status === 'FAILED';

export function stageOf({ status, isSubmitted, isAcknowledged }: TradeState): Stage {
  if (status !== 'PENDING') return status;
  if (isAcknowledged) return 'RESTING';
  return isSubmitted ? 'SENT' : 'UNSENT';
}

/** What follows a fact that brings no fill. */
export function transitionOn(state: TradeState, fact: Exclude<Trigger, `SEEN_${string}`>): TradeTransition {
  const stage = TRANSITIONS[stageOf(state)][fact];
  const reason =
    fact === 'EXPIRED'
      ? 'EXPIRED'
      : fact === 'CANCEL_REQUESTED' || state.isCancelRequested
        ? 'USER'
        : 'EXCHANGE';
  return buildTransition(state, stage, state.filledAmount, reason);
}

export interface OrderObservation {
  /** The order as the exchange tells it; OPEN where only fills of it were told. */
  readonly orderStatus: 'OPEN' | 'FILLED' | 'CANCELLED' | 'EXPIRED' | 'REJECTED';
  readonly orderFilledAmount: Decimal;
  /** The sum of all fills that are known by now. */
  readonly knownFilledAmount: Decimal;
}

/** What follows what the exchange tells of an order. */
export function transitionOnReport(state: TradeState, told: OrderObservation): TradeTransition {
  const filled = BigDecimal.max(state.filledAmount, told.knownFilledAmount);
  const stage = TRANSITIONS[stageOf(state)][triggerOf(state, told, filled)];
  return buildTransition(state, stage, filled.toString(), reasonOf(state, told));
}

function triggerOf(state: TradeState, told: OrderObservation, filled: BigDecimal): Trigger {
  const isAllKnown = filled.gte(told.orderFilledAmount);
  const isComplete = filled.gte(state.amount) || (told.orderStatus === 'FILLED' && filled.gt(0));
  if (isComplete && isAllKnown) return 'REPORTED_FILLED';
  const isEnded = ['CANCELLED', 'EXPIRED', 'REJECTED'].includes(told.orderStatus);
  if (isEnded && isAllKnown)
    return told.orderStatus === 'REJECTED' && filled.isZero() ? 'REPORTED_REJECTED' : 'REPORTED_ENDED';
  return filled.gt(0) ? 'REPORTED_PARTIALLY_FILLED' : 'REPORTED_OPEN';
}

function reasonOf(
  { timeInForce, isCancelRequested }: TradeState,
  { orderStatus }: OrderObservation,
): CancelReason {
  if (isCancelRequested) return 'USER';
  if (timeInForce === 'IOC' || timeInForce === 'FOK') return 'IOC_REMAINDER';
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

/** Looks in a row that find nothing, and then one more, by which it is believed that there is no such order. */
const ABSENT_PROBES = 5 + 1;

/**
 * What it means that the exchange knows no order of this id, for the `looks`-th time in a row. A user's own order is
 * not sent a second time behind the user's back: whether the first is still on its way nobody can tell for certain.
 */
export function triggerAfterProbes(
  probes: number,
  mayResend: boolean,
): 'NOT_FOUND' | 'ABSENT' | 'CONFIRMED_ABSENT_RESENDABLE' {
  if (probes < ABSENT_PROBES) return 'NOT_FOUND';
  return mayResend ? 'CONFIRMED_ABSENT_RESENDABLE' : 'ABSENT';
}

export interface FeePart {
  readonly amount: Decimal;
  readonly currency: string;
  /** Of how many fills it is the fee. */
  readonly count: number;
}

/** Fees summed by currency; the currency of most fills first, then by name. */
export function sumFees(parts: readonly FeePart[]): { amount: Decimal; currency: string }[] {
  const sums = new Map<string, { amount: BigDecimal; count: number }>();
  for (const { amount, currency, count } of parts) {
    const sum = sums.get(currency) ?? { amount: new BigDecimal(0), count: 0 };
    sums.set(currency, { amount: sum.amount.plus(amount), count: sum.count + count });
  }
  return [...sums]
    .sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1))
    .map(([currency, { amount }]) => ({ amount: amount.toString(), currency }));
}
