import type { ClaimedAttempt, Lane, WebhookDeliveriesService } from '@trading-automation/core/webhooks';
import type { AttemptJob, AttemptQueue } from './attempt-queue.js';
import type { AttemptRecorder } from './attempt-recorder.js';
import type { WebhookSender } from './webhook-sender.js';

/** The result of claiming a job's attempt. */
export type JobOutcome =
  /** The job is complete. If a user is set, the user may have free capacity. */
  | { readonly kind: 'over'; readonly userId?: string }
  /** The job must run again in `inMs`. */
  | { readonly kind: 'again'; readonly inMs: number }
  /** The attempt is claimed and must be sent. */
  | { readonly kind: 'send'; readonly attempt: ClaimedAttempt };

/** Runs the attempt of a job: claims, sends and records it, and adds the job of the next attempt. */
export class AttemptRunner {
  constructor(
    private readonly deliveries: Pick<WebhookDeliveriesService, 'claim'>,
    private readonly queue: AttemptQueue,
    private readonly sender: WebhookSender,
    private readonly recorder: AttemptRecorder,
  ) {}

  /** Claims a job's attempt. `isDuplicate` says whether this is the second job of the attempt. */
  async claim(
    { delivery_id: deliveryId, attempt }: AttemptJob,
    lane: Lane,
    isDuplicate: boolean,
  ): Promise<JobOutcome> {
    const claim = await this.deliveries.claim(deliveryId, attempt, lane);
    switch (claim.kind) {
      case 'over':
        return { kind: 'over' };
      case 'wait':
        return { kind: 'again', inMs: claim.waitMs };
      case 'slow':
        await this.queue.add([{ deliveryId, attempt, lane: 'slow' }]);
        return { kind: 'over' };
      case 'parked':
        // A wrong clock may delay the original job for long. Until it is complete, admission could not add another job.
        if (isDuplicate) await this.queue.remove({ deliveryId, attempt });
        // The attempts in flight may have ended before this one was parked, and would then not admit it.
        return { kind: 'over', userId: claim.userId };
      case 'send':
        return claim;
    }
  }

  /** Sends an attempt and records its result. Afterwards the user may have free capacity. */
  async sendAndRecord(attempt: ClaimedAttempt, lane: Lane): Promise<void> {
    const record = this.recorder.start(attempt, lane);
    const recorded = await record(await this.sender.sendAttempt(attempt));
    if (recorded.kind !== 'retry') return;
    const next = { deliveryId: attempt.deliveryId, attempt: recorded.attempt, lane: recorded.lane };
    await this.queue.add([next], recorded.delayMs);
  }
}
