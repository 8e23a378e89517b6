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

interface EventFacts {
  /** When it is sent, in a sentence. */
  readonly description: string;
  /** The record in its `data`; one of these where there are several. */
  readonly records: readonly [z.ZodObject, ...z.ZodObject[]];
}

const told = <const Records extends EventFacts['records']>(description: string, ...records: Records) => ({
  description,
  records,
});

export const EVENT_KINDS = {
  'trade.created': told('An order was taken on, by you, by a copier, or found at the exchange.', trade),
  'trade.partially_filled': told('More of an order was filled, and some of it is still open.', trade),
  'trade.filled': told('An order was filled in full.', trade),
  'trade.cancelled': told('An order ended before it was filled in full; what was filled stays.', trade),
  'trade.failed': told('An order was refused, and nothing of it was filled.', trade),
  'trade.closed': told('All that a trade opened was closed by later fills.', trade),
  'copier.started': told('A copier began to follow its strategy.', copier),
  'copier.stopped': told(
    'A copier no longer copies entries, by your hand or for `status_reason`.',
    stoppedCopier,
  ),
  'copier.trade_skipped': told('A signal was not copied, or its copy failed, for `code`.', decision),
  'exchange.synced': told(
    'An exchange account was read from the exchange: a sync that you asked for, or one that changed a balance.',
    exchangeAccount,
  ),
  'exchange.sync_failed': told('An exchange account could not be read from the exchange.', exchangeAccount),
  'reward.granted': told('You were granted a reward.', reward),
  'reward.claimed': told('A reward was claimed: its amount is in your balance.', reward),
  'withdrawal.created': told('A withdrawal was asked for; its amount is held.', withdrawal),
  'withdrawal.completed': told('A withdrawal was paid out.', withdrawal),
  'withdrawal.cancelled': told('A withdrawal was cancelled; its amount is released.', withdrawal),
  'withdrawal.failed': told('A withdrawal was not paid out; its amount is released.', withdrawal),
  'webhook.test': told(
    'You asked for a test. It goes to that webhook alone, once, and is not among your events.',
    webhook,
  ),
  'webhook.deactivated': told(
    'A webhook was taken out of use because its receiver failed for too long; the others are told.',
    webhook,
  ),
  'copier.drift': told('A copier was started that holds what its strategy has left meanwhile.', copier),
  'exchange.credentials_rejected': told(
    'An exchange refused the credentials of an account.',
    exchangeAccount,
  ),
  'key.created': told('An API key was made.', apiKey),
  'key.revoked': told('An API key or a public key was revoked.', apiKey, publicKey),
  'public_key.linked': told('A public key was linked to your account.', publicKey),
} as const satisfies Record<EventType, EventFacts>;

/** Every record that an event may carry. */
export const EVENT_RECORDS: readonly z.ZodObject[] = [
  ...new Set<z.ZodObject>(Object.values(EVENT_KINDS).flatMap(({ records }) => [...records])),
];

/** The schema of the `data` of a kind. */
export function eventDataOf(type: EventType): z.ZodType {
  const [record, ...others]: readonly z.ZodObject[] = EVENT_KINDS[type].records;
  return others.length === 0 ? record! : z.union([record!, ...others]);
}
