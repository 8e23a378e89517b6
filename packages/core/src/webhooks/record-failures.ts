import { type DeliveryError, webhook as webhookSchema } from '@trading-automation/contracts';
import type { Tx } from '@trading-automation/persistence';
import { emitEvent } from '../operations/index.js';
import {
  type ClaimedAttempt,
  deadLetterDueDeliveries,
  insertDeadLetters,
  type Lane,
  WEBHOOK_INACTIVE,
} from './delivery.queries.js';
import {
  afterFailure,
  type FailureOutcome,
  laneAfter,
  retryDelayMs,
  type WebhookState,
} from './delivery.rules.js';
import {
  type FailureRecord,
  lockLeases,
  lockWebhooks,
  settleFailures,
  storeWebhookStates,
} from './failure.queries.js';
import { WebhookEntity } from './webhook.entity.js';
import { webhookView } from './webhook.view.js';

/** An attempt that failed, and how. */
export interface FailedAttempt {
  readonly attempt: ClaimedAttempt;
  readonly statusCode?: number | undefined;
  readonly error: DeliveryError;
  readonly responseTimeMs: number;
  readonly responseBody?: string | undefined;
}

export type RecordOutcome =
  | { readonly kind: 'retry'; readonly attempt: number; readonly delayMs: number; readonly lane: Lane }
  | { readonly kind: 'ended' }
  /** The delivery ended, and took its webhook out of use. */
  | { readonly kind: 'deactivated' }
  /** The lease had gone to another; nothing was written. */
  | { readonly kind: 'superseded' };

interface EvaluatedFailure {
  readonly failure: FailureRecord;
  readonly outcome: FailureOutcome;
}

/**
 * Writes down attempts that failed with everything that follows from them, one after the other as their webhooks stand
 * by then: next attempts, dead letters, failures in a row, and webhooks that are out with that. Answers in their order.
 */
export async function recordFailures(
  tx: Tx,
  failed: readonly FailedAttempt[],
  retryDelaysMs: readonly number[],
): Promise<readonly RecordOutcome[]> {
  const leased = await lockLeases(
    tx,
    failed.map(({ attempt }) => attempt),
  );
  const ours = failed.filter(({ attempt }) => leased.has(attempt.deliveryId));
  const standings = await lockWebhooks(tx, [...new Set(ours.map(({ attempt }) => attempt.webhookId))]);
  const judged = ours.map((each) => evaluateFailure(each, standings, retryDelaysMs));
  await settleFailures(
    tx,
    judged.map(({ failure }) => failure),
  );
  await insertDeadLetters(tx, judged.flatMap(deadLettersOf));
  const out = judged.filter(({ outcome }) => outcome.deactivates);
  const outIds = new Set(out.map(({ failure }) => failure.attempt.webhookId));
  await storeWebhookStates(tx, standings, outIds);
  for (const webhookId of outIds) await deactivateWebhook(tx, webhookId);
  const recorded = new Map(ours.map((each, index) => [each, toRecorded(judged[index]!)]));
  return failed.map((each) => recorded.get(each) ?? { kind: 'superseded' });
}

/** What follows from a failure; the webhook stands by it from then on. */
function evaluateFailure(
  { attempt, ...failed }: FailedAttempt,
  standings: Map<string, WebhookState>,
  retryDelaysMs: readonly number[],
): EvaluatedFailure {
  const standing = standings.get(attempt.webhookId)!;
  const outcome = afterFailure(attempt.attempt, standing);
  standings.set(attempt.webhookId, {
    isActive: standing.isActive && !outcome.deactivates,
    isDeleted: standing.isDeleted,
    consecutiveFailures: outcome.consecutiveFailures,
    consecutiveDeadLetters: outcome.consecutiveDeadLetters,
  });
  const delayMs =
    outcome.delivery === 'DUE' ? retryDelayMs(retryDelaysMs, attempt.attempt, Math.random()) : null;
  return { failure: { ...failed, attempt, delivery: outcome.delivery, delayMs }, outcome };
}

function deadLettersOf({ failure, outcome }: EvaluatedFailure) {
  if (failure.delivery !== 'DEAD') return [];
  const { attempt, statusCode, error } = failure;
  return [
    { deliveryId: attempt.deliveryId, statusCode, error: outcome.isExhausted ? error : WEBHOOK_INACTIVE },
  ];
}

function toRecorded({ failure, outcome }: EvaluatedFailure): RecordOutcome {
  const { attempt, delayMs } = failure;
  if (delayMs === null) return { kind: outcome.deactivates ? 'deactivated' : 'ended' };
  return {
    kind: 'retry',
    attempt: attempt.attempt + 1,
    delayMs,
    lane: laneAfter(outcome.consecutiveFailures),
  };
}

/** Everything still owed to it goes to the dead letters, and its user hears of it. */
async function deactivateWebhook(tx: Tx, webhookId: string): Promise<void> {
  await deadLetterDueDeliveries(tx, webhookId);
  const webhook = await tx.findOneByOrFail(WebhookEntity, { id: webhookId });
  await emitEvent(tx, {
    userId: webhook.userId,
    type: 'webhook.deactivated',
    schema: webhookSchema,
    record: webhookView(webhook),
  });
}
