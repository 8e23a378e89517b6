/**
 * The jobs of the attempts: ids alone, one job for each attempt.
 *
 * 1. Redis owes nothing: what it forgets, the sweeper puts back. Adding fails fast where Redis is away.
 * 2. A job's id names its attempt, so that an attempt has one job however often it is added. A job that failed is
 *    removed at once: it says nothing that Postgres doesn't, and must not stand in the way of the sweeper's.
 * 3. BullMQ counts nothing for us: a job is one try, stalled ones always come back, and attempts are Postgres's.
 */
import type { DeliveryRef } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

export const ATTEMPT_QUEUE = 'webhook-attempts';
const JOB = 'attempt';
const JOB_OPTIONS = {
  attempts: 1,
  removeOnComplete: { age: 3600, count: 10_000 },
  removeOnFail: true,
} as const;

export interface AttemptJob {
  readonly delivery_id: string;
  readonly attempt: number;
}

export class AttemptQueue {
  private readonly redis: Redis;
  private readonly queue: Queue<AttemptJob>;

  constructor(
    redisUrl: string,
    prefix: string,
    private readonly logger: Logger,
  ) {
    const onError = (error: unknown) =>
      logger.warn({ err: error }, 'the queue met an error of Redis, and goes on');
    this.redis = new Redis(redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      disconnectTimeout: 200,
      commandTimeout: 5_000,
    });
    this.redis.on('error', onError);
    this.queue = new Queue<AttemptJob>(ATTEMPT_QUEUE, {
      connection: this.redis,
      prefix,
      streams: { events: { maxLen: 1_000 } },
    });
    this.queue.on('error', onError);
  }

  /** Adds a job for each attempt that has none; where that fails it is logged, and the sweeper's to repair. */
  async add(refs: readonly DeliveryRef[], delayMs = 0): Promise<void> {
    try {
      await this.queue.addBulk(
        refs.map(({ deliveryId, attempt }) => ({
          name: JOB,
          data: { delivery_id: deliveryId, attempt },
          opts: { ...JOB_OPTIONS, jobId: `${deliveryId}-a${attempt}`, delay: Math.ceil(delayMs) },
        })),
      );
    } catch (error) {
      this.logger.warn({ err: error, jobs: refs.length }, 'jobs not added; the sweeper will');
    }
  }

  /** Adding is done when it answers: there is nothing left to tell a Redis, which may be away. */
  async close(): Promise<void> {
    await this.queue.close();
    this.redis.disconnect();
  }
}
