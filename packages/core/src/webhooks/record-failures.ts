import { type DeliveryReason, webhook as webhookSchema } from '@trading-automation/contracts';
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

/** A failed attempt and its reason. */
export interface FailedAttempt {
  readonly attempt: ClaimedAttempt;
  readonly statusCode?: number | undefined;
  readonly error: DeliveryReason;
  readonly responseTimeMs: number;
  readonly responseBody?: string | undefined;
}

export type RecordOutcome =
  | { readonly kind: 'retry'; readonly attempt: number; readonly delayMs: number; readonly lane: Lane }
  | { readonly kind: 'ended' }
  /** The delivery ended, and its webhook was deactivated. */
  | { readonly kind: 'deactivated' }
  /** Another dispatcher has taken over the lease; nothing was written. */
  | { readonly kind: 'superseded' };

interface EvaluatedFailure {
  readonly failure: FailureRecord;
  readonly outcome: FailureOutcome;
}

/**
 * Records failed attempts and their consequences: next attempts, dead letters, consecutive failures and deactivations.
 * Evaluates the failures in input order, each from the webhook's state after the previous one. Returns the outcomes in
 * input order.
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
  const current = failed.filter(({ attempt }) => leased.has(attempt.deliveryId));
  const states = await lockWebhooks(tx, [...new Set(current.map(({ attempt }) => attempt.webhookId))]);
  const evaluated = current.map((attempt) => evaluateFailure(attempt, states, retryDelaysMs));
  await settleFailures(
    tx,
    evaluated.map(({ failure }) => failure),
  );
  await insertDeadLetters(tx, evaluated.flatMap(deadLettersOf));
  const deactivating = evaluated.filter(({ outcome }) => outcome.deactivates);
  const deactivatedIds = new Set(deactivating.map(({ failure }) => failure.attempt.webhookId));
  await storeWebhookStates(tx, states, deactivatedIds);
  for (const webhookId of deactivatedIds) await completeDeactivation(tx, webhookId);
  const recorded = new Map(current.map((attempt, index) => [attempt, toRecordOutcome(evaluated[index]!)]));
  return failed.map((attempt) => recorded.get(attempt) ?? { kind: 'superseded' });
}

/** Evaluates a failure, and updates the webhook's entry in `states`. */
function evaluateFailure(
  { attempt, ...failed }: FailedAttempt,
  states: Map<string, WebhookState>,
  retryDelaysMs: readonly number[],
): EvaluatedFailure {
  const state = states.get(attempt.webhookId)!;
  const outcome = afterFailure(attempt.attempt, state);
  states.set(attempt.webhookId, {
    isActive: state.isActive && !outcome.deactivates,
    isDeleted: state.isDeleted,
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

function toRecordOutcome({ failure, outcome }: EvaluatedFailure): RecordOutcome {
  const { attempt, delayMs } = failure;
  if (delayMs === null) return { kind: outcome.deactivates ? 'deactivated' : 'ended' };
  return {
    kind: 'retry',
    attempt: attempt.attempt + 1,
    delayMs,
    lane: laneAfter(outcome.consecutiveFailures),
  };
}

/** Moves a deactivated webhook's due deliveries to the dead letters, and emits `webhook.deactivated`. */
export async function completeDeactivation(tx: Tx, webhookId: string): Promise<void> {
  await deadLetterDueDeliveries(tx, webhookId);
  const webhook = await tx.findOneByOrFail(WebhookEntity, { id: webhookId });
  await emitEvent(tx, {
    userId: webhook.userId,
    type: 'webhook.deactivated',
    schema: webhookSchema,
    record: webhookView(webhook),
  });
}
