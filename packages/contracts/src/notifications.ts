import { z } from 'zod';
import { EVENT_TYPES } from './events.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, deletedOf, instant } from './operation.js';

export const NOTIFICATION_SEVERITIES = ['INFO', 'WARNING', 'CRITICAL'] as const;
export type NotificationSeverity = (typeof NOTIFICATION_SEVERITIES)[number];

/** Types of records that a notification can refer to. */
export const NOTIFICATION_RESOURCES = [
  'trade',
  'copier',
  'decision',
  'exchange_account',
  'reward',
  'withdrawal',
  'webhook',
  'api_key',
  'public_key',
  'strategy',
  'trade_pair',
  'position',
] as const;
export type NotificationResource = (typeof NOTIFICATION_RESOURCES)[number];

export const notification = z
  .object({
    id: idOf('ntf'),
    kind: z.enum(EVENT_TYPES).describe('The type of the event that caused the notification.'),
    severity: z.enum(NOTIFICATION_SEVERITIES),
    title: z.string(),
    body: z.string(),
    data: z
      .object({ resource: z.enum(NOTIFICATION_RESOURCES), id: z.string() })
      .describe('The record that the notification is about.'),
    is_read: z.boolean(),
    read_at: instant.optional(),
    created_at: instant.describe('Time of the event.'),
  })
  .meta({ id: 'Notification' });
export type Notification = z.output<typeof notification>;

const pathParams = z.object({ id: idInput('ntf') });

export const notificationOperations = {
  list: defineOperation({
    id: 'notifications.list',
    method: 'GET',
    path: '/v1/notifications',
    summary: 'Lists your notifications.',
    access: 'READ',
    query: z.strictObject({
      is_read: z.enum(['true', 'false']).optional(),
      kind: z.enum(EVENT_TYPES).optional(),
    }),
    list: { sorts: ['created_at'], limitDefault: 20 },
    response: notification,
    status: 200,
    errors: [],
  }),
  count: defineOperation({
    id: 'notifications.count',
    method: 'GET',
    path: '/v1/notifications/count',
    summary: 'Returns the number of unread notifications.',
    access: 'READ',
    response: z.object({ unread: z.number().int().nonnegative() }),
    status: 200,
    errors: [],
  }),
  read: defineOperation({
    id: 'notifications.read',
    method: 'POST',
    path: '/v1/notifications/:id/read',
    summary: 'Marks a notification as read. A notification that is already read is unchanged.',
    access: 'READ',
    params: pathParams,
    response: notification,
    status: 200,
    errors: ['not_found'],
  }),
  readAll: defineOperation({
    id: 'notifications.readAll',
    method: 'POST',
    path: '/v1/notifications/read-all',
    summary: 'Marks all notifications as read.',
    access: 'READ',
    response: z.object({
      updated: z
        .number()
        .int()
        .nonnegative()
        .describe('Number of notifications that this call marked as read.'),
    }),
    status: 200,
    errors: [],
  }),
  delete: defineOperation({
    id: 'notifications.delete',
    method: 'DELETE',
    path: '/v1/notifications/:id',
    summary: 'Deletes a notification.',
    access: 'READ',
    params: pathParams,
    response: deletedOf(idOf('ntf')),
    status: 200,
    errors: ['not_found'],
  }),
} as const;
