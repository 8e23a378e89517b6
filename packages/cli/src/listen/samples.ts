/**
 * Events to try a receiver with: the catalogue's sample of a kind, or an event of the past.
 *
 * 1. A sample gets a fresh id and the present time: receivers pass over an id that they have seen.
 * 2. An event of the past is handed over byte for byte, under its own id.
 */
import { randomBytes } from 'node:crypto';
import type { Client } from '@trading-automation/sdk';
import { Failure, NotFound, UsageError } from '../failures.js';
import { memberOf } from '../json/json-text.js';
import { jsonOrText, namedText, putAt } from '../json/named-values.js';
import type { RawEvent } from './receiver.js';

/** Decimals as numbers, as a receiver gets them. */
const AS_SENT = { headers: { accept: 'application/json' } };

type Events = Pick<Client<'string'>['events'], 'types' | 'get'>;

/** @throws {UsageError} where there is no such kind, or an override does not fit */
export async function sampleOf(
  events: Events,
  type: string,
  overrides: readonly string[],
  signal: AbortSignal,
): Promise<RawEvent> {
  const { types } = await events.types({}, { ...AS_SENT, signal });
  const kind = types.find((each) => each.type === type);
  if (kind === undefined) {
    const known = types.map((each) => each.type).join(', ');
    throw new UsageError(`There is no event ${type}.`, `There are: ${known}`);
  }
  const sample = { ...(kind.sample as object), event_id: eventId(), timestamp: new Date().toISOString() };
  const changed = overridden(sample, overrides);
  return { id: String(changed.event_id), type, text: JSON.stringify(changed) };
}

/** An event of the last 30 days. */
export async function pastEvent(events: Events, id: string, signal: AbortSignal): Promise<RawEvent> {
  const response = await events.get(id, { ...AS_SENT, signal }).asResponse();
  const text = memberOf(await response.text(), 'data');
  if (text === undefined) throw new Failure('The answer holds no event.');
  const { type } = JSON.parse(text) as { type?: unknown };
  if (typeof type !== 'string') throw new NotFound(`${id} is no event.`);
  return { id, type, text };
}

/** The event with `path=value` texts carried out. */
function overridden<T extends object>(event: T, overrides: readonly string[]): T {
  const changed = structuredClone(event);
  for (const override of overrides) {
    const [path, text] = namedText('--override', override);
    putAt(changed as Record<string, unknown>, path, jsonOrText(text), false);
  }
  return changed;
}

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';

/** A fresh id of the form that the platform gives: a UUIDv7 in 26 characters. */
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
