import { z } from 'zod';
import { EVENT_SELECTORS, EVENT_TYPES } from './events.js';
import { idGiven, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, text } from './operation.js';

export const webhook = z
  .object({
    id: idOf('whk'),
    url: z.string(),
    events: z.array(z.string()),
    description: z.string(),
    is_active: z.boolean(),
    consecutive_failures: z.number().int().nonnegative(),
    deactivated_at: instant.optional(),
    deactivation_reason: z.string().optional(),
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

export const webhookCreate = z
  .strictObject({
    url: text({ max: 2048 }).describe('Where events are posted.'),
    events: z
      .array(
        z.string().refine((value) => EVENT_SELECTORS.includes(value), {
          error: 'Not a kind of event; use a kind, its subject with .* or *.',
        }),
      )
      .min(1)
      .max(100)
      .describe('Kinds of events, `trade.*`, or `*`.'),
    description: text({ min: 0, max: 500 }).default(''),
  })
  .meta({ id: 'WebhookCreate' });
export type WebhookCreate = z.output<typeof webhookCreate>;

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

/** One attempt to deliver an event. */
export const delivery = z
  .object({
    id: idOf('dlv'),
    event_id: idOf('evt'),
    event_type: z.enum(EVENT_TYPES),
    run: z.number().int().nonnegative().describe('0 is the automatic run; each retry or replay adds one.'),
    attempt: z.number().int().min(1).max(5),
    status: z.enum(['SUCCEEDED', 'FAILED']),
    status_code: z.number().int().optional(),
    error: z.enum(DELIVERY_ERRORS).optional(),
    response_time_ms: z.number().int().nonnegative(),
    response_body: z.string().optional().describe('At most the first 1 KiB.'),
    attempted_at: instant,
    next_attempt_at: instant.optional(),
    created_at: instant,
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.output<typeof delivery>;

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
  deliveries: defineOperation({
    id: 'webhooks.deliveries',
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries',
    summary: 'The attempts made for a webhook.',
    access: 'READ',
    params: path,
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
} as const;
