import { Book, type BookFill, type BookResult, type OrderSide } from './book.js';
import type { CommitLog } from './commit-log.js';
import { isOpen, type Order } from './order.js';
import { costOf, isLimit, isStop, isStopMarket, lotsWithin, wouldSelfTrade } from './order.rules.js';
import { PendingStops } from './pending-stops.js';
import { type FeeRates, Settlement } from './settlement.js';
import { submitSplit } from './split-order.js';
import type { State } from './state.js';
import { type MarketSpec, quoteUnits, SYMBOLS } from './symbols.js';

export interface MatcherOptions {
  readonly state: State;
  readonly fees: FeeRates;
  readonly now: () => number;
  /** Splits the lots of an order that is to be matched in several parts. The result must sum to `lots`. */
  readonly splitLots?: (lots: number) => readonly number[];
}

/** Works the orders of users and of the house: in the books, as stops that wait for a price, and as legs of a list. */
export class Matcher {
  private readonly books = new Map(SYMBOLS.map(({ id }) => [id, new Book()]));
  private readonly pendingStops = new PendingStops();
  private readonly settlement: Settlement;
  private readonly state: State;

  constructor(
    private readonly options: MatcherOptions,
    private readonly log: CommitLog,
  ) {
    this.state = options.state;
    this.settlement = new Settlement(this.state, options.fees, options.now);
  }

  book(symbol: string): Book {
    const book = this.books.get(symbol);
    if (book === undefined) throw new Error(`Market ${symbol} does not exist.`);
    return book;
  }

  /** Starts a new order: matches it, or waits for its stop price. */
  start(spec: MarketSpec, order: Order): void {
    if (isStop(order.type)) this.pendingStops.add(order);
    else this.matchOrder(spec, order);
  }

  /** Cancels an open order, and the other leg of its list. */
  cancel(order: Order, cancelId: string): void {
    for (const open of [order, ...this.otherLegs(order)]) {
      this.withdraw(open);
      this.close(open, 'CANCELED', cancelId);
    }
  }

  /** Removes an open order from the book or from the pending stops. */
  private withdraw(order: Order): void {
    if (order.isWorking) this.book(order.symbol).cancel(String(order.id));
    else this.pendingStops.delete(order);
  }

  /** Returns the other open legs of the list of an order. */
  private otherLegs(order: Order): Order[] {
    const list = order.listId === undefined ? undefined : this.state.list(order.listId);
    return list === undefined
      ? []
      : this.state.legsOf(list).filter((leg) => leg.id !== order.id && isOpen(leg));
  }

  /** Expires the other leg of a list, and moves the amount that both locked to `order`. */
  private expireOtherLegs(order: Order): void {
    for (const other of this.otherLegs(order)) {
      order.locked += other.locked;
      other.locked = 0n;
      this.withdraw(other);
      this.close(other, 'EXPIRED');
    }
  }

  /**
   * Restores an order after a restart. The restored orders cannot match each other, because they were all resting
   * before the restart.
   */
  restore(order: Order): void {
    if (!order.isWorking) {
      this.pendingStops.add(order);
      return;
    }
    this.book(order.symbol).submit({
      id: String(order.id),
      side: order.side,
      ticks: order.priceTicks,
      lots: order.lots - order.executedLots,
      owner: order.accountId,
    });
  }

  private matchOrder(spec: MarketSpec, order: Order): void {
    if (!order.isWorking) {
      this.expireOtherLegs(order);
      // The legs of a list lock what the more expensive one needs.
      if (order.side === 'BUY' && isLimit(order.type))
        this.settlement.releaseTo(order, quoteUnits(spec, order.priceTicks, order.lots));
      order.isWorking = true;
      this.log.addReport({ execution: 'NEW', order });
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
    const result = submitSplit(this.book(spec.id), bookOrder, parts);
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
    if (order.side === 'SELL' || !isStopMarket(order.type)) return order.lots;
    const levels = this.book(spec.id).opposite(order.side);
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

  settle(spec: MarketSpec, side: OrderSide, fills: readonly BookFill[], taker: Order | undefined): void {
    this.log.addSymbol(spec.id);
    for (const fill of fills) {
      const maker = fill.makerId.startsWith('h') ? undefined : this.state.order(Number(fill.makerId));
      const { trade, reports } = this.settlement.settle(spec, { fill, takerSide: side, taker, maker });
      this.log.addTrade(trade);
      for (const report of reports) {
        this.log.addReport(report);
        if (report.order.listId !== undefined) this.expireOtherLegs(report.order);
      }
    }
  }

  /** Triggers stop orders. Their trades may trigger other stop orders. Each is triggered once, so this terminates. */
  triggerStops(spec: MarketSpec): void {
    const { state, options, log } = this;
    for (;;) {
      const next = this.pendingStops.takeTriggered(spec, state.lastTicks.get(spec.id), options.now, (order) =>
        log.addSilentChange(order),
      );
      if (next === undefined) return;
      this.matchOrder(spec, next);
    }
  }

  private close(order: Order, status: 'CANCELED' | 'EXPIRED' | 'EXPIRED_IN_MATCH', cancelId?: string): void {
    const released = order.locked;
    this.settlement.releaseTo(order, 0n);
    order.status = status;
    order.updatedAt = this.options.now();
    const execution = status === 'EXPIRED_IN_MATCH' ? 'TRADE_PREVENTION' : status;
    this.log.addReport({ execution, order, released, ...(cancelId === undefined ? {} : { cancelId }) });
  }
}
