import {
  DomainError,
  decodeId,
  encodeId,
  type Notification,
  notificationOperations,
  type QueryOf,
} from '@trading-automation/contracts';
import { hydrate } from '@trading-automation/persistence';
import { IsNull } from 'typeorm';
import { type Actor, authorise, lockUser } from '../access/index.js';
import type { Commands } from '../commands.js';
import type { ListQuery, Lists, Page } from '../lists.js';
import type { Platform } from '../platform.js';
import { NotificationEntity } from './notification.entity.js';
import { notificationView } from './notification.view.js';

type ListFilters = QueryOf<typeof notificationOperations.list>;

/** What a user does with notifications; they are made by {@link NotificationRelay}. */
export class NotificationsService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: Lists,
    private readonly commands: Commands,
  ) {}

  async list(actor: Actor, query: ListQuery & ListFilters): Promise<Page<Notification>> {
    authorise(actor, notificationOperations.list.access);
    const where = ['n.user_id = $1', 'n.deleted_at IS NULL'];
    const params: string[] = [actor.userId];
    if (query.is_read !== undefined) {
      where.push(query.is_read === 'true' ? 'n.read_at IS NOT NULL' : 'n.read_at IS NULL');
    }
    if (query.kind !== undefined) where.push(`n.kind = $${params.push(query.kind)}`);
    const source = {
      select: 'n.*',
      from: 'notifications n',
      where,
      params,
      sorts: { created_at: { column: 'n.created_at', type: 'timestamptz' as const } },
      idColumn: 'n.id',
    };
    const page = await this.lists.page(notificationOperations.list, actor.userId, source, query);
    const rows = hydrate(this.platform.database, NotificationEntity, page.items);
    return { ...page, items: rows.map(notificationView) };
  }

  async count(actor: Actor): Promise<{ unread: number }> {
    authorise(actor, notificationOperations.count.access);
    const [{ unread }] = await this.platform.database.query(
      `SELECT count(*)::int AS unread FROM notifications
       WHERE user_id = $1 AND deleted_at IS NULL AND read_at IS NULL`,
      [actor.userId],
    );
    return { unread };
  }

  /** One that is read keeps the moment that it was read first. */
  async read(actor: Actor, id: string): Promise<Notification> {
    authorise(actor, notificationOperations.read.access);
    const uuid = uuidOf(id);
    return this.commands.run(actor.once, async (tx) => {
      await tx.query(
        `UPDATE notifications SET read_at = clock_timestamp(), updated_at = clock_timestamp()
         WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL AND read_at IS NULL`,
        [uuid, actor.userId],
      );
      const own = { id: uuid, userId: actor.userId, deletedAt: IsNull() };
      const row = await tx.findOneBy(NotificationEntity, own);
      if (row === null) throw new DomainError('not_found');
      return notificationView(row);
    });
  }

  /** Those that come while it runs stay unread. */
  async readAll(actor: Actor): Promise<{ updated: number }> {
    authorise(actor, notificationOperations.readAll.access);
    return this.commands.run(actor.once, async (tx) => {
      // Two at once would lock the same rows, each in an order of its own.
      await lockUser(tx, actor.userId);
      const [, updated] = await tx.query(
        `UPDATE notifications SET read_at = clock_timestamp(), updated_at = clock_timestamp()
         WHERE user_id = $1 AND deleted_at IS NULL AND read_at IS NULL`,
        [actor.userId],
      );
      return { updated };
    });
  }

  async delete(actor: Actor, id: string): Promise<{ id: string; deleted: true }> {
    authorise(actor, notificationOperations.delete.access);
    const uuid = uuidOf(id);
    return this.commands.run(actor.once, async (tx) => {
      const [, count] = await tx.query(
        `UPDATE notifications SET deleted_at = clock_timestamp(), updated_at = clock_timestamp()
         WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL`,
        [uuid, actor.userId],
      );
      if (count === 0) throw new DomainError('not_found');
      return { id: encodeId('ntf', uuid), deleted: true };
    });
  }
}

function uuidOf(id: string): string {
  const uuid = decodeId('ntf', id);
  if (uuid === null) throw new DomainError('not_found');
  return uuid;
}
