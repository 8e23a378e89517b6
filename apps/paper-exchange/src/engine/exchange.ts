import { VENUE_ERRORS } from '../errors.js';
import { Book, type BookFill, type BookResult, type OrderSide } from './book.js';
import { HOUSE } from './ledger.js';
import { type Account, isOpen, type Order, type PublicTrade, type Report } from './order.js';
import {
  assertFilters,
  costOf,
  isLimit,
  isStop,
  isTriggered,
  lotsWithin,
  type OrderRequest,
  requiredLock,
  wouldSelfTrade,
} from './order.rules.js';
import { type FeeRates, Settlement } from './settlement.js';
import { submitSplit } from './split-order.js';
import { ID_BLOCK, type State, type StateRecord, storeFill, storeOrder } from './state.js';
import { ASSETS, type MarketSpec, SYMBOLS } from './symbols.js';

const HOUSE_GRANT = 10n ** 20n;
/**
 * The interval at which the last prices are journaled, so that a crash loses little of their movement. The trades of
 * the house (the built-in market maker) are not journaled.
 */
const CHECKPOINT_EVERY_MS = 10_000;

/** The changes of one commit, for the listeners. */
export interface Commit {
  readonly reports: readonly Report[];
  readonly trades: readonly PublicTrade[];
  /** The markets whose depth may have changed. */
  readonly symbols: ReadonlySet<string>;
  /** The assets whose balance changed, by the id of the account. */
  readonly balances: ReadonlyMap<string, readonly string[]>;
}

export interface ExchangeOptions {
  readonly state: State;
  readonly fees: FeeRates;
  readonly now: () => number;
  /**
   * Makes a record durable. If it throws, every later change is rejected, because the state in memory is newer than the
   * state on disk.
   */
  readonly persist: (record: StateRecord) => void;
  /** Splits the lots of an order that is to be matched in several parts. The result must sum to `lots`. */
  readonly splitLots?: (lots: number) => readonly number[];
}

/**
 * Makes every change of orders and balances, one at a time and synchronously.
 *
 * 1. A change is persisted before its caller receives the result.
 * 2. A rejected order (VenueError) changes nothing.
 * 3. The amount that an order may spend is locked before the order is matched.
 */
export class Exchange {
  readonly state: State;
  private readonly books = new Map<string, Book>();
  private readonly quotes = new Map<string, Set<string>>();
  private readonly pendingStops = new Map<string, Set<Order>>();
  private readonly listeners: ((commit: Commit) => void)[] = [];
  private readonly settlement: Settlement;
  private reports: Report[] = [];
  private trades: PublicTrade[] = [];
  private symbols = new Set<string>();
  private reservedIds = { order: 0, trade: 0 };
  private readonly depthVersions = new Map<string, number>();
  private nextQuoteId = 1;
  private persistedAt: number;
  private isBroken = false;

  constructor(private readonly options: ExchangeOptions) {
    this.state = options.state;
    this.persistedAt = options.now();
    this.settlement = new Settlement(this.state, options.fees, options.now);
    for (const spec of SYMBOLS) {
      this.books.set(spec.id, new Book());
      this.quotes.set(spec.id, new Set());
      this.pendingStops.set(spec.id, new Set());
    }
    for (const order of this.state.openOrders()) this.restoreOrder(order);
    for (const asset of ASSETS) {
      if (!this.state.ledger.issued().has(asset)) this.state.ledger.issue(HOUSE, asset, HOUSE_GRANT);
    }
  }

  /** Registers a listener, which is called after each committed change, in order. It must not throw. */
  onCommit(listener: (commit: Commit) => void): void {
    this.listeners.push(listener);
  }

  book(spec: MarketSpec): Book {
    const book = this.books.get(spec.id);
    if (book === undefined) throw new Error(`Market ${spec.id} does not exist.`);
    return book;
  }

  /** Increases with every change that may have affected the book of this market. */
  depthVersion(spec: MarketSpec): number {
    return this.depthVersions.get(spec.id) ?? 1;
  }

  openAccount(account: Account, initialBalances: ReadonlyMap<string, bigint>): void {
    this.assertNotBroken();
    this.state.addAccount(account);
    for (const [asset, amount] of initialBalances) this.state.ledger.issue(account.id, asset, amount);
    this.commit([account]);
  }

