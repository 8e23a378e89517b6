/**
 * What has to be done so that the ledger tells what the exchange knows. Pure: the account as we have it and as the
 * exchange shows it in, actions out. What an exchange shows was read call by call, while orders went on: so nothing is
 * concluded from one absence.
 *
 * Invariants
 * 1. Nothing that the exchange shows is dropped: each open order and each fill that is not known leads to an action,
 *    or waits for an order of ours that is on its way.
 * 2. A trade that the exchange does not list as open is looked for by its id; it is never ended by a list.
 * 3. Only what was sent is compared: of a trade that nobody has begun to send no exchange can know.
 * 4. An open order of ours whose trade has ended is cancelled: the end is final, so the order must not outlive it.
 *    What somebody else placed is never cancelled by this.
 * 5. An order without a client order id is taken for a stranger only where no order of ours on that symbol is on its
 *    way: it could be that one.
 * 6. Less at the exchange than the lots claim becomes a sale only where all comparisons of some time show it while no
 *    order of the asset is open or on its way and no fill of it is news, and only as far as all show it. Nothing is sold
 *    by that: it was gone already, and the ledger says so.
 * 7. More at the exchange than the lots claim is nobody's lot, and nothing is done about it.
 * 8. The same input gives the same actions; where the ledger tells what the exchange shows, there are none.
 */
import type { Decimal, TradeSide } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** A trade of the account that is open, or ended lately; ids of the exchange are null where they are not known. */
export interface KnownTrade {
  readonly id: string;
  readonly symbol: string;
  readonly venueClientOrderId: string | null;
  readonly exchangeOrderId: string | null;
  /** False where somebody else placed its order. */
  readonly isOurs: boolean;
  readonly isSubmitted: boolean;
  readonly isAcknowledged: boolean;
  readonly isOpen: boolean;
  readonly filledAmount: Decimal;
}

/** The part of an exchange's order that is compared. */
export interface ReportedOrder {
  readonly exchangeOrderId: string;
  readonly venueClientOrderId: string;
  readonly symbol: string;
  readonly filledAmount: Decimal;
}

export interface ReportedFill {
  readonly exchangeFillId: string;
  readonly exchangeOrderId: string;
  readonly symbol: string;
  readonly side: TradeSide;
  readonly amount: Decimal;
  readonly executedAt: Date;
}

/** What the open lots of one pair say that the account holds. */
export interface ExpectedHolding {
  readonly pairId: string;
  readonly symbol: string;
  readonly base: string;
  readonly amount: Decimal;
}

/** By asset: how much less than claimed the exchange showed. */
export type Shortfalls = Readonly<Record<string, Decimal>>;

export interface ReconcileInput<
  Order extends ReportedOrder = ReportedOrder,
  Fill extends ReportedFill = ReportedFill,
> {
  readonly trades: readonly KnownTrade[];
  /** Keys (`fillKey`) of the fills that are kept already. */
  readonly knownFills: ReadonlySet<string>;
  /** What lots claim, oldest lot's pair first. */
  readonly expectedHoldings: readonly ExpectedHolding[];
  /** What all comparisons of late found missing. */
  readonly shortfalls: Shortfalls;
  readonly openOrders: readonly Order[];
  readonly fills: readonly Fill[];
  /** Free and locked together, by asset; null where they could not be read: then no claim is judged. */
  readonly totalsByAsset: Readonly<Record<string, Decimal>> | null;
}

export type ReconcileAction<
  Order extends ReportedOrder = ReportedOrder,
  Fill extends ReportedFill = ReportedFill,
