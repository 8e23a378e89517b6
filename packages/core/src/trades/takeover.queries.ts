/**
 * The orders that a dead worker may have sent.
 *
 * A worker writes a copy's order to the exchange within `SEND_DEADLINE_MS` of its claim, and the exchange rejects a
 * request that is older than its receive window. After both, and some time for the exchange's own look-ups, one look
 * decides: an order that the exchange does not know will never arrive. A user's own order is never sent again, so its
 * scheduled checks decide when it is absent; only a look that finds it counts here.
 */
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { lockOpenTrade, stateOf, writeChanges } from './store-order-reports.js';
import { stageOf } from './trade.rules.js';
import { changeOnAbsence } from './trade-changes.js';
import type { LockedTrade } from './trades.queries.js';

/**
 * The maximum age of a claim at which an order may be written to the exchange. A worker that stalled for longer does not
 * send the order.
 */
export const SEND_DEADLINE_MS = 3_000;
/** The longest receive window of the adapters. */
const RECEIVE_WINDOW_MS = 5_000;
/** Covers differences between clocks, and the delay after which an exchange's look-ups find a new order. */
const LOOK_UP_MARGIN_MS = 2_000;
const CERTAIN_AFTER_MS = SEND_DEADLINE_MS + RECEIVE_WINDOW_MS + LOOK_UP_MARGIN_MS;

/** An order that was sent and whose outcome is not stored. */
export interface InFlightOrder {
  /** The id of its trade. */
  readonly id: string;
  readonly accountId: string;
  /** Identifies the submission. */
  readonly begunAt: Date;
  /** Whether the exchange's response is stored, so that only the fills of an order that cannot rest are missing. */
  readonly isAcknowledged: boolean;
  /** The time until the submission of a copy can no longer arrive; 0 if it cannot. Null for a user's own order. */
  readonly certainInMs: number | null;
}

export function findInFlightOrders(tx: Tx, accountIds: readonly string[]): Promise<InFlightOrder[]> {
  return queryPrepared<InFlightOrder & Record<string, unknown>>(
    tx,
    `SELECT id, exchange_account_id AS "accountId", submitted_at AS "begunAt",
       acknowledged_at IS NOT NULL AS "isAcknowledged", CASE WHEN resend_until IS NOT NULL AND acknowledged_at IS NULL
       THEN greatest(0, $2 - extract(epoch FROM clock_timestamp() - submitted_at) * 1000)::float8 END AS "certainInMs"
     FROM trades
     WHERE exchange_account_id = ANY ($1) AND status IN ('PENDING', 'PARTIALLY_FILLED') AND submitted_at IS NOT NULL
       AND (acknowledged_at IS NULL OR type = 'MARKET' OR time_in_force IN ('IOC', 'FOK') AND type = 'LIMIT')
     ORDER BY exchange_account_id, id`,
    [accountIds, CERTAIN_AFTER_MS],
  );
}

/**
 * Whether a look that found no order proves that a copy is absent: its submission could no longer arrive when the look
 * began, `agoMs` ago. Only copies have a deadline for sending (`resend_until`).
 */
export function isCertainlyAbsent(
  { trade, now, mayResubmit, hasExpired }: LockedTrade,
  agoMs: number,
): boolean {
  if (!mayResubmit && !hasExpired) return false;
  if (trade.submittedAt === null || stageOf(stateOf(trade)) !== 'SENT') return false;
  return now.getTime() - agoMs - trade.submittedAt.getTime() >= CERTAIN_AFTER_MS;
}

export async function storeCertainAbsence(tx: Tx, id: string, begunAt: Date): Promise<void> {
  const locked = await lockOpenTrade(tx, id);
  // A user's own order is never sent again, so it is left to the scheduled checks.
  if (locked === null || !isCertainlyAbsent(locked, 0)) return;
  if (locked.trade.submittedAt?.getTime() !== begunAt.getTime()) return;
  await writeChanges(tx, [changeOnAbsence(locked, 0)]);
}
