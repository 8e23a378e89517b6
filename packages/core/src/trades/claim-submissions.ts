import { canonicalDecimal } from '@trading-automation/contracts';
import type { OrderRequest } from '@trading-automation/exchanges';
import type { Tx } from '@trading-automation/persistence';
import { leaderEquities } from './leader-equity.queries.js';
import { capClosingOrders, lockBooksOfClosingOrders } from './lots/cap-closing-orders.js';
import {
  ACK_TIMEOUT_MS,
  applyTransition,
  lockOpenTrades,
  stateOf,
  type TradeChange,
  writeChanges,
} from './store-order-reports.js';
import type { TradeEntity } from './trade.entity.js';
import { stageOf, transitionOn } from './trade.rules.js';

/** A claimed submission: only its claimant may send the order. */
export interface ClaimedSubmission {
  readonly id: string;
  readonly order: OrderRequest;
  /** Identifies this submission among later ones of the same trade. */
  readonly begunAt: Date;
  /** Whether the order may be sent again; it must then reach the exchange within `SEND_DEADLINE_MS` or not at all. */
  readonly mayResubmit: boolean;
}

/** Claims the submission of unsent trades, as `TradeExecution.claimSubmissions` does. */
export async function claimTrades(
  tx: Tx,
  requested: readonly { readonly id: string; readonly venueClientOrderId: string }[],
  accountIds: ReadonlySet<string>,
): Promise<ClaimedSubmission[]> {
  const venueIds = new Map(requested.map(({ id, venueClientOrderId }) => [id, venueClientOrderId]));
  await lockBooksOfClosingOrders(tx, [...venueIds.keys()]);
  const locked = await lockOpenTrades(tx, [...venueIds.keys()]);
  const unsent = locked.filter(
    ({ trade }) => stageOf(stateOf(trade)) === 'UNSENT' && accountIds.has(trade.exchangeAccountId),
  );
  const expired = unsent.filter(({ hasExpired }) => hasExpired);
  const inTime = unsent.filter(({ hasExpired }) => !hasExpired);
  // The symbol of a replaced pair names another contract: the order would trade something else.
  const sendable = inTime.filter(({ isPairReplaced }) => !isPairReplaced).map(({ trade }) => trade);
  const capped = await capClosingOrders(tx, sendable);
  const sent = new Set(sendable.map(({ id }) => id).filter((id) => !capped.has(id)));
  const fresh = inTime.filter(({ trade }) => sent.has(trade.id));
  const equities = await leaderEquities(tx, fresh);
  const changes: TradeChange[] = expired.map(({ trade }) => ({
    ...applyTransition(trade, transitionOn(stateOf(trade), 'EXPIRED')),
    isChanged: true,
  }));
  for (const { trade } of inTime.filter(({ trade: { id } }) => !sent.has(id))) {
    const cancelled = transitionOn(stateOf(trade), 'CANCEL_REQUESTED');
    changes.push({ ...applyTransition(trade, { ...cancelled, cancelReason: 'RISK' }), isChanged: true });
  }
  for (const { trade } of fresh) {
    const change = applyTransition(trade, transitionOn(stateOf(trade), 'SUBMISSION_CLAIMED'));
    trade.subStatus = 'SUBMITTING';
    // A resubmitted order keeps its first id.
    trade.venueClientOrderId ??= venueIds.get(trade.id)!;
    trade.leaderEquity = equities.get(trade.id) ?? trade.leaderEquity;
    changes.push({ ...change, submission: 'begun', nextCheckInMs: ACK_TIMEOUT_MS, isChanged: true });
  }
  const written = await writeChanges(tx, changes);
  const claimed = new Map(fresh.map(({ trade, mayResubmit }) => [trade.id, mayResubmit]));
  return requested.flatMap(({ id }) => {
    const trade = written.get(id);
    const mayResubmit = claimed.get(id);
    return trade === undefined || mayResubmit === undefined
      ? []
      : [{ id, order: orderOf(trade), begunAt: trade.submittedAt!, mayResubmit }];
  });
}

function orderOf(trade: TradeEntity): OrderRequest {
  return {
    symbol: trade.symbol,
    venueClientOrderId: trade.venueClientOrderId!,
    type: trade.type,
    side: trade.side,
    timeInForce: trade.timeInForce,
    amount: canonicalDecimal(trade.cappedAmount ?? trade.amount),
    price: trade.price === null ? undefined : canonicalDecimal(trade.price),
    stopPrice: trade.stopPrice === null ? undefined : canonicalDecimal(trade.stopPrice),
    reduceOnly: trade.reduceOnly,
    autoBorrow: trade.autoBorrow || undefined,
    autoRepay: trade.autoRepay || undefined,
    isExit: trade.isExit,
    isCopy: trade.origin === 'COPIER' ? true : undefined,
  };
}
