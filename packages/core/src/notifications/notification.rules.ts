/**
 * Which events a person is told of, and in which words. A notification says what happened that its reader did not
 * do just now, or should know of because money or access is concerned.
 *
 * The record of an event is read leniently: it may have been written by an older release, or cut. Words that lack a
 * part are still said; only an event whose record has no id makes no notification, for there is nothing to look at.
 */
import type { EventType, NotificationResource, NotificationSeverity } from '@trading-automation/contracts';

/** The record that an event carries; its numbers are text. */
export type EventData = Readonly<Record<string, unknown>>;

export interface NotificationContent {
  readonly severity: NotificationSeverity;
  readonly title: string;
  readonly body: string;
  readonly resource: NotificationResource;
  readonly resourceId: string;
}

/** null where nobody needs to be told. */
type Rule = (data: EventData) => Omit<NotificationContent, 'resourceId'> | null;

const NO_NOTIFICATION: Rule = () => null;

/** Whether somebody may have to be told of such an event; a kind of a newer release is told of by that one. */
export function isNotable(type: EventType): boolean {
  return Object.hasOwn(RULES, type) && RULES[type] !== NO_NOTIFICATION;
}

/** The notification of an event, or null. */
export function notificationContentOf(type: EventType, data: EventData): NotificationContent | null {
  const resourceId = stringField(data, 'id');
  if (resourceId === '' || !isNotable(type)) return null;
  const note = RULES[type](data);
  return note === null ? null : { ...note, resourceId };
}

const RULES: Readonly<Record<EventType, Rule>> = {
  'trade.created': (data) => discoveredTrade(data),
  'trade.partially_filled': NO_NOTIFICATION,
  'trade.filled': (data) =>
    trade('INFO', 'Trade filled', data, `is filled${withValue(' at ', data, 'average_price')}.`),
  'trade.cancelled': (data) => cancelled(data),
  'trade.failed': (data) => trade('WARNING', 'Trade failed', data, `failed${because(data)}.`),
  'trade.closed': (data) =>
    trade(
      'INFO',
      'Trade closed',
      data,
      `is closed${withValue('; its realized result is ', data, 'realized_pnl')}.`,
    ),
  'copier.started': NO_NOTIFICATION,
  'copier.stopped': (data) => stopped(data),
  'copier.trade_skipped': (data) => ({
    severity: 'INFO',
    title: 'Trade not copied',
    body: `A copier skipped a trade of its strategy${withValue(': ', data, 'code')}.`,
    resource: 'decision',
  }),
  'copier.drift': (data) => ({
    severity: 'WARNING',
    title: 'Copier differs from its strategy',
    body: `${named('Copier', data, 'name')} holds what its strategy has closed; nothing is traded without you.`,
    resource: 'copier',
  }),
  'exchange.synced': NO_NOTIFICATION,
  'exchange.sync_failed': (data) => ({
    severity: 'WARNING',
    title: 'Balances not read',
    body: `The balances of ${named('account', data, 'account_name')} could not be read; it is tried again.`,
    resource: 'exchange_account',
  }),
  'exchange.credentials_rejected': (data) => ({
    severity: 'CRITICAL',
    title: 'Exchange refused the credentials',
    body: `${named('Account', data, 'account_name')} can't trade until it has credentials that its exchange takes.`,
    resource: 'exchange_account',
  }),
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
    withdrawal('WARNING', 'Withdrawal failed', data, `failed${because(data)}; its amount is yours again`),
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
    body: `${named('API key', data, 'name')} can act for your account now.`,
    resource: 'api_key',
  }),
  'key.revoked': (data) => revoked(data),
  'public_key.linked': (data) => ({
    severity: 'INFO',
    title: 'Public key linked',
    body: `${named('Public key', data, 'label')} can act for your account now, in everything.`,
    resource: 'public_key',
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

/** What a comparison with the exchange brought to light; anything else its reader placed. */
const FOUND: ReadonlyMap<string, string> = new Map([
  ['EXTERNAL', 'was found at the exchange; it was not placed here.'],
  ['RECONCILIATION', 'was written down: the exchange holds less than the trades here say.'],
]);

function discoveredTrade(data: EventData): ReturnType<Rule> {
  const outcome = FOUND.get(stringField(data, 'origin'));
  return outcome === undefined ? null : trade('WARNING', 'Account differs', data, outcome);
}

/** Why a trade ended without its user having asked for it. */
const CANCELLED_BY: Readonly<Record<string, string>> = {
  EXCHANGE: 'was cancelled by the exchange',
  EXPIRED: 'has expired',
  IOC_REMAINDER: 'ended: what could not be filled at once was dropped',
  RISK: 'was cancelled by a risk limit',
};

function cancelled(data: EventData): ReturnType<Rule> {
  const reason = stringField(data, 'cancel_reason');
  if (reason === 'USER') return null;
  const severity = reason === 'IOC_REMAINDER' ? 'INFO' : 'WARNING';
  const filled = withValue('; filled: ', data, 'filled_amount');
  return trade(severity, 'Trade cancelled', data, `${CANCELLED_BY[reason] ?? 'was cancelled'}${filled}.`);
}

function stopped(data: EventData): ReturnType<Rule> {
  const reason = stringField(data, 'status_reason');
  const openLots = Array.isArray(data.open_lots) ? data.open_lots.length : 0;
  const left = openLots === 0 ? '' : ` Open lots left unmanaged: ${openLots}.`;
  return {
    severity: reason === 'USER' && openLots === 0 ? 'INFO' : 'WARNING',
    title: 'Copier stopped',
    body: `${named('Copier', data, 'name')} was stopped${reason === '' ? '' : ` (${reason})`}.${left}`,
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
  const failed = `${stringField(data, 'consecutive_failures') || 'too many'} attempts in a row failed`;
  const resolution = 'Once its receiver answers, set is_active to true and retry its dead letters.';
  return `Nothing more is sent to ${stringField(data, 'url') || 'a webhook'}: ${failed}. ${resolution}`;
}

/** API keys and public keys are revoked under one kind; a record tells by its members which of them it is. */
function revoked(data: EventData): ReturnType<Rule> {
  const isPublicKey = stringField(data, 'pubkey') !== '';
  return {
    severity: 'INFO',
    title: isPublicKey ? 'Public key revoked' : 'API key revoked',
    body: `${isPublicKey ? named('Public key', data, 'label') : named('API key', data, 'name')} can act no more.`,
    resource: isPublicKey ? 'public_key' : 'api_key',
  };
}

function because(data: EventData): string {
  const { failure } = data;
  if (typeof failure !== 'object' || failure === null) return '';
  return withValue(': ', failure as EventData, 'message').replace(/\.$/, '');
}

function named(noun: string, data: EventData, field: string): string {
  const name = stringField(data, field);
  return name === '' ? noun : `${noun} “${name}”`;
}

function withValue(before: string, data: EventData, field: string): string {
  const value = stringField(data, field);
  return value === '' ? '' : `${before}${value}`;
}

/** Empty where the member is no text; without U+0000, which Postgres takes in none. */
function stringField(data: EventData, field: string): string {
  const value = Object.hasOwn(data, field) ? data[field] : undefined;
  return typeof value === 'string' ? value.replaceAll('\u0000', '') : '';
}