> =
  /** The order, or fills of it, are a trade's of ours. */
  | {
      readonly kind: 'store';
      readonly tradeId: string;
      readonly order: Order | null;
      readonly fills: readonly Fill[];
    }
  /** The order was placed by somebody else: it becomes an EXTERNAL trade. Its older fills are to be fetched with it. */
  | { readonly kind: 'adopt'; readonly order: Order; readonly fills: readonly Fill[] }
  /** The trade is to be looked for by its id. */
  | { readonly kind: 'probe'; readonly tradeId: string }
  /** The fills are of an order that is to be fetched by the exchange's id for it, and adopted with them. */
  | {
      readonly kind: 'identify';
      readonly symbol: string;
      readonly exchangeOrderId: string;
      readonly fills: readonly Fill[];
    }
  /** The order outlived its trade. */
  | { readonly kind: 'cancel'; readonly tradeId: string; readonly order: Order }
  /** What lots claim and the exchange does not hold, as a sale that is only written down. */
  | {
      readonly kind: 'synthesise';
      readonly pairId: string;
      readonly symbol: string;
      readonly amount: Decimal;
    }
  /** Missing for the first time: to be remembered until the next comparison. Absent where nothing is. */
  | { readonly kind: 'suspect'; readonly shortfalls: Shortfalls };

/** An account that trades with itself has two fills of one id. */
export const fillKey = ({
  symbol,
  exchangeOrderId,
  exchangeFillId,
}: Omit<ReportedFill, 'side' | 'amount' | 'executedAt'>) => `${symbol} ${exchangeOrderId} ${exchangeFillId}`;

const orderKey = ({ symbol, exchangeOrderId }: { symbol: string; exchangeOrderId: string }) =>
  `${symbol} ${exchangeOrderId}`;

export function reconcile<Order extends ReportedOrder, Fill extends ReportedFill>(
  input: ReconcileInput<Order, Fill>,
): ReconcileAction<Order, Fill>[] {
  const known = indexOf(input.trades);
  const news = newFillsByOrder(input);
  const seen = new Set<string>();
  const actions: ReconcileAction<Order, Fill>[] = [];
  for (const order of input.openOrders) {
    const key = orderKey(order);
    if (seen.has(key)) continue;
    seen.add(key);
    actions.push(...reconcileOrder(order, tradeOf(known, order), news.get(key) ?? [], input));
  }
  for (const [key, fills] of news) {
    if (!seen.has(key)) actions.push(...reconcileFills<Order, Fill>(fills, known.byExchangeId.get(key)));
  }
  const listed = new Set(input.openOrders.flatMap((order) => tradeOf(known, order)?.id ?? []));
  for (const trade of input.trades) {
    if (trade.isOpen && trade.isSubmitted && !listed.has(trade.id))
      actions.push({ kind: 'probe', tradeId: trade.id });
  }
  return [...actions, ...reconcileHoldings(input, news)];
}

interface Index {
  readonly byClientId: ReadonlyMap<string, KnownTrade>;
  readonly byExchangeId: ReadonlyMap<string, KnownTrade>;
}

function indexOf(trades: readonly KnownTrade[]): Index {
  const byClientId = new Map<string, KnownTrade>();
  const byExchangeId = new Map<string, KnownTrade>();
  for (const trade of trades) {
    const { symbol, venueClientOrderId, exchangeOrderId } = trade;
    // Somebody else may use an id again once its order has ended.
    if (venueClientOrderId !== null && trade.isOurs) byClientId.set(venueClientOrderId, trade);
    if (exchangeOrderId !== null) byExchangeId.set(orderKey({ symbol, exchangeOrderId }), trade);
  }
  return { byClientId, byExchangeId };
}

function tradeOf({ byClientId, byExchangeId }: Index, order: ReportedOrder): KnownTrade | undefined {
  return byClientId.get(order.venueClientOrderId) ?? byExchangeId.get(orderKey(order));
}

function newFillsByOrder<Fill extends ReportedFill>(input: {
  readonly fills: readonly Fill[];
  readonly knownFills: ReadonlySet<string>;
}): Map<string, Fill[]> {
  const news = new Map<string, Fill[]>();
  const told = new Set<string>();
  for (const fill of input.fills) {
    const key = fillKey(fill);
    if (input.knownFills.has(key) || told.has(key)) continue;
    told.add(key);
    news.set(orderKey(fill), [...(news.get(orderKey(fill)) ?? []), fill]);
  }
  return news;
}

