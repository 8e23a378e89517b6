/**
 * The lanes are BullMQ workers that run attempts.
 *
 * 1. The main lane has few slots. An attempt that exceeds 250 ms is detached: its job ends and frees its slot, but the
 *    attempt continues. Receivers that hang therefore do not block the lane. A detached attempt has no job, only a
 *    lease in Postgres. If its dispatcher dies, the heartbeats stop and the sweeper finds the attempt.
 * 2. The number of detached attempts is limited. Beyond the limit, attempts keep their slots.
 * 3. The slow lane serves webhooks that fail repeatedly, so that they delay only each other.
 */
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import { REDIS_BLOCK_TIMEOUT_SECONDS } from '@trading-automation/core';
import type { Logger } from '@trading-automation/runtime';
import { DelayedError, type Job, type Worker } from 'bullmq';
import { Admission } from './admission.js';
import { ATTEMPT_QUEUES, type AttemptJob, isDuplicateJob, LOGGER } from './attempt-queue.js';
import { AttemptRunner, type JobOutcome } from './attempt-runner.js';

/**
 * A job stalls when its process dies. The job then returns to the queue within 6 s, however often that happens. If the
 * process was only paused, the returned job finds that the attempt is already claimed.
 */
const WORKER_OPTIONS = {
  autorun: false,
  lockDuration: 4_000,
  stalledInterval: 2_000,
  maxStalledCount: 1_000,
  drainDelay: REDIS_BLOCK_TIMEOUT_SECONDS,
};
/** How long an attempt may hold a slot of the main lane. */
const DETACH_AFTER_MS = 250;

export interface LaneSizes {
  /** Slots of the main lane. */
  readonly concurrency: number;
  /** Maximum number of concurrent detached attempts. */
  readonly detachedMax: number;
  /** Slots of the slow lane. An attempt holds its slot until it ends. */
  readonly slowConcurrency: number;
}

@Processor(ATTEMPT_QUEUES.main, WORKER_OPTIONS)
export class MainLane extends WorkerHost {
  private readonly detached = new Set<Promise<void>>();
  private detachedMax = 0;

  constructor(
    private readonly attempts: AttemptRunner,
    private readonly admission: Admission,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** Starts taking jobs. */
  start({ concurrency, detachedMax }: LaneSizes): void {
    this.detachedMax = detachedMax;
    startWorker(this.worker, concurrency, this.admission, this.logger);
  }

  /** Stops taking jobs. Resolves once every started attempt has ended. */
  async stop(): Promise<void> {
    await this.worker.close();
    await Promise.all(this.detached);
  }

  async process(job: Job<AttemptJob>, token?: string): Promise<void> {
    const next = await this.attempts.claim(job.data, 'main', isDuplicateJob(job));
    if (next.kind !== 'send') return finishOrDelay(job, next, token);
    const { userId } = next.attempt;
    const ending = this.attempts.sendAndRecord(next.attempt, 'main');
    if (await endsWithin(ending, DETACH_AFTER_MS)) return finishOrDelay(job, { kind: 'over', userId }, token);
    if (this.detached.size >= this.detachedMax) {
      await ending;
      return finishOrDelay(job, { kind: 'over', userId }, token);
    }
    this.detach(job, userId, ending);
  }

  private detach(job: Job<AttemptJob>, userId: string, ending: Promise<void>): void {
    const ended = ending
      .catch((error) =>
        this.logger.error({ event: ATTEMPT_FAILED, err: error, job_id: job.id }, ATTEMPT_FAILED_MESSAGE),
      )
      .then(() => {
        this.detached.delete(ended);
        this.admission.jobEnded(job.data.delivery_id, userId);
      });
    this.detached.add(ended);
  }
}

@Processor(ATTEMPT_QUEUES.slow, WORKER_OPTIONS)
export class SlowLane extends WorkerHost {
  constructor(
    private readonly attempts: AttemptRunner,
    private readonly admission: Admission,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** Starts taking jobs. */
  start({ slowConcurrency }: LaneSizes): void {
    startWorker(this.worker, slowConcurrency, this.admission, this.logger);
  }

  /** Stops taking jobs. Resolves once every started attempt has ended. */
  stop(): Promise<void> {
    return this.worker.close();
  }

  async process(job: Job<AttemptJob>, token?: string): Promise<void> {
    const next = await this.attempts.claim(job.data, 'slow', isDuplicateJob(job));
    if (next.kind !== 'send') return finishOrDelay(job, next, token);
    await this.attempts.sendAndRecord(next.attempt, 'slow');
    return finishOrDelay(job, { kind: 'over', userId: next.attempt.userId }, token);
  }
}

const ATTEMPT_FAILED = 'attempt_job.failed';
const ATTEMPT_FAILED_MESSAGE = 'The job of an attempt failed; the sweeper will add another job.';

/** The user of each completed job. `process` does not return the user, because BullMQ would store it in Redis. */
const userOf = new WeakMap<Job<AttemptJob>, string>();

function startWorker(
  worker: Worker<AttemptJob>,
  concurrency: number,
  admission: Admission,
  logger: Logger,
): void {
  worker.on('error', (error) =>
    logger.warn(
      { event: 'lane.interrupted', err: error },
      'A lane lost its connection to Redis; reconnecting.',
    ),
  );
  worker.on('failed', (job, error) =>
    logger.error({ event: ATTEMPT_FAILED, err: error, job_id: job?.id }, ATTEMPT_FAILED_MESSAGE),
  );
  // Report the end of the job only after BullMQ removed it: until then, no other job of its attempt can be added.
  worker.on('completed', (job) => {
    const userId = userOf.get(job);
    if (userId !== undefined) admission.jobEnded(job.data.delivery_id, userId);
  });
  // While jobs are delayed, BullMQ would otherwise block on Redis for longer than `drainDelay`.
  Object.defineProperty(worker, 'maximumBlockTimeout', { value: REDIS_BLOCK_TIMEOUT_SECONDS });
  worker.concurrency = concurrency;
  worker
    .run()
    .catch((error) => logger.error({ event: 'lane.stopped', err: error }, 'A lane stopped unexpectedly.'));
}

async function finishOrDelay(
  job: Job<AttemptJob>,
  next: Exclude<JobOutcome, { readonly kind: 'send' }>,
  token: string | undefined,
): Promise<void> {
  if (next.kind === 'over') {
    if (next.userId !== undefined) userOf.set(job, next.userId);
    return;
  }
  // A duplicate job is never delayed: a wrong clock, which may already delay the first job, would delay both.
  if (isDuplicateJob(job)) return;
  await job.moveToDelayed(Date.now() + next.inMs, token);
  throw new DelayedError();
}

/** Returns whether the work ends within `ms`. Throws if the work fails within that time. */
async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
