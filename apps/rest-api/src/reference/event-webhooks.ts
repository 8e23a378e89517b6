/** The `webhooks` of the document: the requests that the product sends to its users' servers. */
import {
  EVENT_DEFINITIONS,
  EVENT_TYPES,
  type EventType,
  event,
  eventDataOf,
  eventSampleText,
} from '@trading-automation/contracts';
import { type JsonObject, refTo } from './json.js';
import type { SchemaComponents } from './schema-components.js';

const HEADERS: Readonly<Record<string, string>> = {
  'webhook-id':
    'The `event_id`, which is the same in every attempt. Ignore ids that you have already processed.',
  'webhook-timestamp':
    'Time of this attempt, in Unix seconds. Reject a timestamp that differs from your clock by more than five minutes.',
  'webhook-signature':
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, keyed by the secret. Multiple signatures are separated by spaces.',
  'x-svc-webhook-id': 'Id of the webhook.',
  'x-svc-attempt': 'Number of this attempt, from 1 to 5.',
};

const DESCRIPTION = [
  'The request is signed according to the Standard Webhooks specification. Verify it with one of the libraries of that specification and your secret `whsec_…`.',
  'Respond with 2xx within 30 seconds. Other responses are retried after 5 s, 30 s, 2 min and 10 min. If the last attempt fails, too, the event becomes a dead letter, which you can retry individually or by time range. `POST /v1/webhooks/{id}/replay` resends any event of the last 30 days.',
  'Events are delivered at least once and in no guaranteed order. Ignore duplicates by `event_id`, and keep the highest `version` of a trade.',
].join('\n\n');

/** Returns one webhook per event type. Events share the schemas of the operations' responses. */
export function eventWebhooks(components: SchemaComponents): JsonObject {
  const envelope = components.of(event, 'output');
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const data = components.of(eventDataOf(type), 'output');
      const schema = { allOf: [envelope, { properties: { type: { const: type }, data } }] };
      return [type, { post: webhookOperation(type, schema) }];
    }),
  );
}

function webhookOperation(type: EventType, schema: JsonObject): JsonObject {
  const sample = { summary: 'Sample payload. Its ids belong to no record.', value: sampleOf(type) };
  return {
    operationId: `on.${type}`,
    summary: type,
    description: `${EVENT_DEFINITIONS[type].description}\n\n${DESCRIPTION}`,
    tags: ['Webhook deliveries'],
    security: [],
    parameters: Object.keys(HEADERS).map((name) => refTo('parameters', name)),
    requestBody: { required: true, content: { 'application/json': { schema, examples: { sample } } } },
    responses: {
      '2XX': {
        description: 'The receiver has accepted the event. Any other status counts as a failed attempt.',
      },
    },
  };
}

const sampleOf = (type: EventType) => JSON.parse(eventSampleText(type)) as JsonObject;

export const webhookHeaders: JsonObject = Object.fromEntries(
  Object.entries(HEADERS).map(([name, description]) => [
    name,
    { name, in: 'header', required: true, description, schema: { type: 'string' } },
  ]),
);
