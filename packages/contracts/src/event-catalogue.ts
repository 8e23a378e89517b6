/** The event catalogue: every event type with the schema of its payload and a sample. */
import { z } from 'zod';
import { EVENT_DEFINITIONS, EVENT_RECORD_SCHEMAS, eventDataOf } from './event-kinds.js';
import { EVENT_SAMPLES, SAMPLE_AT } from './event-samples.js';
import { EVENT_TYPES, type EventType, event } from './events.js';
import { type JsonSchema, plainJsonSchemaOf } from './json-schema.js';
import { exampleId } from './samples/sample.js';
import { compileSerializer } from './serializer.js';
import { StoredJson, storedSchema } from './stored-json.js';

/** An event exactly as it was sent to webhooks, unless the caller requests decimals as strings. */
export const storedEvent = storedSchema(event, EVENT_RECORD_SCHEMAS);

const catalogueEntry = z
  .object({
    type: z.enum(EVENT_TYPES),
    description: z.string().describe('When the event is sent.'),
    schema: z
      .record(z.string(), z.unknown())
      .describe('JSON Schema (2020-12) of the whole payload. A later release may add members to payloads.'),
    sample: storedEvent.describe('A payload that matches the schema. Its ids belong to no record.'),
  })
  .meta({ id: 'EventKind' });
export type EventKind = z.output<typeof catalogueEntry>;

export const eventCatalogue = z.object({ types: z.array(catalogueEntry) }).meta({ id: 'EventCatalogue' });
export type EventCatalogue = z.output<typeof eventCatalogue>;

/** Returns the schema of the payload of one event type, with the record in `data`. */
function eventSchemaOf(type: EventType): z.ZodType {
  return event.extend({ type: z.literal(type), data: eventDataOf(type) });
}

/** Returns the sample payload of an event type as receivers get it, with decimals as numbers. */
export function eventSampleText(type: EventType): string {
  const data = compileSerializer(EVENT_DEFINITIONS[type].recordSchemas[0])(EVENT_SAMPLES[type]);
  return `{"event_id":"${exampleId('evt')}","type":"${type}","timestamp":"${SAMPLE_AT}","data":${data}}`;
}

let entries: readonly EventKind[] | undefined;

/** Returns the entries of the catalogue. They are built on first use, because most processes never need them. */
export function eventCatalogueEntries(): readonly EventKind[] {
  entries ??= EVENT_TYPES.map((type) => ({
    type,
    description: EVENT_DEFINITIONS[type].description,
    schema: plainJsonSchemaOf(eventSchemaOf(type), 'output') as JsonSchema & Record<string, unknown>,
    sample: StoredJson.of(eventSampleText(type)),
  }));
  return entries;
}