  /** @throws VenueError if a filter rejects the order, its client order id is in use, or it exceeds the balance. */
  place(account: Account, spec: MarketSpec, request: OrderRequest): Order {
    this.assertNotBroken();
    // Read the levels of the book only if they are needed, because reading them is the most expensive step.
    const levels = isLimit(request.type) ? [] : this.book(spec).opposite(request.side);
    const lots = request.quoteOrderQty > 0n ? lotsWithin(spec, levels, request.quoteOrderQty) : request.lots;
    const sized = lots === request.lots ? request : { ...request, lots };
    if (request.quoteOrderQty > 0n && request.quoteOrderQty < spec.minNotional)
      throw VENUE_ERRORS.filterFailure('NOTIONAL');
    if (request.quoteOrderQty === 0n || lots > spec.maxLots) {
      assertFilters(spec, sized, this.state.lastTicks.get(spec.id) ?? levels[0]?.[0] ?? 0);
    }
    this.assertPlaceable(account, spec, sized);
    const locked = requiredLock(spec, sized, levels);
    const asset = request.side === 'BUY' ? spec.quote : spec.base;
    this.state.ledger.lock(account.id, asset, locked);
    const order = this.newOrder(account, spec, sized, locked);
    this.state.putOrder(order);
    this.report({ execution: 'NEW', order });
    if (isStop(order.type)) this.pendingStops.get(spec.id)?.add(order);
    else this.matchOrder(spec, order);
    this.symbols.add(spec.id);
    this.triggerStops(spec);
    this.commit();
    return order;
  }

  /** @throws VenueError -2011 if the order is not open. */
  cancel(order: Order, cancelId: string): Order {
    this.assertNotBroken();
    if (!isOpen(order)) throw VENUE_ERRORS.cancelUnknown();
    if (order.isWorking) this.bookOf(order.symbol).cancel(String(order.id));
    else this.pendingStops.get(order.symbol)?.delete(order);
    this.close(order, 'CANCELED', cancelId);
    this.symbols.add(order.symbol);
    this.commit();
    return order;
  }

  /** Places a limit order of the house. It trades with the orders that it crosses, and the rest stays in the book. */
  placeQuote(spec: MarketSpec, side: OrderSide, ticks: number, lots: number): void {
    this.assertNotBroken();
    const id = `h${this.nextQuoteId++}`;
    const { fills } = this.book(spec).submit({ id, side, ticks, lots });
    const filledLots = fills.reduce((sum, fill) => sum + fill.lots, 0);
    if (filledLots < lots) this.quotes.get(spec.id)?.add(id);
    this.settle(spec, side, fills, undefined);
  }

  cancelQuotes(spec: MarketSpec): void {
    const quotes = this.quotes.get(spec.id) ?? new Set<string>();
    for (const id of quotes) this.book(spec).cancel(id);
    quotes.clear();
    this.symbols.add(spec.id);
  }

  /** Trades up to `lots` for the house with the orders in the book, at `limitTicks` or better. */
  take(spec: MarketSpec, side: OrderSide, lots: number, limitTicks: number): void {
    this.assertNotBroken();
    const id = `h${this.nextQuoteId++}`;
    const { fills } = this.book(spec).submit({ id, side, lots, ticks: limitTicks, timeInForce: 'IOC' });
    this.settle(spec, side, fills, undefined);
  }

  /** Sets the last price. The next `commitHouseOrders` triggers stop orders, as after a trade at that price. */
  setLastPrice(spec: MarketSpec, ticks: number): void {
    this.state.lastTicks.set(spec.id, ticks);
  }

  /** Commits the changes of the house since its last commit: quotes, trades and last prices. */
  commitHouseOrders(spec: MarketSpec): void {
    this.triggerStops(spec);
    this.commit();
  }

  private bookOf(symbol: string): Book {
    const book = this.books.get(symbol);
    if (book === undefined) throw new Error(`Market ${symbol} does not exist.`);
    return book;
  }

  private assertNotBroken(): void {
    if (this.isBroken)
      throw new Error('The journal could not be written. No change is accepted until a restart.');
  }

