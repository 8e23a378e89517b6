import {
  type EventType,
  encodeId,
  type Notification,
  notification,
  notificationOperations,
} from '@trading-automation/contracts';
import { appendEvent, inTransaction, newUuid } from '@trading-automation/persistence';
import { eventually } from '@trading-automation/runtime/testing';

import { type Actor, querySchemaOf } from '../operations/index.js';
import { CoreUnderTest, countStatements } from '../testing/index.js';
import { NotificationRelay } from './notification-relay.service.js';
import { NotificationsService } from './notifications.service.js';

let core: CoreUnderTest;
let notifications: NotificationsService;
let relay: NotificationRelay;
let actor: Actor;

beforeAll(async () => {
  core = await CoreUnderTest.open();
  notifications = new NotificationsService(core.platform, core.lists, core.commands);
  relay = new NotificationRelay(core.platform);
});
afterAll(() => core.close());
beforeEach(async () => {
  actor = await core.actor('READ');
});

/** Commits an event whose payload contains exactly this record. */
async function emit(type: EventType, record: string = `{"id":"trd_${newUuid()}"}`, user: Actor = actor) {
  const id = newUuid();
  const head = `{"event_id":"${encodeId('evt', id)}","type":"${type}","timestamp":"2026-01-01T00:00:00.000Z"`;
  const payload = Buffer.from(`${head},"data":${record}}`);
  await inTransaction(core.platform.database, (tx) =>
    appendEvent(tx, { id, userId: user.userId, type, payload }),
  );
  return id;
}
/** Creates events and returns their notifications, oldest first. */
async function createNotifications(
  count: number,
  type: EventType = 'trade.filled',
  user: Actor = actor,
): Promise<readonly Notification[]> {
  for (let i = 0; i < count; i++) await emit(type, undefined, user);
  await relay.drain();
  return (await list('order=asc&limit=100', user)).items;
}
const list = (query = '', user: Actor = actor) =>
  notifications.list(
    user,
    querySchemaOf(notificationOperations.list).parse(
      Object.fromEntries(new URLSearchParams(query)),
    ) as Parameters<NotificationsService['list']>[1],
  );
const idsOf = async (query: string, user: Actor = actor) =>
  (await list(query, user)).items.map(({ id }) => id);
const unknownId = () => encodeId('ntf', newUuid());

describe('the relay', () => {
  it('creates a notification that describes the event, with every digit and the time of the event', async () => {
    const eventId = await emit(
      'trade.filled',
      '{"id":"trd_1","side":"BUY","amount":12345678901234567890.123456789012345678,"symbol":"BTC/USDT"}',
    );
    await relay.drain();
    const [item] = (await list()).items;
    expect(notification.parse(item)).toEqual(item);
    const event = await core.row('SELECT created_at FROM outbox_events WHERE id = $1', eventId);
    expect(item).toMatchObject({
      kind: 'trade.filled',
      severity: 'INFO',
      body: 'Trade BUY 12345678901234567890.123456789012345678 BTC/USDT is filled.',
      data: { resource: 'trade', id: 'trd_1' },
      is_read: false,
      created_at: (event.created_at as Date).toISOString(),
    });
  });

  it('creates one notification for each event, even if it is relayed again', async () => {
    const items = await createNotifications(5);
    expect(items).toHaveLength(5);
    await notifications.read(actor, items[0]!.id);
    await notifications.delete(actor, items[1]!.id);
    const { items: before } = await list('order=asc');
    await core.rows("UPDATE outbox_progress SET position = 0 WHERE consumer = 'notifications'");
    expect(await relay.drain()).toBeGreaterThanOrEqual(5);
    expect((await list('order=asc')).items).toEqual(before);
  });

  it('creates exactly one notification for each event, even if several relays run concurrently', async () => {
    const others = await Promise.all([core.openSecondPlatform(), core.openSecondPlatform()]);
    const relays = [relay, ...others.map((platform) => new NotificationRelay(platform))];
    const emitting = Promise.all(Array.from({ length: 40 }, () => emit('trade.failed')));
    const draining = Promise.all(relays.flatMap((oneRelay) => [oneRelay.drain(), oneRelay.drain()]));
    const ids = await emitting;
    await draining;
    await relay.drain();
    const rows = await core.rows('SELECT event_id FROM notifications WHERE user_id = $1', actor.userId);
    expect(rows.map(({ event_id }) => event_id).sort()).toEqual([...ids].sort());
  });

  it('runs continuously, and is not stopped by a malformed event', async () => {
    const running = relay.start((error) => {
      throw error;
    });
    for (const record of [
      '{}',
      'null',
      '{"id":{}}',
      '[]',
      '{"id":"x","name":{}}',
      '{"id":"x","failure":[1e999]}',
    ]) {
      await emit('copier.stopped', record);
    }
    await emit('trade.exploded' as EventType);
    await emit('copier.drift', '{"id":"cpr_1"}');
    await eventually(async () => (await list()).items.some(({ kind }) => kind === 'copier.drift'));
    await running.stop();
    expect((await list()).items.map(({ data }) => data.id)).toEqual(['cpr_1', 'x', 'x']);
  });
});

