/**
 * Decides which events are mailed, and composes the mails. The functions are pure.
 *
 * 1. Mails are plain text. They contain no secrets and no links that change anything, so that access to a mailbox gives
 *    no access to the account.
 * 2. Text from a user (names, addresses) is shown as one line of visible characters, so that it cannot imitate the
 *    product's own text.
 * 3. A URL is shown without its query, which may contain tokens. It is shown in ASCII, so that look-alike letters are
 *    visible.
 */
import {
  accessOperations,
  deadLetterOperations,
  type EventType,
  eventOperations,
  MAILED_BY_DEFAULT,
  MANDATORY_NOTIFICATIONS,
  NOTIFICATION_MAILS_PER_DAY,
  NOTIFICATIONS_SETTING,
  type NotificationPreferences,
  notificationPreferenceOf,
  settingOperations,
  webhookOperations,
  withdrawalOperations,
} from '@trading-automation/contracts';
import { parseUrl } from '../values/index.js';
import type { EventData, NotificationContent } from './notification.rules.js';

/** An event with its notification. */
export interface NotifiableEvent {
  readonly type: EventType;
  readonly data: EventData;
  readonly content: NotificationContent;
  readonly happenedAt: Date;
}

export interface MailContent {
  readonly subject: string;
  readonly text: string;
}

/** Returns whether an event creates a notification in the product. */
export function isShown(type: EventType, { in_app }: NotificationPreferences): boolean {
  return MANDATORY_NOTIFICATIONS.includes(type) || (notificationPreferenceOf(in_app, type) ?? true);
}

/** Returns whether an event is mailed to a user who has an address. */
export function isMailed({ type, data }: NotifiableEvent, { email }: NotificationPreferences): boolean {
  return (
    MANDATORY_NOTIFICATIONS.includes(type) ||
    (notificationPreferenceOf(email, type) ?? isMailedByDefault(type, data))
  );
}

function isMailedByDefault(type: EventType, data: EventData): boolean {
  const isStoppedByUser = type === 'copier.stopped' && data.status_reason === 'USER';
  return MAILED_BY_DEFAULT.includes(type) && !isStoppedByUser;
}

/** Returns the topic whose daily limit applies to the event's mail, and this limit. */
export function mailTopicOf({ type, content }: NotifiableEvent): { topic: string; perDay: number } {
  return type === 'webhook.deactivated'
    ? { topic: `${type} ${content.resourceId}`, perDay: 1 }
    : { topic: type, perDay: NOTIFICATION_MAILS_PER_DAY };
}

/** Composes the mail of an event. @param isLast whether it is the last mail of its topic today */
export function composeNotificationMail(event: NotifiableEvent, isLast: boolean): MailContent {
  const { type, content, happenedAt } = event;
  return {
    subject: content.title,
    text: textOf([
      [sanitizeLine(content.body)],
      [
        row('When', happenedAt.toISOString()),
        row('Event', type),
        row('Record', `${content.resource} ${sanitizeLine(content.resourceId)}`),
      ],
      securityAdvice(event),
      isLast
        ? [`The daily limit for mails about ${type} is reached. Until tomorrow, see your notifications.`]
        : [],
      [deliveryReason(type)],
    ]),
  };
}

const KEYS_PATH = accessOperations.listApiKeys.path;
const PUBLIC_KEYS_PATH = accessOperations.listPublicKeys.path;

/** Returns the path of an operation on the notification's record. */
const pathOf = ({ path }: { readonly path: string }, { resourceId }: NotificationContent) =>
  path.replace(':id', sanitizeLine(resourceId));

/** Returns what to do if someone else caused the event; an empty list if the notification is not mandatory. */
function securityAdvice({ type, content }: NotifiableEvent): string[] {
  if (!MANDATORY_NOTIFICATIONS.includes(type)) return [];
  const revoke = `revoke every key that you do not recognise (${KEYS_PATH}, ${PUBLIC_KEYS_PATH})`;
  return type === 'withdrawal.created'
    ? [
        `If this was not you, cancel it (POST ${pathOf(withdrawalOperations.cancel, content)}), and ${revoke}.`,
      ]
    : [`If this was not you, ${revoke}.`];
}

