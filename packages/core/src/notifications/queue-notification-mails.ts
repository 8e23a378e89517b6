import { decodeId } from '@trading-automation/contracts';
import type { RelayedEvent, Tx } from '@trading-automation/persistence';
import { type MailAllowanceRequest, queueMail, takeMailAllowance } from '../mail/index.js';
import { type Recipient, readWebhookFailureSummary } from './notification.queries.js';
import { isInsecureUrl } from './notification.rules.js';
import {
  composeDeactivationMail,
  composeNotificationMail,
  type MailContent,
  mailTopicOf,
  type NotifiableEvent,
} from './notification-mail.rules.js';

/** An event and the user to notify of it. */
export interface NotificationTarget extends NotifiableEvent {
  readonly event: RelayedEvent;
  readonly recipient: Recipient;
}

/** Queues as many mails of each topic as the topic's allowance permits, oldest events first. */
export async function queueNotificationMails(tx: Tx, targets: readonly NotificationTarget[]): Promise<void> {
  const addressedTargets = targets.filter(({ recipient }) => recipient.email !== null);
  const mailNumbers = await takeAllowances(tx, addressedTargets);
  for (const target of addressedTargets) {
    const numbers = mailNumbers.get(keyOf(topicOf(target)));
    const number = numbers?.shift();
    if (number !== undefined) await queueMailOf(tx, target, number === topicOf(target).perDay);
  }
}

/**
 * Takes a mail for each target from the daily allowance of its topic. Returns, by topic, the numbers of the mails that
 * may be sent now. The day's first mail of a topic has number 1.
 */
async function takeAllowances(
  tx: Tx,
  targets: readonly NotificationTarget[],
): Promise<Map<string, number[]>> {
  const topics = new Map<string, MailAllowanceRequest & { readonly perDay: number }>();
  for (const target of targets) {
    const topic = topicOf(target);
    const known = topics.get(keyOf(topic));
    topics.set(keyOf(topic), { ...topic, count: 1 + (known?.count ?? 0) });
  }
  const mailNumbers = new Map<string, number[]>();
  for (const perDay of new Set([...topics.values()].map((topic) => topic.perDay))) {
    const requests = [...topics.values()].filter((topic) => topic.perDay === perDay);
    for (const grant of await takeMailAllowance(tx, perDay, requests)) {
      const first = grant.used - grant.granted + 1;
      mailNumbers.set(
        keyOf(grant),
        Array.from({ length: grant.granted }, (_, n) => first + n),
      );
    }
  }
  return mailNumbers;
}

const topicOf = (target: NotificationTarget) => ({ userId: target.event.userId, ...mailTopicOf(target) });
const keyOf = ({ userId, topic }: Omit<MailAllowanceRequest, 'count'>) => `${userId} ${topic}`;

async function queueMailOf(tx: Tx, target: NotificationTarget, isLast: boolean): Promise<void> {
  const { event, recipient } = target;
  const content =
    target.type === 'webhook.deactivated' && !isInsecureUrl(target.data)
      ? await deactivationMail(tx, target)
      : composeNotificationMail(target, isLast);
  await queueMail(tx, { userId: event.userId, to: recipient.email!, eventId: event.id, ...content });
}

/** At most so many failed attempts are read. No webhook fails more often in a row before it is deactivated. */
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
