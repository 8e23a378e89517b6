/**
 * Decides which events create a notification, and writes its text. A notification reports a change that the user did
 * not make, or a change that concerns money or access.
 *
 * The record of an event may lack fields, because an older release wrote it or because it is truncated. The text omits
 * missing fields. An event whose record has no id creates no notification, because the notification could not refer to
 * the record.
 */
import type { EventType, NotificationResource, NotificationSeverity } from '@trading-automation/contracts';

/** The record of an event; its numbers are strings. */
export type EventData = Readonly<Record<string, unknown>>;

export interface NotificationContent {
  readonly severity: NotificationSeverity;
  readonly title: string;
  readonly body: string;
  readonly resource: NotificationResource;
  readonly resourceId: string;
}

/** Returns null if the event needs no notification. */
type Rule = (data: EventData) => Omit<NotificationContent, 'resourceId'> | null;

const NO_NOTIFICATION: Rule = () => null;

/** Returns whether events of this type can create a notification; false for event types of newer releases. */
export function isNotable(type: EventType): boolean {
  return Object.hasOwn(RULES, type) && RULES[type] !== NO_NOTIFICATION;
}

/** Returns the notification of an event; null if the event creates none. */
export function notificationContentOf(type: EventType, data: EventData): NotificationContent | null {
  const resourceId = stringField(data, 'id');
  if (resourceId === '' || !isNotable(type)) return null;
  const content = RULES[type](data);
  return content === null ? null : { ...content, resourceId };
}

const RULES: Readonly<Record<EventType, Rule>> = {
  'trade.created': (data) => discoveredTradeContent(data),
  'trade.partially_filled': NO_NOTIFICATION,
  'trade.filled': (data) =>
    trade('INFO', 'Trade filled', data, `is filled${withValue(' at ', data, 'average_price')}.`),
  'trade.cancelled': (data) => cancelled(data),
  'trade.failed': (data) => trade('WARNING', 'Trade failed', data, `failed${failureReason(data)}.`),
  'trade.closed': (data) =>
    trade(
      'INFO',
      'Trade closed',
      data,
      `is closed${withValue('; realized result: ', data, 'realized_pnl')}.`,
    ),
  'copier.started': NO_NOTIFICATION,
  'copier.stopped': (data) => stopped(data),
  'copier.trade_skipped': (data) => ({
    severity: 'INFO',
    title: 'Trade not copied',
    body: `A copier skipped a trade of its strategy${withValue(': ', data, 'code')}.`,
    resource: 'decision',
  }),
  'copier.exit_delayed': (data) => exitDelayed(data),
  'copier.drift': (data) => ({
    severity: 'WARNING',
    title: 'Copier differs from its strategy',
    body: `${withName('Copier', data, 'name')} holds lots that its strategy has closed. It does not sell them automatically.`,
    resource: 'copier',
  }),
  'exchange.synced': NO_NOTIFICATION,
  'exchange.sync_failed': (data) => ({
    severity: 'WARNING',
    title: 'Balances not read',
    body: `The balances of ${withName('account', data, 'account_name')} could not be read. The next attempt is automatic.`,
    resource: 'exchange_account',
  }),
  'exchange.credentials_rejected': (data) => ({
    severity: 'CRITICAL',
    title: 'Exchange rejected the credentials',
    body: `${withName('Account', data, 'account_name')} cannot trade until you enter valid credentials.`,
    resource: 'exchange_account',
  }),
  'exchange.permissions_changed': (data) => ({
    severity: data.is_active === false || data.can_withdraw !== false ? 'CRITICAL' : 'WARNING',
    title: 'Rights of an exchange account changed',
    body: `${withName('Account', data, 'account_name')}: ${permissionChange(data)}`,
    resource: 'exchange_account',
  }),
  'funding.paid': NO_NOTIFICATION,
  'position.opened': NO_NOTIFICATION,
  'position.changed': NO_NOTIFICATION,
  'position.closed': (data) =>
    position(
      'INFO',
      'Position closed',
      data,
      `is closed${withValue('; realized result: ', data, 'realized_pnl')}.`,
    ),
  'position.margin_call': (data) =>
    position(
      'CRITICAL',
      'Margin is low',
      data,
      `is close to liquidation${withValue(': the margin balance ÷ the maintenance margin is ', data, 'margin_ratio')}. Add margin or reduce the position.`,
    ),
  'position.liquidated': (data) =>
    position('CRITICAL', 'Position liquidated', data, 'was liquidated by the exchange, in whole or in part.'),
  'reward.granted': (data) => ({
    severity: 'INFO',
    title: 'Reward granted',
    body: `You were granted a reward${withValue(' of ', data, 'amount')}${withValue(' ', data, 'currency')}.`,
    resource: 'reward',
  }),
  'reward.claimed': NO_NOTIFICATION,
  'withdrawal.created': (data) => withdrawal('INFO', 'Withdrawal requested', data, 'was requested'),
  'withdrawal.completed': (data) => withdrawal('INFO', 'Withdrawal completed', data, 'is completed'),
  'withdrawal.cancelled': (data) => withdrawal('INFO', 'Withdrawal cancelled', data, 'was cancelled'),
  'withdrawal.failed': (data) =>
    withdrawal(
      'WARNING',
      'Withdrawal failed',
      data,
      `failed${failureReason(data)}; the amount was returned to your balance`,
    ),
  'webhook.test': NO_NOTIFICATION,
  'webhook.deactivated': (data) => ({
    severity: 'WARNING',
    title: 'Webhook deactivated',
    body: deactivation(data),
    resource: 'webhook',
  }),
  'key.created': (data) => ({
    severity: 'INFO',
    title: 'API key created',
    body: `${withName('API key', data, 'name')} can now act for your account.`,
    resource: 'api_key',
  }),
  'key.revoked': (data) => revoked(data),
  'public_key.linked': (data) => ({
    severity: 'INFO',
    title: 'Public key linked',
    body: `${withName('Public key', data, 'label')} can now act for your account with full permissions.`,
    resource: 'public_key',
  }),
  'strategy.multiplier_kept': (data) => ({
    severity: 'WARNING',
    title: 'Copiers see your amounts',
    body: `Copiers of other users copy ${withName('strategy', data, 'name')} with the sizing mode MULTIPLIER, which shows them the amounts that you trade. They keep the mode; new copiers need allow_multiplier.`,
    resource: 'strategy',
  }),
  'copier.profit_share_raised': (data) => ({
    severity: 'WARNING',
    title: 'Higher profit share offered',
    body: `The strategy of ${withName('copier', data, 'name')} offers a higher profit share. Your terms do not change unless you accept it.`,
    resource: 'copier',
  }),
  'trade_pair.deactivated': (data) => ({
    severity: 'WARNING',
    title: 'Pair deactivated',
    body: `Orders on ${stringField(data, 'symbol') || 'a pair'}${withValue(' at ', data, 'exchange')} are refused: ${deactivatedPairReason(data)}`,
    resource: 'trade_pair',
  }),
  'reward.claimable': (data) => ({
    severity: 'INFO',
    title: 'Reward can be claimed',
    body: `Your reward${withValue(' of ', data, 'amount')}${withValue(' ', data, 'currency')} is final. You can claim it now.`,
    resource: 'reward',
  }),
};

