/** Events as they can be read again: the list, one of them, the stream, and what kinds there are. */
import { z } from 'zod';
import { eventCatalogue, storedEvent } from './event-catalogue.js';
import { EVENT_SELECTORS } from './events.js';
import { idGiven } from './ids.js';
import { defineOperation, text } from './operation.js';

const path = z.object({ id: idGiven('evt') });

const selector = z
  .string()
  .refine((value) => EVENT_SELECTORS.includes(value), {
    error: 'Not a kind of event; use a kind, its subject with .*, or *.',
  })
  .describe('Only these: a kind (`trade.filled`), `trade.*`, or `*`.');

export const eventOperations = {
  list: defineOperation({
    id: 'events.list',
    method: 'GET',
    path: '/v1/events',
    summary: 'Your events of the last 30 days.',
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
    summary: 'Your events as they happen, as server-sent events; Last-Event-ID resumes after that event.',
    access: 'READ',
    query: z.strictObject({
      type: selector.optional(),
      last_event_id: text({ max: 100 })
        .optional()
        .describe('An `event_id`: begin after that event. The header Last-Event-ID goes before it.'),
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
    summary: 'The kinds of events, each with the JSON Schema of its payload and a sample.',
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
    summary: 'One event of the last 30 days.',
    access: 'READ',
    params: path,
    response: storedEvent,
    status: 200,
    errors: ['not_found'],
  }),
} as const;
