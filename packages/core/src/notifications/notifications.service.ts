import {
  DomainError,
  encodeId,
  type Notification,
  notificationOperations,
  type QueryOf,
} from '@trading-automation/contracts';
import { allColumns, hydrate, queryPrepared, type Tx } from '@trading-automation/persistence';
import { IsNull } from 'typeorm';

import {
  type Actor,
  authorise,
  type CommandRunner,
  decodeIdOrThrow,
  type ListQuery,
  type ListReader,
  loadByIds,
  type PageWithCursors,
} from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { NotificationEntity } from './notification.entity.js';
import { notificationView } from './notification.view.js';

type ListFilters = QueryOf<typeof notificationOperations.list>;

const COLUMNS = allColumns(NotificationEntity, 'n');
const SELECT_OWN = allColumns(
  NotificationEntity,
  'n',
  (columns) =>
    `SELECT ${columns} FROM notifications n WHERE n.id = ANY ($1) AND n.user_id = $2 AND n.deleted_at IS NULL`,
);

/** Reads and updates a user's notifications; {@link NotificationRelay} creates them. */
export class NotificationsService {
  constructor(
    private readonly platform: Platform,
    private readonly lists: ListReader,
    private readonly commands: CommandRunner,
  ) {}

  async list(actor: Actor, query: ListQuery & ListFilters): Promise<PageWithCursors<Notification>> {
    authorise(actor, notificationOperations.list.access);
    const where = ['n.user_id = $1', 'n.deleted_at IS NULL'];
    const params: string[] = [actor.userId];
    if (query.is_read !== undefined) {
      where.push(query.is_read === 'true' ? 'n.read_at IS NOT NULL' : 'n.read_at IS NULL');
    }
    if (query.kind !== undefined) where.push(`n.kind = $${params.push(query.kind)}`);
    const source = {
      select: COLUMNS(this.platform.database),
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

  /** Returns notifications in input order; null for ids of unknown or deleted notifications. */
  async getMany(actor: Actor, publicIds: readonly string[]): Promise<readonly (Notification | null)[]> {
    authorise(actor, notificationOperations.list.access);
    const { database } = this.platform;
    return loadByIds('ntf', publicIds, async (ids) => {
      const rows = await queryPrepared(database.manager, SELECT_OWN(database), [ids, actor.userId]);
      return hydrate(database, NotificationEntity, rows).map(notificationView);
    });
  }

  /** Returns the number of unread notifications. */
  async count(actor: Actor): Promise<{ unread: number }> {
    authorise(actor, notificationOperations.count.access);
    const [{ unread }] = await this.platform.database.query(
      `SELECT count(*)::int AS unread FROM notifications
       WHERE user_id = $1 AND deleted_at IS NULL AND read_at IS NULL`,
      [actor.userId],
    );
    return { unread };
  }

  /** Marks a notification as read. If it was read before, `read_at` does not change. */
  async read(actor: Actor, id: string): Promise<Notification> {
    authorise(actor, notificationOperations.read.access);
    const uuid = decodeIdOrThrow('ntf', id);
    return this.commands.run(actor.idempotency, async (tx) => {
      await tx.query(
        `UPDATE notifications SET read_at = clock_timestamp(), updated_at = clock_timestamp()
         WHERE id = $1 AND user_id = $2 AND deleted_at IS NULL AND read_at IS NULL`,
        [uuid, actor.userId],
      );
      const where = { id: uuid, userId: actor.userId, deletedAt: IsNull() };
      const row = await tx.findOneBy(NotificationEntity, where);
      if (row === null) throw new DomainError('not_found');
      return notificationView(row);
    });
  }

  /** Marks all notifications as read; notifications that arrive during the call stay unread. */
  async readAll(actor: Actor): Promise<{ updated: number }> {
    authorise(actor, notificationOperations.readAll.access);
    return this.commands.run(actor.idempotency, async (tx) => {
      // Without this lock, concurrent calls could lock the same rows in different orders. The lock is not the user's
      // lock, because stopping a copier needs that one and must not wait for this long update.
      const lock = `notifications of ${actor.userId}`;
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lock]);
      return { updated: await markAllRead(tx, actor.userId) };
    });
  }

  async delete(actor: Actor, id: string): Promise<{ id: string; deleted: true }> {
    authorise(actor, notificationOperations.delete.access);
    const uuid = decodeIdOrThrow('ntf', id);
    return this.commands.run(actor.idempotency, async (tx) => {
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

/** The number of notifications per statement, so that each statement stays within the statement timeout. */
const READ_BATCH_SIZE = 5_000;

async function markAllRead(tx: Tx, userId: string): Promise<number> {
  await tx.query(
    `DECLARE unread NO SCROLL CURSOR FOR
     SELECT id FROM notifications WHERE user_id = $1 AND deleted_at IS NULL AND read_at IS NULL`,
    [userId],
  );
  let updated = 0;
  for (;;) {
    const unread: { id: string }[] = await tx.query(`FETCH ${READ_BATCH_SIZE} FROM unread`);
    const [, count] = await tx.query(
      `UPDATE notifications SET read_at = clock_timestamp(), updated_at = clock_timestamp()
       WHERE id = ANY ($1) AND deleted_at IS NULL AND read_at IS NULL`,
      [unread.map(({ id }) => id)],
    );
    updated += count;
    if (unread.length < READ_BATCH_SIZE) break;
  }
  await tx.query('CLOSE unread');
  return updated;
}
