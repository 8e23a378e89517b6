/**
 * Ends open trades of pairs that the exchange no longer lists.
 *
 * 1. An exchange cancels the orders of a pair when it delists the pair. A look-up by the pair then fails, so the end of the
 *    order is never reported.
 * 2. An end is final, but one list of markets may be incomplete. A trade ends only if the pair has been missing for an hour,
 *    during which the list is read several times and each list with the pair makes it active again.
 * 3. The filled part and its lots are kept. A fill that arrives later is still added. If the pair returns with the order
 *    still open, however late, reconciliation cancels the order and stores its fills.
 */
import { queryPrepared, type Tx } from '@trading-automation/persistence';
import { applyTransition, lockTradesWithLotBooks, stateOf, writeChanges } from './store-order-reports.js';
import { isTerminal, stageOf, transitionOn } from './trade.rules.js';
import { failTrade } from './trade-changes.js';

/** How long a pair must be missing from the exchange's list before its trades end. */
const DELISTED_FOR_MS = 3_600_000;

const CANCELLED = {
  code: 'pair_delisted',
  message: 'The exchange no longer lists the pair, and cancelled the order.',
};
const NEVER_CONFIRMED = {
  code: 'pair_delisted',
  message: 'The exchange no longer lists the pair, and never confirmed the order.',
};

export async function endDelistedTrade(tx: Tx, id: string): Promise<void> {
  const [locked] = await lockTradesWithLotBooks(tx, [id]);
  if (locked === undefined || isTerminal(locked.trade.status)) return;
  const { trade, isInFlight } = locked;
  if (trade.submittedAt === null || isInFlight) return;
  if (!(await isDelistedForLong(tx, trade.tradePairId))) return;
  if (stageOf(stateOf(trade)) === 'SENT') {
    await writeChanges(tx, [failTrade(trade, 'ABSENT', NEVER_CONFIRMED)]);
    return;
  }
  trade.failureCode = CANCELLED.code;
  trade.failureMessage = CANCELLED.message;
  const change = applyTransition(trade, transitionOn(stateOf(trade), 'ABSENT'));
  await writeChanges(tx, [{ ...change, reconciledNow: true, isChanged: true }]);
}

/** `updated_at` of a delisted pair does not change until the pair is listed again. */
async function isDelistedForLong(tx: Tx, pairId: string): Promise<boolean> {
  const rows = await queryPrepared(
    tx,
    `SELECT FROM trade_pairs WHERE id = $1 AND inactive_reason = 'DELISTED'
       AND updated_at <= clock_timestamp() - $2 * interval '1 millisecond'`,
    [pairId, DELISTED_FOR_MS],
  );
  return rows.length > 0;
}
