/** Defines each event type: its description and the schema of the record in its `data`. */
import { z } from 'zod';
import { apiKey, publicKey } from './access.js';
import { copier, stoppedCopier } from './copiers.js';
import { decision } from './decisions.js';
import type { EventType } from './events.js';
import { exchangeAccount } from './exchange-accounts.js';
import { fundingPayment } from './funding.js';
import { position } from './positions.js';
import { reward } from './rewards.js';
import { strategy } from './strategies.js';
import { tradePair } from './trade-pairs.js';
import { trade } from './trades.js';
import { webhook } from './webhooks.js';
import { withdrawal } from './withdrawals.js';

interface EventDefinition {
  /** Says when the event is sent. */
  readonly description: string;
  /** Schemas of the record in `data`, which matches one of them. The sample matches the first. */
  readonly recordSchemas: readonly [z.ZodObject, ...z.ZodObject[]];
}

const defineEvent = <const Schemas extends EventDefinition['recordSchemas']>(
  description: string,
  ...recordSchemas: Schemas
) => ({
  description,
  recordSchemas,
});

export const EVENT_DEFINITIONS = {
  'trade.created': defineEvent(
    'You or a copier created a trade, or an order that was placed outside the product was found at the exchange.',
    trade,
  ),
  'trade.partially_filled': defineEvent(
    'Another part of an order was filled. The rest is still open.',
    trade,
  ),
  'trade.filled': defineEvent('An order was filled in full.', trade),
  'trade.cancelled': defineEvent(
    'An order ended before it was filled in full. Filled amounts stay filled.',
    trade,
  ),
  'trade.failed': defineEvent('An order was rejected without a fill.', trade),
  'trade.closed': defineEvent('Later fills closed every lot that a trade opened.', trade),
  'copier.started': defineEvent('A copier started to follow its strategy.', copier),
  'copier.stopped': defineEvent(
    'A copier stopped copying entries, for the reason in `status_reason`.',
    stoppedCopier,
  ),
  'copier.trade_skipped': defineEvent(
    'A signal was not copied, or its copy failed, for the reason in `code`.',
    decision,
  ),
  'copier.exit_delayed': defineEvent(
    "A copier cannot sell yet, because the amount is below the exchange's minimum. `inputs.missing_amount` says how much is missing. The exit stays PENDING and is tried again. Sent once for each lot until its pending exits are settled.",
    decision,
  ),
  'exchange.synced': defineEvent(
    'An exchange account was synced: at your request, or because a balance changed.',
    exchangeAccount,
  ),
  'exchange.sync_failed': defineEvent('An exchange account could not be synced.', exchangeAccount),
  'reward.granted': defineEvent('You were granted a reward.', reward),
  'reward.claimed': defineEvent('A reward was claimed. Its amount was added to your balance.', reward),
  'withdrawal.created': defineEvent('A withdrawal was requested. Its amount is held.', withdrawal),
  'withdrawal.completed': defineEvent('A withdrawal was paid out.', withdrawal),
  'withdrawal.cancelled': defineEvent('A withdrawal was cancelled. Its amount was released.', withdrawal),
  'withdrawal.failed': defineEvent('A withdrawal failed. Its amount was released.', withdrawal),
  'webhook.test': defineEvent(
    'You requested a test of a webhook. The event is sent once, only to that webhook, and is not listed among your events.',
    webhook,
  ),
  'webhook.deactivated': defineEvent(
    'A webhook was deactivated because too many attempts in a row failed. The event is sent to your other webhooks.',
    webhook,
  ),
  'copier.drift': defineEvent(
    'A copier was started and holds lots that its strategy reduced or closed while the copier was paused.',
    copier,
  ),
  'exchange.credentials_rejected': defineEvent(
    'The exchange rejected the credentials of an account.',
    exchangeAccount,
  ),
  'key.created': defineEvent('An API key was created.', apiKey),
  'key.revoked': defineEvent('An API key or a public key was revoked.', apiKey, publicKey),
  'public_key.linked': defineEvent('A public key was linked to your account.', publicKey),
  'strategy.multiplier_kept': defineEvent(
    'Copiers of other users copied your strategy with the sizing mode MULTIPLIER before it needed `allow_multiplier`. They keep the mode. The event is sent once.',
    strategy,
  ),
  'copier.profit_share_raised': defineEvent(
    'The strategy of a copier offers a higher profit share than you accepted, in `profit_share_offer`. Your terms do not change unless you accept it.',
    copier,
  ),
  'reward.claimable': defineEvent(
    'A pending reward is final and can be claimed, because the month of its profit share has ended. Its amount is lower than in `reward.granted` if the budget of the month did not cover all shares.',
    reward,
  ),
  'exchange.permissions_changed': defineEvent(
    'The rights of the credentials of an account, or the kind of the account, changed at its exchange.',
    exchangeAccount,
  ),
  'trade_pair.deactivated': defineEvent(
    'A pair became inactive, for the reason in `inactive_reason`. Sent if you have open lots or open orders on it. If the exchange delisted or replaced the pair, also sent if your strategy, the strategy that you copy, or your copier names it.',
    tradePair,
  ),
  'funding.paid': defineEvent(
    'A position in a perpetual paid or received funding. The event is sent once for each payment that the exchange reports.',
    fundingPayment,
  ),
  'position.opened': defineEvent(
    'An account has a position in a perpetual that was flat before, or that was first read now.',
    position,
  ),
  'position.changed': defineEvent(
    'The amount of a position changed. A new mark price alone sends no event.',
    position,
  ),
  'position.closed': defineEvent(
    'A position was closed. A position that changes its side is closed first and then opened.',
    position,
  ),
  'position.margin_call': defineEvent(
    'The margin balance fell below 1.25 times the maintenance margin: of the account in CROSS, of the position in ISOLATED. In CROSS, the record is the position with the highest notional. Sent again only after the ratio was at least 1.5.',
    position,
  ),
  'position.liquidated': defineEvent(
    'The exchange liquidated a position, in whole or in part. The record shows the position as the exchange last reported it.',
    position,
  ),
} as const satisfies Record<EventType, EventDefinition>;

/** The schema of every record that the `data` of an event can hold. */
export const EVENT_RECORD_SCHEMAS: readonly z.ZodObject[] = [
  ...new Set<z.ZodObject>(
    Object.values(EVENT_DEFINITIONS).flatMap(({ recordSchemas }) => [...recordSchemas]),
  ),
];

/** Schema of the `data` of an event type. */
export function eventDataOf(type: EventType): z.ZodType {
  const [first, ...others]: readonly z.ZodObject[] = EVENT_DEFINITIONS[type].recordSchemas;
  return others.length === 0 ? first! : z.union([first!, ...others]);
}
