/**
 * Decides which actions make our records match the exchange: a pure function of our view and the exchange's view of one
 * account. The exchange's view is read in several calls while orders change. A single comparison that misses an order
 * or an asset therefore does not prove that it is missing.
 *
 * Invariants
 * 1. Nothing that the exchange reports is dropped: each open order and each new fill leads to an action.
 * 2. A trade whose order is missing from the exchange's open orders is probed by its id. An order's absence from this
 *    list never ends its trade.
 * 3. Only submitted trades are compared: the exchange cannot know an unsent one.
 * 4. An open order of ours whose trade has ended is cancelled: the end of a trade is final, so no order may outlive it,
 *    however long ago the trade ended. External orders are never cancelled.
 * 5. Adoption decides whether an unknown order is external. One that may be an order of ours is left to a later comparison,
 *    see `adoptOrders`.
 * 6. A shortfall is written off only if every comparison within a period shows it, and only up to the smallest
 *    shortfall seen. The asset must have no open order, no order in flight and no new fill. Nothing is sold: the
 *    write-off records that the amount was already missing. On margin, balances count less what was borrowed, and a
 *    short lot is a lot of borrowed base. Long lots alone are written off. Interest explains a shortfall up to its
 *    amount, because it takes base that no lot contains.
 * 7. A difference between a venue's position and the net of the lots is corrected only if every comparison within a period
 *    shows it, and only as far as all of them agree. The pair must have no order in flight and no new fill. The position
 *    itself is never traded.
 * 8. A surplus at the exchange belongs to no lot and leads to no action. That includes what a user pays into a margin
 *    account and repays with: the net of the balance and the loan rises, and the short lot stays open.
 * 9. The same input gives the same actions; if our records match the exchange, there are none.
 */
import type { Decimal, TradeSide } from '@trading-automation/contracts';
import { BigDecimal } from '../values/index.js';

/** A trade of the account that is open, that ended recently, or whose order is still open. An id that is not known yet is null. */
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

/** The fields of an exchange's order that are compared. */
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

/** The amounts that the account should hold and owe according to the open lots of one pair. */
export interface ExpectedHolding {
  readonly pairId: string;
  readonly symbol: string;
  readonly base: string;
  /** The sum of the long lots. */
  readonly amount: Decimal;
  /** Margin only: the sum of the short lots. */
  readonly shortAmount?: Decimal | undefined;
}

/** A position in a perpetual: above zero if long, below zero if short. */
export interface NetPosition {
  readonly symbol: string;
  readonly net: Decimal;
}

export interface ReportedPosition extends NetPosition {
  /** Null if the exchange does not report it. */
  readonly markPrice: Decimal | null;
}

/**
 * The difference of each position, by symbol: the exchange's less that of the lots. The shortfall of each asset: the expected holdings
 * less the balance that the exchange showed.
 */
export type Shortfalls = Readonly<Record<string, Decimal>>;

export interface ReconcileInput<
  Order extends ReportedOrder = ReportedOrder,
  Fill extends ReportedFill = ReportedFill,
> {
  readonly trades: readonly KnownTrade[];
  /** Keys (`fillKey`) of the fills that are already stored. */
  readonly knownFills: ReadonlySet<string>;
  /** Sorted by the opening of each pair's oldest lot, the earliest first. */
  readonly expectedHoldings: readonly ExpectedHolding[];
  /** The positions according to the open lots. */
  readonly netLots: readonly NetPosition[];
  /** The shortfalls that every recent comparison found. */
  readonly shortfalls: Shortfalls;
  readonly openOrders: readonly Order[];
  readonly fills: readonly Fill[];
  /**
   * Free plus locked, by asset; on margin less what was borrowed, so that it may be below zero. Null if the balances
   * could not be read; shortfalls are then not checked.
   */
  readonly totalsByAsset: Readonly<Record<string, Decimal>> | null;
  /** Margin only: all interest that was charged, by asset. */
  readonly interest?: Readonly<Record<string, Decimal>> | undefined;
  /** The exchange's positions, without unsupported ones. Null for accounts without positions; they are then not compared. */
  readonly positions: readonly ReportedPosition[] | null;
  /** The symbols of unsupported positions, for example those of hedge mode. What they hold is not known, so they are not compared. */
  readonly unsupportedSymbols?: readonly string[];
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
  /** The order is external and becomes an EXTERNAL trade. The caller also fetches its older fills. */
  | { readonly kind: 'adopt'; readonly order: Order; readonly fills: readonly Fill[] }
  /** The caller probes for the trade's order by its id. */
  | { readonly kind: 'probe'; readonly tradeId: string }
  /** The fills belong to an unknown order. The caller fetches it by exchange order id and adopts it with its fills. */
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
      readonly kind: 'write_off';
      readonly pairId: string;
      readonly symbol: string;
      readonly amount: Decimal;
    }
  /** A confirmed difference, recorded as a trade that never reaches the exchange. */
  | {
      readonly kind: 'correct_position';
      readonly symbol: string;
      readonly side: TradeSide;
      readonly amount: Decimal;
      readonly markPrice: Decimal | null;
    }
  /** Shortfalls to store for the next comparison. */
  | { readonly kind: 'record_shortfalls'; readonly shortfalls: Shortfalls };

