import { eventually } from '@trading-automation/runtime/testing';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../data-source.js';
import { newUuid } from '../ids.js';
import { createListener, type Listener } from '../listener.js';
import type { TestDatabase } from '../testing/index.js';
import { createPersistenceDatabase } from '../testing/persistence-database.js';
import { inTransaction, type Tx } from '../transaction.js';
import { appendEvent, appendEvents, OUTBOX_CHANNEL } from './append.js';
import type { RelayedEvent } from './fair-batch.js';
import { createRelay, type RelayOptions } from './relay.js';
import { sequenceEvents } from './sequencer.js';

const USER = newUuid();
let database: TestDatabase;
let dataSource: DataSource;
let listener: Listener;

beforeAll(async () => {
  database = await createPersistenceDatabase(
    'CREATE TABLE handled (event_id uuid NOT NULL, consumer text NOT NULL, place bigserial)',
  );
  const { url } = database;
  dataSource = createDataSource({
    url,
    entities: [],
    migrations: [],
    poolSize: 20,
    applicationName: 'outbox-spec',
  });
  await dataSource.initialize();
  listener = createListener({ url, applicationName: 'outbox-listener' });
});
afterAll(async () => {
  await listener.stop();
  await dataSource.destroy();
  await database.drop();
});
beforeEach(() => dataSource.query('TRUNCATE outbox_events, outbox_progress, handled'));

const append = async (tx: Tx, type = 'trade.filled') => {
  const id = newUuid();
  await appendEvent(tx, { id, userId: USER, type, payload: Buffer.from(`{"event_id":"${id}"}`) });
  return id;
};
const appendMany = (count: number) =>
  Promise.all(Array.from({ length: count }, () => inTransaction(dataSource, (tx) => append(tx))));
/** Returns a handler that stores the events as handled by `consumer`. */
const recordAs = (consumer: string) => async (tx: Tx, events: readonly RelayedEvent[]) => {
  for (const { id } of events) await tx.query('INSERT INTO handled VALUES ($1, $2)', [id, consumer]);
};
const handledBy = async (consumer: string): Promise<string[]> => {
  const rows = await dataSource.query('SELECT event_id FROM handled WHERE consumer = $1 ORDER BY place', [
    consumer,
  ]);
  return rows.map(({ event_id }: { event_id: string }) => event_id);
};
const relayOf = (consumer: string, options: Partial<RelayOptions> = {}) =>
  createRelay({
    dataSource,
    listener,
    consumer,
    handle: recordAs(consumer),
    onError: (error) => {
      throw error;
    },
    ...options,
  });

/** Appends an event in a transaction that stays open until the caller calls `end`. */
async function appendUncommitted() {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  const id = await append(runner.manager);
  const end = async (outcome: 'commit' | 'rollback') => {
    await (outcome === 'commit' ? runner.commitTransaction() : runner.rollbackTransaction());
    await runner.release();
  };
  return { id, end };
}

