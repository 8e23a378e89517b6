/**
 * The queue of new trades.
 *
 * It has its own Redis connection. Adding a job fails immediately while Redis is unavailable, and the check of open
 * trades finds the trades instead. The BullMQ worker that takes jobs waits for Redis without a limit.
 */
import { REDIS_FAILOVER_OPTIONS } from '@trading-automation/core';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

export const TRADES_QUEUE = 'trades';

/** A job holds the trade id only; everything else is in Postgres. */
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

  /** @throws if Redis is unavailable */
  async add(tradeIds: readonly string[]): Promise<void> {
    await this.queue.addBulk(
      tradeIds.map((id) => ({ name: 'submit', data: { trade_id: id }, opts: { jobId: `submit-${id}` } })),
    );
  }

  /** Disconnects without a QUIT: every added job is confirmed, and Redis may be unavailable. */
  async close(): Promise<void> {
    await this.queue.close();
    this.redis.disconnect();
  }
}
