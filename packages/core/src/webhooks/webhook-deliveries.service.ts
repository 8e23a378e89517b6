import { type DeliveryError, webhook as webhookSchema } from '@trading-automation/contracts';
import { inTransaction, type Tx } from '@trading-automation/persistence';
import { announce } from '../announce.js';
import type { Platform } from '../platform.js';
import {
  abandonDelivery,
  type ClaimedAttempt,
  claimAttempt,
  INACTIVE,
  insertAttempt,
  insertDeadLetters,
  killDueDeliveries,
  listOverdue,
  lockLease,
  lockWebhook,
  lookAtDelivery,
  type OverdueDelivery,
  recordSuccess,
  settleDelivery,
} from './delivery.queries.js';
import { afterFailure, type FailureOutcome, RETRY_DELAYS_MS, retryDelayMs } from './delivery.rules.js';
import { WebhookEntity } from './webhook.entity.js';
import { webhookView } from './webhook.view.js';

/** How deliveries are paced; the application gives it, globally. */
export class DeliverySettings {
  constructor(
    /** Longer than an attempt may take and be recorded. */
    readonly leaseMs: number = 45_000,
    /** The waits before attempts 2 to 5. */
    readonly retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
  ) {}
}

export type Claim =
  | { readonly kind: 'send'; readonly attempt: ClaimedAttempt }
  /** Not yet due, or somebody else's for now: to be asked again then. */
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** Done already, or no longer wanted. */
  | { readonly kind: 'over' };

/** How an attempt ended; without `error` it succeeded. */
export interface AttemptResult {
  readonly statusCode?: number | undefined;
  readonly error?: DeliveryError | undefined;
  readonly responseTimeMs: number;
  /** At most 1 KiB of text that Postgres takes. */
  readonly responseBody?: string | undefined;
}

export type Recorded =
  | { readonly kind: 'retry'; readonly attempt: number; readonly delayMs: number }
  | { readonly kind: 'ended' }
  /** The lease had gone to another; nothing was written. */
  | { readonly kind: 'superseded' };

const DELETED = 'webhook_deleted';
/** A claim that lost to a change of the same moment looks again soon. */
const RECHECK_MS = 50;

/** The delivery side of webhooks: who sends what when, and what became of it. */
export class WebhookDeliveries {
  constructor(
    private readonly platform: Platform,
    private readonly settings: DeliverySettings,
  ) {}

  async claim(deliveryId: string, attempt: number): Promise<Claim> {
    const { database } = this.platform;
    const claimed = await claimAttempt(database, deliveryId, attempt, this.settings.leaseMs);
    if (claimed !== undefined) return { kind: 'send', attempt: claimed };
    const standing = await lookAtDelivery(database, deliveryId);
    if (standing === undefined || !standing.isOpen || standing.attempts !== attempt - 1)
      return { kind: 'over' };
    if (standing.isActive || standing.isLeased)
      return { kind: 'wait', waitMs: Math.max(standing.waitMs, RECHECK_MS) };
    await inTransaction(database, (tx) =>
      standing.isDeleted
        ? abandonDelivery(tx, deliveryId, 'DISCARDED', DELETED)
        : abandonDelivery(tx, deliveryId, 'DEAD', INACTIVE),
    );
    return { kind: 'over' };
  }

  /** Writes down an attempt with everything that follows from it, all or nothing. */
  async record(attempt: ClaimedAttempt, result: AttemptResult): Promise<Recorded> {
    const { error } = result;
    if (error === undefined) {
      const isRecorded = await recordSuccess(this.platform.database, attempt, result);
      return { kind: isRecorded ? 'ended' : 'superseded' };
    }
    return inTransaction(this.platform.database, async (tx) => {
      if (!(await lockLease(tx, attempt))) return { kind: 'superseded' };
      return this.recordFailure(tx, attempt, { ...result, error });
    });
  }

  /** What has no job and should have one. */
  async overdue(
    graceMs: number,
    limit: number,
    after?: OverdueDelivery,
  ): Promise<readonly OverdueDelivery[]> {
    return listOverdue(this.platform.database, graceMs, limit, after);
  }

  private async recordFailure(
    tx: Tx,
    attempt: ClaimedAttempt,
    result: AttemptResult & { error: DeliveryError },
  ): Promise<Recorded> {
    const outcome = afterFailure(attempt.attempt, await lockWebhook(tx, attempt.webhookId));
    const delayMs =
      outcome.delivery === 'DUE'
        ? retryDelayMs(this.settings.retryDelaysMs, attempt.attempt, Math.random())
        : null;
    const nextAttemptAt = await settleDelivery(tx, attempt.deliveryId, outcome.delivery, delayMs);
    await insertAttempt(tx, { ...attempt, ...result, nextAttemptAt });
    if (outcome.delivery === 'DEAD') {
      const error = outcome.isExhausted ? result.error : INACTIVE;
      await insertDeadLetters(tx, [attempt.deliveryId], { statusCode: result.statusCode, error });
    }
    await this.countFailure(tx, attempt.webhookId, outcome);
    return delayMs === null ? { kind: 'ended' } : { kind: 'retry', attempt: attempt.attempt + 1, delayMs };
  }

  private async countFailure(tx: Tx, webhookId: string, outcome: FailureOutcome): Promise<void> {
    await tx.query(
      `UPDATE webhooks SET consecutive_failures = $2, consecutive_dead_letters = $3, is_active = is_active AND NOT $4,
         deactivated_at = CASE WHEN $4 THEN clock_timestamp() ELSE deactivated_at END,
         deactivation_reason = CASE WHEN $4 THEN 'consecutive_failures' ELSE deactivation_reason END,
         updated_at = CASE WHEN $4 THEN clock_timestamp() ELSE updated_at END
       WHERE id = $1`,
      [webhookId, outcome.consecutiveFailures, outcome.consecutiveDeadLetters, outcome.deactivates],
    );
    if (!outcome.deactivates) return;
    await killDueDeliveries(tx, webhookId);
    const webhook = await tx.findOneByOrFail(WebhookEntity, { id: webhookId });
    await announce(tx, {
      userId: webhook.userId,
      type: 'webhook.deactivated',
      schema: webhookSchema,
      record: webhookView(webhook),
    });
  }
}
