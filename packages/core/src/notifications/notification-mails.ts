import { decodeId } from '@trading-automation/contracts';
import type { RelayedEvent, Tx } from '@trading-automation/persistence';
import { type MailWish, queueMail, takeMailAllowance } from '../mail/index.js';
import { type Reader, troubleOfWebhook } from './notification.queries.js';
import {
  type MailWords,
  mailOf,
  mailOfDeactivation,
  mailTopicOf,
  type ToldEvent,
} from './notification-mail.rules.js';

/** An event that its owner is told of. */
export interface Told extends ToldEvent {
  readonly event: RelayedEvent;
  readonly reader: Reader;
}

/** Queues as many mails of each topic as it may still have, the oldest events first. */
export async function queueMails(tx: Tx, told: readonly Told[]): Promise<void> {
  const addressed = told.filter(({ reader }) => reader.email !== null);
  const left = await takeAllowances(tx, addressed);
  for (const one of addressed) {
    const numbers = left.get(keyOf(topicOf(one)));
    const number = numbers?.shift();
    if (number !== undefined) await queueMailOf(tx, one, number === topicOf(one).perDay);
  }
}

/** Of each topic, which mails of its day are to be sent now: 1 is the day's first. */
async function takeAllowances(tx: Tx, told: readonly Told[]): Promise<Map<string, number[]>> {
  const topics = new Map<string, MailWish & { readonly perDay: number }>();
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

const topicOf = (one: Told) => ({ userId: one.event.userId, ...mailTopicOf(one) });
const keyOf = ({ userId, topic }: Omit<MailWish, 'count'>) => `${userId} ${topic}`;

async function queueMailOf(tx: Tx, told: Told, isLast: boolean): Promise<void> {
  const { event, reader } = told;
  const words =
    told.type === 'webhook.deactivated' ? await wordsOfDeactivation(tx, told) : mailOf(told, isLast);
  await queueMail(tx, { userId: event.userId, to: reader.email!, eventId: event.id, ...words });
}

/** A webhook is deactivated long before; more attempts than were in flight then can't follow. */
const FAILURES_LOOKED_AT_MAX = 1_000;

async function wordsOfDeactivation(tx: Tx, told: Told): Promise<MailWords> {
  const webhookId = decodeId('whk', told.note.resourceId);
  if (webhookId === null) return mailOf(told, false);
  const failures = Math.min(Math.trunc(Number(told.data.consecutive_failures)) || 1, FAILURES_LOOKED_AT_MAX);
  return mailOfDeactivation(told, await troubleOfWebhook(tx, webhookId, failures, told.happenedAt));
}
