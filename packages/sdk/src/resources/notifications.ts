import type { ApiPromise } from '../core/api-promise.js';
import type { DecimalForm } from '../core/decimals.js';
import type { PagePromise } from '../core/page.js';
import { Resource } from '../core/resource.js';
import type { RequestOptions } from '../core/transport.js';
import type {
  Deleted,
  Notification,
  NotificationsCountResult,
  NotificationsListQuery,
  NotificationsReadAllResult,
} from '../generated/records.js';

/** Your notifications. */
export class Notifications<D extends DecimalForm> extends Resource<D> {
  /**
   * Lists your notifications: what happened to your account, as readable text.
   *
   * @example
   * for await (const { title, body } of client.notifications.list({ is_read: false })) console.log(title, body);
   */
  list(query: NotificationsListQuery = {}, options?: RequestOptions): PagePromise<Notification> {
    return this.operations.list('notifications.list', { query }, options);
  }

  /**
   * Returns the number of unread notifications.
   *
   * @example
   * const { unread } = await client.notifications.count();
   */
  count(options?: RequestOptions): ApiPromise<NotificationsCountResult> {
    return this.operations.call('notifications.count', {}, options);
  }

  /**
   * Marks a notification as read. Repeating the call has no effect.
   *
   * @example
   * for await (const { id } of client.notifications.list({ is_read: false })) await client.notifications.markRead(id);
   */
  markRead(id: string, options?: RequestOptions): ApiPromise<Notification> {
    return this.operations.call('notifications.read', { params: { id } }, options);
  }

  /**
   * Marks every notification as read.
   *
   * @example
   * const { updated } = await client.notifications.markAllRead();
   */
  markAllRead(options?: RequestOptions): ApiPromise<NotificationsReadAllResult> {
    return this.operations.call('notifications.readAll', {}, options);
  }

  /**
   * Deletes a notification.
   *
   * @example
   * for await (const { id } of client.notifications.list({ is_read: true })) await client.notifications.delete(id);
   */
  delete(id: string, options?: RequestOptions): ApiPromise<Deleted> {
    return this.operations.call('notifications.delete', { params: { id } }, options);
  }
}
