import { eventOperations } from '../event-log.js';
import { notificationOperations } from '../notifications.js';
import { settingOperations } from '../settings.js';
import { sample } from './sample.js';

export const notificationSamples = [
  sample(notificationOperations.list, {
    title: 'List unread notifications',
    as: 'notifications',
    query: { is_read: 'false' },
  }),
  sample(notificationOperations.count, { title: 'Count unread notifications' }),
  sample(notificationOperations.read, {
    title: 'Mark a notification as read',
    params: { id: '$notifications.0.id' },
  }),
  sample(notificationOperations.readAll, { title: 'Mark all notifications as read' }),
  sample(notificationOperations.delete, {
    title: 'Delete a notification',
    params: { id: '$notifications.0.id' },
  }),
];

export const settingSamples = [
  sample(settingOperations.put, {
    title: 'Store a setting under your own key',
    params: { key: 'dashboard.layout' },
    body: { value: { columns: ['symbol', 'side', 'amount'], dense: true } },
  }),
  sample(settingOperations.get, { title: 'Get a setting', params: { key: 'dashboard.layout' } }),
  sample(settingOperations.list, {
    title: 'List settings, sorted by key',
    query: { sort: 'key', order: 'asc' },
  }),
  sample(settingOperations.delete, { title: 'Delete a setting', params: { key: 'dashboard.layout' } }),
];

export const eventSamples = [
  sample(eventOperations.list, {
    title: 'List events, oldest first',
    as: 'events',
    query: { order: 'asc', limit: '100' },
  }),
  sample(eventOperations.get, { title: 'Get an event', params: { id: '$events.0.event_id' } }),
  sample(eventOperations.types, {
    title: 'Get the schema and a sample of an event type',
    query: { type: 'trade.filled' },
  }),
  sample(eventOperations.stream, {
    title: 'Stream the events after a given event',
    query: { last_event_id: '$events.0.event_id' },
  }),
];
