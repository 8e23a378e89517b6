import type { ClaimedAttempt, Lane, WebhookDeliveriesService } from '@trading-automation/core/webhooks';
import type { AttemptJob, AttemptQueue } from './attempt-queue.js';
import type { AttemptRecorder } from './attempt-recorder.js';
import type { WebhookSender } from './webhook-sender.js';

/** The result of claiming a job's attempt. */
export type JobOutcome =
  /** The job is complete. If `userId` is set, this user may have capacity for another attempt. */
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

  /** Claims the attempt of a job. `isDuplicate`: the job is the second job of the attempt. */
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
        // Remove the first job, which a wrong clock may delay for a long time. While it exists, no job can be added.
        if (isDuplicate) await this.queue.remove({ deliveryId, attempt });
        // Return the user, whose capacity is then checked: if all attempts in flight ended before this one was parked,
        // no later end of a job would admit it.
        return { kind: 'over', userId: claim.userId };
      case 'send':
        return claim;
    }
  }

  /** Sends an attempt, records its result, and adds the job of a retry. Afterwards the user may have free capacity. */
  async sendAndRecord(attempt: ClaimedAttempt, lane: Lane): Promise<void> {
    const record = this.recorder.start(attempt, lane);
    const recorded = await record(await this.sender.sendAttempt(attempt));
    if (recorded.kind !== 'retry') return;
    const next = { deliveryId: attempt.deliveryId, attempt: recorded.attempt, lane: recorded.lane };
    await this.queue.add([next], recorded.delayMs);
  }
}
