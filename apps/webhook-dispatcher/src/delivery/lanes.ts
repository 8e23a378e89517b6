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
import { BLOCK_SECONDS } from '@trading-automation/core';
import type { Logger } from '@trading-automation/runtime';
import { DelayedError, type Job, type Worker } from 'bullmq';
import { Admission } from './admission.js';
import { ATTEMPT_QUEUES, type AttemptJob, isAgain } from './attempt-queue.js';
import { Attempts, type Next } from './attempts.js';

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
  drainDelay: BLOCK_SECONDS,
};
/** How long an attempt may hold a place of the main lane. */
const QUICK_MS = 250;

export interface LaneSizes {
  /** Places of the main lane. */
  readonly places: number;
  /** Attempts at once beside the main lane. */
  readonly besideMax: number;
  /** Places of the slow lane, held for as long as an attempt takes. */
  readonly slowPlaces: number;
}

@Processor(ATTEMPT_QUEUES.main, WORKER_OPTIONS)
export class MainLane extends WorkerHost {
  private readonly beside = new Set<Promise<void>>();
  private besideMax = 0;

  constructor(
    @Inject(Attempts) private readonly attempts: Attempts,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** Takes jobs from now on. */
  start({ places, besideMax }: LaneSizes): void {
    this.besideMax = besideMax;
    startWorker(this.worker, places, this.admission, this.logger);
  }

  /** Takes no more jobs; resolves once all that was begun has ended. */
  async stop(): Promise<void> {
    await this.worker.close();
    await Promise.all(this.beside);
  }

  async process(job: Job<AttemptJob>, token?: string): Promise<void> {
    const next = await this.attempts.begin(job.data, 'main', isAgain(job));
    if (next.kind !== 'send') return settle(job, next, token);
    const { userId } = next.attempt;
    const ending = this.attempts.carryOut(next.attempt, 'main');
    if (await isOverWithin(ending, QUICK_MS)) return settle(job, { kind: 'over', userId }, token);
    if (this.beside.size >= this.besideMax) {
      await ending;
      return settle(job, { kind: 'over', userId }, token);
    }
    this.letGoOn(job, userId, ending);
  }

  private letGoOn(job: Job<AttemptJob>, userId: string, ending: Promise<void>): void {
    const ended = ending
      .catch((error) => this.logger.error({ err: error, job_id: job.id }, NOT_CARRIED_THROUGH))
      .then(() => {
        this.beside.delete(ended);
        this.admission.ended(job.data.delivery_id, userId);
      });
    this.beside.add(ended);
  }
}

@Processor(ATTEMPT_QUEUES.slow, WORKER_OPTIONS)
export class SlowLane extends WorkerHost {
  constructor(
    @Inject(Attempts) private readonly attempts: Attempts,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** As the main lane's. */
  start({ slowPlaces }: LaneSizes): void {
    startWorker(this.worker, slowPlaces, this.admission, this.logger);
  }

  /** As the main lane's. */
  stop(): Promise<void> {
    return this.worker.close();
  }

  async process(job: Job<AttemptJob>, token?: string): Promise<void> {
    const next = await this.attempts.begin(job.data, 'slow', isAgain(job));
    if (next.kind !== 'send') return settle(job, next, token);
    await this.attempts.carryOut(next.attempt, 'slow');
    return settle(job, { kind: 'over', userId: next.attempt.userId }, token);
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
    if (userId !== undefined) admission.ended(job.data.delivery_id, userId);
  });
  // While jobs are delayed, the library waits for longer than `drainDelay`.
  Object.defineProperty(worker, 'maximumBlockTimeout', { value: BLOCK_SECONDS });
  worker.concurrency = concurrency;
  worker.run().catch((error) => logger.error({ err: error }, 'the worker ended'));
}

async function settle(
  job: Job<AttemptJob>,
  next: Exclude<Next, { readonly kind: 'send' }>,
  token: string | undefined,
): Promise<void> {
  if (next.kind === 'over') {
    if (next.userId !== undefined) userOf.set(job, next.userId);
    return;
  }
  // A job beside another is not put off: by a clock that is wrong, both would wait too long.
  if (isAgain(job)) return;
  await job.moveToDelayed(Date.now() + next.inMs, token);
  throw new DelayedError();
}

/** False once `ms` have passed; throws what the work throws before that. */
async function isOverWithin(work: Promise<void>, ms: number): Promise<boolean> {
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
