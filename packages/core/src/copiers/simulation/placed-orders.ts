import { BigDecimal } from '../../values/index.js';
import type { CopyOrder } from '../planning/plan.types.js';
import type { ReplaySignal } from './replay.types.js';

export interface PlacedOrder {
  readonly signal: ReplaySignal;
  /** The pair on which the copier copies. */
  readonly symbol: string;
  readonly quote: string;
  readonly order: CopyOrder;
}

export const isEntry = ({ kind }: Pick<ReplaySignal, 'kind'>): boolean =>
  kind === 'OPEN' || kind === 'INCREASE';

/**
 * The orders that are not filled yet; all of one fill of the leader. In live copying, all signals of a fill are planned
 * before a copy of them is filled.
 */
export class PlacedOrders {
  private orders: PlacedOrder[] = [];

  add(order: PlacedOrder): void {
    this.orders.push(order);
  }

  /** Returns whether the signal is of the same fill as the orders. */
  areOfFill({ sourceFillId }: ReplaySignal): boolean {
    return this.orders[0]?.signal.sourceFillId === sourceFillId;
  }

  /** Returns the lots that an order closes. As in live copying, they do not count against entries of the same fill. */
  closingLots(): readonly string[] {
    return this.orders.filter(({ signal }) => signal.kind === 'CLOSE').map(({ signal }) => signal.lotTradeId);
  }

  /** Returns what exits will take of the pair. */
  exitingOf(symbol: string): BigDecimal {
    let amount = new BigDecimal(0);
    for (const placed of this.orders)
      if (placed.symbol === symbol && !isEntry(placed.signal)) amount = amount.plus(placed.order.amount);
    return amount;
  }

  /** Removes all orders and returns them. */
  take(): readonly PlacedOrder[] {
    const { orders } = this;
    this.orders = [];
    return orders;
  }
}
