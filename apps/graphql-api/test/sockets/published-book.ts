/** An order book that the test publishes instead of the worker, on a separate exchange. */
import { randomBytes, randomUUID } from 'node:crypto';
import { encodeId } from '@trading-automation/contracts';
import {
  type Level,
  MarketDataPublisher,
  marketDataPrefix,
  type PairKey,
} from '@trading-automation/core/market-data';
import { Redis } from 'ioredis';
import type { TestEnvironment } from '../../../rest-api/test/proofs/test-environment.js';

/** The interval at which the lease is renewed. It is much shorter than the time after which a lease expires. */
const RENEW_MS = 1_000;
const PREFIX = marketDataPrefix('test');

export class PublishedBook {
  readonly errors: unknown[] = [];
  bids: Level[] = [];
  asks: Level[] = [];
  private readonly publisher: MarketDataPublisher;
  private readonly redis = new Redis(redisUrl());
  private renewing: NodeJS.Timeout | undefined;

  private constructor(
    private readonly pair: PairKey,
    /** Id of the pair. */
    readonly pairId: string,
  ) {
    this.publisher = new MarketDataPublisher({
      redisUrl: redisUrl(),
      prefix: PREFIX,
      holder: 'the test',
      onError: this.recordError,
    });
  }

  static async open(environment: TestEnvironment): Promise<PublishedBook> {
    const exchange = `x${randomBytes(4).toString('hex')}`;
    const id = randomUUID();
    await environment.rows(
      `INSERT INTO supported_exchanges (id, code, name, trading_types, is_active)
       VALUES ($1, $2, 'An exchange', '{spot}', true)`,
      randomUUID(),
      exchange,
    );
    await environment.rows(
      `INSERT INTO trade_pairs (id, exchange, symbol, base, quote, trading_type, price_tick, amount_step, min_amount,
         min_notional, last_price, is_active, rules_updated_at)
       VALUES ($1, $2, 'BTC/USDT', 'BTC', 'USDT', 'spot', 0.01, 0.00001, 0.00001, 1, 60000, true, now())`,
      id,
      exchange,
    );
    const book = new PublishedBook({ exchange, symbol: 'BTC/USDT' }, encodeId('tpr', id));
    await book.start();
    return book;
  }

  /** Replaces the levels and publishes the whole book. */
  async reset(bids: readonly Level[], asks: readonly Level[] = []): Promise<void> {
    [this.bids, this.asks] = [[...bids], [...asks]];
    await this.publish('SNAPSHOT', this.bids, this.asks);
  }

  /** Changes these levels. An amount of 0 removes a level. */
  async change(bids: readonly Level[], asks: readonly Level[] = []): Promise<void> {
    this.bids = changed(this.bids, bids, (a, b) => Number(b[0]) - Number(a[0]));
    this.asks = changed(this.asks, asks, (a, b) => Number(a[0]) - Number(b[0]));
    await this.publish('DELTA', bids, asks);
  }

  /** Applies and numbers a change without publishing it, which creates a gap. */
  async dropMessage(bids: readonly Level[]): Promise<void> {
    this.bids = changed(this.bids, bids, (a, b) => Number(b[0]) - Number(a[0]));
    await this.redis.incr(`${PREFIX}:sequence:${this.pair.exchange}:${this.pair.symbol}`);
  }

  /** Returns the number of processes that listen to the book. */
  async listeners(): Promise<number> {
    const channel = `${PREFIX}:book:${this.pair.exchange}:${this.pair.symbol}`;
    const [, count] = (await this.redis.pubsub('NUMSUB', channel)) as [string, number];
    return count;
  }

  close(): void {
    clearInterval(this.renewing);
    this.publisher.close();
    this.redis.disconnect();
  }

  private async start(): Promise<void> {
    const { exchange } = this.pair;
    await this.publisher.acquireLease(exchange);
    this.renewing = setInterval(() => this.renew().catch(this.recordError), RENEW_MS);
    await this.publisher.onSnapshotRequest(exchange, () => {
      this.publish('REPEAT', this.bids, this.asks).catch(this.recordError);
    });
  }

  /** Renews the lease and the stored snapshot, as a worker does. */
  private async renew(): Promise<void> {
    await this.publisher.acquireLease(this.pair.exchange);
    await this.publish('KEEP', this.bids, this.asks);
  }

  private async publish(
    action: Parameters<MarketDataPublisher['publish']>[1],
    bids: readonly Level[],
    asks: readonly Level[],
  ): Promise<void> {
    const at = '2026-01-01T00:00:00.000Z';
    await this.publisher.publish(this.pair, action, { bids, asks, exchangeTimestamp: at, receivedAt: at });
  }

  private readonly recordError = (error: unknown): void => void this.errors.push(error);
}

function redisUrl(): string {
  return process.env.TEST_REDIS_URL ?? '';
}

/** A message about a book, as subscribers get it. */
export interface BookUpdate {
  readonly kind: 'SNAPSHOT' | 'DELTA';
  readonly sequence: number;
  readonly previousSequence: number | null;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

export const BOOK_FIELDS = 'kind sequence previousSequence bids asks';

/**
 * Returns the book after applying the messages in order.
 *
 * @throws {Error} if a message does not follow the previous one
 */
export function applyUpdates(updates: readonly BookUpdate[]): { bids: Level[]; asks: Level[] } {
  let state = { bids: [] as Level[], asks: [] as Level[] };
  let last: number | null = null;
  for (const { kind, sequence, previousSequence, bids, asks } of updates) {
    if (previousSequence !== (kind === 'SNAPSHOT' ? null : last))
      throw new Error(`${kind} ${sequence} follows ${previousSequence}, but the last sequence is ${last}`);
    if (last !== null && sequence < last) throw new Error(`${sequence} after ${last}`);
    const base = kind === 'SNAPSHOT' ? { bids: [], asks: [] } : state;
    state = {
      bids: changed(base.bids, bids, (a, b) => Number(b[0]) - Number(a[0])),
      asks: changed(base.asks, asks, (a, b) => Number(a[0]) - Number(b[0])),
    };
    last = sequence;
  }
  return state;
}

function changed(
  levels: readonly Level[],
  changes: readonly Level[],
  order: (a: Level, b: Level) => number,
): Level[] {
  const byPrice = new Map(levels);
  for (const [price, amount] of changes) {
    if (amount === '0') byPrice.delete(price);
    else byPrice.set(price, amount);
  }
  return [...byPrice].sort(order);
}
