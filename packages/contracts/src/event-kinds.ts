/** What each kind of event tells, and the record that it carries: the one place where the two are said. */
import { z } from 'zod';
import { apiKey, publicKey } from './access.js';
import { copier, stoppedCopier } from './copiers.js';
import { decision } from './decisions.js';
import type { EventType } from './events.js';
import { exchangeAccount } from './exchange-accounts.js';
import { reward } from './rewards.js';
import { trade } from './trades.js';
import { webhook } from './webhooks.js';
import { withdrawal } from './withdrawals.js';

interface EventDefinition {
  /** When it is sent, in a sentence. */
  readonly description: string;
  /** The record in its `data`; one of these where there are several. */
  readonly records: readonly [z.ZodObject, ...z.ZodObject[]];
}

const defineEvent = <const Records extends EventDefinition['records']>(
  description: string,
  ...records: Records
) => ({
  description,
  records,
});

export const EVENT_KINDS = {
  'trade.created': defineEvent(
    'An order was taken on, by you, by a copier, or found at the exchange.',
    trade,
  ),
  'trade.partially_filled': defineEvent('More of an order was filled, and some of it is still open.', trade),
  'trade.filled': defineEvent('An order was filled in full.', trade),
  'trade.cancelled': defineEvent(
    'An order ended before it was filled in full; what was filled stays.',
    trade,
  ),
  'trade.failed': defineEvent('An order was refused, and nothing of it was filled.', trade),
  'trade.closed': defineEvent('All that a trade opened was closed by later fills.', trade),
  'copier.started': defineEvent('A copier began to follow its strategy.', copier),
  'copier.stopped': defineEvent(
    'A copier no longer copies entries, by your hand or for `status_reason`.',
    stoppedCopier,
  ),
  'copier.trade_skipped': defineEvent('A signal was not copied, or its copy failed, for `code`.', decision),
  'exchange.synced': defineEvent(
    'An exchange account was read from the exchange: a sync that you asked for, or one that changed a balance.',
    exchangeAccount,
  ),
  'exchange.sync_failed': defineEvent(
    'An exchange account could not be read from the exchange.',
    exchangeAccount,
  ),
  'reward.granted': defineEvent('You were granted a reward.', reward),
  'reward.claimed': defineEvent('A reward was claimed: its amount is in your balance.', reward),
  'withdrawal.created': defineEvent('A withdrawal was asked for; its amount is held.', withdrawal),
  'withdrawal.completed': defineEvent('A withdrawal was paid out.', withdrawal),
  'withdrawal.cancelled': defineEvent('A withdrawal was cancelled; its amount is released.', withdrawal),
  'withdrawal.failed': defineEvent('A withdrawal was not paid out; its amount is released.', withdrawal),
  'webhook.test': defineEvent(
    'You asked for a test. It goes to that webhook alone, once, and is not among your events.',
    webhook,
  ),
  'webhook.deactivated': defineEvent(
    'A webhook was taken out of use because its receiver failed for too long; the others are told.',
    webhook,
  ),
  'copier.drift': defineEvent(
    'A copier was started that holds what its strategy has left meanwhile.',
    copier,
  ),
  'exchange.credentials_rejected': defineEvent(
    'An exchange refused the credentials of an account.',
    exchangeAccount,
  ),
  'key.created': defineEvent('An API key was made.', apiKey),
  'key.revoked': defineEvent('An API key or a public key was revoked.', apiKey, publicKey),
  'public_key.linked': defineEvent('A public key was linked to your account.', publicKey),
} as const satisfies Record<EventType, EventDefinition>;

/** Every record that an event may carry. */
export const EVENT_RECORDS: readonly z.ZodObject[] = [
  ...new Set<z.ZodObject>(Object.values(EVENT_KINDS).flatMap(({ records }) => [...records])),
];

/** The schema of the `data` of a kind. */
export function eventDataOf(type: EventType): z.ZodType {
  const [record, ...others]: readonly z.ZodObject[] = EVENT_KINDS[type].records;
  return others.length === 0 ? record! : z.union([record!, ...others]);
}
