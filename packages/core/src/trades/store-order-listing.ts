/**
 * Stores what the exchange's lists show of an order whose look-up proves nothing.
 *
 * 1. The order is never sent again: that no list shows it does not prove that it will not arrive.
 * 2. Only lists that were read after the order could no longer arrive count, and two readings have to agree. By the
 *    database's clock, the second one begins at least a minute after the first one was stored.
 * 3. A reading counts only for the submission that it was made for. After a report of the order, or a reading that is
 *    unclear, two new ones have to agree.
 * 4. A fill that is reported later is added to the ended trade, like any late fill.
 */
import type { VenueFill, VenueOrder } from '@trading-automation/exchanges';
import type { Tx } from '@trading-automation/persistence';
import { knownOrderIds, type ListingRequest } from './order-listing.queries.js';
import {
  decidesUnclear,
  isUnlistedAgain,
  judgeListing,
  LISTING_INTERVAL_MS,
  type ListingVerdict,
  type OrderListing,
} from './order-listing.rules.js';
import { lockTradesWithLotBooks, stateOf, writeChanges } from './store-order-reports.js';
import { isTerminal } from './trade.rules.js';
import { changeWhenUnlisted, changeWhileUnlisted } from './trade-changes.js';

/** The verdict; `ENDED` if the trade has ended, by this reading or before. */
export type StoredListing = ListingVerdict<VenueOrder, VenueFill> | { readonly outcome: 'ENDED' };

export async function storeListing(
  tx: Tx,
  request: ListingRequest,
  listing: OrderListing<VenueOrder, VenueFill>,
): Promise<StoredListing> {
  const [locked] = await lockTradesWithLotBooks(tx, [request.tradeId]);
  if (locked === undefined || isTerminal(locked.trade.status)) return { outcome: 'ENDED' };
  const { trade } = locked;
  if (trade.submittedAt?.getTime() !== request.begunAt.getTime()) return { outcome: 'UNCLEAR' };
  const ids = [...listing.openOrders, ...listing.fills].map(({ exchangeOrderId }) => exchangeOrderId);
  const known = await knownOrderIds(tx, request, ids);
  const { begunAt, at } = request;
  const sent = { ...trade, amount: stateOf(trade).amount, submittedAt: begunAt };
  const verdict = judgeListing(sent, listing, known);
  if (verdict.outcome === 'FOUND' || verdict.outcome === 'FILLED') return verdict;
  const decides = verdict.outcome === 'UNLISTED' || decidesUnclear(begunAt, at);
  const isEnd = decides && isUnlistedAgain(trade.unlistedAt, at);
  trade.unlistedAt = decides ? (trade.unlistedAt ?? locked.now) : null;
  await writeChanges(tx, [
    isEnd ? changeWhenUnlisted(trade, verdict.outcome) : changeWhileUnlisted(trade, LISTING_INTERVAL_MS),
  ]);
  return isEnd ? { outcome: 'ENDED' } : verdict;
}
