/**
 * The lanes: BullMQ's workers over the attempts.
 *
 * 1. The main lane has few places. An attempt that takes longer than a moment gives its place back, its job ends, and it
 *    goes on beside the lane: receivers that hang don't hold it. From there on its lease in Postgres alone stands for
 *    it; a dispatcher that dies is missed, and the sweeper finds what it leased.
 * 2. What may go on beside the lane is bounded. Beyond that, attempts keep their places.
 * 3. The slow lane serves webhooks that have failed again and again: there one waits for one's like alone.
 */
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import { REDIS_BLOCK_TIMEOUT_SECONDS } from '@trading-automation/core';
import type { Logger } from '@trading-automation/runtime';
import { DelayedError, type Job, type Worker } from 'bullmq';
import { Admission } from './admission.js';
import { ATTEMPT_QUEUES, type AttemptJob, isDuplicateJob } from './attempt-queue.js';
import { AttemptRunner, type JobOutcome } from './attempt-runner.js';

/** The log has no class to be asked for by. */
export const LOGGER = Symbol('logger');

/**
 * A stalled job is one whose process died; it comes back within 6 s, as often as that happens. One that comes back while
 * its process only stood still finds nothing to claim.
 */
const WORKER_OPTIONS = {
  autorun: false,
  lockDuration: 4_000,
  stalledInterval: 2_000,
  maxStalledCount: 1_000,
  drainDelay: REDIS_BLOCK_TIMEOUT_SECONDS,
};
/** How long an attempt may hold a place of the main lane. */
const DETACH_AFTER_MS = 250;

export interface LaneSizes {
  /** Places of the main lane. */
  readonly concurrency: number;
  /** Attempts at once beside the main lane. */
  readonly detachedMax: number;
  /** Places of the slow lane, held for as long as an attempt takes. */
  readonly slowConcurrency: number;
}

@Processor(ATTEMPT_QUEUES.main, WORKER_OPTIONS)
export class MainLane extends WorkerHost {
  private readonly detached = new Set<Promise<void>>();
  private detachedMax = 0;

  constructor(
    @Inject(AttemptRunner) private readonly attempts: AttemptRunner,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** Takes jobs from now on. */
  start({ concurrency, detachedMax }: LaneSizes): void {
    this.detachedMax = detachedMax;
    startWorker(this.worker, concurrency, this.admission, this.logger);
  }

  /** Takes no more jobs; resolves once all that was begun has ended. */
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
      .catch((error) => this.logger.error({ err: error, job_id: job.id }, NOT_CARRIED_THROUGH))
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
    @Inject(AttemptRunner) private readonly attempts: AttemptRunner,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** As the main lane's. */
  start({ slowConcurrency }: LaneSizes): void {
    startWorker(this.worker, slowConcurrency, this.admission, this.logger);
  }

  /** As the main lane's. */
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

const NOT_CARRIED_THROUGH = 'an attempt was not carried through';

/** Whose job ended, where that may make room; not told as the job's result, which would stand in Redis. */
const userOf = new WeakMap<Job<AttemptJob>, string>();

function startWorker(
  worker: Worker<AttemptJob>,
  concurrency: number,
  admission: Admission,
  logger: Logger,
): void {
  worker.on('error', (error) => logger.warn({ err: error }, 'the worker met an error of Redis, and goes on'));
  worker.on('failed', (job, error) => logger.error({ err: error, job_id: job?.id }, NOT_CARRIED_THROUGH));
  // Not before: while a job stands, no other of its attempt can be added.
  worker.on('completed', (job) => {
    const userId = userOf.get(job);
    if (userId !== undefined) admission.jobEnded(job.data.delivery_id, userId);
  });
  // While jobs are delayed, the library waits for longer than `drainDelay`.
  Object.defineProperty(worker, 'maximumBlockTimeout', { value: REDIS_BLOCK_TIMEOUT_SECONDS });
  worker.concurrency = concurrency;
  worker.run().catch((error) => logger.error({ err: error }, 'the worker ended'));
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
  // A job beside another is not put off: by a clock that is wrong, both would wait too long.
  if (isDuplicateJob(job)) return;
  await job.moveToDelayed(Date.now() + next.inMs, token);
  throw new DelayedError();
}

/** False once `ms` have passed; throws what the work throws before that. */
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
