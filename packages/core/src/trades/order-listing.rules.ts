/**
 * Decides by the exchange's lists what became of an order whose look-up proves nothing: a pure function of the trade and
 * of the lists that were read for it.
 *
 * Invariants
 * 1. An order or fill that bears an id of the trade is the trade's, and decides.
 * 2. The lists prove that nothing is open and nothing was filled only if nothing in them may be the trade's order. What
 *    belongs to another known trade, or bears another client order id, is not the trade's.
 * 3. An order without a client order id may be the trade's, unless its side or the terms of a limit order differ, or it was
 *    created before the submission or after the order could still arrive. A fill whose order the exchange does not find may
 *    be the trade's, unless its side differs.
 * 4. A trade whose exchange order id is known has no other order.
 * 5. Lists that stay unclear decide, too: an hour after the submission, only an order that bears an id of the trade is the
 *    trade's. The order that may be the trade's is not adopted while the trade is open, so nothing else would explain it.
 */
import type { Decimal, TradeSide, TradeType } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/**
 * How long after its submission an order is decided by lists. Requests end after seconds; the rest covers a slow
 * exchange, and the time that its lists need.
 */
export const LISTED_AFTER_MS = 600_000;
/** How long before the submission the lists begin. Covers differences between clocks. */
export const LISTED_BEFORE_MS = 60_000;
/** The minimum time between two readings. An exchange may list a fill later than it closes the order. */
export const LISTING_INTERVAL_MS = 60_000;
/** How long after its submission an order without a client order id may keep the trade open. */
const UNCLEAR_FOR_MS = 3_600_000;

/** An order that was sent, and whose exchange order id is not known. */
export interface SentOrder {
  readonly side: TradeSide;
  readonly type: TradeType;
  /** The amount that is ordered at the exchange. */
  readonly amount: Decimal;
  readonly price: Decimal | null;
  readonly submittedAt: Date;
}

/** The trade whose order is looked for. */
export interface UnfoundTrade extends SentOrder {
  readonly venueClientOrderId: string | null;
  readonly exchangeOrderId: string | null;
  readonly filledAmount: Decimal;
}

export interface ListedOrder {
  readonly exchangeOrderId: string;
  readonly venueClientOrderId: string;
  readonly side: TradeSide;
  readonly amount: Decimal;
  readonly price?: Decimal | undefined;
  readonly createdAt: Date;
}

export interface ListedFill {
  readonly exchangeOrderId: string;
  readonly side: TradeSide;
  readonly amount: Decimal;
  /** Set if the exchange itself changed the position. */
  readonly cause?: string | undefined;
}

/** What the exchange lists of one pair. The open orders are read before the fills. */
export interface OrderListing<Order extends ListedOrder = ListedOrder, Fill extends ListedFill = ListedFill> {
  readonly openOrders: readonly Order[];
  readonly fills: readonly Fill[];
  /** The orders of fills that belong to no known trade, by exchange order id. Missing: the exchange does not find the order. */
  readonly ordersOfFills: ReadonlyMap<string, Order>;
}

export type ListingVerdict<Order, Fill> =
  | { readonly outcome: 'FOUND'; readonly order: Order }
  /** Fills of the order that are not all stored; the order itself is not listed. */
  | { readonly outcome: 'FILLED'; readonly fills: readonly Fill[] }
  /** Something in the lists may be the trade's order. */
  | { readonly outcome: 'UNCLEAR' }
  /** Nothing is open, and nothing was filled that is not stored. */
  | { readonly outcome: 'UNLISTED' };

/** Whether the lists are complete: every fill since `since` is still listed. */
export function isListingComplete(sinceAgoMs: number, fillsListedForMs: number): boolean {
  return sinceAgoMs < fillsListedForMs;
}

/** Whether a reading that began at `readAt` ends the trade, if an earlier one that ended at `unlistedAt` had the same result. */
export const isUnlistedAgain = (unlistedAt: Date | null, readAt: Date): boolean =>
  unlistedAt !== null && readAt.getTime() - unlistedAt.getTime() >= LISTING_INTERVAL_MS;

/** Whether lists that were read at `readAt` decide although an order in them may be the trade's. */
export const decidesUnclear = (submittedAt: Date, readAt: Date): boolean =>
  readAt.getTime() - submittedAt.getTime() >= UNCLEAR_FOR_MS;

/** @param known the exchange order ids of other trades */
export function judgeListing<Order extends ListedOrder, Fill extends ListedFill>(
  trade: UnfoundTrade,
  listing: OrderListing<Order, Fill>,
  known: ReadonlySet<string>,
): ListingVerdict<Order, Fill> {
  const { openOrders, fills, ordersOfFills } = listing;
  const order = [...openOrders, ...ordersOfFills.values()].find((each) => isOrderOf(trade, each));
  if (order !== undefined) return { outcome: 'FOUND', order };
  if (trade.exchangeOrderId !== null) return verdictOnFills(trade, fills);
  const mayBeOpen = openOrders.some(
    (each) => !known.has(each.exchangeOrderId) && mayBeSentOrder(trade, each),
  );
  const mayBeFilled = fills.some(
    (fill) => !known.has(fill.exchangeOrderId) && mayBeFillOf(trade, fill, ordersOfFills),
  );
  return { outcome: mayBeOpen || mayBeFilled ? 'UNCLEAR' : 'UNLISTED' };
}

function verdictOnFills<Order, Fill extends ListedFill>(
  { exchangeOrderId, filledAmount }: UnfoundTrade,
  listed: readonly Fill[],
): ListingVerdict<Order, Fill> {
  const fills = listed.filter((fill) => fill.exchangeOrderId === exchangeOrderId);
  const sum = fills.reduce((total, { amount }) => total.plus(amount), new BigDecimal(0));
  return sum.gt(filledAmount) ? { outcome: 'FILLED', fills } : { outcome: 'UNLISTED' };
}

function isOrderOf({ venueClientOrderId, exchangeOrderId }: UnfoundTrade, order: ListedOrder): boolean {
  if (exchangeOrderId !== null && order.exchangeOrderId === exchangeOrderId) return true;
  return venueClientOrderId !== null && order.venueClientOrderId === venueClientOrderId;
}

/** Whether an order that belongs to no known trade may be the one that was sent. */
export function mayBeSentOrder(sent: SentOrder, order: Omit<ListedOrder, 'exchangeOrderId'>): boolean {
  if (order.venueClientOrderId !== '' || order.side !== sent.side) return false;
  const ageMs = order.createdAt.getTime() - sent.submittedAt.getTime();
  if (ageMs < -LISTED_BEFORE_MS || ageMs > LISTED_AFTER_MS) return false;
  if (sent.type !== 'LIMIT') return true;
  if (!new BigDecimal(order.amount).eq(sent.amount)) return false;
  return order.price === undefined || sent.price === null || new BigDecimal(order.price).eq(sent.price);
}

function mayBeFillOf(
  trade: UnfoundTrade,
  { exchangeOrderId, side, cause }: ListedFill,
  ordersOfFills: ReadonlyMap<string, ListedOrder>,
): boolean {
  if (cause !== undefined) return false;
  const order = ordersOfFills.get(exchangeOrderId);
  return order === undefined ? side === trade.side : mayBeSentOrder(trade, order);
}