describe('a notification', () => {
  it('keeps the time at which it was first read', async () => {
    const [item] = await createNotifications(1);
    const first = await notifications.read(actor, item!.id);
    expect(first).toEqual({ ...item, is_read: true, read_at: first.read_at });
    expect(notification.parse(first)).toEqual(first);
    expect(await notifications.read(actor, item!.id)).toEqual(first);
    expect(await notifications.readAll(actor)).toEqual({ updated: 0 });
    expect((await list()).items).toEqual([first]);
  });

  it('that is deleted is excluded from lists and counts, and is not found', async () => {
    const [remaining, deleted] = await createNotifications(2);
    expect(await notifications.delete(actor, deleted!.id)).toEqual({ id: deleted!.id, deleted: true });
    expect(await idsOf('')).toEqual([remaining!.id]);
    expect(await notifications.count(actor)).toEqual({ unread: 1 });
    await expect(notifications.delete(actor, deleted!.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(notifications.read(actor, deleted!.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await notifications.readAll(actor)).toEqual({ updated: 1 });
  });

  it('is accessible only to its user', async () => {
    const [mine] = await createNotifications(1);
    const other = await core.actor('READ');
    const [otherUsersNotification] = await createNotifications(1, 'trade.filled', other);
    for (const id of [
      otherUsersNotification!.id,
      unknownId(),
      'ntf_x',
      'trd_01h455vb4pex5vsknk084sn02q',
      '',
    ]) {
      await expect(notifications.read(actor, id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(notifications.delete(actor, id)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await notifications.readAll(actor)).toEqual({ updated: 1 });
    expect(await idsOf('')).toEqual([mine!.id]);
    expect((await list('', other)).items).toEqual([otherUsersNotification]);
    expect(await notifications.count(other)).toEqual({ unread: 1 });
  });

  it('is loaded together with others by their ids, in one statement', async () => {
    const [first, second, deleted] = await createNotifications(3);
    await notifications.delete(actor, deleted!.id);
    const [otherUsersNotification] = await createNotifications(1, 'trade.filled', await core.actor('READ'));
    const requestedIds = [
      second!.id,
      deleted!.id,
      otherUsersNotification!.id,
      first!.id,
      unknownId(),
      'ntf_x',
      second!.id,
    ];
    const expected = [second, null, null, first, null, null, second];
    expect(await notifications.getMany(actor, requestedIds)).toEqual(expected);
    const load = () => notifications.getMany(actor, requestedIds);
    expect(await countStatements(core.platform.database, load)).toBe(1);
    expect(await notifications.getMany(actor, ['ntf_x', ''])).toEqual([null, null]);
    const withoutPermissions: Actor = { ...actor, credential: { ...actor.credential, permissions: [] } };
    await expect(notifications.getMany(withoutPermissions, requestedIds)).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });

  it('is counted while it is unread, and marked as read once by concurrent calls', async () => {
    await createNotifications(7);
    expect(await notifications.count(actor)).toEqual({ unread: 7 });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => notifications.readAll(actor)));
    expect(outcomes.map(({ updated }) => updated).sort()).toEqual([0, 0, 0, 0, 7]);
    expect(await notifications.count(actor)).toEqual({ unread: 0 });
  });
});

describe('marking all as read', () => {
  it('marks thousands of notifications without waiting for the user’s lock', async () => {
    await core.rows(
      `INSERT INTO notifications (id, user_id, event_id, created_at, kind, severity, title, body, resource, resource_id)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), now(), 'trade.filled', 'INFO', 't', 'b', 'trade', 'trd_x'
       FROM generate_series(1, 12001)`,
      actor.userId,
    );
    let isBlocked = true;
    await inTransaction(core.platform.database, async (tx) => {
      await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [actor.userId]);
      expect(await notifications.readAll(actor)).toEqual({ updated: 12_001 });
      isBlocked = false;
    });
    expect(isBlocked).toBe(false);
    expect(await notifications.count(actor)).toEqual({ unread: 0 });
  });
});

describe('the list of notifications', () => {
  it('can be filtered by kind and by read state', async () => {
    const filled = await createNotifications(2);
    const all = await createNotifications(2, 'trade.failed');
    await notifications.read(actor, filled[0]!.id);
    await notifications.read(actor, all.at(-1)!.id);
    expect(await idsOf('is_read=true&order=asc')).toEqual([filled[0]!.id, all.at(-1)!.id]);
    expect(await idsOf('is_read=false&order=asc')).toEqual([filled[1]!.id, all.at(-2)!.id]);
    expect(await idsOf('kind=trade.failed&order=asc')).toEqual(all.slice(2).map(({ id }) => id));
    expect(await idsOf('kind=trade.filled&is_read=true')).toEqual([filled[0]!.id]);
    expect(await idsOf('kind=reward.granted')).toEqual([]);
  });

  it('shows each notification once over its pages, with cursors that are bound to their filters', async () => {
    const items = await createNotifications(7);
    const seen: string[] = [];
    let query = 'order=asc&limit=3&is_read=false';
    for (;;) {
      const { items, pagination } = await list(query);
      seen.push(...items.map(({ id }) => id));
      if (pagination.next_cursor === null) break;
      const cursor = encodeURIComponent(pagination.next_cursor);
      await expect(list(`order=asc&limit=3&cursor=${cursor}`)).rejects.toMatchObject({
        code: 'invalid_query',
      });
      query = `order=asc&limit=3&is_read=false&cursor=${cursor}`;
    }
    expect(seen).toEqual(items.map(({ id }) => id));
  });
});
