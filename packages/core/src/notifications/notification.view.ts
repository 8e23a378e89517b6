import { encodeId, type Notification } from '@trading-automation/contracts';
import type { NotificationEntity } from './notification.entity.js';

export function notificationView(row: NotificationEntity): Notification {
  return {
    id: encodeId('ntf', row.id),
    kind: row.kind,
    severity: row.severity,
    title: row.title,
    body: row.body,
    data: { resource: row.resource, id: row.resourceId },
    is_read: row.readAt !== null,
    ...(row.readAt === null ? {} : { read_at: row.readAt.toISOString() }),
    created_at: row.createdAt.toISOString(),
  };
}
