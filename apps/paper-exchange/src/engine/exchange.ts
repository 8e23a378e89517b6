import { VENUE_ERRORS } from '../errors.js';
import type { Book, OrderSide } from './book.js';
import { type Commit, CommitLog, type CommitLogOptions } from './commit-log.js';
import { HOUSE } from './ledger.js';
import { borrows, MarginLending } from './margin/margin-lending.js';
import { Matcher, type MatcherOptions } from './matcher.js';
import { type Account, isOpen, type Order } from './order.js';
import {
  assertFilters,
  isLimit,
  isStop,
  isStopReached,
  lotsWithin,
  type OrderRequest,
  requiredLock,
} from './order.rules.js';
import type { OrderList, OrderListRequest } from './order-list.js';
import type { State } from './state.js';
import { ASSETS, type MarketSpec, SYMBOLS } from './symbols.js';

export type { Commit } from './commit-log.js';

const HOUSE_GRANT = 10n ** 20n;

export interface ExchangeOptions extends MatcherOptions {
  readonly persist: CommitLogOptions['persist'];
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
  private readonly quotes = new Map<string, Set<string>>();
  private readonly log: CommitLog;
  private readonly matcher: Matcher;
  readonly margin: MarginLending;
  private nextQuoteId = 1;

  constructor(private readonly options: ExchangeOptions) {
    this.state = options.state;
    this.log = new CommitLog(options);
    this.matcher = new Matcher(options, this.log);
    for (const spec of SYMBOLS) {
      this.quotes.set(spec.id, new Set());
    }
    for (const order of this.state.openOrders()) this.matcher.restore(order);
    for (const asset of ASSETS) {
      if (!this.state.ledger.issued().has(asset)) this.state.ledger.issue(HOUSE, asset, HOUSE_GRANT);
    }
    // The house is funded first: it is recognised as new by assets that were never issued.
    this.margin = new MarginLending(this.state, this.log, options.now);
  }

  /** Registers a listener, which is called after each committed change, in order. It must not throw. */
  onCommit(listener: (commit: Commit) => void): void {
    this.log.onCommit(listener);
  }

  book(spec: MarketSpec): Book {
    return this.matcher.book(spec.id);
  }

  /** Increases with every change that may have affected the book of this market. */
  depthVersion(spec: MarketSpec): number {
    return this.log.depthVersion(spec);
  }

  openAccount(account: Account, initialBalances: ReadonlyMap<string, bigint>): void {
    this.log.assertNotBroken();
    this.state.addAccount(account);
    for (const [asset, amount] of initialBalances) this.state.ledger.issue(account.id, asset, amount);
    this.log.commit([account]);
  }

  /** Adds to the free balance of an account, like a deposit from outside. */
  deposit(account: Account, asset: string, amount: bigint): void {
    this.log.assertNotBroken();
    this.state.ledger.issue(account.id, asset, amount);
    this.log.commit([account]);
  }

  /** Sets the asset in which the account pays its fees; undefined: the received asset. */
  setFeeAsset({ feeAsset: _, ...account }: Account, asset: string | undefined): void {
    this.log.assertNotBroken();
    const changed = { ...account, ...(asset === undefined ? {} : { feeAsset: asset }) };
    this.state.addAccount(changed);
    this.log.commit([changed]);
  }

  /** @throws VenueError if a filter rejects the order, its client order id is in use, or it exceeds the balance. */
  place(account: Account, spec: MarketSpec, request: OrderRequest): Order {
    const { sized, locked } = this.checked(account, spec, request);
    const asset = assetOf(spec, request.side);
    const isLent = borrows(request.sideEffect);
    const loan = isLent ? this.margin.lendMissing(account.id, asset, locked) : 0n;
    this.state.ledger.lock(account.id, asset, locked);
    const placed = this.newOrder(account, spec, sized, locked);
    const order = loan === 0n || request.keepsLoan === true ? placed : { ...placed, loan };
    this.accept(order);
    this.matcher.start(spec, order);
    this.log.addSymbol(spec.id);
    this.matcher.triggerStops(spec);
    this.log.commit();
    return order;
  }

  /** Checks a new order as `place` does, but changes nothing. @throws VenueError as `place` does */
  test(account: Account, spec: MarketSpec, request: OrderRequest): void {
    const { locked } = this.checked(account, spec, request);
    const { free } = this.state.ledger.balance(account.id, assetOf(spec, request.side));
    if (free < locked) throw VENUE_ERRORS.insufficientBalance();
  }

