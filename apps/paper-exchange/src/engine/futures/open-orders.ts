import type { AlgoBook } from './algo-book.js';
import type { FuturesLog } from './futures-log.js';
import type { FuturesMatcher } from './futures-matcher.js';
import type { AlgoOrder } from './futures-order.js';
import type { FuturesState } from './futures-state.js';

/** Closes the open orders and the conditional orders of accounts. */
export class OpenOrders {
  constructor(
    private readonly state: FuturesState,
    private readonly matcher: FuturesMatcher,
    private readonly algos: AlgoBook,
    private readonly log: FuturesLog,
  ) {}

  /** Cancels the open orders and the conditional orders of an account, in one contract or in all. */
  cancelAll(accountId: string, symbol?: string): void {
    for (const order of this.state.openOrdersOf(accountId, symbol)) this.matcher.close(order, 'CANCELED');
    for (const algo of this.algos.of(accountId, symbol)) this.cancelAlgo(algo);
  }

  cancelAlgo(algo: AlgoOrder): void {
    this.algos.delete(algo);
    algo.status = 'CANCELED';
    algo.updatedAt = this.log.now();
    this.log.addAlgo(algo);
  }

  /** Fits the reduce-only orders of an account to its position. */
  fitReduceOnly(symbol: string, accountId: string): void {
    this.matcher.fitReduceOnly(symbol, accountId);
  }
}
