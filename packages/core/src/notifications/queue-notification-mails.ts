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

/** An event to report to its owner. */
export interface NotificationTarget extends NotifiableEvent {
  readonly event: RelayedEvent;
  readonly recipient: Recipient;
}

/** Queues as many mails of each topic as its allowance permits, oldest events first. */
export async function queueNotificationMails(tx: Tx, targets: readonly NotificationTarget[]): Promise<void> {
  const addressed = targets.filter(({ recipient }) => recipient.email !== null);
  const left = await takeAllowances(tx, addressed);
  for (const one of addressed) {
    const numbers = left.get(keyOf(topicOf(one)));
    const number = numbers?.shift();
    if (number !== undefined) await queueMailOf(tx, one, number === topicOf(one).perDay);
  }
}

/**
 * Takes allowances; returns for each topic the numbers of the day's mails to send now. The day's first mail is number
 * 1.
 */
async function takeAllowances(
  tx: Tx,
  targets: readonly NotificationTarget[],
): Promise<Map<string, number[]>> {
  const topics = new Map<string, MailAllowanceRequest & { readonly perDay: number }>();
  for (const one of targets) {
    const topic = topicOf(one);
    const known = topics.get(keyOf(topic));
    topics.set(keyOf(topic), { ...topic, count: 1 + (known?.count ?? 0) });
  }
  const left = new Map<string, number[]>();
  for (const perDay of new Set([...topics.values()].map((topic) => topic.perDay))) {
    const requests = [...topics.values()].filter((topic) => topic.perDay === perDay);
    for (const grant of await takeMailAllowance(tx, perDay, requests)) {
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

async function queueMailOf(tx: Tx, target: NotificationTarget, isLast: boolean): Promise<void> {
  const { event, recipient } = target;
  const content =
    target.type === 'webhook.deactivated'
      ? await deactivationMail(tx, target)
      : composeNotificationMail(target, isLast);
  await queueMail(tx, { userId: event.userId, to: recipient.email!, eventId: event.id, ...content });
}

/** Limits the attempts that are read. A webhook is deactivated after fewer failures, including those in flight. */
const FAILURES_READ_MAX = 1_000;

async function deactivationMail(tx: Tx, target: NotificationTarget): Promise<MailContent> {
  const webhookId = decodeId('whk', target.content.resourceId);
  if (webhookId === null) return composeNotificationMail(target, false);
  const failures = Math.min(Math.trunc(Number(target.data.consecutive_failures)) || 1, FAILURES_READ_MAX);
  return composeDeactivationMail(
    target,
    await readWebhookFailureSummary(tx, webhookId, failures, target.happenedAt),
  );
}
