import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  Candles,
  OrderBook,
  Ticker,
  TradePair,
  TradePairsCandlesQuery,
  TradePairsListQuery,
  TradePairsOrderBookQuery,
} from '../generated/records.js';

/** Trade pairs and the trading rules of their exchange. */
export class TradePairs<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists the pairs that can be traded, with the trading rules of their exchange.
   *
   * @example
   * const [pair] = (await client.tradePairs.list({ exchange: 'paper', trading_type: 'spot', symbol: 'BTC/USDT' })).data;
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

  /**
   * Returns the pair's prices now and over the last 24 hours, at most 2 seconds old.
   *
   * @example
   * const { last, change_percent } = await client.tradePairs.ticker(pairId);
   */
  ticker(id: string, options?: RequestOptions): ApiPromise<Ticker<D>> {
    return this.operations.call('tradePairs.ticker', { params: { id } }, options);
  }

  /**
   * Returns the pair's candles, at most 1,000 and at most 30 seconds old. By default the last 300.
   *
   * @example
   * const { candles } = await client.tradePairs.candles(pairId, { interval: '1d' });
   */
  candles(id: string, query: TradePairsCandlesQuery = {}, options?: RequestOptions): ApiPromise<Candles<D>> {
    return this.operations.call('tradePairs.candles', { params: { id }, query }, options);
  }

  /**
   * Returns the pair's order book, at most 1 second old. To follow it, use `realtime.orderBook`.
   *
   * @example
   * const { bids, asks } = await client.tradePairs.orderBook(pairId, { depth: 5 });
   */
  orderBook(
    id: string,
    query: TradePairsOrderBookQuery = {},
    options?: RequestOptions,
  ): ApiPromise<OrderBook<D>> {
    return this.operations.call('tradePairs.orderBook', { params: { id }, query }, options);
  }
}
