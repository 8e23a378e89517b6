/**
 * Returns events for testing a receiver: the sample of an event type from the catalogue, or a past event.
 *
 * 1. A sample gets a new id and the current time, because receivers ignore an id that they have already processed.
 * 2. A past event is sent byte for byte, with its own id.
 */
import { randomBytes } from 'node:crypto';
import type { Client } from '@trading-automation/sdk';
import { Failure, NotFound, UsageError } from '../failures.js';
import { memberOf } from '../json/json-text.js';
import { jsonOrText, namedText, setAtPath } from '../json/named-values.js';
import type { RawEvent } from './receiver.js';

/** Requests decimals as numbers, as in webhooks. */
const DECIMALS_AS_NUMBERS = { headers: { accept: 'application/json' } };

type Events = Pick<Client<'string'>['events'], 'types' | 'get'>;

/** Returns the sample of an event type. @throws {UsageError} if the type is unknown or an override is invalid */
export async function sampleOf(
  events: Events,
  type: string,
  overrides: readonly string[],
  signal: AbortSignal,
): Promise<RawEvent> {
  const { types } = await events.types({}, { ...DECIMALS_AS_NUMBERS, signal });
  const eventType = types.find((each) => each.type === type);
  if (eventType === undefined) {
    const known = types.map((each) => each.type).join(', ');
    throw new UsageError(`Unknown event type: ${type}.`, `Event types: ${known}`);
  }
  const sample = {
    ...(eventType.sample as object),
    event_id: eventId(),
    timestamp: new Date().toISOString(),
  };
  const changed = overridden(sample, overrides);
  return { id: String(changed.event_id), type, text: JSON.stringify(changed) };
}

/** Returns an event of the last 30 days. */
export async function pastEvent(events: Events, id: string, signal: AbortSignal): Promise<RawEvent> {
  const response = await events.get(id, { ...DECIMALS_AS_NUMBERS, signal }).asResponse();
  const text = memberOf(await response.text(), 'data');
  if (text === undefined) throw new Failure('The response contains no event.');
  const { type } = JSON.parse(text) as { type?: unknown };
  if (typeof type !== 'string') throw new NotFound(`${id} is not an event.`);
  return { id, type, text };
}

/** Returns the event with `path=value` overrides applied. */
function overridden<T extends object>(event: T, overrides: readonly string[]): T {
  const changed = structuredClone(event);
  for (const override of overrides) {
    const [path, text] = namedText('--override', override);
    setAtPath(changed as Record<string, unknown>, path, jsonOrText(text), false);
  }
  return changed;
}

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';

/** Generates an event id in the format of the platform: a UUIDv7 in 26 characters. */
function eventId(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let i = 0; i < 26; i++, rest >>= 5n) text = BASE32[Number(rest & 31n)] + text;
  return `evt_${text}`;
}
