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

/** What a job leads to. */
export type JobOutcome =
  /** It is over, and there may be room for others of the user. */
  | { readonly kind: 'over'; readonly userId?: string }
  /** Another look in so many milliseconds. */
  | { readonly kind: 'again'; readonly inMs: number }
  /** The attempt is the caller's to carry out. */
  | { readonly kind: 'send'; readonly attempt: ClaimedAttempt };

/** One job is one attempt: claim, send, record, and a job for what comes next. */
export class AttemptRunner {
  constructor(private readonly parts: AttemptRunnerDependencies) {}

  /** `isAgain` where the job was added beside another of its attempt. */
  async claim(
    { delivery_id: deliveryId, attempt }: AttemptJob,
    lane: Lane,
    isAgain: boolean,
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
        // The other one may wait for long, by a clock that was wrong, and admission could add none until it is over.
        if (isAgain) await this.parts.queue.remove({ deliveryId, attempt });
        // What was in flight may have ended before it was parked, and would not wake it.
        return { kind: 'over', userId: claim.userId };
      case 'send':
        return claim;
    }
  }

  /** Sends and records; from then on the database may be asked what else there is room for. */
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
      this.parts.logger.error({ delivery_id: deliveryId, claims }, 'an attempt that never ended is given up');
    } catch (error) {
      this.parts.logger.error({ err: error, delivery_id: deliveryId }, 'an attempt could not be made');
    }
    return { error: 'internal', responseTimeMs: 0 };
  }

  /** What was sent and is not recorded will be sent again: hence more than one try, for as long as the lease holds. */
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
          { err: error, delivery_id: attempt.deliveryId },
          'an attempt is not recorded yet',
        );
        await sleep(RECORD_RETRY_MS);
      }
    }
  }

  private log(attempt: ClaimedAttempt, lane: Lane, result: AttemptResult, recorded: RecordOutcome): void {
    this.parts.logger.debug(
      {
        delivery_id: attempt.deliveryId,
        webhook_id: attempt.webhookId,
        attempt: attempt.attempt,
        lane,
        status_code: result.statusCode,
        error: result.error,
        response_time_ms: result.responseTimeMs,
        outcome: recorded.kind,
      },
      'attempted',
    );
  }
}