/** The key includes the order id, because an account that trades with itself has two fills with the same id. */
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
  const known = indexTrades(input.trades);
  const newFills = newFillsByOrder(input);
  const seen = new Set<string>();
  const actions: ReconcileAction<Order, Fill>[] = [];
  for (const order of input.openOrders) {
    const key = orderKey(order);
    if (seen.has(key)) continue;
    seen.add(key);
    actions.push(...reconcileOrder(order, tradeOf(known, order), newFills.get(key) ?? []));
  }
  for (const [key, fills] of newFills) {
    if (!seen.has(key)) actions.push(...reconcileFills<Order, Fill>(fills, known.byExchangeId.get(key)));
  }
  const tradesWithOpenOrder = new Set(input.openOrders.flatMap((order) => tradeOf(known, order)?.id ?? []));
  for (const trade of input.trades) {
    if (trade.isOpen && trade.isSubmitted && !tradesWithOpenOrder.has(trade.id))
      actions.push({ kind: 'probe', tradeId: trade.id });
  }
  const unconfirmed: Record<string, Decimal> = {};
  actions.push(
    ...reconcileHoldings(input, newFills, unconfirmed),
    ...reconcilePositions(input, newFills, unconfirmed),
  );
  if (Object.keys(unconfirmed).length > 0)
    actions.push({ kind: 'record_shortfalls', shortfalls: unconfirmed });
  return actions;
}

interface TradeIndex {
  readonly byClientId: ReadonlyMap<string, KnownTrade>;
  readonly byExchangeId: ReadonlyMap<string, KnownTrade>;
}

function indexTrades(trades: readonly KnownTrade[]): TradeIndex {
  const byClientId = new Map<string, KnownTrade>();
  const byExchangeId = new Map<string, KnownTrade>();
  for (const trade of trades) {
    const { symbol, venueClientOrderId, exchangeOrderId } = trade;
    // The client order id of an external order may be reused after that order has ended.
    if (venueClientOrderId !== null && trade.isOurs) byClientId.set(venueClientOrderId, trade);
    if (exchangeOrderId !== null) byExchangeId.set(orderKey({ symbol, exchangeOrderId }), trade);
  }
  return { byClientId, byExchangeId };
}

function tradeOf({ byClientId, byExchangeId }: TradeIndex, order: ReportedOrder): KnownTrade | undefined {
  return byClientId.get(order.venueClientOrderId) ?? byExchangeId.get(orderKey(order));
}

