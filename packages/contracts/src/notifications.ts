import { z } from 'zod';
import { EVENT_TYPES } from './events.js';
import { idGiven, idOf } from './ids.js';
import { defineOperation, deletedOf, instant } from './operation.js';

export const NOTIFICATION_SEVERITIES = ['INFO', 'WARNING', 'CRITICAL'] as const;
export type NotificationSeverity = (typeof NOTIFICATION_SEVERITIES)[number];

/** What a notification may be about. */
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
] as const;
export type NotificationResource = (typeof NOTIFICATION_RESOURCES)[number];

export const notification = z
  .object({
    id: idOf('ntf'),
    kind: z.enum(EVENT_TYPES).describe('The kind of the event that it tells of.'),
    severity: z.enum(NOTIFICATION_SEVERITIES),
    title: z.string(),
    body: z.string(),
    data: z
      .object({ resource: z.enum(NOTIFICATION_RESOURCES), id: z.string() })
      .describe('The record that it is about.'),
    is_read: z.boolean(),
    read_at: instant.optional(),
    created_at: instant.describe('When the event happened.'),
  })
  .meta({ id: 'Notification' });
export type Notification = z.output<typeof notification>;

const path = z.object({ id: idGiven('ntf') });

export const notificationOperations = {
  list: defineOperation({
    id: 'notifications.list',
    method: 'GET',
    path: '/v1/notifications',
    summary: 'What happened to your account, in words.',
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
    summary: 'How many notifications are unread.',
    access: 'READ',
    response: z.object({ unread: z.number().int().nonnegative() }),
    status: 200,
    errors: [],
  }),
  read: defineOperation({
    id: 'notifications.read',
    method: 'POST',
    path: '/v1/notifications/:id/read',
    summary: 'Marks a notification as read; one that is read stays as it is.',
    access: 'READ',
    params: path,
    response: notification,
    status: 200,
    errors: ['not_found'],
  }),
  readAll: defineOperation({
    id: 'notifications.readAll',
    method: 'POST',
    path: '/v1/notifications/read-all',
    summary: 'Marks every notification as read.',
    access: 'READ',
    response: z.object({
      updated: z.number().int().nonnegative().describe('How many were unread until now.'),
    }),
    status: 200,
    errors: [],
  }),
  delete: defineOperation({
    id: 'notifications.delete',
    method: 'DELETE',
    path: '/v1/notifications/:id',
    summary: 'Removes a notification.',
    access: 'READ',
    params: path,
    response: deletedOf(idOf('ntf')),
    status: 200,
    errors: ['not_found'],
  }),
} as const;