  private assertPlaceable(account: Account, spec: MarketSpec, request: OrderRequest): void {
    const sameId = this.state.orderByClientId(account.id, spec.id, request.clientOrderId);
    if (sameId !== undefined && isOpen(sameId)) throw VENUE_ERRORS.duplicateOrder();
    const last = this.state.lastTicks.get(spec.id);
    if (isStop(request.type) && isTriggered(request.side, request.stopTicks, last)) {
      throw VENUE_ERRORS.stopWouldTrigger();
    }
    if (request.type === 'LIMIT_MAKER') this.assertPostOnly(spec, request);
  }

  private assertPostOnly(spec: MarketSpec, { side, priceTicks }: OrderRequest): void {
    const best = this.book(spec).opposite(side)[0]?.[0];
    if (best !== undefined && (side === 'BUY' ? priceTicks >= best : priceTicks <= best)) {
      throw VENUE_ERRORS.wouldMatch();
    }
  }

  private newOrder(account: Account, spec: MarketSpec, request: OrderRequest, locked: bigint): Order {
    const at = this.options.now();
    // The fields are listed one by one, because this is much faster than a spread.
    return {
      id: this.state.nextOrderId++,
      accountId: account.id,
      symbol: spec.id,
      clientOrderId: request.clientOrderId,
      side: request.side,
      type: request.type,
      timeInForce: request.timeInForce,
      priceTicks: request.priceTicks,
      stopTicks: request.stopTicks,
      lots: request.lots,
      quoteOrderQty: request.quoteOrderQty,
      createdAt: at,
      executedLots: 0,
      executedQuote: 0n,
      locked,
      status: 'NEW',
      isWorking: !isStop(request.type),
      updatedAt: at,
    };
  }

  /**
   * Restores an order after a restart. The restored orders cannot match each other, because they were all resting
   * before the restart.
   */
  private restoreOrder(order: Order): void {
    if (!order.isWorking) {
      this.pendingStops.get(order.symbol)?.add(order);
      return;
    }
    this.bookOf(order.symbol).submit({
      id: String(order.id),
      side: order.side,
      ticks: order.priceTicks,
      lots: order.lots - order.executedLots,
      owner: order.accountId,
    });
  }

  private matchOrder(spec: MarketSpec, order: Order): void {
    if (!order.isWorking) {
      order.isWorking = true;
      this.report({ execution: 'NEW', order });
    }
    const lots = this.affordable(spec, order);
    if (lots === 0) {
      this.close(order, 'EXPIRED');
      return;
    }
    if (order.timeInForce === 'FOK' && wouldSelfTrade(order, this.state.openOrdersOf(order.accountId))) {
      this.close(order, 'EXPIRED_IN_MATCH');
      return;
    }
    const isUnsplittable = order.timeInForce === 'FOK' || order.type === 'LIMIT_MAKER';
    const parts = isUnsplittable ? [lots] : (this.options.splitLots?.(lots) ?? [lots]);
    const bookOrder = {
      id: String(order.id),
      side: order.side,
      lots,
      ...(isLimit(order.type) ? { ticks: order.priceTicks, timeInForce: order.timeInForce } : {}),
      isPostOnly: order.type === 'LIMIT_MAKER',
      owner: order.accountId,
    };
    const result = submitSplit(this.book(spec), bookOrder, parts);
    this.settle(spec, order.side, result.fills, order);
    this.finalizeOrder(order, result);
  }

  private finalizeOrder(order: Order, result: BookResult): void {
    if (!isOpen(order)) return;
    if (result.stoppedBy === 'self-trade') {
      this.close(order, 'EXPIRED_IN_MATCH');
      return;
    }
    const mayRest = isLimit(order.type) && order.timeInForce === 'GTC' && result.stoppedBy === undefined;
    if (!mayRest) this.close(order, 'EXPIRED');
  }

  /**
   * Returns how many lots an order can pay for. A triggered stop-market order often costs more than it locked. This
   * method then also locks the difference, as far as the free balance allows.
   */
  private affordable(spec: MarketSpec, order: Order): number {
    if (order.side === 'SELL' || order.type !== 'STOP_LOSS') return order.lots;
    const levels = this.book(spec).opposite(order.side);
    this.topUp(spec, order, costOf(spec, levels, order.lots));
    return Math.min(order.lots, lotsWithin(spec, levels, order.locked));
  }

