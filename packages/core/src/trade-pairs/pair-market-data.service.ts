/**
 * Reads the market data of pairs: ticker, candles and order book.
 *
 * 1. The trading worker fetches it from the exchange. Equal requests share one response through Redis.
 * 2. A stored response expires before it reaches the maximum age, and nothing older is returned: if the exchange does not
 *    respond, the error is `exchange_unavailable`.
 * 3. Without Redis, each request is fetched.
 */
import {
  CANDLE_MS,
  type Candles,
  DomainError,
  encodeId,
  MARKET_DATA_AGE_MAX_MS,
  marketDataOperations,
  type OrderBook,
  type QueryOf,
  type Ticker,
} from '@trading-automation/contracts';
import type { Redis } from 'ioredis';
import { callWorker, type WorkerCallName, type WorkerCalls } from '../exchange-accounts/index.js';
import { type Actor, authorise } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { candleRange, changePercent } from './market-data.rules.js';
import { symbolOf } from './trade-pair.view.js';
import { findPair } from './trade-pairs.service.js';

/** The part of the maximum age for which a response is stored; the rest is for its way to the client. */
const STORED_PART = 0.8;
/** The depths that are fetched. Exchanges charge more for deeper books, and responses with equal depth are shared. */
const FETCHED_DEPTHS = [20, 100, 500] as const;

export interface PairMarketDataDependencies {
  readonly platform: Platform;
  readonly redis: Redis;
  /** The prefix of the keys in Redis. */
  readonly prefix: string;
}

interface Pair {
  readonly header: { readonly trade_pair_id: string; readonly exchange: string; readonly symbol: string };
  /** The part of the worker's input that names the pair. */
  readonly key: { readonly exchange: string; readonly symbol: string };
}

export class PairMarketData {
  constructor(private readonly dependencies: PairMarketDataDependencies) {}

  /** @throws {DomainError} `not_found`, `exchange_unavailable` */
  async ticker(actor: Actor, publicId: string): Promise<Ticker> {
    authorise(actor, marketDataOperations.ticker.access);
    const { key, header } = await this.find(publicId);
    const maxAgeMs = MARKET_DATA_AGE_MAX_MS.ticker;
    const { quoteVolume, as_of, ...prices } = await this.fetch(actor, 'trade_pair.ticker', key, maxAgeMs);
    return {
      ...header,
      ...prices,
      change_percent: changePercent(prices.open, prices.last),
      quote_volume: quoteVolume,
      as_of,
    };
  }

  /** @throws {DomainError} `not_found`, `exchange_unavailable`; `invalid_query` if the range has too many candles */
  async candles(
    actor: Actor,
    publicId: string,
    { interval, ...query }: QueryOf<typeof marketDataOperations.candles>,
  ): Promise<Candles> {
    authorise(actor, marketDataOperations.candles.access);
    const range = candleRange(CANDLE_MS[interval], query, Date.now());
    const { key, header } = await this.find(publicId);
    const input = { ...key, interval, ...range };
    const reply = await this.fetch(actor, 'trade_pair.candles', input, MARKET_DATA_AGE_MAX_MS.candles);
    return {
      ...header,
      interval,
      candles: reply.candles.map(([at, open, high, low, close, volume]) => {
        return { at: new Date(at).toISOString(), open, high, low, close, volume };
      }),
      as_of: reply.as_of,
    };
  }

  /** @throws {DomainError} `not_found`, `exchange_unavailable` */
  async orderBook(
    actor: Actor,
    publicId: string,
    { depth }: QueryOf<typeof marketDataOperations.orderBook>,
  ): Promise<OrderBook> {
    authorise(actor, marketDataOperations.orderBook.access);
    const { key, header } = await this.find(publicId);
    const input = { ...key, depth: FETCHED_DEPTHS.find((fetched) => fetched >= depth) ?? depth };
    const { bids, asks, as_of } = await this.fetch(
      actor,
      'trade_pair.order_book',
      input,
      MARKET_DATA_AGE_MAX_MS.order_book,
    );
    const levels = (side: typeof bids) => side.slice(0, depth).map((level) => [...level]);
    return { ...header, bids: levels(bids), asks: levels(asks), as_of };
  }

  private async find(publicId: string): Promise<Pair> {
    const pair = await findPair(this.dependencies.platform.database.manager, publicId);
    if (pair === null) throw new DomainError('not_found');
    const key = { exchange: pair.exchange, symbol: pair.symbol };
    return { key, header: { trade_pair_id: encodeId('tpr', pair.id), ...key, symbol: symbolOf(pair) } };
  }

  /** Returns a stored response, or fetches and stores one. */
  private async fetch<Name extends WorkerCallName>(
    { userId }: Actor,
    name: Name,
    input: WorkerCalls[Name]['input'],
    maxAgeMs: number,
  ): Promise<WorkerCalls[Name]['reply']> {
    const { platform, redis, prefix } = this.dependencies;
    const key = `${prefix}:${name}:${JSON.stringify(input)}`;
    const stored = await redis.get(key).catch(() => null);
    if (stored !== null) return JSON.parse(stored);
    const reply = await callWorker(platform, name, input, { userId });
    await redis.set(key, JSON.stringify(reply), 'PX', maxAgeMs * STORED_PART).catch(() => undefined);
    return reply;
  }
}