/** Returns the orders that belong to no trade in `trades`. */
export function unknownOrders<Order extends ReportedOrder>(
  trades: readonly KnownTrade[],
  orders: readonly Order[],
): readonly Order[] {
  const known = indexTrades(trades);
  return orders.filter((order) => tradeOf(known, order) === undefined);
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
): ReconcileAction<Order, Fill>[] {
  if (trade === undefined) return [{ kind: 'adopt', order, fills }];
  const isChanged =
    fills.length > 0 || !trade.isAcknowledged || !new BigDecimal(order.filledAmount).eq(trade.filledAmount);
  const storeActions = isChanged ? [{ kind: 'store', tradeId: trade.id, order, fills } as const] : [];
  const outlivesTrade = !trade.isOpen && trade.isOurs;
  return outlivesTrade ? [...storeActions, { kind: 'cancel', tradeId: trade.id, order }] : storeActions;
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

/** Enforces invariants 6 and 8. Adds shortfalls that are not confirmed to `unconfirmed`. */
function reconcileHoldings<Order extends ReportedOrder, Fill extends ReportedFill>(
  {
    expectedHoldings,
    totalsByAsset,
    interest = {},
    shortfalls,
    trades,
    openOrders,
  }: ReconcileInput<Order, Fill>,
  newFills: ReadonlyMap<string, readonly Fill[]>,
  unconfirmed: Record<string, Decimal>,
): ReconcileAction<Order, Fill>[] {
  if (totalsByAsset === null) return [];
  const activeAssets = new Set(
    [
      ...trades.filter(({ isOpen }) => isOpen).map(({ symbol }) => symbol),
      ...openOrders.map(({ symbol }) => symbol),
      ...[...newFills.values()].flat().map(({ symbol }) => symbol),
    ].flatMap(assetsOf),
  );
  const actions: ReconcileAction<Order, Fill>[] = [];
  for (const asset of new Set(expectedHoldings.map(({ base }) => base))) {
    if (activeAssets.has(asset)) continue;
    const holdingsOfAsset = expectedHoldings.filter(({ base }) => base === asset);
    const net = new BigDecimal(totalsByAsset[asset] ?? '0').plus(interest[asset] ?? '0');
    const missing = missingOf(holdingsOfAsset, net);
    if (missing.lte(0)) continue;
    const confirmed = BigDecimal.min(missing, shortfalls[asset] ?? '0');
    if (confirmed.gt(0)) actions.push(...allocateWriteOffs(holdingsOfAsset, confirmed));
    const rest = missing.minus(confirmed);
    if (rest.gt(0)) unconfirmed[asset] = rest.toString();
  }
  return actions;
}

/** Returns what the long lots expect and the account lacks, if its short lots owe what they should. */
function missingOf(holdings: readonly ExpectedHolding[], net: BigDecimal): BigDecimal {
  const long = holdings.reduce((sum, { amount }) => sum.plus(amount), new BigDecimal(0));
  const short = holdings.reduce((sum, { shortAmount }) => sum.plus(shortAmount ?? 0), new BigDecimal(0));
  return BigDecimal.min(long, long.minus(short).minus(net));
}

/** Enforces invariant 7. Adds differences that are not confirmed to `unconfirmed`. */
function reconcilePositions<Order extends ReportedOrder, Fill extends ReportedFill>(
  { positions, netLots, shortfalls, trades, unsupportedSymbols = [] }: ReconcileInput<Order, Fill>,
  newFills: ReadonlyMap<string, readonly Fill[]>,
  unconfirmed: Record<string, Decimal>,
): ReconcileAction<Order, Fill>[] {
  if (positions === null) return [];
  const lots = new Map(netLots.map(({ symbol, net }) => [symbol, net]));
  const reported = new Map(positions.map((position) => [position.symbol, position]));
  const traded = new Set([...newFills.values()].flat().map(({ symbol }) => symbol));
  const actions: ReconcileAction<Order, Fill>[] = [];
  for (const symbol of new Set([...reported.keys(), ...lots.keys()])) {
    if (unsupportedSymbols.includes(symbol)) continue;
    if (traded.has(symbol) || hasOrderInFlight(trades, symbol)) continue;
    const difference = new BigDecimal(reported.get(symbol)?.net ?? '0').minus(lots.get(symbol) ?? '0');
    if (difference.isZero()) continue;
    const confirmed = lesserDifference(difference, new BigDecimal(shortfalls[symbol] ?? '0'));
    const rest = difference.minus(confirmed);
    if (!rest.isZero()) unconfirmed[symbol] = rest.toString();
    if (confirmed.isZero()) continue;
    actions.push({
      kind: 'correct_position',
      symbol,
      side: confirmed.gt(0) ? 'BUY' : 'SELL',
      amount: confirmed.abs().toString(),
      markPrice: reported.get(symbol)?.markPrice ?? null,
    });
  }
  return actions;
}

/** Returns the difference that is closer to zero; zero if their signs differ. */
export function lesserDifference(a: BigDecimal, b: BigDecimal): BigDecimal {
  if (!a.times(b).gt(0)) return new BigDecimal(0);
  return a.abs().lt(b.abs()) ? a : b;
}

/** Allocates the missing amount to the pairs in input order, and to each pair at most its expected holding. */
function allocateWriteOffs(holdings: readonly ExpectedHolding[], missing: BigDecimal) {
  const writeOffs: { kind: 'write_off'; pairId: string; symbol: string; amount: Decimal }[] = [];
  let rest = missing;
  for (const { pairId, symbol, amount } of holdings) {
    const writtenOff = BigDecimal.min(rest, amount);
    if (writtenOff.lte(0)) continue;
    writeOffs.push({ kind: 'write_off', pairId, symbol, amount: writtenOff.toString() });
    rest = rest.minus(writtenOff);
  }
  return writeOffs;
}

/** Returns the assets of `BASE/QUOTE` or `BASE/QUOTE:SETTLE`. */
const assetsOf = (symbol: string) => symbol.split(/[/:]/);
