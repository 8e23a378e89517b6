/** Operations that read stored events: the list, one event, the stream and the event types. */
import { z } from 'zod';
import { eventCatalogue, storedEvent } from './event-catalogue.js';
import { EVENT_SELECTORS } from './events.js';
import { idInput } from './ids.js';
import { defineOperation, text } from './operation.js';

const pathParams = z.object({ id: idInput('evt') });

const selector = z
  .string()
  .refine((value) => EVENT_SELECTORS.includes(value), {
    error: 'Expected an event type, a subject with .* (like trade.*), or *.',
  })
  .describe('Returns only these events: a type (`trade.filled`), a subject (`trade.*`), or `*`.');

export const eventOperations = {
  list: defineOperation({
    id: 'events.list',
    method: 'GET',
    path: '/v1/events',
    summary: 'Lists your events of the last 30 days.',
    access: 'READ',
    query: z.strictObject({ type: selector.optional() }),
    list: { sorts: ['created_at'], limitDefault: 20 },
    response: storedEvent,
    status: 200,
    errors: [],
  }),
  stream: defineOperation({
    id: 'events.stream',
    method: 'GET',
    path: '/v1/events/stream',
    summary: 'Streams your events as server-sent events. Last-Event-ID resumes after that event.',
    access: 'READ',
    query: z.strictObject({
      type: selector.optional(),
      last_event_id: text({ max: 100 })
        .optional()
        .describe('The `event_id` after which the stream starts. The Last-Event-ID header takes precedence.'),
    }),
    stream: true,
    response: storedEvent,
    status: 200,
    errors: [],
  }),
  types: defineOperation({
    id: 'events.types',
    method: 'GET',
    path: '/v1/events/types',
    summary: 'Lists the event types, each with the JSON Schema of its payload and a sample.',
    access: 'READ',
    query: z.strictObject({ type: selector.optional() }),
    response: eventCatalogue,
    status: 200,
    errors: [],
  }),
  get: defineOperation({
    id: 'events.get',
    method: 'GET',
    path: '/v1/events/:id',
    summary: 'Returns an event of the last 30 days.',
    access: 'READ',
    params: pathParams,
    response: storedEvent,
    status: 200,
    errors: ['not_found'],
  }),
} as const;
