import { z } from 'zod';
import { idGiven, idOf } from './ids.js';
import { defineOperation, instant, text } from './operation.js';
import { stored } from './stored-json.js';

/** Every kind of event, in the order of the published list. */
export const EVENT_TYPES = [
  'trade.created',
  'trade.partially_filled',
  'trade.filled',
  'trade.cancelled',
  'trade.failed',
  'trade.closed',
  'copier.started',
  'copier.stopped',
  'copier.trade_skipped',
  'exchange.synced',
  'exchange.sync_failed',
  'reward.granted',
  'reward.claimed',
  'withdrawal.created',
  'withdrawal.completed',
  'withdrawal.cancelled',
  'withdrawal.failed',
  'webhook.test',
  'webhook.deactivated',
  'copier.drift',
  'exchange.credentials_rejected',
  'key.created',
  'key.revoked',
  'public_key.linked',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Most bytes that a payload may have; over that, long lists are cut and `truncated` says so. */
export const EVENT_PAYLOAD_MAX_BYTES = 64 * 1024;

/** What a webhook receives, byte for byte the same on every attempt. */
export const event = z
  .object({
    event_id: idOf('evt'),
    type: z.enum(EVENT_TYPES),
    timestamp: instant,
    data: z
      .record(z.string(), z.unknown())
      .describe(
        'The record as REST shows it; stored as it was sent, so its decimals are numbers in any form of answer.',
      ),
    truncated: z.literal(true).optional(),
  })
  .meta({ id: 'Event' });
export type Event = z.output<typeof event>;

const SUBJECTS = [...new Set(EVENT_TYPES.map((type) => type.slice(0, type.indexOf('.'))))];

/** What a webhook may subscribe to: a kind, `subject.*`, or `*`. */
export const EVENT_SELECTORS: readonly string[] = [
  '*',
  ...SUBJECTS.map((subject) => `${subject}.*`),
  ...EVENT_TYPES,
];

/** The kinds that a selector covers; none for what is no selector. */
export function typesOf(selector: string): readonly EventType[] {
  return EVENT_TYPES.filter((type) => isSubscribed([selector], type));
}

/** True where one of a webhook's selectors covers the kind. */
export function isSubscribed(selectors: readonly string[], type: EventType): boolean {
  const wildcard = `${type.slice(0, type.indexOf('.'))}.*`;
  return selectors.some((selector) => selector === '*' || selector === type || selector === wildcard);
}

/** How long events can be read. */
export const EVENTS_KEPT_DAYS = 30;
/** Most streams that one credential may have open at once. */
export const EVENT_STREAMS_MAX = 5;

const path = z.object({ id: idGiven('evt') });

const selector = z
  .string()
  .refine((value) => EVENT_SELECTORS.includes(value), {
    error: 'Not a kind of event; use a kind, its subject with .*, or *.',
  })
  .describe('Only these: a kind (`trade.filled`), `trade.*`, or `*`.');

/** Answered byte for byte as webhooks receive it: decimals are numbers, also for who asks for strings. */
const answered = stored(event);

export const eventOperations = {
  list: defineOperation({
    id: 'events.list',
    method: 'GET',
    path: '/v1/events',
    summary: 'Your events of the last 30 days.',
    access: 'READ',
    query: z.strictObject({ type: selector.optional() }),
    list: { sorts: ['created_at'], limitDefault: 20 },
    response: answered,
    status: 200,
    errors: [],
  }),
  stream: defineOperation({
    id: 'events.stream',
    method: 'GET',
    path: '/v1/events/stream',
    summary: 'Your events as they happen, as server-sent events; Last-Event-ID resumes after that event.',
    access: 'READ',
    query: z.strictObject({
      type: selector.optional(),
      last_event_id: text({ max: 100 })
        .optional()
        .describe('An `event_id`: begin after that event. The header Last-Event-ID goes before it.'),
    }),
    stream: true,
    response: answered,
    status: 200,
    errors: [],
  }),
  get: defineOperation({
    id: 'events.get',
    method: 'GET',
    path: '/v1/events/:id',
    summary: 'One event of the last 30 days.',
    access: 'READ',
    params: path,
    response: answered,
    status: 200,
    errors: ['not_found'],
  }),
} as const;
