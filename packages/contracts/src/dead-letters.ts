import { z } from 'zod';
import { deadLetterFailureFields } from './delivery-errors.js';
import { storedEvent } from './event-catalogue.js';
import { EVENT_TYPES } from './events.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, deletedOf, instant } from './operation.js';
import { rangeInput, rejectEmptyRange } from './range.js';

export const DEAD_LETTER_STATUSES = ['PENDING', 'RETRIED', 'DISCARDED'] as const;
export type DeadLetterStatus = (typeof DEAD_LETTER_STATUSES)[number];

/** A delivery that failed permanently or was abandoned. */
export const deadLetter = z
  .object({
    id: idOf('dlq'),
    event_id: idOf('evt'),
    event_type: z.enum(EVENT_TYPES),
    run: z
      .number()
      .int()
      .nonnegative()
      .describe('Number of the run whose attempts failed. The deliveries of this run have the same number.'),
    status: z
      .enum(DEAD_LETTER_STATUSES)
      .describe(
        'PENDING: can be retried or discarded. RETRIED: sent again in a new run, which may end in another dead letter. DISCARDED: will not be sent again.',
      ),
    attempts: z.number().int().min(0).max(5).describe('Number of attempts made.'),
    last_status_code: z.number().int().optional(),
    ...deadLetterFailureFields,
    resolved_at: instant.optional().describe('Time at which the dead letter was retried or discarded.'),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetter = z.output<typeof deadLetter>;

export const deadLetterDetail = deadLetter
  .extend({ payload: storedEvent.describe('The event, exactly as it was sent in each attempt.') })
  .meta({ id: 'DeadLetterDetail' });
export type DeadLetterDetail = z.output<typeof deadLetterDetail>;

const count = z.number().int().nonnegative();
export const deadLetterStats = z
  .object({ pending: count, retried: count, discarded: count })
  .meta({ id: 'DeadLetterStats' });
export type DeadLetterStats = z.output<typeof deadLetterStats>;

/** Maximum number of dead letters that one call retries. */
export const DEAD_LETTERS_RETRIED_MAX = 10_000;

export const deadLetterRetryAsked = z
  .strictObject({
    ...rangeInput('Filters dead letters by created_at.'),
    event_type: z.enum(EVENT_TYPES).optional(),
  })
  .superRefine(rejectEmptyRange)
  .meta({ id: 'DeadLetterRetryAsked' });
export type DeadLetterRetryAsked = z.output<typeof deadLetterRetryAsked>;

export const deadLetterRetry = z
  .object({
    retried: count.describe(
      `Number of dead letters being retried: oldest first, at most ${DEAD_LETTERS_RETRIED_MAX} per call.`,
    ),
    has_more: z
      .boolean()
      .describe('True if matching dead letters are still pending. Call again to retry them.'),
  })
  .meta({ id: 'DeadLetterRetry' });
export type DeadLetterRetry = z.output<typeof deadLetterRetry>;

const webhookPath = z.object({ id: idInput('whk') });
const deadLetterPath = webhookPath.extend({ dlq_id: idInput('dlq') });

export const deadLetterOperations = {
  list: defineOperation({
    id: 'deadLetters.list',
    method: 'GET',
    path: '/v1/webhooks/:id/dead-letters',
    summary: "Lists a webhook's dead letters: deliveries that failed permanently.",
    access: 'READ',
    params: webhookPath,
    query: z.strictObject({
      status: z.enum(DEAD_LETTER_STATUSES).optional(),
      event_type: z.enum(EVENT_TYPES).optional(),
      ...rangeInput('Filters dead letters by created_at.'),
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
    summary: "Returns the number of a webhook's dead letters that are pending, retried and discarded.",
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
    summary: 'Returns a dead letter with its payload.',
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
    summary:
      'Retries a pending dead letter in up to five attempts. The event id and the payload do not change.',
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
    summary: "Retries a webhook's pending dead letters. Filter them by time range or event type.",
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
    summary: 'Discards a pending dead letter. It remains readable.',
    access: 'ADMIN',
    params: deadLetterPath,
    response: deletedOf(idOf('dlq')),
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
} as const;
