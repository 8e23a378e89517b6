import { z } from 'zod';
import { decimal } from './decimal.js';
import { deliveryFailureFields } from './delivery-errors.js';
import { EVENT_SELECTORS, EVENT_TYPES } from './events.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, text } from './operation.js';
import { UPDATE } from './optional-fields.js';
import { rangeInput } from './range.js';

export const DEACTIVATION_REASONS = ['consecutive_failures', 'insecure_url', 'user'] as const;
export type DeactivationReason = (typeof DEACTIVATION_REASONS)[number];

export const webhook = z
  .object({
    id: idOf('whk'),
    url: z.string(),
    events: z.array(z.string()),
    description: z.string(),
    is_active: z.boolean(),
    consecutive_failures: z.number().int().nonnegative(),
    deactivated_at: instant.optional(),
    deactivation_reason: z
      .enum(DEACTIVATION_REASONS)
      .optional()
      .describe(
        '`consecutive_failures`: ten or more attempts in a row failed, at least one of them the last attempt of a delivery. `insecure_url`: its URL is not https, which the live world requires. `user`: you deactivated it.',
      ),
    secret_last_rotated_at: instant,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof webhook>;

export const webhookWithSecret = webhook
  .extend({
    secret: z
      .string()
      .describe('Signing secret (`whsec_…`). It is returned only in this response; store it securely.'),
  })
  .meta({ id: 'WebhookWithSecret' });
export type WebhookWithSecret = z.output<typeof webhookWithSecret>;

const urlInput = text({ max: 2048 }).describe('URL to which events are sent by POST.');
const eventsInput = z
  .array(
    z.string().refine((value) => EVENT_SELECTORS.includes(value), {
      error: 'Expected an event type, a subject with .* (like trade.*), or *.',
    }),
  )
  .min(1)
  .max(100)
  .describe('Event types to send: `trade.filled`, `trade.*`, or `*` for all.');
const descriptionInput = text({ min: 0, max: 500 });

export const webhookCreate = z
  .strictObject({
    url: urlInput,
    events: eventsInput,
    description: descriptionInput.default(''),
  })
  .meta({ id: 'WebhookCreate' });
export type WebhookCreate = z.output<typeof webhookCreate>;

export const webhookUpdate = z
  .strictObject({
    url: urlInput.optional(),
    events: eventsInput.optional(),
    description: descriptionInput.optional(),
    is_active: z
      .boolean()
      .optional()
      .describe(
        'True activates the webhook again and resets its failure count. False deactivates it and moves its pending deliveries to the dead letters.',
      ),
  })
  .meta({ id: 'WebhookUpdate', ...UPDATE });
export type WebhookUpdate = z.output<typeof webhookUpdate>;

export const DELIVERY_STATUSES = ['SUCCEEDED', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const run = z
  .number()
  .int()
  .nonnegative()
  .describe(
    'Number of the run of attempts. Run 0 is the automatic delivery, or the first replay if there was no automatic delivery. Each later retry or replay adds 1.',
  );

/** One attempt to deliver an event. */
export const delivery = z
  .object({
    id: idOf('dlv'),
    event_id: idOf('evt'),
    event_type: z.enum(EVENT_TYPES),
    run,
    attempt: z.number().int().min(1).max(5),
    status: z.enum(DELIVERY_STATUSES),
    status_code: z.number().int().optional(),
    ...deliveryFailureFields,
    request_headers: z
      .array(z.object({ name: z.string(), value: z.string() }).meta({ id: 'RequestHeader' }))
      .describe('The headers of the request, without the value of the signature.'),
    response_time_ms: z.number().int().nonnegative(),
    response_body: z
      .string()
      .nullable()
      .describe(
        'The first 1 KiB of the response body. A gzip, deflate or br body is decoded first. Null if there was no response, no body, or a body that cannot be decoded.',
      ),
    attempted_at: instant,
    next_attempt_at: instant.optional(),
    created_at: instant,
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.output<typeof delivery>;

const attemptStats = z
  .object({
    attempts: z.number().int().nonnegative(),
    succeeded: z.number().int().nonnegative(),
    failed: z.number().int().nonnegative(),
    success_rate: decimal
      .nullable()
      .describe('Share of the attempts that succeeded, in percent. Null without attempts.'),
    p95_response_time_ms: z
      .number()
      .int()
      .nonnegative()
      .nullable()
      .describe('Time within which 95 % of the attempts ended. Null without attempts.'),
  })
  .meta({ id: 'WebhookAttemptStats' });

export const webhookStats = z
  .object({ last_24_hours: attemptStats, last_7_days: attemptStats })
  .meta({ id: 'WebhookStats' });
export type WebhookStats = z.output<typeof webhookStats>;

/** The body of a request to replay: the past event to send to a webhook, even if the webhook never received it. */
export const webhookReplayAsked = z
  .strictObject({
    event_id: idInput('evt').describe(
      'One of your events of the last 30 days, of any type except `webhook.test`. The webhook does not need to subscribe to it, and the event may be older than the webhook.',
    ),
  })
  .meta({ id: 'WebhookReplayAsked' });
export type WebhookReplayAsked = z.output<typeof webhookReplayAsked>;

export const webhookReplay = z
  .object({
    event_id: idOf('evt'),
    event_type: z.enum(EVENT_TYPES),
    run: run.describe(
      'Number of the started run of up to five attempts. Its deliveries have the same number.',
    ),
  })
  .meta({ id: 'WebhookReplay' });
export type WebhookReplay = z.output<typeof webhookReplay>;

const pathParams = z.object({ id: idInput('whk') });

export const webhookOperations = {
  create: defineOperation({
    id: 'webhooks.create',
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Creates a webhook. Its signing secret is returned only in this response.',
    access: 'ADMIN',
    body: webhookCreate,
    response: webhookWithSecret,
    returnsSecret: true,
    status: 201,
    errors: ['limit_reached'],
  }),
  list: defineOperation({
    id: 'webhooks.list',
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'Lists your webhooks.',
    access: 'READ',
    list: { sorts: ['created_at', 'updated_at'], limitDefault: 20 },
    response: webhook,
    status: 200,
    errors: [],
  }),
  get: defineOperation({
    id: 'webhooks.get',
    method: 'GET',
    path: '/v1/webhooks/:id',
    summary: 'Returns a webhook.',
    access: 'READ',
    params: pathParams,
    response: webhook,
    status: 200,
    errors: ['not_found'],
  }),
  update: defineOperation({
    id: 'webhooks.update',
    method: 'PATCH',
    path: '/v1/webhooks/:id',
    summary: 'Updates a webhook. The next attempts of pending deliveries use the new values.',
    access: 'ADMIN',
    params: pathParams,
    body: webhookUpdate,
    response: webhook,
    status: 200,
    errors: ['not_found'],
  }),
  delete: defineOperation({
    id: 'webhooks.delete',
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    summary: 'Deletes a webhook. No more events are sent to it.',
    access: 'ADMIN',
    params: pathParams,
    response: deletedOf(idOf('whk')),
    status: 200,
    errors: ['not_found'],
  }),
  rotateSecret: defineOperation({
    id: 'webhooks.rotateSecret',
    method: 'POST',
    path: '/v1/webhooks/:id/rotate-secret',
    summary: "Replaces a webhook's signing secret. The old secret is no longer used.",
    access: 'ADMIN',
    params: pathParams,
    response: webhookWithSecret,
    returnsSecret: true,
    status: 200,
    errors: ['not_found'],
  }),
  deliveries: defineOperation({
    id: 'webhooks.deliveries',
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries',
    summary: "Lists a webhook's delivery attempts.",
    access: 'READ',
    params: pathParams,
    query: z.strictObject({
      status: z.enum(DELIVERY_STATUSES).optional(),
      event_type: z.enum(EVENT_TYPES).optional(),
      event_id: idInput('evt').optional(),
      ...rangeInput('Filters deliveries by created_at.'),
    }),
    list: { sorts: ['created_at', 'attempted_at'], limitDefault: 20 },
    response: delivery,
    status: 200,
    errors: ['not_found'],
  }),
  stats: defineOperation({
    id: 'webhooks.stats',
    method: 'GET',
    path: '/v1/webhooks/:id/stats',
    summary: "Returns how many of a webhook's delivery attempts succeeded, and how long they took.",
    access: 'READ',
    params: pathParams,
    response: webhookStats,
    status: 200,
    errors: ['not_found'],
  }),
  test: defineOperation({
    id: 'webhooks.test',
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    summary: 'Sends a test event once and returns the delivery, even if the receiver failed.',
    access: 'ADMIN',
    isRemote: true,
    bucket: 'webhook_tests',
    params: pathParams,
    response: delivery,
    status: 200,
    errors: ['not_found', 'service_unavailable'],
  }),
  replay: defineOperation({
    id: 'webhooks.replay',
    method: 'POST',
    path: '/v1/webhooks/:id/replay',
    summary: 'Sends a past event to a webhook, with the same event id and payload, in up to five attempts.',
    access: 'ADMIN',
    params: pathParams,
    body: webhookReplayAsked,
    response: webhookReplay,
    status: 202,
    errors: ['not_found', 'invalid_state'],
  }),
} as const;
