import { deadLetterOperations } from '../dead-letters.js';
import { webhookOperations as operations } from '../webhooks.js';
import { sample } from './sample.js';

/** Run before the trades that they are told of. */
export const webhookSamples = [
  sample(operations.create, {
    title: 'Be told of every change of a trade',
    as: 'webhook',
    body: { url: '$receiver.url', events: ['trade.*'], description: 'order desk' },
  }),
  sample(operations.create, {
    title: 'Register a receiver that is out of order',
    as: 'failing_webhook',
    body: { url: '$failing_receiver.url', events: ['*'] },
  }),
  sample(operations.get, { title: 'Read a webhook', params: { id: '$webhook.id' } }),
  sample(operations.list, { title: 'List the webhooks' }),
  sample(operations.test, { title: 'Send a test event', params: { id: '$webhook.id' } }),
  sample(operations.deliveries, {
    title: 'See the latest attempts',
    params: { id: '$webhook.id' },
    query: { limit: '5' },
  }),
  sample(operations.deliveries, {
    title: 'See what failed since an instant',
    params: { id: '$webhook.id' },
    query: { status: 'FAILED', from: '2026-01-31T08:00:00Z' },
  }),
];

/** Run after the trades: what could not be delivered of them is here. */
export const deadLetterSamples = [
  sample(operations.update, {
    title: 'Take a webhook out of use; what is owed to it goes to the dead letters',
    params: { id: '$failing_webhook.id' },
    body: { is_active: false },
  }),
  sample(deadLetterOperations.list, {
    title: 'List what could not be delivered',
    as: 'dead_letters',
    params: { id: '$failing_webhook.id' },
    query: { status: 'PENDING' },
  }),
  sample(deadLetterOperations.stats, {
    title: 'How many are pending, retried, discarded?',
    params: { id: '$failing_webhook.id' },
  }),
  sample(deadLetterOperations.get, {
    title: 'Read a dead letter and its payload',
    params: { id: '$failing_webhook.id', dlq_id: '$dead_letters.0.id' },
  }),
  sample(operations.update, {
    title: 'Take it into use again, with a narrower choice of events',
    params: { id: '$failing_webhook.id' },
    body: { is_active: true, events: ['trade.filled', 'trade.closed'] },
  }),
  sample(deadLetterOperations.retry, {
    title: 'Deliver it after all',
    params: { id: '$failing_webhook.id', dlq_id: '$dead_letters.0.id' },
  }),
  sample(deadLetterOperations.discard, {
    title: 'Give one up',
    params: { id: '$failing_webhook.id', dlq_id: '$dead_letters.1.id' },
  }),
  sample(deadLetterOperations.retryMany, {
    title: 'Deliver all that failed since an instant',
    params: { id: '$failing_webhook.id' },
    body: { from: '2026-01-31T08:00:00Z' },
  }),
  sample(deadLetterOperations.retryMany, {
    title: 'Deliver all that failed of one kind',
    params: { id: '$failing_webhook.id' },
    body: { event_type: 'trade.filled' },
  }),
  sample(operations.replay, {
    title: 'Send a past event to a webhook, whether it subscribes to it or not',
    params: { id: '$webhook.id' },
    body: { event_id: '$events.0.event_id' },
  }),
];

export const webhookClosingSamples = [
  sample(operations.rotateSecret, {
    title: 'Draw a new signing secret; the old one ends at once',
    params: { id: '$webhook.id' },
  }),
  sample(operations.delete, { title: 'Remove a webhook', params: { id: '$webhook.id' } }),
];
