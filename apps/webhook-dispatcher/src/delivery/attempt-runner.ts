import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttemptResult,
  CLAIMS_MAX,
  type ClaimedAttempt,
  type Lane,
  type RecordOutcome,
  type WebhookDeliveriesService,
} from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { DeliveryCounters } from '../metrics/delivery-counters.js';
import type { AttemptJob, AttemptQueue } from './attempt-queue.js';
import type { WebhookSender } from './webhook-sender.js';

const RECORD_RETRY_MS = 500;

export interface AttemptRunnerDependencies {
  readonly deliveries: WebhookDeliveriesService;
  readonly sender: WebhookSender;
  readonly queue: AttemptQueue;
  readonly leaseMs: number;
  readonly counters: DeliveryCounters;
  readonly logger: Logger;
}

/** The result of claiming a job's attempt. */
export type JobOutcome =
  /** The job is complete; the user, if set, may have free capacity. */
  | { readonly kind: 'over'; readonly userId?: string }
  /** The job must run again in `inMs`. */
  | { readonly kind: 'again'; readonly inMs: number }
  /** The attempt is claimed and must be sent. */
  | { readonly kind: 'send'; readonly attempt: ClaimedAttempt };

/** Runs the attempt of a job: claims, sends and records it, and adds the job of the next attempt. */
export class AttemptRunner {
  constructor(private readonly parts: AttemptRunnerDependencies) {}

  /** Claims a job's attempt. `isDuplicate`: the job is a duplicate job. */
  async claim(
    { delivery_id: deliveryId, attempt }: AttemptJob,
    lane: Lane,
    isDuplicate: boolean,
  ): Promise<JobOutcome> {
    const claim = await this.parts.deliveries.claim(deliveryId, attempt, lane);
    switch (claim.kind) {
      case 'over':
        return { kind: 'over' };
      case 'wait':
        return { kind: 'again', inMs: claim.waitMs };
      case 'slow':
        await this.parts.queue.add([{ deliveryId, attempt, lane: 'slow' }]);
        return { kind: 'over' };
      case 'parked':
        // The original job may wait long by a wrong clock; until it is complete, admission could add no other.
        if (isDuplicate) await this.parts.queue.remove({ deliveryId, attempt });
        // The attempts in flight may have ended before this one was parked and would not admit it.
        return { kind: 'over', userId: claim.userId };
      case 'send':
        return claim;
    }
  }

  /** Sends an attempt and records its result. Afterwards the user may have free capacity. */
  async sendAndRecord(attempt: ClaimedAttempt, lane: Lane): Promise<void> {
    const startedAt = performance.now();
    if (attempt.eventAgeMs !== null) this.parts.counters.observeFirstAttempt(attempt.eventAgeMs);
    const result = await this.send(attempt);
    const durationMs = performance.now() - startedAt;
    const recorded = await this.record(attempt, result, startedAt + this.parts.leaseMs);
    this.parts.counters.countAttempt(lane, recorded.kind, { error: result.error, durationMs });
    this.log(attempt, lane, result, recorded);
    if (recorded.kind !== 'retry') return;
    const next = { deliveryId: attempt.deliveryId, attempt: recorded.attempt, lane: recorded.lane };
    await this.parts.queue.add([next], recorded.delayMs);
  }

  private async send(attempt: ClaimedAttempt): Promise<AttemptResult> {
    const { deliveryId, claims } = attempt;
    try {
      if (claims <= CLAIMS_MAX) return await this.parts.sender.send(attempt);
      this.parts.logger.error(
        { event: 'attempt.abandoned', delivery_id: deliveryId, claims },
        'The attempt was claimed too often without a result; it counts as failed.',
      );
    } catch (error) {
      this.parts.logger.error(
        { event: 'attempt.failed_internally', err: error, delivery_id: deliveryId },
        'The attempt failed with an internal error.',
      );
    }
    return { error: 'internal', responseTimeMs: 0 };
  }

  /** Retries until the lease ends: a result that is not recorded means that the event is sent again. */
  private async record(
    attempt: ClaimedAttempt,
    result: AttemptResult,
    leaseEndsAt: number,
  ): Promise<RecordOutcome> {
    for (;;) {
      try {
        return await this.parts.deliveries.record(attempt, result);
      } catch (error) {
        if (performance.now() + RECORD_RETRY_MS >= leaseEndsAt) throw error;
        this.parts.logger.warn(
          { event: 'attempt.not_recorded', err: error, delivery_id: attempt.deliveryId },
          'Could not record the result of the attempt; trying again.',
        );
        await sleep(RECORD_RETRY_MS);
      }
    }
  }

  private log(attempt: ClaimedAttempt, lane: Lane, result: AttemptResult, recorded: RecordOutcome): void {
    this.parts.logger.debug(
      {
        event: 'attempt.recorded',
        delivery_id: attempt.deliveryId,
        webhook_id: attempt.webhookId,
        attempt: attempt.attempt,
        lane,
        status_code: result.statusCode,
        error: result.error,
        response_time_ms: result.responseTimeMs,
        outcome: recorded.kind,
      },
      'Recorded an attempt.',
    );
  }
}