describe('the outbox', () => {
  it('delivers each event with its id, user, type and bytes, and with an ascending position', async () => {
    const events: RelayedEvent[] = [];
    const ids = await inTransaction(dataSource, async (tx) => [
      await append(tx, 'a.made'),
      await append(tx, 'b.made'),
    ]);
    const handle: RelayOptions['handle'] = async (_tx, batch) => void events.push(...batch);
    expect(await relayOf('webhooks', { handle }).drain()).toBe(2);
    expect(events.map(({ id }) => id)).toEqual(ids);
    expect(events.map(({ type }) => type)).toEqual(['a.made', 'b.made']);
    expect(events[0]).toMatchObject({ userId: USER, createdAt: expect.any(Date) });
    expect(Buffer.from(events[0]!.payload).toString()).toBe(`{"event_id":"${ids[0]}"}`);
    expect(BigInt(events[1]!.position)).toBe(BigInt(events[0]!.position) + 1n);
  });

  it('delivers 450 events of one change in order, with unchanged bytes', async () => {
    const appended = Array.from({ length: 450 }, (_, i) => {
      const payload = Buffer.from([i % 256, 0, 0xff, 0x5c, 0x22]);
      return { id: newUuid(), userId: USER, type: `a.made_${i}`, payload };
    });
    await inTransaction(dataSource, (tx) => appendEvents(tx, appended));
    const delivered: RelayedEvent[] = [];
    await relayOf('many', { handle: async (_tx, batch) => void delivered.push(...batch) }).drain();
    expect(delivered.map(({ id, userId, type, payload }) => ({ id, userId, type, payload }))).toEqual(
      appended,
    );
  });

  it('delivers no event of a transaction that was rolled back', async () => {
    const { end } = await appendUncommitted();
    await end('rollback');
    expect(await relayOf('webhooks').drain()).toBe(0);
  });

  it('delivers an event that was inserted before another one and committed after it', async () => {
    const insertedFirst = await appendUncommitted();
    const [committedFirst] = await appendMany(1);
    const relay = relayOf('webhooks');
    expect(await relay.drain()).toBe(1);
    expect(await handledBy('webhooks')).toEqual([committedFirst]);
    await insertedFirst.end('commit');
    expect(await relay.drain()).toBe(1);
    expect(await handledBy('webhooks')).toEqual([committedFirst, insertedFirst.id]);
  });

  it('assigns a position to every committed event, even beyond one batch, and returns the last position', async () => {
    const uncommitted = await appendUncommitted();
    await dataSource.query(
      `INSERT INTO outbox_events (id, user_id, type, payload)
       SELECT gen_random_uuid(), $1, 'a.made', '\\x00' FROM generate_series(1, 1001)`,
      [USER],
    );
    const lastPosition = await sequenceEvents(dataSource);
    await uncommitted.end('commit');
    const positions = await dataSource.query(
      'SELECT count(position)::int AS placed, max(position) AS last FROM outbox_events',
    );
    expect(positions).toEqual([{ placed: 1_001, last: String(lastPosition) }]);
    expect(await sequenceEvents(dataSource)).toBe(lastPosition + 1n);
  });

  it('assigns positions without gaps or repetitions while transactions commit in any order', async () => {
    const relays = [relayOf('one'), relayOf('two'), relayOf('three')];
    const uncommitted = await Promise.all(Array.from({ length: 6 }, () => appendUncommitted()));
    const writing = Promise.all([
      appendMany(60),
      ...uncommitted.map(async ({ end }, index) => {
        await new Promise((resolve) => setTimeout(resolve, index * 7));
        await end(index % 3 === 0 ? 'rollback' : 'commit');
      }),
    ]);
    const [{ last_position: before }] = await dataSource.query('SELECT last_position FROM outbox_sequence');
    let isWriting = true;
    const draining = relays.map(async (relay) => {
      while (isWriting) await relay.drain();
    });
    await writing;
    isWriting = false;
    await Promise.all(draining);
    for (const relay of relays) await relay.drain();
    const rows: { id: string; position: string }[] = await dataSource.query(
      'SELECT id, position FROM outbox_events ORDER BY position',
    );
    expect(rows).toHaveLength(64);
    rows.forEach(({ position }, index) => {
      expect(BigInt(position) - BigInt(before)).toBeLessThanOrEqual(BigInt(index + 1));
    });
    expect(BigInt(rows.at(-1)!.position) - BigInt(rows[0]!.position)).toBe(63n);
    for (const consumer of ['one', 'two', 'three']) {
      expect(await handledBy(consumer)).toEqual(rows.map(({ id }) => id));
    }
  });

  it('delivers each event to each consumer once, even with several relays', async () => {
    const relays = ['webhooks', 'webhooks', 'webhooks', 'events', 'events'].map((consumer) =>
      relayOf(consumer, { batchSize: 7, pollMs: 20 }),
    );
    for (const relay of relays) relay.start();
    const ids = (await Promise.all([appendMany(80), appendMany(80)])).flat();
    await eventually(
      async () => (await handledBy('webhooks')).length >= 160 && (await handledBy('events')).length >= 160,
    );
    await Promise.all(relays.map((relay) => relay.stop()));
    expect((await handledBy('webhooks')).sort()).toEqual(ids.toSorted());
    expect((await handledBy('events')).sort()).toEqual(ids.toSorted());
  });

  it('rolls back a failed batch and delivers it again, without skipping an event', async () => {
    const ids = await appendMany(5);
    let failures = 0;
    const failing = relayOf('webhooks', {
      handle: async (tx, events) => {
        await recordAs('webhooks')(tx, events);
        failures++;
        throw new Error('crash');
      },
    });
    await expect(failing.drain()).rejects.toThrow('crash');
    expect(failures).toBe(1);
    expect(await handledBy('webhooks')).toEqual([]);
    expect(await relayOf('webhooks').drain()).toBe(5);
    expect((await handledBy('webhooks')).sort()).toEqual(ids.toSorted());
  });

  it('delivers every event although a connection is terminated during a batch', async () => {
    const ids = await appendMany(5);
    let cuts = 0;
    const errors: unknown[] = [];
    const relay = relayOf('webhooks', {
      pollMs: 10,
      onError: (error) => errors.push(error),
      handle: async (tx, events) => {
        await recordAs('webhooks')(tx, events);
        if (cuts++ > 0) return;
        const [{ pid }] = await tx.query('SELECT pg_backend_pid() AS pid');
        await dataSource.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
      },
    });
    relay.start();
    await eventually(async () => (await handledBy('webhooks')).length > 0);
    await relay.stop();
    expect(errors).toHaveLength(1);
    expect((await handledBy('webhooks')).sort()).toEqual(ids.toSorted());
  });

  it('delivers an event on its notification, before the next poll', async () => {
    const relay = relayOf('webhooks', { pollMs: 600_000 });
    relay.start();
    // The listener calls this subscriber when LISTEN is active, after it has called the relay.
    await new Promise<void>((resolve) => {
      listener.subscribe('unused_channel', () => resolve());
    });
    await relay.drain();
    const [id] = await appendMany(1);
    await eventually(async () => (await handledBy('webhooks')).length === 1);
    await relay.stop();
    expect(await handledBy('webhooks')).toEqual([id]);
  });

  it('waits for the minimum interval between runs despite notifications, and still stops immediately', async () => {
    await eventually(async () => listener.connected);
    const relay = relayOf('paced', { minIntervalMs: 600_000 });
    const [first] = await appendMany(1);
    relay.start();
    await eventually(async () => (await handledBy('paced')).length === 1);
    const notified = new Promise<void>((resolve) => {
      const end = listener.subscribe(OUTBOX_CHANNEL, () => {
        end();
        resolve();
      });
    });
    await appendMany(1);
    await notified;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await handledBy('paced')).toEqual([first]);
    await relay.stop();
    expect(await relay.drain()).toBe(1);
  });

  it('delivers events by polling alone if no notification arrives', async () => {
    const relay = relayOf('webhooks', { listener: { subscribe: () => () => undefined }, pollMs: 20 });
    relay.start();
    const [id] = await appendMany(1);
    await eventually(async () => (await handledBy('webhooks')).length === 1);
    await relay.stop();
    expect(await handledBy('webhooks')).toEqual([id]);
  });

  it('does not reuse a position after its event is deleted', async () => {
    await appendMany(3);
    const positions: bigint[] = [];
    const handle: RelayOptions['handle'] = async (_tx, events) => {
      positions.push(...events.map(({ position }) => BigInt(position)));
    };
    const relay = relayOf('webhooks', { handle });
    await relay.drain();
    await dataSource.query('DELETE FROM outbox_events');
    await appendMany(1);
    await relay.drain();
    expect(positions).toHaveLength(4);
    expect(positions[3]).toBe(positions[2]! + 1n);
  });
});

