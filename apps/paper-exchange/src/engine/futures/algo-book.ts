import { hasReturned, isStopReached, trackPrice } from '../order.rules.js';
import { type ContractSpec, markOfTicks } from './contracts.js';
import type { AlgoOrder, AlgoRequest, WorkingType } from './futures-order.js';

/** The prices of a contract in steps of a mark price; the contract price is undefined before the first trade. */
export interface TriggerPrices {
  readonly MARK_PRICE: number;
  readonly CONTRACT_PRICE: number | undefined;
}

type TriggerTerms = Pick<AlgoRequest, 'side' | 'type' | 'triggerTicks'>;

/** Describes a conditional order to the rules for stops, which spot shares. Prices are in steps of a mark price. */
function stopOf(spec: ContractSpec, { side, type, triggerTicks }: TriggerTerms) {
  // A trailing stop starts to track in the direction of a profit.
  const isTakeProfit = type.startsWith('TAKE_PROFIT') || type === 'TRAILING_STOP_MARKET';
  return {
    side,
    type: isTakeProfit ? ('TAKE_PROFIT' as const) : ('STOP_LOSS' as const),
    stopTicks: markOfTicks(spec, triggerTicks),
  };
}

/** Returns whether a new conditional order would trigger at once. A trailing stop never does. */
export function wouldTrigger(
  spec: ContractSpec,
  request: TriggerTerms & { readonly workingType: WorkingType },
  prices: TriggerPrices,
): boolean {
  return (
    request.type !== 'TRAILING_STOP_MARKET' &&
    isStopReached(stopOf(spec, request), prices[request.workingType])
  );
}

/** The conditional orders that wait for a price, by contract, oldest first. */
export class AlgoBook {
  private readonly bySymbol = new Map<string, Set<AlgoOrder>>();

  add(order: AlgoOrder): void {
    const orders = this.bySymbol.get(order.symbol) ?? new Set();
    this.bySymbol.set(order.symbol, orders.add(order));
  }

  delete(order: AlgoOrder): void {
    this.bySymbol.get(order.symbol)?.delete(order);
  }

  /** Returns the waiting orders of an account, in one contract or in all, oldest first. */
  of(accountId: string, symbol?: string): AlgoOrder[] {
    return [...this.bySymbol.values()]
      .flatMap((orders) => [...orders])
      .filter((order) => order.accountId === accountId && (symbol === undefined || order.symbol === symbol))
      .sort((a, b) => a.id - b.id);
  }

  /**
   * Removes and returns the oldest order that the prices trigger. Trailing stops follow the price first; `onTracked` is
   * called for each whose best price changed.
   */
  takeTriggered(
    spec: ContractSpec,
    prices: TriggerPrices,
    now: number,
    onTracked: (order: AlgoOrder) => void,
  ): AlgoOrder | undefined {
    const orders = this.bySymbol.get(spec.id) ?? new Set<AlgoOrder>();
    let triggered: AlgoOrder | undefined;
    for (const order of orders) {
      const price = prices[order.workingType];
      if (price === undefined) continue;
      const { trailing } = order;
      const stop = stopOf(spec, order);
      if (trailing !== undefined && trackPrice(stop, trailing, price, now)) onTracked(order);
      const isReached =
        trailing === undefined ? isStopReached(stop, price) : hasReturned(order.side, trailing, price);
      if (isReached) triggered ??= order;
    }
    if (triggered !== undefined) orders.delete(triggered);
    return triggered;
  }
}
