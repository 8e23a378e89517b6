/**
 * The jobs of the attempts: ids alone, one job for each attempt, in the lane that serves its webhook.
 *
 * 1. Redis owes nothing: what it forgets, the sweeper puts back. Adding fails fast where Redis is away.
 * 2. A job's id names its attempt, so that an attempt has one job at a time however often it is added. A job that
 *    ended is removed: it says nothing that Postgres doesn't, and must not stand in the way of the next one.
 * 3. BullMQ counts nothing for us: a job is one try, stalled ones always come back, and attempts are Postgres's.
 */
import { REDIS_FAILOVER_OPTIONS } from '@trading-automation/core';
import type { DeliveryRef, Lane, LanedDelivery } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

/** The queue of each lane. */
export const ATTEMPT_QUEUES: Readonly<Record<Lane, string>> = {
  main: 'webhook-attempts',
  slow: 'webhook-attempts-slow',
};
const LANES: readonly Lane[] = ['main', 'slow'];
const JOB = 'attempt';
const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** What ends the id of a job beside another. */
const DUPLICATE_SUFFIX = '-again';

const jobIdOf = (deliveryId: string, attempt: number) => `${deliveryId}-a${attempt}`;

export function isDuplicateJob({ id = '' }: { readonly id?: string | undefined }): boolean {
  return id.endsWith(DUPLICATE_SUFFIX);
}

export interface AttemptJob {
  readonly delivery_id: string;
  readonly attempt: number;
}

/** How many jobs of a lane are in which state. */
export interface LaneDepth {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

export class AttemptQueue {
  private readonly redis: Redis;
  private readonly queues: Readonly<Record<Lane, Queue<AttemptJob>>>;

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
      ...REDIS_FAILOVER_OPTIONS,
    });
    this.redis.on('error', onError);
    const open = (lane: Lane) => {
      const queue = new Queue<AttemptJob>(ATTEMPT_QUEUES[lane], {
        connection: this.redis,
        prefix,
        streams: { events: { maxLen: 1_000 } },
      });
      queue.on('error', onError);
      return queue;
    };
    this.queues = { main: open('main'), slow: open('slow') };
  }

  /** Adds a job for each attempt that has none; where that fails it is logged, and the sweeper's to repair. */
  async add(refs: readonly LanedDelivery[], delayMs = 0): Promise<void> {
    await Promise.all(LANES.map((lane) => this.addTo(lane, refs, { delayMs, suffix: '' })));
  }

  /**
   * Adds a job beside the one that may stand: that one may wait by a clock that was wrong, or for a process that is
   * gone. One of the two finds nothing to claim.
   */
  async addDuplicate(refs: readonly LanedDelivery[]): Promise<void> {
    await Promise.all(LANES.map((lane) => this.addTo(lane, refs, { delayMs: 0, suffix: DUPLICATE_SUFFIX })));
  }

  /**
   * Takes away the job that stands for an attempt, whichever lane has it and however long it would wait; one that is at
   * work stays. From then on the attempt can be given another.
   */
  async remove({ deliveryId, attempt }: DeliveryRef): Promise<void> {
    try {
      await Promise.all(LANES.map((lane) => this.queues[lane].remove(jobIdOf(deliveryId, attempt))));
    } catch (error) {
      this.logger.warn({ err: error, delivery_id: deliveryId }, 'a job was not removed');
    }
  }

  async depth(lane: Lane): Promise<LaneDepth> {
    const counts = await this.queues[lane].getJobCounts('waiting', 'active', 'delayed');
    return { waiting: counts.waiting ?? 0, active: counts.active ?? 0, delayed: counts.delayed ?? 0 };
  }

  /** Adding is done when it answers: there is nothing left to tell a Redis, which may be away. */
  async close(): Promise<void> {
    await Promise.all([this.queues.main.close(), this.queues.slow.close()]);
    this.redis.disconnect();
  }

  private async addTo(
    lane: Lane,
    all: readonly LanedDelivery[],
    { delayMs, suffix }: { delayMs: number; suffix: string },
  ): Promise<void> {
    const refs = all.filter((ref) => ref.lane === lane);
    if (refs.length === 0) return;
    try {
      await this.queues[lane].addBulk(
        refs.map(({ deliveryId, attempt }) => ({
          name: JOB,
          data: { delivery_id: deliveryId, attempt },
          opts: { ...JOB_OPTIONS, jobId: jobIdOf(deliveryId, attempt) + suffix, delay: Math.ceil(delayMs) },
        })),
      );
    } catch (error) {
      this.logger.warn({ err: error, jobs: refs.length }, 'jobs not added; the sweeper will');
    }
  }
}