function trade(
  severity: NotificationSeverity,
  title: string,
  data: EventData,
  outcome: string,
): ReturnType<Rule> {
  const order = ['side', 'amount', 'symbol']
    .map((name) => stringField(data, name))
    .filter((word) => word !== '');
  return { severity, title, body: `${['Trade', ...order].join(' ')} ${outcome}`, resource: 'trade' };
}

function position(
  severity: NotificationSeverity,
  title: string,
  data: EventData,
  outcome: string,
): ReturnType<Rule> {
  const words = ['Position', stringField(data, 'side'), stringField(data, 'symbol')];
  return {
    severity,
    title,
    body: `${words.filter((word) => word !== '').join(' ')} ${outcome}`,
    resource: 'position',
  };
}

/** The text about trades found by comparison with the exchange, by origin. All other trades were placed here. */
const DISCOVERED_OUTCOMES: ReadonlyMap<string, string> = new Map([
  ['EXTERNAL', 'was found at the exchange; it was not placed through this platform.'],
  [
    'RECONCILIATION',
    'was recorded as a correction: the exchange holds another amount than your trades imply.',
  ],
  ['LIQUIDATION', 'was placed by the exchange: it liquidated a position because its margin was too low.'],
  ['ADL', 'was placed by the exchange: it reduced a position to close a bankrupt one (auto-deleveraging).'],
  ['SETTLEMENT', 'was recorded by the exchange: it delisted the market and settled the position.'],
]);

function discoveredTradeContent(data: EventData): ReturnType<Rule> {
  const outcome = DISCOVERED_OUTCOMES.get(stringField(data, 'origin'));
  return outcome === undefined ? null : trade('WARNING', 'Account differs from our records', data, outcome);
}

/** The outcomes of trades that were cancelled without a request from the user, by reason. */
const CANCEL_OUTCOMES: Readonly<Record<string, string>> = {
  EXCHANGE: 'was cancelled by the exchange',
  EXPIRED: 'has expired',
  IOC_REMAINDER: 'ended: the part that could not be filled immediately was cancelled',
  FOK_UNFILLED: 'was cancelled because it could not be filled completely at once',
  RISK: 'ended: its lot had less left than it was to close',
};

function cancelled(data: EventData): ReturnType<Rule> {
  const reason = stringField(data, 'cancel_reason');
  if (reason === 'USER') return null;
  const severity = reason === 'IOC_REMAINDER' || reason === 'FOK_UNFILLED' ? 'INFO' : 'WARNING';
  const filled = withValue('; filled: ', data, 'filled_amount');
  return trade(severity, 'Trade cancelled', data, `${CANCEL_OUTCOMES[reason] ?? 'was cancelled'}${filled}.`);
}

