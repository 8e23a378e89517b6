import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type { TradePair, TradePairsListQuery } from '../generated/records.js';

/** Trade pairs and the trading rules of their exchange. */
export class TradePairs<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists the pairs that can be traded, with the trading rules of their exchange.
   *
   * @example
   * for await (const pair of client.tradePairs.list({ exchange: 'paper' })) console.log(pair.symbol, pair.price_tick);
   */
  list(query: TradePairsListQuery = {}, options?: RequestOptions): PagePromise<TradePair<D>> {
    return this.operations.list('tradePairs.list', { query }, options);
  }

  /**
   * Returns one trade pair.
   *
   * @example
   * const { symbol, min_notional } = await client.tradePairs.get(pairId);
   */
  get(id: string, options?: RequestOptions): ApiPromise<TradePair<D>> {
    return this.operations.call('tradePairs.get', { params: { id } }, options);
  }
}