  /** Places two orders of which one cancels the other. @throws VenueError as `place` does; then neither is placed */
  placeList(account: Account, spec: MarketSpec, { clientListId, legs }: OrderListRequest): OrderList {
    const isUsed = this.state
      .listsOf(account.id)
      .some((list) => list.clientListId === clientListId && this.state.isListOpen(list));
    if (isUsed || legs[0].clientOrderId === legs[1].clientOrderId) throw VENUE_ERRORS.duplicateOrder();
    let locked = 0n;
    for (const leg of legs) {
      const lock = this.checked(account, spec, leg).locked;
      if (lock > locked) locked = lock;
    }
    this.state.ledger.lock(account.id, assetOf(spec, legs[0].side), locked);
    const orders = legs.map((leg, index) => this.newOrder(account, spec, leg, index === 0 ? locked : 0n));
    const list: OrderList = {
      id: this.state.nextListId,
      accountId: account.id,
      symbol: spec.id,
      clientListId,
      orderIds: orders.map(({ id }) => id),
      createdAt: this.options.now(),
    };
    this.state.addList(list);
    for (const order of orders) {
      order.listId = list.id;
      this.accept(order);
    }
    for (const order of orders) this.matcher.start(spec, order);
    this.log.addSymbol(spec.id);
    this.matcher.triggerStops(spec);
    this.log.commit();
    return list;
  }

  /** Cancels an order, and the other leg of its list. @throws VenueError -2011 if the order is not open. */
  cancel(order: Order, cancelId: string): Order {
    this.log.assertNotBroken();
    if (!isOpen(order)) throw VENUE_ERRORS.cancelUnknown();
    this.matcher.cancel(order, cancelId);
    this.log.addSymbol(order.symbol);
    this.log.commit();
    return order;
  }

  /** Places a limit order of the house. It trades with the orders that it crosses, and the rest stays in the book. */
  placeQuote(spec: MarketSpec, side: OrderSide, ticks: number, lots: number): void {
    this.log.assertNotBroken();
    const id = `h${this.nextQuoteId++}`;
    const { fills } = this.book(spec).submit({ id, side, ticks, lots });
    const filledLots = fills.reduce((sum, fill) => sum + fill.lots, 0);
    if (filledLots < lots) this.quotes.get(spec.id)?.add(id);
    this.matcher.settle(spec, side, fills, undefined);
  }

  cancelQuotes(spec: MarketSpec): void {
    const quotes = this.quotes.get(spec.id) ?? new Set<string>();
    for (const id of quotes) this.book(spec).cancel(id);
    quotes.clear();
    this.log.addSymbol(spec.id);
  }

  /** Trades up to `lots` for the house with the orders in the book, at `limitTicks` or better. */
  take(spec: MarketSpec, side: OrderSide, lots: number, limitTicks: number): void {
    this.log.assertNotBroken();
    const id = `h${this.nextQuoteId++}`;
    const { fills } = this.book(spec).submit({ id, side, lots, ticks: limitTicks, timeInForce: 'IOC' });
    this.matcher.settle(spec, side, fills, undefined);
  }

  /** Sets the last price. The next `commitHouseOrders` triggers stop orders, as after a trade at that price. */
  setLastPrice(spec: MarketSpec, ticks: number): void {
    this.state.lastTicks.set(spec.id, ticks);
  }

  /** Commits the changes of the house since its last commit: quotes, trades and last prices. */
  commitHouseOrders(spec: MarketSpec): void {
    this.matcher.triggerStops(spec);
    this.log.commit();
  }

  /** Checks a new order. Returns it with the amount that a MARKET order by quote buys, and with what it must lock. */
  private checked(account: Account, spec: MarketSpec, request: OrderRequest) {
    this.log.assertNotBroken();
    // Read the levels of the book only if they are needed, because reading them is the most expensive step.
    const levels = isLimit(request.type) ? [] : this.book(spec).opposite(request.side);
    const lots = request.quoteOrderQty > 0n ? lotsWithin(spec, levels, request.quoteOrderQty) : request.lots;
    const sized = lots === request.lots ? request : { ...request, lots };
    if (request.quoteOrderQty > 0n && request.quoteOrderQty < spec.minNotional)
      throw VENUE_ERRORS.filterFailure('NOTIONAL');
    const lastTicks = this.state.lastTicks.get(spec.id) ?? levels[0]?.[0] ?? 0;
    if (request.quoteOrderQty === 0n || lots > spec.maxLots) assertFilters(spec, sized, lastTicks);
    this.assertPlaceable(account, spec, sized);
    return { sized, locked: requiredLock(spec, sized, levels, lastTicks) };
  }

  private accept(order: Order): void {
    this.state.putOrder(order);
    this.log.addReport({ execution: 'NEW', order });
  }

  private assertPlaceable(account: Account, spec: MarketSpec, request: OrderRequest): void {
    const sameId = this.state.orderByClientId(account.id, spec.id, request.clientOrderId);
    if (sameId !== undefined && isOpen(sameId)) throw VENUE_ERRORS.duplicateOrder();
    const last = this.state.lastTicks.get(spec.id);
    if (isStop(request.type) && isStopReached(request, last)) {
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
    const order: Order = {
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
    if (request.trailingBips !== undefined) order.trailing = { bips: request.trailingBips };
    return request.sideEffect === undefined ? order : { ...order, sideEffect: request.sideEffect };
  }
}

function assetOf(spec: MarketSpec, side: OrderSide): string {
  return side === 'BUY' ? spec.quote : spec.base;
}
