/**
 * The jobs of new trades: ids alone.
 *
 * Its connection is its own: adding fails at once where Redis is away, and the looks at open trades take up what was
 * not added; the worker that takes jobs waits for Redis as long as it takes.
 */
import { REDIS_FAILOVER_OPTIONS } from '@trading-automation/core';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

export const TRADES_QUEUE = 'trades';

/** A job holds ids alone; everything else is in Postgres. */
export interface TradeJob {
  readonly trade_id: string;
}

export class TradeQueue {
  private readonly redis: Redis;
  private readonly queue: Queue<TradeJob>;

  constructor(redisUrl: string, prefix: string, onError: (error: unknown) => void) {
    this.redis = new Redis(redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      disconnectTimeout: 200,
      commandTimeout: 2_000,
      ...REDIS_FAILOVER_OPTIONS,
    });
    this.redis.on('error', onError);
    this.queue = new Queue<TradeJob>(TRADES_QUEUE, {
      connection: this.redis,
      prefix,
      streams: { events: { maxLen: 1_000 } },
      defaultJobOptions: { removeOnComplete: { age: 3_600, count: 10_000 }, removeOnFail: { age: 86_400 } },
    });
    this.queue.on('error', onError);
  }

  /** @throws where Redis is away */
  async add(tradeIds: readonly string[]): Promise<void> {
    await this.queue.addBulk(
      tradeIds.map((id) => ({ name: 'submit', data: { trade_id: id }, opts: { jobId: `submit-${id}` } })),
    );
  }

  /** Adding is done when it answers: there is nothing left to tell a Redis, which may be away. */
  async close(): Promise<void> {
    await this.queue.close();
    this.redis.disconnect();
  }
}
