import { z } from 'zod';
import { idOf } from './ids.js';
import { instant } from './operation.js';

/** Every event type, in the order of the published list. */
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
  'copier.exit_delayed',
  'strategy.multiplier_kept',
  'copier.profit_share_raised',
  'reward.claimable',
  'exchange.permissions_changed',
  'trade_pair.deactivated',
  'funding.paid',
  'position.opened',
  'position.changed',
  'position.closed',
  'position.margin_call',
  'position.liquidated',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Maximum payload size. Larger payloads have their long lists cut and `truncated` set. */
export const EVENT_PAYLOAD_MAX_BYTES = 64 * 1024;

/** The payload that a webhook receives; its bytes are the same in every attempt. */
export const event = z
  .object({
    event_id: idOf('evt'),
    type: z.enum(EVENT_TYPES),
    timestamp: instant,
    data: z
      .record(z.string(), z.unknown())
      .describe(
        'The record as in the REST API, exactly as it was sent. Decimals are numbers, unless a REST request asks for strings.',
      ),
    truncated: z.literal(true).optional(),
  })
  .meta({ id: 'Event' });
export type Event = z.output<typeof event>;

const SUBJECTS = [...new Set(EVENT_TYPES.map((type) => type.slice(0, type.indexOf('.'))))];

/** Valid webhook subscriptions: an event type, `subject.*`, or `*`. */
export const EVENT_SELECTORS: readonly string[] = [
  '*',
  ...SUBJECTS.map((subject) => `${subject}.*`),
  ...EVENT_TYPES,
];

/** Returns the event types that a selector covers; an empty list for an invalid selector. */
export function expandEventSelector(selector: string): readonly EventType[] {
  return EVENT_TYPES.filter((type) => isSubscribed([selector], type));
}

/** Returns whether one of a webhook's selectors covers the event type. */
export function isSubscribed(selectors: readonly string[], type: EventType): boolean {
  const wildcard = `${type.slice(0, type.indexOf('.'))}.*`;
  return selectors.some((selector) => selector === '*' || selector === type || selector === wildcard);
}

/** Number of days for which events can be read. */
export const EVENT_RETENTION_DAYS = 30;
/** Maximum number of open streams per credential. */
export const EVENT_STREAMS_MAX = 5;
