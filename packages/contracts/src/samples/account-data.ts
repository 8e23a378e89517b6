import { eventOperations } from '../event-log.js';
import { notificationOperations } from '../notifications.js';
import { settingOperations } from '../settings.js';
import { sample } from './sample.js';

export const notificationSamples = [
  sample(notificationOperations.list, {
    title: 'List what is unread',
    as: 'notifications',
    query: { is_read: 'false' },
  }),
  sample(notificationOperations.count, { title: 'How many are unread?' }),
  sample(notificationOperations.read, {
    title: 'Mark one as read',
    params: { id: '$notifications.0.id' },
  }),
  sample(notificationOperations.readAll, { title: 'Mark all as read' }),
  sample(notificationOperations.delete, {
    title: 'Remove a notification',
    params: { id: '$notifications.0.id' },
  }),
];

export const settingSamples = [
  sample(settingOperations.put, {
    title: 'Keep a value under a name of your own',
    params: { key: 'dashboard.layout' },
    body: { value: { columns: ['symbol', 'side', 'amount'], dense: true } },
  }),
  sample(settingOperations.get, { title: 'Read it back', params: { key: 'dashboard.layout' } }),
  sample(settingOperations.list, { title: 'List the settings by key', query: { sort: 'key', order: 'asc' } }),
  sample(settingOperations.delete, { title: 'Forget a setting', params: { key: 'dashboard.layout' } }),
];

export const eventSamples = [
  sample(eventOperations.list, {
    title: 'Read what happened, from the oldest on',
    as: 'events',
    query: { order: 'asc', limit: '100' },
  }),
  sample(eventOperations.get, { title: 'Read one event', params: { id: '$events.0.event_id' } }),
  sample(eventOperations.types, {
    title: 'What does an event of a kind look like?',
    query: { type: 'trade.filled' },
  }),
  sample(eventOperations.stream, {
    title: 'Follow the events that come after one',
    query: { last_event_id: '$events.0.event_id' },
  }),
];
