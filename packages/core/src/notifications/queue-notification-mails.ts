import { decodeId } from '@trading-automation/contracts';
import type { RelayedEvent, Tx } from '@trading-automation/persistence';
import { type MailAllowanceRequest, queueMail, takeMailAllowance } from '../mail/index.js';
import { type Recipient, readWebhookFailureSummary } from './notification.queries.js';
import {
  composeDeactivationMail,
  composeNotificationMail,
  type MailContent,
  mailTopicOf,
  type NotifiableEvent,
} from './notification-mail.rules.js';

/** An event that its owner is told of. */
export interface NotificationTarget extends NotifiableEvent {
  readonly event: RelayedEvent;
  readonly reader: Recipient;
}

/** Queues as many mails of each topic as it may still have, the oldest events first. */
export async function queueNotificationMails(tx: Tx, told: readonly NotificationTarget[]): Promise<void> {
  const addressed = told.filter(({ reader }) => reader.email !== null);
  const left = await takeAllowances(tx, addressed);
  for (const one of addressed) {
    const numbers = left.get(keyOf(topicOf(one)));
    const number = numbers?.shift();
    if (number !== undefined) await queueMailOf(tx, one, number === topicOf(one).perDay);
  }
}

/** Of each topic, which mails of its day are to be sent now: 1 is the day's first. */
async function takeAllowances(tx: Tx, told: readonly NotificationTarget[]): Promise<Map<string, number[]>> {
  const topics = new Map<string, MailAllowanceRequest & { readonly perDay: number }>();
  for (const one of told) {
    const topic = topicOf(one);
    const known = topics.get(keyOf(topic));
    topics.set(keyOf(topic), { ...topic, count: 1 + (known?.count ?? 0) });
  }
  const left = new Map<string, number[]>();
  for (const perDay of new Set([...topics.values()].map((topic) => topic.perDay))) {
    const wishes = [...topics.values()].filter((topic) => topic.perDay === perDay);
    for (const grant of await takeMailAllowance(tx, perDay, wishes)) {
      const first = grant.used - grant.granted + 1;
      left.set(
        keyOf(grant),
        Array.from({ length: grant.granted }, (_, n) => first + n),
      );
    }
  }
  return left;
}

const topicOf = (one: NotificationTarget) => ({ userId: one.event.userId, ...mailTopicOf(one) });
const keyOf = ({ userId, topic }: Omit<MailAllowanceRequest, 'count'>) => `${userId} ${topic}`;

async function queueMailOf(tx: Tx, told: NotificationTarget, isLast: boolean): Promise<void> {
  const { event, reader } = told;
  const words =
    told.type === 'webhook.deactivated'
      ? await deactivationMail(tx, told)
      : composeNotificationMail(told, isLast);
  await queueMail(tx, { userId: event.userId, to: reader.email!, eventId: event.id, ...words });
}

/** A webhook is deactivated long before; more attempts than were in flight then can't follow. */
const FAILURES_LOOKED_AT_MAX = 1_000;

async function deactivationMail(tx: Tx, told: NotificationTarget): Promise<MailContent> {
  const webhookId = decodeId('whk', told.content.resourceId);
  if (webhookId === null) return composeNotificationMail(told, false);
  const failures = Math.min(Math.trunc(Number(told.data.consecutive_failures)) || 1, FAILURES_LOOKED_AT_MAX);
  return composeDeactivationMail(
    told,
    await readWebhookFailureSummary(tx, webhookId, failures, told.happenedAt),
  );
}
