import { z } from 'zod';
import { EVENT_SELECTORS, EVENT_TYPES } from './events.js';
import { idGiven, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, text } from './operation.js';
import { rangeGiven } from './range.js';

export const DEACTIVATION_REASONS = ['consecutive_failures', 'user'] as const;
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
      .describe('`consecutive_failures`: by the service, after an outage; `user`: by your own hand.'),
    secret_last_rotated_at: instant,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof webhook>;

export const webhookWithSecret = webhook
  .extend({ secret: z.string().describe('Signing secret `whsec_…`: shown here alone, and never again.') })
  .meta({ id: 'WebhookWithSecret' });
export type WebhookWithSecret = z.output<typeof webhookWithSecret>;

const urlGiven = text({ max: 2048 }).describe('Where events are posted.');
const eventsGiven = z
  .array(
    z.string().refine((value) => EVENT_SELECTORS.includes(value), {
      error: 'Not a kind of event; use a kind, its subject with .* or *.',
    }),
  )
  .min(1)
  .max(100)
  .describe('Kinds of events, `trade.*`, or `*`.');
const descriptionGiven = text({ min: 0, max: 500 });

export const webhookCreate = z
  .strictObject({
    url: urlGiven,
    events: eventsGiven,
    description: descriptionGiven.default(''),
  })
  .meta({ id: 'WebhookCreate' });
export type WebhookCreate = z.output<typeof webhookCreate>;

export const webhookUpdate = z
  .strictObject({
    url: urlGiven.optional(),
    events: eventsGiven.optional(),
    description: descriptionGiven.optional(),
    is_active: z
      .boolean()
      .optional()
      .describe(
        'True takes it into use again and forgets its failures; false sends what is owed to it to the dead letters.',
      ),
  })
  .meta({ id: 'WebhookUpdate' });
export type WebhookUpdate = z.output<typeof webhookUpdate>;

/** Why an attempt failed. The receiver's address never appears in it. */
export const DELIVERY_ERRORS = [
  'dns_error',
  'blocked_address',
  'connect_refused',
  'connect_timeout',
  'tls_error',
  'timeout',
  'reset',
  'response_too_large',
  'http_status',
  'invalid_url',
  'internal',
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

export const DELIVERY_STATUSES = ['SUCCEEDED', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const run = z
  .number()
  .int()
  .nonnegative()
  .describe('0 is the first run of attempts, as a rule the automatic one; each retry or replay adds one.');

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
    error: z.enum(DELIVERY_ERRORS).optional(),
    response_time_ms: z.number().int().nonnegative(),
    response_body: z
      .string()
      .nullable()
      .describe('At most the first 1 KiB; null where the answer had no body, or none came.'),
    attempted_at: instant,
    next_attempt_at: instant.optional(),
    created_at: instant,
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.output<typeof delivery>;

/** A past event, to be sent to a webhook that may never have heard of it. */
export const webhookReplayAsked = z
  .strictObject({
    event_id: idGiven('evt').describe(
      'One of your events of the last 30 days, of any kind but `webhook.test`: whatever the webhook subscribes to, and also one from before it was there.',
    ),
  })
  .meta({ id: 'WebhookReplayAsked' });
export type WebhookReplayAsked = z.output<typeof webhookReplayAsked>;

export const webhookReplay = z
  .object({
    event_id: idOf('evt'),
    event_type: z.enum(EVENT_TYPES),
    run: run.describe('The run of up to five attempts that was begun; its deliveries have the same number.'),
  })
  .meta({ id: 'WebhookReplay' });
export type WebhookReplay = z.output<typeof webhookReplay>;

const path = z.object({ id: idGiven('whk') });

export const webhookOperations = {
  create: defineOperation({
    id: 'webhooks.create',
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Registers a receiver; the answer alone carries its signing secret.',
    access: 'ADMIN',
    body: webhookCreate,
    response: webhookWithSecret,
    status: 201,
    errors: ['limit_reached'],
  }),
  list: defineOperation({
    id: 'webhooks.list',
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'Your webhooks.',
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
    summary: 'One webhook.',
    access: 'READ',
    params: path,
    response: webhook,
    status: 200,
    errors: ['not_found'],
  }),
  update: defineOperation({
    id: 'webhooks.update',
    method: 'PATCH',
    path: '/v1/webhooks/:id',
    summary: 'Changes a webhook; the next attempt of what is owed to it uses what it says then.',
    access: 'ADMIN',
    params: path,
    body: webhookUpdate,
    response: webhook,
    status: 200,
    errors: ['not_found'],
  }),
  delete: defineOperation({
    id: 'webhooks.delete',
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    summary: 'Removes a webhook; nothing more is sent to it.',
    access: 'ADMIN',
    params: path,
    response: deletedOf(idOf('whk')),
    status: 200,
    errors: ['not_found'],
  }),
  rotateSecret: defineOperation({
    id: 'webhooks.rotateSecret',
    method: 'POST',
    path: '/v1/webhooks/:id/rotate-secret',
    summary: 'Gives a webhook a new signing secret; the old one signs nothing any more.',
    access: 'ADMIN',
    params: path,
    response: webhookWithSecret,
    status: 200,
    errors: ['not_found'],
  }),
  deliveries: defineOperation({
    id: 'webhooks.deliveries',
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries',
    summary: 'The attempts made for a webhook.',
    access: 'READ',
    params: path,
    query: z.strictObject({
      status: z.enum(DELIVERY_STATUSES).optional(),
      event_type: z.enum(EVENT_TYPES).optional(),
      event_id: idGiven('evt').optional(),
      ...rangeGiven('Deliveries count by created_at.'),
    }),
    list: { sorts: ['created_at', 'attempted_at'], limitDefault: 20 },
    response: delivery,
    status: 200,
    errors: ['not_found'],
  }),
  test: defineOperation({
    id: 'webhooks.test',
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    summary: 'Sends a test event once, and answers with that delivery whatever the receiver said.',
    access: 'ADMIN',
    params: path,
    response: delivery,
    status: 200,
    errors: ['not_found', 'service_unavailable'],
  }),
  replay: defineOperation({
    id: 'webhooks.replay',
    method: 'POST',
    path: '/v1/webhooks/:id/replay',
    summary: 'Sends a past event to a webhook: up to five attempts, with the same event id and bytes.',
    access: 'ADMIN',
    params: path,
    body: webhookReplayAsked,
    response: webhookReplay,
    status: 202,
    errors: ['not_found', 'invalid_state'],
  }),
} as const;
