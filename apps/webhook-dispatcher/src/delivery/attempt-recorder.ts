import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AttemptResult,
  ClaimedAttempt,
  Lane,
  RecordOutcome,
  WebhookDeliveriesService,
} from '@trading-automation/core/webhooks';
import type { Logger } from '@trading-automation/runtime';
import type { DeliveryCounters } from '../metrics/delivery-counters.js';

const RECORD_RETRY_MS = 500;

/** Records the results of attempts in Postgres, in the metrics and in the log. */
export class AttemptRecorder {
  constructor(
    private readonly deliveries: Pick<WebhookDeliveriesService, 'record'>,
    private readonly counters: DeliveryCounters,
    private readonly logger: Logger,
    private readonly leaseMs: number,
  ) {}

  /** Starts to measure an attempt. The returned function records the result and returns whether a retry follows. */
  start(attempt: ClaimedAttempt, lane: Lane): (result: AttemptResult) => Promise<RecordOutcome> {
    const startedAt = performance.now();
    if (attempt.eventAgeMs !== null) this.counters.observeFirstAttempt(attempt.eventAgeMs);
    return async (result) => {
      const durationMs = performance.now() - startedAt;
      const recorded = await this.store(attempt, result, startedAt + this.leaseMs);
      this.counters.countAttempt(lane, recorded.kind, { error: result.error, durationMs });
      this.log(attempt, lane, result, recorded);
      return recorded;
    };
  }

  /** Stores a result, and retries until the lease ends. If the result is not recorded, the event is sent again. */
  private async store(
    attempt: ClaimedAttempt,
    result: AttemptResult,
    leaseEndsAt: number,
  ): Promise<RecordOutcome> {
    for (;;) {
      try {
        return await this.deliveries.record(attempt, result);
      } catch (error) {
        if (performance.now() + RECORD_RETRY_MS >= leaseEndsAt) throw error;
        this.logger.warn(
          { event: 'attempt.not_recorded', err: error, delivery_id: attempt.deliveryId },
          'Could not record the result of the attempt; trying again.',
        );
        await sleep(RECORD_RETRY_MS);
      }
    }
  }

  private log(attempt: ClaimedAttempt, lane: Lane, result: AttemptResult, recorded: RecordOutcome): void {
    this.logger.debug(
      {
        event: 'attempt.recorded',
        delivery_id: attempt.deliveryId,
        webhook_id: attempt.webhookId,
        attempt: attempt.attempt,
        lane,
        status_code: result.statusCode,
        error: result.error,
        reason: result.reason,
        response_time_ms: result.responseTimeMs,
        outcome: recorded.kind,
      },
      'Recorded an attempt.',
    );
  }
}
