/** Changes of single trades, as values that `writeChanges` writes. */
import type { Tx } from '@trading-automation/persistence';
import {
  applyTransition,
  PROBE_INTERVAL_MS,
  stateOf,
  type TradeChange,
  writeChanges,
} from './store-order-reports.js';
import type { TradeEntity } from './trade.entity.js';
import { isAbsentAfter, stageOf, transitionOn } from './trade.rules.js';
import type { LockedTrade } from './trades.queries.js';

/** The delay before a rejected order is resubmitted. */
const RESUBMIT_AFTER_MS = 1_000;

export interface OrderFailure {
  readonly code: string;
  /** The product's own message, not the exchange's. */
  readonly message: string;
  /** Whether a resubmission may succeed, and the rejected submission certainly had no effect. */
  readonly isRetryable?: boolean;
}

/** Ends locked trades whose submission no worker has claimed; they are never sent. */
export async function cancelUnsent(tx: Tx, trades: readonly TradeEntity[]): Promise<void> {
  const changes = trades.map((trade) => ({
    ...applyTransition(trade, transitionOn(stateOf(trade), 'CANCEL_REQUESTED')),
    isChanged: true,
  }));
  await writeChanges(tx, changes);
}

export function failTrade(
  trade: TradeEntity,
  trigger: 'UNSENDABLE' | 'REJECTED' | 'ABSENT',
  failure: OrderFailure,
): TradeChange {
  trade.failureCode = failure.code;
  trade.failureMessage = failure.message;
  return { ...applyTransition(trade, transitionOn(stateOf(trade), trigger)), isChanged: true };
}

/** Returns the trade to UNSENT, so that its order is resubmitted under the same id, after `delayMs`. */
function returnToUnsent(
  trade: TradeEntity,
  trigger: 'REJECTED_RETRYABLE' | 'ABSENT_RESUBMITTABLE',
  delayMs = RESUBMIT_AFTER_MS,
): TradeChange {
  const change = applyTransition(trade, transitionOn(stateOf(trade), trigger));
  trade.subStatus = null;
  trade.probes = 0;
  trade.unlistedAt = null;
  return { ...change, submission: 'undone', nextCheckInMs: delayMs, isChanged: true };
}

/** Leaves the trade open and schedules the next check. */
export function keepOpen(
  trade: TradeEntity,
  trigger: 'NO_ACK' | 'NOT_FOUND',
  isChanged: boolean,
  nextCheckInMs = PROBE_INTERVAL_MS,
): TradeChange {
  return {
    ...applyTransition(trade, transitionOn(stateOf(trade), trigger)),
    isChanged,
    nextCheckInMs,
  };
}

/** Returns the change after another probe that found no order; enough of them in a row end the trade. */
export function changeAfterAbsence(locked: LockedTrade): TradeChange {
  const { trade } = locked;
  if (isAbsentAfter(trade.probes)) return changeOnAbsence(locked);
  return keepOpen(trade, 'NOT_FOUND', markTradeUnknown(trade));
}

/**
 * Returns the change of a trade whose order is not at the exchange. A copy is sent again, or ends as EXPIRED if its
 * signal is too old. A user's own order fails, because it is never sent again.
 */
export function changeOnAbsence(locked: LockedTrade, resubmitAfterMs?: number): TradeChange {
  const { trade, hasExpired } = locked;
  const canReturn = mayReturnToUnsent(locked);
  const isTooOld = hasExpired && trade.subStatus !== 'PENDING_CANCEL';
  const trigger = canReturn ? 'ABSENT_RESUBMITTABLE' : isTooOld ? 'ABSENT_EXPIRED' : 'ABSENT';
  if (stageOf(stateOf(trade)) === 'SENT') {
    if (trigger === 'ABSENT_RESUBMITTABLE') return returnToUnsent(trade, trigger, resubmitAfterMs);
    if (trigger === 'ABSENT')
      return failTrade(trade, trigger, {
        code: 'not_accepted',
        message: 'The exchange does not know the order. It never arrived and is not sent again.',
      });
  }
  return { ...applyTransition(trade, transitionOn(stateOf(trade), trigger)), isChanged: true };
}

/** Leaves a trade open whose order is in no list of the exchange, or may be in one. */
export function changeWhileUnlisted(trade: TradeEntity, nextCheckInMs: number): TradeChange {
  return keepOpen(trade, 'NOT_FOUND', markTradeUnknown(trade), nextCheckInMs);
}

const UNLISTED = 'The exchange lists neither the order nor a fill of it. It is not sent again.';
const UNCLEAR =
  'The exchange lists nothing under the id of the order, but an order or fill without an id that may be it. It is not sent again.';

/**
 * Ends a trade whose order is in no list of the exchange, or is not identified by one. It is never sent again, also if it is
 * a copy.
 */
export function changeWhenUnlisted(trade: TradeEntity, outcome: 'UNLISTED' | 'UNCLEAR'): TradeChange {
  if (stageOf(stateOf(trade)) === 'SENT') {
    const message = outcome === 'UNLISTED' ? UNLISTED : UNCLEAR;
    return failTrade(trade, 'ABSENT', { code: 'not_accepted', message });
  }
  return { ...applyTransition(trade, transitionOn(stateOf(trade), 'ABSENT')), isChanged: true };
}

/**
 * Returns the change of a trade whose order the exchange rejected. If only the time limit prevents another attempt, the
 * exchange never judged the order itself, so the trade ends as EXPIRED and not as FAILED.
 */
export function changeOnRejection(locked: LockedTrade, failure: OrderFailure): TradeChange {
  const { trade, hasExpired } = locked;
  if (failure.isRetryable !== true) return failTrade(trade, 'REJECTED', failure);
  if (mayReturnToUnsent(locked)) return returnToUnsent(trade, 'REJECTED_RETRYABLE');
  if (!hasExpired || trade.subStatus === 'PENDING_CANCEL') return failTrade(trade, 'REJECTED', failure);
  return { ...applyTransition(trade, transitionOn(stateOf(trade), 'ABSENT_EXPIRED')), isChanged: true };
}

const mayReturnToUnsent = ({ trade, mayResubmit }: LockedTrade) =>
  mayResubmit && trade.subStatus !== 'PENDING_CANCEL';

/** Marks the trade as UNKNOWN and returns whether its sub-status changed; PENDING_CANCEL takes precedence. */
export function markTradeUnknown(trade: TradeEntity): boolean {
  if (trade.subStatus === 'PENDING_CANCEL' || trade.subStatus === 'UNKNOWN') return false;
  trade.subStatus = 'UNKNOWN';
  return true;
}
