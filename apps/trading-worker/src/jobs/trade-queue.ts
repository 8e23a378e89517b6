/**
 * The queue of new trades.
 *
 * It has its own Redis connection. Adding a job fails immediately while Redis is unavailable, and the check of open
 * trades finds the trades instead. The BullMQ worker that takes jobs waits for Redis without a time limit.
 */
import { InjectQueue, type RegisterQueueOptions } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import { QUEUE_INITIALIZATION, REDIS_FAILOVER_OPTIONS } from '@trading-automation/core';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

export const TRADES_QUEUE = 'trades';
/**
 * The name under which Nest registers the queue. It differs from the name in Redis: with the same name, Nest would give
 * the queue's connection to the BullMQ worker. That connection fails fast, but the BullMQ worker must wait for Redis.
 */
export const TRADES_PRODUCER = 'trades-producer';

/** A job contains only the trade id; everything else is in Postgres. */
export interface TradeJob {
  readonly trade_id: string;
}

/** The connection of the queue. Its commands fail fast while Redis is unavailable. */
export class TradeQueueConnection {
  readonly redis: Redis;

  constructor(
    redisUrl: string,
    readonly onError: (error: unknown) => void,
  ) {
    this.redis = new Redis(redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      disconnectTimeout: 200,
      commandTimeout: 2_000,
      ...REDIS_FAILOVER_OPTIONS,
    });
    this.redis.on('error', onError);
  }

  /** The options with which the queue is registered. */
  queueOptions(): RegisterQueueOptions {
    return {
      name: TRADES_QUEUE,
      connection: this.redis,
      ...QUEUE_INITIALIZATION,
      streams: { events: { maxLen: 1_000 } },
      defaultJobOptions: { removeOnComplete: { age: 3_600, count: 10_000 }, removeOnFail: { age: 86_400 } },
    };
  }
}

@Injectable()
export class TradeQueue {
  constructor(
    @InjectQueue(TRADES_PRODUCER) private readonly queue: Queue<TradeJob>,
    private readonly connection: TradeQueueConnection,
  ) {
    queue.on('error', connection.onError);
  }

  /** @throws if Redis is unavailable */
  async add(tradeIds: readonly string[]): Promise<void> {
    await this.queue.addBulk(
      tradeIds.map((id) => ({ name: 'submit', data: { trade_id: id }, opts: { jobId: `submit-${id}` } })),
    );
  }

  /** Disconnects without QUIT, because Redis may be unavailable. Redis has confirmed every added job. */
  async close(): Promise<void> {
    await this.queue.close();
    this.connection.redis.disconnect();
  }
}
