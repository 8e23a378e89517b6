import type { Order } from './order.js';
import { hasReturned, isStopReached, trackPrice } from './order.rules.js';
import { type MarketSpec, SYMBOLS } from './symbols.js';

/** The stop orders that wait for a price, by market, oldest first. */
export class PendingStops {
  private readonly bySymbol = new Map(SYMBOLS.map(({ id }) => [id, new Set<Order>()]));

  add(order: Order): void {
    this.bySymbol.get(order.symbol)?.add(order);
  }

  delete(order: Order): void {
    this.bySymbol.get(order.symbol)?.delete(order);
  }

  /**
   * Removes and returns the oldest order that the last price triggers. Trailing stops follow the price first;
   * `onTracked` is called for each whose best price changed.
   */
  takeTriggered(
    spec: MarketSpec,
    lastTicks: number | undefined,
    now: () => number,
    onTracked: (order: Order) => void,
  ): Order | undefined {
    const orders = this.bySymbol.get(spec.id);
    if (orders === undefined || orders.size === 0 || lastTicks === undefined) return undefined;
    let triggered: Order | undefined;
    for (const order of orders) {
      const { trailing } = order;
      if (trailing !== undefined && trackPrice(order, trailing, lastTicks, now())) onTracked(order);
      const isTriggered =
        trailing === undefined
          ? isStopReached(order, lastTicks)
          : hasReturned(order.side, trailing, lastTicks);
      if (isTriggered) triggered ??= order;
    }
    if (triggered !== undefined) orders.delete(triggered);
    return triggered;
  }
}
