import { setTimeout as sleep } from 'node:timers/promises';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import {
  type AttemptResult,
  type ClaimedAttempt,
  DeliverySettings,
  type Recorded,
  WebhookDeliveries,
} from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import { DelayedError, type Job } from 'bullmq';
import { ATTEMPT_QUEUE, type AttemptJob, AttemptQueue } from './attempt-queue.js';
import { WebhookSender } from './webhook-sender.js';

/** The log has no class to be asked for by. */
export const LOGGER = Symbol('logger');

/** A stalled job is one whose process died; it comes back within 15 s, as often as that happens. */
const WORKER_OPTIONS = {
  autorun: false,
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 1_000,
};
const RECORD_RETRY_MS = 500;

/** One job is one attempt: claim, send, record, and a job for the next one. */
@Processor(ATTEMPT_QUEUE, WORKER_OPTIONS)
export class AttemptsProcessor extends WorkerHost {
  constructor(
    @Inject(WebhookDeliveries) private readonly deliveries: WebhookDeliveries,
    @Inject(WebhookSender) private readonly sender: WebhookSender,
    @Inject(AttemptQueue) private readonly queue: AttemptQueue,
    @Inject(DeliverySettings) private readonly settings: DeliverySettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  /** Takes jobs from now on; `worker.close()` ends that once the running ones have. */
  start(concurrency: number): void {
    this.worker.on('error', (error) =>
      this.logger.warn({ err: error }, 'the worker met an error of Redis, and goes on'),
    );
    this.worker.on('failed', (job, error) =>
      this.logger.error({ err: error, job_id: job?.id }, 'an attempt was not carried through'),
    );
    this.worker.concurrency = concurrency;
    this.worker.run().catch((error) => this.logger.error({ err: error }, 'the worker ended'));
  }

  async process(job: Job<AttemptJob>, token?: string): Promise<void> {
    const { delivery_id: deliveryId, attempt } = job.data;
    const claim = await this.deliveries.claim(deliveryId, attempt);
    if (claim.kind === 'over') return;
    if (claim.kind === 'wait') {
      await job.moveToDelayed(Date.now() + claim.waitMs, token);
      throw new DelayedError();
    }
    const leaseEndsAt = performance.now() + this.settings.leaseMs;
    const result = await this.sender.send(claim.attempt);
    const recorded = await this.record(claim.attempt, result, leaseEndsAt);
    this.log(claim.attempt, result, recorded);
    if (recorded.kind === 'retry') {
      await this.queue.add([{ deliveryId, attempt: recorded.attempt }], recorded.delayMs);
    }
  }

  /** What was sent and is not recorded will be sent again: hence more than one try, for as long as the lease holds. */
  private async record(
    attempt: ClaimedAttempt,
    result: AttemptResult,
    leaseEndsAt: number,
  ): Promise<Recorded> {
    for (;;) {
      try {
        return await this.deliveries.record(attempt, result);
      } catch (error) {
        if (performance.now() + RECORD_RETRY_MS >= leaseEndsAt) throw error;
        this.logger.warn({ err: error, delivery_id: attempt.deliveryId }, 'an attempt is not recorded yet');
        await sleep(RECORD_RETRY_MS);
      }
    }
  }

  private log(attempt: ClaimedAttempt, result: AttemptResult, recorded: Recorded): void {
    this.logger.debug(
      {
        delivery_id: attempt.deliveryId,
        webhook_id: attempt.webhookId,
        attempt: attempt.attempt,
        status_code: result.statusCode,
        error: result.error,
        response_time_ms: result.responseTimeMs,
        outcome: recorded.kind,
      },
      'attempted',
    );
  }
}
