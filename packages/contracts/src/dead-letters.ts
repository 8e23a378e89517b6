import { z } from 'zod';
import { storedEvent } from './event-catalogue.js';
import { EVENT_TYPES } from './events.js';
import { idGiven, idOf } from './ids.js';
import { defineOperation, deletedOf, instant } from './operation.js';
import { rangeGiven, refuseEmptyRange } from './range.js';
import { DELIVERY_ERRORS } from './webhooks.js';

export const DEAD_LETTER_STATUSES = ['PENDING', 'RETRIED', 'DISCARDED'] as const;
export type DeadLetterStatus = (typeof DEAD_LETTER_STATUSES)[number];

/** Why a delivery ended that had attempts left. */
const ABANDONMENTS = ['webhook_inactive'] as const;

/** A delivery that was given up. */
export const deadLetter = z
  .object({
    id: idOf('dlq'),
    event_id: idOf('evt'),
    event_type: z.enum(EVENT_TYPES),
    run: z.number().int().nonnegative().describe('The run of attempts that failed, as in the deliveries.'),
    status: z
      .enum(DEAD_LETTER_STATUSES)
      .describe(
        'RETRIED: sent again by a new run. What comes of that run is a delivery, or another dead letter.',
      ),
    attempts: z.number().int().min(0).max(5).describe('How many were made.'),
    last_status_code: z.number().int().optional(),
    last_error: z
      .enum([...DELIVERY_ERRORS, ...ABANDONMENTS])
      .optional()
      .describe('Why the last attempt failed; `webhook_inactive` where the rest was not made at all.'),
    resolved_at: instant.optional().describe('When it was retried or discarded.'),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetter = z.output<typeof deadLetter>;

export const deadLetterDetail = deadLetter
  .extend({ payload: storedEvent.describe('The event, as it was sent each time.') })
  .meta({ id: 'DeadLetterDetail' });
export type DeadLetterDetail = z.output<typeof deadLetterDetail>;

const count = z.number().int().nonnegative();
export const deadLetterStats = z
  .object({ pending: count, retried: count, discarded: count })
  .meta({ id: 'DeadLetterStats' });
export type DeadLetterStats = z.output<typeof deadLetterStats>;

/** Most dead letters that one call retries. */
export const DEAD_LETTERS_RETRIED_MAX = 10_000;

export const deadLetterRetryAsked = z
  .strictObject({
    ...rangeGiven('Dead letters count by created_at.'),
    event_type: z.enum(EVENT_TYPES).optional(),
  })
  .superRefine(refuseEmptyRange)
  .meta({ id: 'DeadLetterRetryAsked' });
export type DeadLetterRetryAsked = z.output<typeof deadLetterRetryAsked>;

export const deadLetterRetry = z
  .object({
    retried: count.describe(
      `How many are being sent again: the oldest first, at most ${DEAD_LETTERS_RETRIED_MAX} by one call.`,
    ),
    has_more: z.boolean().describe('Whether some of those asked for are still pending: call again.'),
  })
  .meta({ id: 'DeadLetterRetry' });
export type DeadLetterRetry = z.output<typeof deadLetterRetry>;

const webhookPath = z.object({ id: idGiven('whk') });
const deadLetterPath = webhookPath.extend({ dlq_id: idGiven('dlq') });

export const deadLetterOperations = {
  list: defineOperation({
    id: 'deadLetters.list',
    method: 'GET',
    path: '/v1/webhooks/:id/dead-letters',
    summary: "A webhook's dead letters: deliveries that were given up.",
    access: 'READ',
    params: webhookPath,
    query: z.strictObject({
      status: z.enum(DEAD_LETTER_STATUSES).optional(),
      event_type: z.enum(EVENT_TYPES).optional(),
      ...rangeGiven('Dead letters count by created_at.'),
    }),
    list: { sorts: ['created_at', 'updated_at'], limitDefault: 20 },
    response: deadLetter,
    status: 200,
    errors: ['not_found'],
  }),
  stats: defineOperation({
    id: 'deadLetters.stats',
    method: 'GET',
    path: '/v1/webhooks/:id/dead-letters/stats',
    summary: "How many of a webhook's dead letters are pending, retried and discarded.",
    access: 'READ',
    params: webhookPath,
    response: deadLetterStats,
    status: 200,
    errors: ['not_found'],
  }),
  get: defineOperation({
    id: 'deadLetters.get',
    method: 'GET',
    path: '/v1/webhooks/:id/dead-letters/:dlq_id',
    summary: 'One dead letter, with its payload.',
    access: 'READ',
    params: deadLetterPath,
    response: deadLetterDetail,
    status: 200,
    errors: ['not_found'],
  }),
  retry: defineOperation({
    id: 'deadLetters.retry',
    method: 'POST',
    path: '/v1/webhooks/:id/dead-letters/:dlq_id/retry',
    summary: 'Sends a pending dead letter again: up to five attempts, with the same event id and bytes.',
    access: 'ADMIN',
    params: deadLetterPath,
    response: deadLetterDetail,
    status: 202,
    errors: ['not_found', 'invalid_state'],
  }),
  retryMany: defineOperation({
    id: 'deadLetters.retryMany',
    method: 'POST',
    path: '/v1/webhooks/:id/dead-letters/retry',
    summary: 'Sends the pending dead letters of a webhook again: all of them, of a range, or of a kind.',
    access: 'ADMIN',
    params: webhookPath,
    body: deadLetterRetryAsked,
    response: deadLetterRetry,
    status: 202,
    errors: ['not_found', 'invalid_state'],
  }),
  discard: defineOperation({
    id: 'deadLetters.discard',
    method: 'DELETE',
    path: '/v1/webhooks/:id/dead-letters/:dlq_id',
    summary: 'Gives a pending dead letter up; it stays readable.',
    access: 'ADMIN',
    params: deadLetterPath,
    response: deletedOf(idOf('dlq')),
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
} as const;
