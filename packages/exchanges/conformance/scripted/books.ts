/** The order book of one market: resting orders by price, then by time. */
import type { BookChange, Exact, Order, ScriptedMarket, Side } from './model.js';
import { exact } from './model.js';

type Level = readonly [price: Exact, amount: Exact];

export class Book {
  sequence = 0;
  lastPrice: Exact | undefined;
  readonly trades: {
    readonly price: Exact;
    readonly amount: Exact;
    readonly side: Side;
    readonly at: number;
  }[] = [];
  #orders: Order[] = [];

  constructor(readonly market: ScriptedMarket) {}

  /** The resting orders of a side, best first. */
  ordersOf(side: Side): readonly Order[] {
    const sign = side === 'BUY' ? -1 : 1;
    return this.#orders
      .filter((order) => order.side === side)
      .sort((a, b) => sign * priceOf(a).cmp(priceOf(b)) || a.number - b.number);
  }

  /** The price levels of a side, best first. */
  levelsOf(side: Side): readonly Level[] {
    const levels = new Map<string, Exact>();
    for (const order of this.ordersOf(side)) {
      const key = priceOf(order).toString();
      levels.set(key, (levels.get(key) ?? exact(0)).plus(order.amount.minus(order.filled)));
    }
    return [...levels].map(([price, amount]) => [exact(price), amount]);
  }

  add(order: Order): void {
    this.#orders.push(order);
  }

  remove(order: Order): void {
    this.#orders = this.#orders.filter((each) => each !== order);
  }

  /** Runs work, then returns the price levels that it changed. */
  changeOf(work: () => void): BookChange | undefined {
    const before = { bids: this.levelsOf('BUY'), asks: this.levelsOf('SELL') };
    work();
    const bids = changedLevels(before.bids, this.levelsOf('BUY'));
    const asks = changedLevels(before.asks, this.levelsOf('SELL'));
    if (bids.length + asks.length === 0) return undefined;
    this.sequence += 1;
    return { sequence: this.sequence, bids, asks };
  }
}

const priceOf = ({ price }: Order): Exact => price ?? exact(0);

function changedLevels(before: readonly Level[], after: readonly Level[]): readonly Level[] {
  const amountAt = (levels: readonly Level[], price: Exact) =>
    levels.find(([each]) => each.eq(price))?.[1] ?? exact(0);
  const prices = [...before, ...after].map(([price]) => price);
  const distinct = prices.filter((price, i) => prices.findIndex((each) => each.eq(price)) === i);
  return distinct
    .filter((price) => !amountAt(before, price).eq(amountAt(after, price)))
    .map((price) => [price, amountAt(after, price)]);
}
