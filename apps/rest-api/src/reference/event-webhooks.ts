/** The `webhooks` of the document: what the product posts to its users' servers. */
import {
  EVENT_KINDS,
  EVENT_TYPES,
  type EventType,
  event,
  eventDataOf,
  eventSampleText,
} from '@trading-automation/contracts';
import { type JsonObject, refTo } from './json.js';
import type { SchemaComponents } from './schema-components.js';

const HEADERS: Readonly<Record<string, string>> = {
  'webhook-id': 'The `event_id`: the same on every attempt. Drop what you have seen.',
  'webhook-timestamp': 'When this attempt was made, in Unix seconds. Refuse what is over five minutes away.',
  'webhook-signature':
    '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, keyed by the secret; several are separated by spaces.',
  'x-svc-webhook-id': 'Id of the webhook.',
  'x-svc-attempt': 'Number of the attempt, from 1 to 5.',
};

const DESCRIPTION = [
  'Signed as the Standard Webhooks specification says: verify with a library of that name and the secret `whsec_…`.',
  'Answer 2xx within 30 seconds. Other answers are tried again after 5 s, 30 s, 2 min and 10 min; then the event waits among the dead letters, to be retried one by one or by a range of time. `POST /v1/webhooks/{id}/replay` sends any event of the last 30 days again.',
  'Delivery is at least once and in no promised order: drop duplicates by `event_id`, and of one trade keep the higher `version`.',
].join('\n\n');

/** Refers to the records that operations answer: events carry the same. */
export function eventWebhooks(components: SchemaComponents): JsonObject {
  const envelope = components.of(event, 'output');
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const data = components.of(eventDataOf(type), 'output');
      const schema = { allOf: [envelope, { properties: { type: { const: type }, data } }] };
      return [type, { post: receive(type, schema) }];
    }),
  );
}

function receive(type: EventType, schema: JsonObject): JsonObject {
  const sample = { summary: 'As it is posted; the ids are of no record.', value: sampleOf(type) };
  return {
    operationId: `on.${type}`,
    summary: type,
    description: `${EVENT_KINDS[type].description}\n\n${DESCRIPTION}`,
    tags: ['Webhook deliveries'],
    security: [],
    parameters: Object.keys(HEADERS).map((name) => refTo('parameters', name)),
    requestBody: { required: true, content: { 'application/json': { schema, examples: { sample } } } },
    responses: { '2XX': { description: 'Received. Whatever else is answered counts as failed.' } },
  };
}

const sampleOf = (type: EventType) => JSON.parse(eventSampleText(type)) as JsonObject;

export const webhookHeaders: JsonObject = Object.fromEntries(
  Object.entries(HEADERS).map(([name, description]) => [
    name,
    { name, in: 'header', required: true, description, schema: { type: 'string' } },
  ]),
);
