/**
 * Decides which actions make our records match the exchange. Pure: our view and the exchange's view of one account in,
 * actions out. The exchange's view is read in several calls while orders go on, so a single absence proves nothing.
 *
 * Invariants
 * 1. Nothing that the exchange reports is dropped: each open order and each new fill leads to an action, or waits for
 *    an order of ours that is in flight.
 * 2. A trade that is missing from the exchange's open orders is probed by its id; a list never ends a trade.
 * 3. Only submitted trades are compared: the exchange cannot know an unsent one.
 * 4. An open order of ours whose trade has ended is cancelled: the end is final, so the order must not outlive it.
 *    External orders are never cancelled.
 * 5. An order without a client order id is external only if no order of ours on that symbol is in flight: it could be
 *    that order.
 * 6. A shortfall is written off only if every comparison within a period shows it, while the asset has no open or
 *    in-flight order and no new fill, and only up to the smallest shortfall seen. Nothing is sold: the amount was
 *    already missing, and the write-off records that.
 * 7. A surplus at the exchange belongs to no lot and leads to no action.
 * 8. The same input gives the same actions; if our records match the exchange, there are none.
 */
import type { Decimal, TradeSide } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** A trade of the account that is open or ended recently; unknown exchange ids are null. */
export interface KnownTrade {
  readonly id: string;
  readonly symbol: string;
  readonly venueClientOrderId: string | null;
  readonly exchangeOrderId: string | null;
  /** False for external trades. */
  readonly isOurs: boolean;
  readonly isSubmitted: boolean;
  readonly isAcknowledged: boolean;
  readonly isOpen: boolean;
  readonly filledAmount: Decimal;
}

/** The compared part of an exchange's order. */
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

/** The amount that the open lots of one pair say the account holds. */
export interface ExpectedHolding {
  readonly pairId: string;
  readonly symbol: string;
  readonly base: string;
  readonly amount: Decimal;
}

/** By asset: the expected holdings less the balance that the exchange showed. */
export type Shortfalls = Readonly<Record<string, Decimal>>;

export interface ReconcileInput<
  Order extends ReportedOrder = ReportedOrder,
  Fill extends ReportedFill = ReportedFill,
> {
  readonly trades: readonly KnownTrade[];
  /** Keys (`fillKey`) of the fills that are already stored. */
  readonly knownFills: ReadonlySet<string>;
  /** Sorted by the oldest lot of each pair. */
  readonly expectedHoldings: readonly ExpectedHolding[];
  /** The shortfalls that all recent comparisons found. */
  readonly shortfalls: Shortfalls;
  readonly openOrders: readonly Order[];
  readonly fills: readonly Fill[];
  /** Free plus locked, by asset; null if the balances could not be read, which skips the check for shortfalls. */
  readonly totalsByAsset: Readonly<Record<string, Decimal>> | null;
}

export type ReconcileAction<
  Order extends ReportedOrder = ReportedOrder,
  Fill extends ReportedFill = ReportedFill,
> =
  /** The order or its fills belong to a known trade. */
  | {
      readonly kind: 'store';
      readonly tradeId: string;
      readonly order: Order | null;
      readonly fills: readonly Fill[];
    }
  /** The order is external: it becomes an EXTERNAL trade. The caller also fetches its older fills. */
  | { readonly kind: 'adopt'; readonly order: Order; readonly fills: readonly Fill[] }
  /** The caller probes for the trade's order by its id. */
  | { readonly kind: 'probe'; readonly tradeId: string }
  /** The fills belong to an unknown order: the caller fetches it by exchange order id and adopts it with them. */
  | {
      readonly kind: 'identify';
      readonly symbol: string;
      readonly exchangeOrderId: string;
      readonly fills: readonly Fill[];
    }
  /** The order is still open although its trade has ended. */
  | { readonly kind: 'cancel'; readonly tradeId: string; readonly order: Order }
  /** A confirmed shortfall, recorded as a sale that never reaches the exchange. */
  | {
      readonly kind: 'synthesise';
      readonly pairId: string;
      readonly symbol: string;
      readonly amount: Decimal;
    }
  /** Shortfalls to store for the next comparison; this action is absent if there are none. */
  | { readonly kind: 'suspect'; readonly shortfalls: Shortfalls };

