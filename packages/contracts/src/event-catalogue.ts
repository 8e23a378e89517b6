/** Every kind of event with the schema of what a receiver gets, and an example of it. */
import { z } from 'zod';
import { EVENT_KINDS, EVENT_RECORDS, eventDataOf } from './event-kinds.js';
import { EVENT_SAMPLES, SAMPLE_AT } from './event-samples.js';
import { EVENT_TYPES, type EventType, event } from './events.js';
import { type JsonSchema, plainJsonSchemaOf } from './json-schema.js';
import { exampleId } from './samples/sample.js';
import { compileSerializer } from './serializer.js';
import { StoredJson, storedSchema } from './stored-json.js';

/** An event as it was sent to webhooks, byte for byte unless decimals are asked for as strings. */
export const storedEvent = storedSchema(event, EVENT_RECORDS);

const eventKind = z
  .object({
    type: z.enum(EVENT_TYPES),
    description: z.string().describe('When it is sent.'),
    schema: z
      .record(z.string(), z.unknown())
      .describe('JSON Schema (2020-12) of the whole payload. Payloads may gain members.'),
    sample: storedEvent.describe('A payload that fits the schema; its ids are of no record.'),
  })
  .meta({ id: 'EventKind' });
export type EventKind = z.output<typeof eventKind>;

export const eventCatalogue = z.object({ types: z.array(eventKind) }).meta({ id: 'EventCatalogue' });
export type EventCatalogue = z.output<typeof eventCatalogue>;

/** The payload of a kind: the event with its one type, and the record that it carries. */
function eventSchemaOf(type: EventType): z.ZodType {
  return event.extend({ type: z.literal(type), data: eventDataOf(type) });
}

/** The sample of a kind, as a receiver gets it: decimals are numbers. */
export function eventSampleText(type: EventType): string {
  const data = compileSerializer(EVENT_KINDS[type].records[0])(EVENT_SAMPLES[type]);
  return `{"event_id":"${exampleId('evt')}","type":"${type}","timestamp":"${SAMPLE_AT}","data":${data}}`;
}

let kinds: readonly EventKind[] | undefined;

/** Made once, when first asked for: most processes never are. */
export function eventKinds(): readonly EventKind[] {
  kinds ??= EVENT_TYPES.map((type) => ({
    type,
    description: EVENT_KINDS[type].description,
    schema: plainJsonSchemaOf(eventSchemaOf(type), 'output') as JsonSchema & Record<string, unknown>,
    sample: StoredJson.of(eventSampleText(type)),
  }));
  return kinds;
}