function exitDelayed(data: EventData): ReturnType<Rule> {
  const { inputs } = data;
  const numbers = typeof inputs === 'object' && inputs !== null ? (inputs as EventData) : {};
  const missing = stringField(numbers, 'missing_amount');
  const amount = withValue(' ', data, 'target_amount');
  return {
    severity: 'WARNING',
    title: 'Exit waits for the minimum',
    body: `A copier cannot sell${amount}${withValue(' of ', data, 'symbol')} yet: the exchange requires more.${missing === '' ? '' : ` Missing: ${missing}.`} It tries again at least every minute.`,
    resource: 'decision',
  };
}

/** Says what is wrong with an exchange account or its credentials, and what to do. */
function permissionChange({ is_active, can_trade, can_withdraw }: EventData): string {
  if (is_active === false)
    return 'the exchange now reports a kind or mode of account that cannot be traded here. Switch it at the exchange.';
  return [
    'the rights of its credentials changed.',
    can_trade === false && 'They cannot trade: allow them to trade at the exchange, or replace them.',
    can_withdraw === true && 'They may withdraw: replace them by ones that cannot.',
    can_withdraw === null && 'The exchange does not report whether they may withdraw.',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Says why a pair is inactive, and what happens to its lots. */
function deactivatedPairReason(data: EventData): string {
  switch (stringField(data, 'inactive_reason')) {
    case 'PAUSED':
      return 'the exchange paused the pair. It is traded again as soon as the exchange resumes it.';
    case 'DELISTED':
      return 'the exchange no longer lists the pair. Its lots stay listed.';
    case 'REPLACED':
      return `the exchange lists another pair under its symbol${withValue(', ', data, 'replaced_by')}. Lots of the old pair stay listed. Strategies that name the old pair must name the new one.`;
    default:
      return 'the exchange does not trade the pair. Its lots stay listed.';
  }
}

function stopped(data: EventData): ReturnType<Rule> {
  const reason = stringField(data, 'status_reason');
  const openLots = Array.isArray(data.open_lots) ? data.open_lots.length : 0;
  const unmanaged = openLots === 0 ? '' : ` Open lots left unmanaged: ${openLots}.`;
  return {
    severity: reason === 'USER' && openLots === 0 ? 'INFO' : 'WARNING',
    title: 'Copier stopped',
    body: `${withName('Copier', data, 'name')} was stopped${reason === '' ? '' : ` (${reason})`}.${unmanaged}`,
    resource: 'copier',
  };
}

function withdrawal(
  severity: NotificationSeverity,
  title: string,
  data: EventData,
  outcome: string,
): ReturnType<Rule> {
  const amount = `${withValue(' of ', data, 'amount')}${withValue(' ', data, 'currency')}`;
  const target = withValue(' to ', data, 'wallet_address');
  return { severity, title, body: `The withdrawal${amount}${target} ${outcome}.`, resource: 'withdrawal' };
}

function deactivation(data: EventData): string {
  if (isInsecureUrl(data)) {
    const url = stringField(data, 'url') || 'a webhook';
    return `No more events are sent to ${url}: its URL is not https. Set an https URL and is_active to true.`;
  }
  const failed = `${stringField(data, 'consecutive_failures') || 'too many'} attempts in a row failed`;
  const resolution = 'Once its receiver responds, set is_active to true and retry its dead letters.';
  return `No more events are sent to ${stringField(data, 'url') || 'a webhook'}: ${failed}. ${resolution}`;
}

/** Returns whether a webhook was deactivated because the live world requires https. */
export function isInsecureUrl(data: EventData): boolean {
  return stringField(data, 'deactivation_reason') === 'insecure_url';
}

/** API keys and public keys share this event type; `pubkey` in the record identifies a public key. */
function revoked(data: EventData): ReturnType<Rule> {
  const isPublicKey = stringField(data, 'pubkey') !== '';
  return {
    severity: 'INFO',
    title: isPublicKey ? 'Public key revoked' : 'API key revoked',
    body: `${isPublicKey ? withName('Public key', data, 'label') : withName('API key', data, 'name')} can no longer act for your account.`,
    resource: isPublicKey ? 'public_key' : 'api_key',
  };
}

function failureReason(data: EventData): string {
  const { failure } = data;
  if (typeof failure !== 'object' || failure === null) return '';
  return withValue(': ', failure as EventData, 'message').replace(/\.$/, '');
}

function withName(noun: string, data: EventData, field: string): string {
  const name = stringField(data, field);
  return name === '' ? noun : `${noun} “${name}”`;
}

function withValue(before: string, data: EventData, field: string): string {
  const value = stringField(data, field);
  return value === '' ? '' : `${before}${value}`;
}

/** Returns a field's string; an empty string for other values. Removes U+0000, which Postgres rejects. */
function stringField(data: EventData, field: string): string {
  const value = Object.hasOwn(data, field) ? data[field] : undefined;
  return typeof value === 'string' ? value.replaceAll('\u0000', '') : '';
}