  private topUp(spec: MarketSpec, order: Order, cost: bigint): void {
    const { free } = this.state.ledger.balance(order.accountId, spec.quote);
    const missing = cost - order.locked;
    if (missing <= 0n || free === 0n) return;
    const isEnough = free >= missing;
    const addedLock = isEnough ? missing : free;
    this.state.ledger.lock(order.accountId, spec.quote, addedLock);
    order.locked += addedLock;
  }

  private settle(
    spec: MarketSpec,
    side: OrderSide,
    fills: readonly BookFill[],
    taker: Order | undefined,
  ): void {
    this.symbols.add(spec.id);
    for (const fill of fills) {
      const maker = fill.makerId.startsWith('h') ? undefined : this.state.order(Number(fill.makerId));
      const { trade, reports } = this.settlement.settle(spec, { fill, takerSide: side, taker, maker });
      this.trades.push(trade);
      for (const report of reports) this.report(report);
    }
  }

  /** Triggers stop orders. Their trades may trigger other stop orders. Each is triggered once, so this terminates. */
  private triggerStops(spec: MarketSpec): void {
    const pending = this.pendingStops.get(spec.id);
    for (;;) {
      const last = this.state.lastTicks.get(spec.id);
      const next = [...(pending ?? [])].find((stop) => isTriggered(stop.side, stop.stopTicks, last));
      if (next === undefined) return;
      pending?.delete(next);
      this.matchOrder(spec, next);
    }
  }

  private close(order: Order, status: 'CANCELED' | 'EXPIRED' | 'EXPIRED_IN_MATCH', cancelId?: string): void {
    this.settlement.release(order);
    order.status = status;
    order.updatedAt = this.options.now();
    const execution = status === 'EXPIRED_IN_MATCH' ? 'TRADE_PREVENTION' : status;
    this.report({ execution, order, ...(cancelId === undefined ? {} : { cancelId }) });
  }

  private report(report: Report): void {
    this.state.putOrder(report.order);
    this.reports.push({ ...report, order: { ...report.order } });
  }

  private commit(accounts: readonly Account[] = []): void {
    const rows = this.state.ledger.takeChanged();
    const { reports, trades, symbols } = this;
    this.reports = [];
    this.trades = [];
    this.symbols = new Set();
    for (const symbol of symbols) this.depthVersions.set(symbol, (this.depthVersions.get(symbol) ?? 1) + 1);
    const isDue = this.reserveIds() || this.options.now() - this.persistedAt >= CHECKPOINT_EVERY_MS;
    if (reports.length > 0 || accounts.length > 0 || isDue) {
      const orders = new Map(reports.map(({ order }) => [order.id, order]));
      this.persist({
        ...(accounts.length > 0 ? { accounts } : {}),
        orders: [...orders.values()].map(storeOrder),
        fills: reports.flatMap(({ fill }) => (fill === undefined ? [] : [storeFill(fill)])),
        balances: rows,
        ...(accounts.length > 0 || isDue ? { issued: this.state.ledger.dumpIssued() } : {}),
        lastTicks: Object.fromEntries(this.state.lastTicks),
        nextIds: this.reservedIds,
      });
    }
    const commit = { reports, trades, symbols, balances: assetsByAccount(rows) };
    for (const listener of this.listeners) listener(commit);
  }

  private persist(record: StateRecord): void {
    try {
      this.options.persist(record);
      this.persistedAt = this.options.now();
    } catch (cause) {
      this.isBroken = true;
      throw new Error('The journal could not be written.', { cause });
    }
  }

  /** Reserves the next block of ids if the last one is used up. Returns whether it did, so that it is journaled. */
  private reserveIds(): boolean {
    const { nextOrderId: order, nextTradeId: trade } = this.state;
    if (order < this.reservedIds.order && trade < this.reservedIds.trade) return false;
    this.reservedIds = { order: order + ID_BLOCK, trade: trade + ID_BLOCK };
    return true;
  }
}

function assetsByAccount(
  rows: readonly (readonly [string, string, string, string])[],
): Map<string, string[]> {
  const result = new Map<string, string[]>();
  for (const [account, asset] of rows) result.set(account, [...(result.get(account) ?? []), asset]);
  return result;
}