function deliveryReason(type: EventType): string {
  return MANDATORY_NOTIFICATIONS.includes(type)
    ? 'This mail is always sent to the verified address of your account.'
    : `To choose which mails you receive: PUT ${settingOperations.put.path.replace(':key', NOTIFICATIONS_SETTING)}.`;
}

/** The recent failures of a webhook. */
export interface WebhookFailureSummary {
  /** The start of the first of the consecutive failed attempts. */
  readonly failingSince: Date | null;
  readonly lastAttemptAt: Date | null;
  readonly lastStatusCode: number | null;
  readonly lastError: string | null;
  /** The number of pending dead letters, counted up to {@link WAITING_COUNTED_MAX}. */
  readonly waiting: number;
}
export const WAITING_COUNTED_MAX = 10_000;

/** Composes the mail of a deactivated webhook, with its failures and how to fix it. */
export function composeDeactivationMail(event: NotifiableEvent, summary: WebhookFailureSummary): MailContent {
  const { data, content, happenedAt } = event;
  const failures = typeof data.consecutive_failures === 'string' ? data.consecutive_failures : 'too many';
  const since = summary.failingSince?.toISOString();
  const { waiting } = summary;
  const count = waiting >= WAITING_COUNTED_MAX ? `${WAITING_COUNTED_MAX} or more` : String(waiting);
  return {
    subject: 'A webhook was deactivated',
    text: textOf([
      [
        'One of your webhooks was deactivated because too many attempts in a row failed.',
        'No events are sent to it.',
      ],
      [
        row('Webhook', sanitizeLine(content.resourceId)),
        row('Address', redactUrl(data.url)),
        row('When', happenedAt.toISOString()),
        row('Failing', `${failures} attempts in a row${since === undefined ? '' : `, since ${since}`}`),
        row('Last attempt', lastAttempt(summary)),
        row('Waiting', `${count} ${waiting === 1 ? 'delivery' : 'deliveries'}, in its dead letters`),
      ],
      [
        'To fix it:',
        `1. Make the receiver respond with 2xx. Its last responses: GET ${pathOf(webhookOperations.deliveries, content)}`,
        `2. Activate the webhook: PATCH ${pathOf(webhookOperations.update, content)} with {"is_active": true}`,
        `3. Retry the dead letters: POST ${pathOf(deadLetterOperations.retryMany, content)} with {}`,
        'Events before step 2 are not sent automatically. Read them with GET',
        `${eventOperations.list.path}, and send one of them with POST ${pathOf(webhookOperations.replay, content)}.`,
      ],
      ['At most one mail per day is sent about a webhook.', deliveryReason('webhook.deactivated')],
    ]),
  };
}

function lastAttempt({ lastAttemptAt, lastError, lastStatusCode }: WebhookFailureSummary): string {
  if (lastAttemptAt === null) return 'unknown';
  const outcome = lastStatusCode === null ? (lastError ?? 'failed') : `HTTP ${lastStatusCode}`;
  const reason = lastStatusCode === null || lastError === 'http_status' ? '' : ` (${lastError})`;
  return `${lastAttemptAt.toISOString()}: ${outcome}${reason}`;
}

const LABEL_WIDTH = 14;
const row = (label: string, value: string) => `${label.padEnd(LABEL_WIDTH)}${value}`;

/** Joins paragraphs of lines; omits empty paragraphs. */
const textOf = (paragraphs: readonly (readonly string[])[]) =>
  paragraphs
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .join('\n');

const SHOWN_MAX = 500;
/** Control and format characters, such as line breaks and bidirectional overrides. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

function sanitizeLine(text: string): string {
  const line = text.replace(INVISIBLE, ' ');
  return line.length <= SHOWN_MAX ? line : `${line.slice(0, SHOWN_MAX)}…`;
}

function redactUrl(value: unknown): string {
  const url = typeof value === 'string' ? parseUrl(value) : undefined;
  if (url === undefined) return 'unknown';
  const { origin, pathname, search } = url;
  return sanitizeLine(`${origin}${pathname}${search === '' ? '' : '?…'}`);
}
