import { z } from 'zod';
import { idOf } from './ids.js';
import { instant } from './operation.js';

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
export function expandEventSelector(selector: string): readonly EventType[] {
  return EVENT_TYPES.filter((type) => isSubscribed([selector], type));
}

/** True where one of a webhook's selectors covers the kind. */
export function isSubscribed(selectors: readonly string[], type: EventType): boolean {
  const wildcard = `${type.slice(0, type.indexOf('.'))}.*`;
  return selectors.some((selector) => selector === '*' || selector === type || selector === wildcard);
}

/** How long events can be read. */
export const EVENT_RETENTION_DAYS = 30;
/** Most streams that one credential may have open at once. */
export const EVENT_STREAMS_MAX = 5;
