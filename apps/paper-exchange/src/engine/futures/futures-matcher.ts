import { Book, type BookFill, type BookResult, type OrderSide } from '../book.js';
import { submitSplit } from '../split-order.js';
import { CONTRACTS, type ContractSpec } from './contracts.js';
import { positionIn } from './futures-account.js';
import type { FuturesLog } from './futures-log.js';
import { type FuturesOrder, type FuturesOrderStatus, isOpenOrder, openLotsOf } from './futures-order.js';
import type { FuturesSettlement } from './futures-settlement.js';
import type { FuturesState } from './futures-state.js';
import { closableLots } from './position.rules.js';

/** Splits the lots of an order that is to be matched in several parts. The result must sum to `lots`. */
export type SplitLots = (lots: number) => readonly number[];

/**
 * Works the orders of users and of the house in the books of the contracts.
 *
 * A reduce-only order never increases or flips a position. An earlier fill of the same sweep may have closed the position
 * of a resting reduce-only order; the house then takes the place of that order.
 */
export class FuturesMatcher {
  private readonly books = new Map(CONTRACTS.map(({ id }) => [id, new Book()]));

  constructor(
    private readonly state: FuturesState,
    private readonly settlement: FuturesSettlement,
    private readonly log: FuturesLog,
    private readonly splitLots: SplitLots = (lots) => [lots],
  ) {
    for (const order of state.openOrders()) this.rest(order);
  }

  book(symbol: string): Book {
    const book = this.books.get(symbol);
    if (book === undefined) throw new Error(`Contract ${symbol} does not exist.`);
    return book;
  }

  /** Matches an order, and leaves its rest in the book if it may rest there. */
  match(spec: ContractSpec, order: FuturesOrder): void {
    const lots = openLotsOf(order);
    const isUnsplittable = order.timeInForce === 'FOK' || order.timeInForce === 'GTX';
    const parts = isUnsplittable ? [lots] : this.splitLots(lots);
    const { timeInForce } = order;
    const result = submitSplit(
      this.book(spec.id),
      {
        id: bookIdOf(order),
        side: order.side,
        lots,
        ...(order.type === 'LIMIT'
          ? { ticks: order.priceTicks, timeInForce: timeInForce === 'GTX' ? 'GTC' : timeInForce }
          : {}),
        isPostOnly: timeInForce === 'GTX',
        owner: order.accountId,
      },
      parts,
    );
    this.settle(spec, order.side, result.fills, order);
    this.finish(order, result);
  }

  /** Removes an open order from its book and closes it. */
  close(order: FuturesOrder, status: FuturesOrderStatus): void {
    this.withdraw(order);
    order.status = status;
    order.updatedAt = this.log.now();
    this.log.addSymbol(order.symbol);
    this.log.addReport({ execution: status === 'CANCELED' ? 'CANCELED' : 'EXPIRED', order });
  }

  withdraw(order: FuturesOrder): void {
    this.book(order.symbol).cancel(bookIdOf(order));
  }

  /** Settles the fills of a taker with the orders in the book. The taker is the house if there is no order. */
  settle(
    spec: ContractSpec,
    takerSide: OrderSide,
    fills: readonly BookFill[],
    taker: FuturesOrder | undefined,
  ): void {
    const { state } = this;
    this.log.addSymbol(spec.id);
    const makers = new Set<FuturesOrder>();
    for (const { makerId, ticks, lots } of fills) {
      const maker = isHouseId(makerId) ? undefined : state.order(orderIdOf(makerId));
      const takenLots = maker === undefined ? 0 : Math.min(lots, this.fillableLots(maker));
      for (const [order, part] of [
        [maker, takenLots],
        [undefined, lots - takenLots],
      ] as const) {
        if (part === 0) continue;
        this.log.addTrade(
          this.settlement.settle(spec, { ticks, lots: part, takerSide, taker, maker: order }),
        );
        state.lastTicks.set(spec.id, ticks);
      }
      if (maker !== undefined) {
        makers.add(maker);
        if (takenLots < lots) this.shrink(maker, lots - takenLots);
      }
    }
    const accountIds = new Set(
      [...makers, ...(taker === undefined ? [] : [taker])].map((one) => one.accountId),
    );
    for (const accountId of accountIds) this.fitReduceOnly(spec.id, accountId);
  }

  /**
   * Fits the resting reduce-only orders of an account to its position: shrinks those that are larger than the position,
   * and expires those that would no longer reduce it.
   */
  fitReduceOnly(symbol: string, accountId: string): void {
    for (const order of this.state.openOrdersOf(accountId, symbol)) {
      if (!order.isReduceOnly || order.forced !== undefined) continue;
      const excess = openLotsOf(order) - this.fillableLots(order);
      if (excess <= 0) continue;
      this.withdraw(order);
      this.shrink(order, excess);
      if (isOpenOrder(order)) this.rest(order);
      this.log.addSymbol(symbol);
    }
  }

  /** Returns how many of the open lots may fill: for a reduce-only order, no more than its position. */
  private fillableLots(order: FuturesOrder): number {
    if (!order.isReduceOnly) return openLotsOf(order);
    const position = positionIn(this.state.account(order.accountId), order.symbol);
    return Math.min(openLotsOf(order), closableLots(position, order.side));
  }

  /** Takes lots off an order that is not in the book. It expires if none are left, and then keeps its size. */
  private shrink(order: FuturesOrder, lots: number): void {
    const isGone = openLotsOf(order) === lots;
    if (isGone) order.status = 'EXPIRED';
    else order.lots -= lots;
    order.updatedAt = this.log.now();
    this.log.addReport({ execution: isGone ? 'EXPIRED' : 'AMENDMENT', order });
  }

  private finish(order: FuturesOrder, { stoppedBy }: BookResult): void {
    if (!isOpenOrder(order)) return;
    if (stoppedBy === 'self-trade') this.close(order, 'EXPIRED_IN_MATCH');
    else if (order.type === 'MARKET' || order.timeInForce === 'IOC' || order.timeInForce === 'FOK')
      this.close(order, 'EXPIRED');
    else if (stoppedBy !== undefined) this.close(order, 'EXPIRED');
  }

  /** Puts an order into the book that cannot match, because it was resting before. */
  private rest(order: FuturesOrder): void {
    this.book(order.symbol).submit({
      id: bookIdOf(order),
      side: order.side,
      ticks: order.priceTicks,
      lots: openLotsOf(order),
      owner: order.accountId,
    });
  }

  /** Returns whether an order could fill completely at once, as FOK demands. */
  isFillable(
    spec: ContractSpec,
    order: Pick<FuturesOrder, 'side' | 'priceTicks' | 'lots' | 'accountId'>,
  ): boolean {
    const isWithin = (ticks: number) =>
      order.side === 'BUY' ? ticks <= order.priceTicks : ticks >= order.priceTicks;
    const own = this.state
      .openOrdersOf(order.accountId, spec.id)
      .some((other) => other.side !== order.side && isWithin(other.priceTicks));
    if (own) return false;
    const lots = this.book(spec.id)
      .opposite(order.side)
      .reduce((sum, [ticks, available]) => sum + (isWithin(ticks) ? available : 0), 0);
    return lots >= order.lots;
  }
}

/** The orders of the house have other ids. */
function bookIdOf({ id }: FuturesOrder): string {
  return String(id);
}

function orderIdOf(bookId: string): number {
  return Number(bookId);
}

function isHouseId(bookId: string): boolean {
  return bookId.startsWith('h');
}
