import { deadLetterOperations } from '../dead-letters.js';
import { webhookOperations as operations } from '../webhooks.js';
import { sample } from './sample.js';

/** Runs before the trade samples, whose events are sent to these webhooks. */
export const webhookSamples = [
  sample(operations.create, {
    title: 'Subscribe to every change of a trade',
    as: 'webhook',
    body: { url: '$receiver.url', events: ['trade.*'], description: 'order desk' },
  }),
  sample(operations.create, {
    title: 'Create a webhook whose receiver fails',
    as: 'failing_webhook',
    body: { url: '$failing_receiver.url', events: ['*'] },
  }),
  sample(operations.get, { title: 'Get a webhook', params: { id: '$webhook.id' } }),
  sample(operations.list, { title: 'List webhooks' }),
  sample(operations.test, { title: 'Send a test event', params: { id: '$webhook.id' } }),
  sample(operations.deliveries, {
    title: 'List the latest delivery attempts',
    params: { id: '$webhook.id' },
    query: { limit: '5' },
  }),
  sample(operations.deliveries, {
    title: 'List failed attempts since a point in time',
    params: { id: '$webhook.id' },
    query: { status: 'FAILED', from: '2026-01-31T08:00:00Z' },
  }),
];

/** Runs after the trade samples, because it needs the dead letters of their events. */
export const deadLetterSamples = [
  sample(operations.update, {
    title: 'Deactivate a webhook and move its pending deliveries to the dead letters',
    params: { id: '$failing_webhook.id' },
    body: { is_active: false },
  }),
  sample(deadLetterOperations.list, {
    title: 'List pending dead letters',
    as: 'dead_letters',
    params: { id: '$failing_webhook.id' },
    query: { status: 'PENDING' },
  }),
  sample(deadLetterOperations.stats, {
    title: 'Count dead letters by status',
    params: { id: '$failing_webhook.id' },
  }),
  sample(deadLetterOperations.get, {
    title: 'Get a dead letter and its payload',
    params: { id: '$failing_webhook.id', dlq_id: '$dead_letters.0.id' },
  }),
  sample(operations.update, {
    title: 'Activate a webhook again with fewer events',
    params: { id: '$failing_webhook.id' },
    body: { is_active: true, events: ['trade.filled', 'trade.closed'] },
  }),
  sample(deadLetterOperations.retry, {
    title: 'Retry a dead letter',
    params: { id: '$failing_webhook.id', dlq_id: '$dead_letters.0.id' },
  }),
  sample(deadLetterOperations.discard, {
    title: 'Discard a dead letter',
    params: { id: '$failing_webhook.id', dlq_id: '$dead_letters.1.id' },
  }),
  sample(deadLetterOperations.retryMany, {
    title: 'Retry all dead letters since a point in time',
    params: { id: '$failing_webhook.id' },
    body: { from: '2026-01-31T08:00:00Z' },
  }),
  sample(deadLetterOperations.retryMany, {
    title: 'Retry all dead letters of one event type',
    params: { id: '$failing_webhook.id' },
    body: { event_type: 'trade.filled' },
  }),
  sample(operations.replay, {
    title: 'Send a past event to a webhook, regardless of its subscriptions',
    params: { id: '$webhook.id' },
    body: { event_id: '$events.0.event_id' },
  }),
];

export const webhookClosingSamples = [
  sample(operations.rotateSecret, {
    title: 'Replace the signing secret of a webhook',
    params: { id: '$webhook.id' },
  }),
  sample(operations.delete, { title: 'Delete a webhook', params: { id: '$webhook.id' } }),
];