function reconcileOrder<Order extends ReportedOrder, Fill extends ReportedFill>(
  order: Order,
  trade: KnownTrade | undefined,
  fills: readonly Fill[],
  input: ReconcileInput<Order, Fill>,
): ReconcileAction<Order, Fill>[] {
  if (trade === undefined) {
    const mayBeOurs = order.venueClientOrderId === '' && hasOrderInFlight(input.trades, order.symbol);
    return mayBeOurs ? [] : [{ kind: 'adopt', order, fills }];
  }
  const isNews =
    fills.length > 0 || !trade.isAcknowledged || !new BigDecimal(order.filledAmount).eq(trade.filledAmount);
  const stored = isNews ? [{ kind: 'store', tradeId: trade.id, order, fills } as const] : [];
  const hasOutlived = !trade.isOpen && trade.isOurs;
  return hasOutlived ? [...stored, { kind: 'cancel', tradeId: trade.id, order }] : stored;
}

function reconcileFills<Order extends ReportedOrder, Fill extends ReportedFill>(
  fills: readonly Fill[],
  trade: KnownTrade | undefined,
): ReconcileAction<Order, Fill>[] {
  if (trade !== undefined) return [{ kind: 'store', tradeId: trade.id, order: null, fills }];
  const { symbol, exchangeOrderId } = fills[0]!;
  return [{ kind: 'identify', symbol, exchangeOrderId, fills }];
}

const hasOrderInFlight = (trades: readonly KnownTrade[], symbol: string) =>
  trades.some(
    (trade) => trade.symbol === symbol && trade.isOpen && trade.isSubmitted && !trade.isAcknowledged,
  );

/** Invariants 6 and 7. */
function reconcileHoldings<Order extends ReportedOrder, Fill extends ReportedFill>(
  { expectedHoldings, totalsByAsset, shortfalls, trades, openOrders }: ReconcileInput<Order, Fill>,
  news: ReadonlyMap<string, readonly Fill[]>,
): ReconcileAction<Order, Fill>[] {
  if (totalsByAsset === null) return [];
  const activeAssets = new Set(
    [
      ...trades.filter(({ isOpen }) => isOpen).map(({ symbol }) => symbol),
      ...openOrders.map(({ symbol }) => symbol),
      ...[...news.values()].flat().map(({ symbol }) => symbol),
    ].flatMap(assetsOf),
  );
  const suspected: Record<string, Decimal> = {};
  const actions: ReconcileAction<Order, Fill>[] = [];
  for (const asset of new Set(expectedHoldings.map(({ base }) => base))) {
    if (activeAssets.has(asset)) continue;
    const ofAsset = expectedHoldings.filter(({ base }) => base === asset);
    const claimed = ofAsset.reduce((sum, { amount }) => sum.plus(amount), new BigDecimal(0));
    const missing = claimed.minus(totalsByAsset[asset] ?? '0');
    if (missing.lte(0)) continue;
    const confirmed = BigDecimal.min(missing, shortfalls[asset] ?? '0');
    if (confirmed.gt(0)) actions.push(...allocateWriteOffs(ofAsset, confirmed));
    const rest = missing.minus(confirmed);
    if (rest.gt(0)) suspected[asset] = rest.toString();
  }
  if (Object.keys(suspected).length > 0) actions.push({ kind: 'suspect', shortfalls: suspected });
  return actions;
}

/** Given out to the pairs in their order, each up to what it claims. */
function allocateWriteOffs(claims: readonly ExpectedHolding[], missing: BigDecimal) {
  const sales: { kind: 'synthesise'; pairId: string; symbol: string; amount: Decimal }[] = [];
  let rest = missing;
  for (const { pairId, symbol, amount } of claims) {
    const part = BigDecimal.min(rest, amount);
    if (part.lte(0)) continue;
    sales.push({ kind: 'synthesise', pairId, symbol, amount: part.toString() });
    rest = rest.minus(part);
  }
  return sales;
}

/** Of `BASE/QUOTE` or `BASE/QUOTE:SETTLE`. */
const assetsOf = (symbol: string) => symbol.split(/[/:]/);