/** Includes the order id: an account that trades with itself has two fills with the same id. */
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
  const newFills = newFillsByOrder(input);
  const seen = new Set<string>();
  const actions: ReconcileAction<Order, Fill>[] = [];
  for (const order of input.openOrders) {
    const key = orderKey(order);
    if (seen.has(key)) continue;
    seen.add(key);
    actions.push(...reconcileOrder(order, tradeOf(known, order), newFills.get(key) ?? [], input));
  }
  for (const [key, fills] of newFills) {
    if (!seen.has(key)) actions.push(...reconcileFills<Order, Fill>(fills, known.byExchangeId.get(key)));
  }
  const listed = new Set(input.openOrders.flatMap((order) => tradeOf(known, order)?.id ?? []));
  for (const trade of input.trades) {
    if (trade.isOpen && trade.isSubmitted && !listed.has(trade.id))
      actions.push({ kind: 'probe', tradeId: trade.id });
  }
  return [...actions, ...reconcileHoldings(input, newFills)];
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
    // An external client order id may be reused after its order has ended.
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
  const newFills = new Map<string, Fill[]>();
  const seen = new Set<string>();
  for (const fill of input.fills) {
    const key = fillKey(fill);
    if (input.knownFills.has(key) || seen.has(key)) continue;
    seen.add(key);
    newFills.set(orderKey(fill), [...(newFills.get(orderKey(fill)) ?? []), fill]);
  }
  return newFills;
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
  const isChanged =
    fills.length > 0 || !trade.isAcknowledged || !new BigDecimal(order.filledAmount).eq(trade.filledAmount);
  const stored = isChanged ? [{ kind: 'store', tradeId: trade.id, order, fills } as const] : [];
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

/** Enforces invariants 6 and 7. */
function reconcileHoldings<Order extends ReportedOrder, Fill extends ReportedFill>(
  { expectedHoldings, totalsByAsset, shortfalls, trades, openOrders }: ReconcileInput<Order, Fill>,
  newFills: ReadonlyMap<string, readonly Fill[]>,
): ReconcileAction<Order, Fill>[] {
  if (totalsByAsset === null) return [];
  const activeAssets = new Set(
    [
      ...trades.filter(({ isOpen }) => isOpen).map(({ symbol }) => symbol),
      ...openOrders.map(({ symbol }) => symbol),
      ...[...newFills.values()].flat().map(({ symbol }) => symbol),
    ].flatMap(assetsOf),
  );
  const suspected: Record<string, Decimal> = {};
  const actions: ReconcileAction<Order, Fill>[] = [];
  for (const asset of new Set(expectedHoldings.map(({ base }) => base))) {
    if (activeAssets.has(asset)) continue;
    const ofAsset = expectedHoldings.filter(({ base }) => base === asset);
    const expected = ofAsset.reduce((sum, { amount }) => sum.plus(amount), new BigDecimal(0));
    const missing = expected.minus(totalsByAsset[asset] ?? '0');
    if (missing.lte(0)) continue;
    const confirmed = BigDecimal.min(missing, shortfalls[asset] ?? '0');
    if (confirmed.gt(0)) actions.push(...allocateWriteOffs(ofAsset, confirmed));
    const rest = missing.minus(confirmed);
    if (rest.gt(0)) suspected[asset] = rest.toString();
  }
  if (Object.keys(suspected).length > 0) actions.push({ kind: 'suspect', shortfalls: suspected });
  return actions;
}

/** Distributes the missing amount over the pairs in their order, each up to its expected holding. */
function allocateWriteOffs(holdings: readonly ExpectedHolding[], missing: BigDecimal) {
  const writeOffs: { kind: 'synthesise'; pairId: string; symbol: string; amount: Decimal }[] = [];
  let rest = missing;
  for (const { pairId, symbol, amount } of holdings) {
    const part = BigDecimal.min(rest, amount);
    if (part.lte(0)) continue;
    writeOffs.push({ kind: 'synthesise', pairId, symbol, amount: part.toString() });
    rest = rest.minus(part);
  }
  return writeOffs;
}

/** Returns the assets of `BASE/QUOTE` or `BASE/QUOTE:SETTLE`. */
const assetsOf = (symbol: string) => symbol.split(/[/:]/);
