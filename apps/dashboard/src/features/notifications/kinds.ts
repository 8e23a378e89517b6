/** The events that notify. The spec compares the lists with the contracts, which the pages need not load. */

export interface Kind {
  readonly type: string;
  readonly name: string;
  /** When it is sent. */
  readonly meaning: string;
}

const kind = (type: string, name: string, meaning: string): Kind => ({ type, name, meaning });

export const KINDS: readonly Kind[] = [
  kind(
    'trade.created',
    'Order found',
    'An order that was placed outside the product was found at the exchange.',
  ),
  kind('trade.filled', 'Trade filled', 'An order was filled in full.'),
  kind(
    'trade.cancelled',
    'Trade cancelled',
    'An order ended before it was filled in full. One that you cancelled yourself does not notify.',
  ),
  kind('trade.failed', 'Trade failed', 'An order was rejected without a fill.'),
  kind('trade.closed', 'Trade closed', 'Later fills closed everything that a trade opened.'),
  kind(
    'copier.stopped',
    'Copier stopped',
    'A copier stopped copying entries. One that you stopped sends no mail.',
  ),
  kind('copier.trade_skipped', 'Trade not copied', 'A signal was not copied, or its copy failed.'),
  kind(
    'copier.exit_delayed',
    'Exit delayed',
    "A copier cannot sell yet, because the amount is below the exchange's minimum.",
  ),
  kind(
    'copier.drift',
    'Copier drifted',
    'A started copier holds positions that its strategy closed during the pause.',
  ),
  kind(
    'copier.profit_share_raised',
    'Profit share raised',
    'A strategy offers a higher share than you accepted. Your terms do not change.',
  ),
  kind('exchange.sync_failed', 'Sync failed', 'An exchange account could not be synced.'),
  kind(
    'exchange.credentials_rejected',
    'Credentials rejected',
    'The exchange rejected the credentials of an account.',
  ),
  kind(
    'exchange.permissions_changed',
    'Account rights changed',
    'The rights of credentials, or the kind of an account, changed at the exchange.',
  ),
  kind(
    'trade_pair.deactivated',
    'Pair deactivated',
    'The exchange paused, delisted or replaced a pair that you trade.',
  ),
  kind('position.closed', 'Position closed', 'A position in a perpetual was closed.'),
  kind(
    'position.margin_call',
    'Margin is low',
    'The margin balance of an account or a position is below 1.25 times the maintenance margin.',
  ),
  kind('position.liquidated', 'Position liquidated', 'The exchange liquidated a position.'),
  kind('reward.granted', 'Reward granted', 'You were granted a reward.'),
  kind('reward.claimable', 'Reward claimable', 'A pending reward is final and can be claimed.'),
  kind('withdrawal.created', 'Withdrawal requested', 'A withdrawal was requested, and its amount is held.'),
  kind('withdrawal.completed', 'Withdrawal completed', 'A withdrawal was paid out.'),
  kind(
    'withdrawal.cancelled',
    'Withdrawal cancelled',
    'A withdrawal was cancelled, and its amount released.',
  ),
  kind('withdrawal.failed', 'Withdrawal failed', 'A withdrawal failed, and its amount was released.'),
  kind(
    'webhook.deactivated',
    'Webhook deactivated',
    'A webhook was deactivated, because too many attempts failed in a row.',
  ),
  kind('key.created', 'API key created', 'An API key was created.'),
  kind('key.revoked', 'Key revoked', 'An API key or a public key was revoked.'),
  kind('public_key.linked', 'Public key linked', 'A public key was linked to your account.'),
  kind(
    'strategy.multiplier_kept',
    'Multiplier kept',
    'Copiers of your strategy keep a sizing mode that now needs your consent.',
  ),
];

/** Returns the name of a kind; undefined for one of a later release. */
export const kindName = (type: string) => KINDS.find((known) => known.type === type)?.name;

/** They always notify in the app and by mail. */
const MANDATORY = ['key.created', 'key.revoked', 'public_key.linked', 'withdrawal.created'];

export const DEFAULTS = {
  mandatory: MANDATORY,
  /** They notify by mail unless the user chooses otherwise. */
  mailed: [
    ...MANDATORY,
    'withdrawal.completed',
    'withdrawal.cancelled',
    'withdrawal.failed',
    'exchange.credentials_rejected',
    'exchange.permissions_changed',
    'trade_pair.deactivated',
    'position.margin_call',
    'position.liquidated',
    'copier.stopped',
    'copier.drift',
    'copier.exit_delayed',
    'webhook.deactivated',
  ],
};
