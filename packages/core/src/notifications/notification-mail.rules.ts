/**
 * Who is mailed of an event, and what the mail says. Pure.
 *
 * 1. Plain text without secrets, and without links that do anything: whoever reads a mailbox must not gain by it.
 * 2. What a user has written (names, addresses) comes as one line of visible text: it can't pass for words of ours.
 * 3. A URL is shown without its query, where people keep tokens, and in ASCII, so that it is what it looks like.
 */
import {
  accessOperations,
  choiceOf,
  deadLetterOperations,
  type EventType,
  eventOperations,
  MAILED_BY_DEFAULT,
  MANDATORY_NOTIFICATIONS,
  NOTIFICATION_MAILS_PER_DAY,
  NOTIFICATIONS_SETTING,
  type NotificationPreferences,
  settingOperations,
  webhookOperations,
  withdrawalOperations,
} from '@trading-automation/contracts';
import { parseUrl } from '../values/index.js';
import type { EventData, NotificationContent } from './notification.rules.js';

/** An event with its words. */
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

/** Whether an event shows in the product. */
export function isShown(type: EventType, { in_app }: NotificationPreferences): boolean {
  return MANDATORY_NOTIFICATIONS.includes(type) || (choiceOf(in_app, type) ?? true);
}

/** Whether an event is mailed, where there is an address. */
export function isMailed({ type, data }: NotifiableEvent, { email }: NotificationPreferences): boolean {
  return MANDATORY_NOTIFICATIONS.includes(type) || (choiceOf(email, type) ?? isMailedByDefault(type, data));
}

function isMailedByDefault(type: EventType, data: EventData): boolean {
  const isOwnDoing = type === 'copier.stopped' && data.status_reason === 'USER';
  return MAILED_BY_DEFAULT.includes(type) && !isOwnDoing;
}

/** What is counted together where mail is held down, and how many of it are sent in a day. */
export function mailTopicOf({ type, content }: NotifiableEvent): { topic: string; perDay: number } {
  return type === 'webhook.deactivated'
    ? { topic: `${type} ${content.resourceId}`, perDay: 1 }
    : { topic: type, perDay: NOTIFICATION_MAILS_PER_DAY };
}

/** @param isLast no more about this kind will be mailed today */
export function composeNotificationMail(told: NotifiableEvent, isLast: boolean): MailContent {
  const { type, content, happenedAt } = told;
  return {
    subject: content.title,
    text: textOf([
      [sanitizeLine(content.body)],
      [
        row('When', happenedAt.toISOString()),
        row('Event', type),
        row('Record', `${content.resource} ${sanitizeLine(content.resourceId)}`),
      ],
      securityAdvice(told),
      isLast ? [`More about ${type} comes by mail tomorrow; until then it is in your notifications.`] : [],
      [deliveryReason(type)],
    ]),
  };
}

const KEYS_PATH = accessOperations.listApiKeys.path;
const PUBLIC_KEYS_PATH = accessOperations.listPublicKeys.path;

/** The path of an operation on the record that a note is about. */
const pathOf = ({ path }: { readonly path: string }, { resourceId }: NotificationContent) =>
  path.replace(':id', sanitizeLine(resourceId));

/** What its owner can do at once, where a stranger might have done it. */
function securityAdvice({ type, content }: NotifiableEvent): string[] {
  if (!MANDATORY_NOTIFICATIONS.includes(type)) return [];
  const revoke = `revoke every key that you don't know (${KEYS_PATH}, ${PUBLIC_KEYS_PATH})`;
  return type === 'withdrawal.created'
    ? [
        `If this was not you: cancel it (POST ${pathOf(withdrawalOperations.cancel, content)}), and ${revoke}.`,
      ]
    : [`If this was not you: ${revoke}.`];
}

function deliveryReason(type: EventType): string {
  return MANDATORY_NOTIFICATIONS.includes(type)
    ? 'This is always mailed to the verified address of your account.'
    : `You choose what is mailed to you: PUT ${settingOperations.put.path.replace(':key', NOTIFICATIONS_SETTING)}.`;
}

/** What the database knows of a webhook that failed. */
export interface WebhookFailureSummary {
  /** When the first of the failed attempts in a row began. */
  readonly failingSince: Date | null;
  readonly lastAttemptAt: Date | null;
  readonly lastStatusCode: number | null;
  readonly lastError: string | null;
  /** Dead letters that wait; of {@link WAITING_COUNTED_MAX} or more only that many are counted. */
  readonly waiting: number;
}
export const WAITING_COUNTED_MAX = 10_000;

export function composeDeactivationMail(told: NotifiableEvent, trouble: WebhookFailureSummary): MailContent {
  const { data, content, happenedAt } = told;
  const failures = typeof data.consecutive_failures === 'string' ? data.consecutive_failures : 'too many';
  const since = trouble.failingSince?.toISOString();
  const { waiting } = trouble;
  const count = waiting >= WAITING_COUNTED_MAX ? `${WAITING_COUNTED_MAX} or more` : String(waiting);
  return {
    subject: 'A webhook was deactivated',
    text: textOf([
      [
        'A webhook of yours was deactivated, because its receiver failed for too long.',
        'Nothing is sent to it.',
      ],
      [
        row('Webhook', sanitizeLine(content.resourceId)),
        row('Address', redactUrl(data.url)),
        row('When', happenedAt.toISOString()),
        row('Failing', `${failures} attempts in a row${since === undefined ? '' : `, since ${since}`}`),
        row('Last attempt', lastAttempt(trouble)),
        row('Waiting', `${count} ${waiting === 1 ? 'delivery' : 'deliveries'}, in its dead letters`),
      ],
      [
        'To mend it:',
        `1. See to it that the receiver answers with 2xx. What it said: GET ${pathOf(webhookOperations.deliveries, content)}`,
        `2. Take the webhook into use again: PATCH ${pathOf(webhookOperations.update, content)} with {"is_active": true}`,
        `3. Send what waits: POST ${pathOf(deadLetterOperations.retryMany, content)} with {}`,
        'Events that happen before step 2 are not sent to it by themselves: they stay readable under GET',
        `${eventOperations.list.path}, and POST ${pathOf(webhookOperations.replay, content)} sends one of them.`,
      ],
      ['A webhook is written about once a day at most.', deliveryReason('webhook.deactivated')],
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

/** Paragraphs of lines; empty ones are left out. */
const textOf = (paragraphs: readonly (readonly string[])[]) =>
  paragraphs
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .join('\n');

const SHOWN_MAX = 500;
/** Control and format characters: line ends, and what turns the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

function sanitizeLine(words: string): string {
  const line = words.replace(INVISIBLE, ' ');
  return line.length <= SHOWN_MAX ? line : `${line.slice(0, SHOWN_MAX)}…`;
}

function redactUrl(given: unknown): string {
  const url = typeof given === 'string' ? parseUrl(given) : undefined;
  if (url === undefined) return 'unknown';
  const { origin, pathname, search } = url;
  return sanitizeLine(`${origin}${pathname}${search === '' ? '' : '?…'}`);
}