describe('the listener', () => {
  it('reconnects after its connection is terminated, and calls its subscribers for later notifications', async () => {
    const errors: unknown[] = [];
    const separateListener = createListener({
      url: database.url,
      applicationName: 'cut-listener',
      onError: (error) => errors.push(error),
    });
    const received: (string | undefined)[] = [];
    separateListener.subscribe('news', (payload) => received.push(payload));
    await eventually(async () => received.length === 1);
    expect(separateListener.connected).toBe(true);
    await dataSource.query("SELECT pg_notify('news', 'first')");
    await eventually(async () => received.length === 2);
    await dataSource.query(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'cut-listener'",
    );
    await eventually(async () => received.length === 3);
    await dataSource.query("SELECT pg_notify('news', 'second')");
    await eventually(async () => received.length === 4);
    expect(received).toEqual([undefined, 'first', undefined, 'second']);
    expect(errors).toHaveLength(1);
    await separateListener.stop();
    expect(separateListener.connected).toBe(false);
  });

  it('calls, on `notifyLocally`, only the current subscribers of that channel, even without Postgres', async () => {
    const separateListener = createListener({
      url: 'postgres://user@127.0.0.1:1/unreachable',
      applicationName: 'local-listener',
    });
    const received: string[] = [];
    separateListener.subscribe('news', () => received.push('news'));
    const unsubscribe = separateListener.subscribe('news', () => received.push('unsubscribed'));
    separateListener.subscribe('weather', () => received.push('weather'));
    unsubscribe();
    separateListener.notifyLocally('news');
    expect(received).toEqual(['news']);
    await separateListener.stop();
  });

  it('stops immediately while the server is unreachable', async () => {
    const errors: unknown[] = [];
    const separateListener = createListener({
      url: 'postgres://user@127.0.0.1:1/unreachable',
      applicationName: 'lost-listener',
      onError: (error) => errors.push(error),
    });
    await eventually(async () => errors.length > 0);
    expect(separateListener.connected).toBe(false);
    await separateListener.stop();
  });
});
