/**
 * Holds the jobs of attempts. A job contains only ids. Each attempt has one job, in the lane of its webhook.
 *
 * 1. Redis is not the source of truth: the sweeper replaces lost jobs. While Redis is unavailable, adding a job fails
 *    fast.
 * 2. The id of a job is derived from its attempt, so adding it again has no effect. A job that has ended is removed:
 *    Postgres has its result, and its id must not block another job of the attempt.
 * 3. BullMQ's attempt counter is not used, because Postgres counts the attempts. BullMQ does not retry a failed job,
 *    but always returns a stalled job to its queue.
 */
import { InjectQueue, type RegisterQueueOptions } from '@nestjs/bullmq';
import { Inject, Injectable } from '@nestjs/common';
import { QUEUE_INITIALIZATION, REDIS_FAILOVER_OPTIONS } from '@trading-automation/core';
import type { DeliveryRef, Lane, LanedDelivery } from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

/** The injection token of the logger, which is an interface without a class. */
export const LOGGER = Symbol('logger');

/** The name of each lane's queue. */
export const ATTEMPT_QUEUES: Readonly<Record<Lane, string>> = {
  main: 'webhook-attempts',
  slow: 'webhook-attempts-slow',
};
/**
 * The names under which the queues are registered in Nest. They differ from the names in Redis, because Nest would
 * otherwise give the queues' connection to the workers of the lanes. The commands of that connection fail fast while
 * Redis is unavailable, but the workers must wait.
 */
export const ATTEMPT_PRODUCERS: Readonly<Record<Lane, string>> = {
  main: 'webhook-attempts-producer',
  slow: 'webhook-attempts-slow-producer',
};
export const LANES: readonly Lane[] = ['main', 'slow'];
const JOB = 'attempt';
const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** The suffix of the id of a duplicate job. */
const DUPLICATE_SUFFIX = '-again';

const jobIdOf = (deliveryId: string, attempt: number) => `${deliveryId}-a${attempt}`;

export function isDuplicateJob({ id = '' }: { readonly id?: string | undefined }): boolean {
  return id.endsWith(DUPLICATE_SUFFIX);
}

export interface AttemptJob {
  readonly delivery_id: string;
  readonly attempt: number;
}

/** The number of jobs of a lane in each state. */
export interface LaneDepth {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

/** The connection of both queues. Its commands fail fast while Redis is unavailable. */
export class AttemptQueueConnection {
  readonly redis: Redis;

  constructor(
    redisUrl: string,
    readonly onError: (error: unknown) => void,
  ) {
    this.redis = new Redis(redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      disconnectTimeout: 200,
      commandTimeout: 5_000,
      ...REDIS_FAILOVER_OPTIONS,
    });
    this.redis.on('error', onError);
  }

  /** The options with which the queue of a lane is registered. */
  queueOptions(lane: Lane): RegisterQueueOptions {
    return {
      name: ATTEMPT_QUEUES[lane],
      connection: this.redis,
      ...QUEUE_INITIALIZATION,
      streams: { events: { maxLen: 1_000 } },
    };
  }
}

@Injectable()
export class AttemptQueue {
  private readonly queues: Readonly<Record<Lane, Queue<AttemptJob>>>;

  constructor(
    @InjectQueue(ATTEMPT_PRODUCERS.main) main: Queue<AttemptJob>,
    @InjectQueue(ATTEMPT_PRODUCERS.slow) slow: Queue<AttemptJob>,
    private readonly connection: AttemptQueueConnection,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.queues = { main, slow };
    for (const lane of LANES) this.queues[lane].on('error', connection.onError);
  }

  /** Adds a job for each attempt that has none. A failure is logged, and the sweeper adds the jobs later. */
  async add(refs: readonly LanedDelivery[], delayMs = 0): Promise<void> {
    await Promise.all(LANES.map((lane) => this.addTo(lane, refs, { delayMs, suffix: '' })));
  }

  /**
   * Adds a second job for each attempt, because a wrong clock may delay the first job, or its process may have died.
   * Only one of the two jobs can claim the attempt.
   */
  async addDuplicate(refs: readonly LanedDelivery[]): Promise<void> {
    await Promise.all(LANES.map((lane) => this.addTo(lane, refs, { delayMs: 0, suffix: DUPLICATE_SUFFIX })));
  }

  /**
   * Removes the waiting or delayed job of an attempt from both lanes, so that the attempt can get another job. Does not
   * remove a running job.
   */
  async remove({ deliveryId, attempt }: DeliveryRef): Promise<void> {
    try {
      await Promise.all(LANES.map((lane) => this.queues[lane].remove(jobIdOf(deliveryId, attempt))));
    } catch (error) {
      this.logger.warn(
        { event: 'attempt_job.not_removed', err: error, delivery_id: deliveryId },
        'Could not remove the job of an attempt.',
      );
    }
  }

  async depth(lane: Lane): Promise<LaneDepth> {
    const counts = await this.queues[lane].getJobCounts('waiting', 'active', 'delayed');
    return { waiting: counts.waiting ?? 0, active: counts.active ?? 0, delayed: counts.delayed ?? 0 };
  }

  /** Disconnects without QUIT, which fails if Redis is unavailable. Redis has already confirmed every added job. */
  async close(): Promise<void> {
    await Promise.all([this.queues.main.close(), this.queues.slow.close()]);
    this.connection.redis.disconnect();
  }

  private async addTo(
    lane: Lane,
    refsOfAllLanes: readonly LanedDelivery[],
    { delayMs, suffix }: { delayMs: number; suffix: string },
  ): Promise<void> {
    const refs = refsOfAllLanes.filter((ref) => ref.lane === lane);
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
      this.logger.warn(
        { event: 'attempt_job.not_added', err: error, jobs: refs.length },
        'Could not add jobs; the sweeper will add them.',
      );
    }
  }
}
