import type { DataSource } from 'typeorm';
import { createDataSource } from '../data-source.js';
import { newUuid } from '../ids.js';
import type { TestDatabase } from '../testing/index.js';
import { createPersistenceDatabase } from '../testing/persistence-database.js';
import { inTransaction } from '../transaction.js';
import { appendEvents } from './append.js';
import { RELAY_WINDOW_SIZE, type RelayedEvent } from './fair-batch.js';
import { createRelay, RELAY_BATCH_SIZE, type Relay, type RelayOptions } from './relay.js';

const BUSY = newUuid();
const OTHER = newUuid();
const CONSUMER = 'shares';
let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createPersistenceDatabase();
  const { url } = database;
  dataSource = createDataSource({
    url,
    entities: [],
    migrations: [],
    poolSize: 10,
    applicationName: 'relay-shares-spec',
  });
  await dataSource.initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});
beforeEach(() => dataSource.query('TRUNCATE outbox_events, outbox_progress, outbox_user_progress'));

const append = async (userId: string, count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => newUuid());
  await inTransaction(dataSource, (tx) =>
    appendEvents(
      tx,
      ids.map((id) => ({ id, userId, type: 'trade.filled', payload: Buffer.from('{}') })),
    ),
  );
  return ids;
};
const relayOf = (handle: RelayOptions['handle'], options: Partial<RelayOptions> = {}): Relay =>
  createRelay({
    dataSource,
    listener: { subscribe: () => () => undefined },
    consumer: CONSUMER,
    handle,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
/** Drains the outbox. Returns the handled events, in their order. */
async function drain(options: Partial<RelayOptions> = {}): Promise<RelayedEvent[]> {
  const handled: RelayedEvent[] = [];
  await relayOf(async (_tx, events) => void handled.push(...events), options).drain();
  return handled;
}
const idsOf = (events: readonly RelayedEvent[], userId: string) =>
  events.filter((event) => event.userId === userId).map(({ id }) => id);
const userProgress = () => dataSource.query('SELECT user_id, position FROM outbox_user_progress');

describe('a relay with a backlog', () => {
  it('delays the event of a user by at most one batch, whatever number of events another user has before it', async () => {
    const busy = await append(BUSY, 2_000);
    const [single] = await append(OTHER, 1);
    const handled = await drain();
    expect(handled.findIndex(({ id }) => id === single)).toBeLessThan(RELAY_BATCH_SIZE);
    expect(idsOf(handled, BUSY)).toEqual(busy);
    expect(handled).toHaveLength(2_001);
    expect(await userProgress()).toEqual([]);
  });

  it('delays an event that arrives during the backlog by at most the running batch and one more', async () => {
    await append(BUSY, 2_000);
    const handled: RelayedEvent[] = [];
    const relay = relayOf(async (_tx, events) => {
      if (handled.length === 0) await append(OTHER, 1);
      handled.push(...events);
    });
    await relay.drain();
    const index = handled.findIndex(({ userId }) => userId === OTHER);
    expect(index).toBeGreaterThanOrEqual(RELAY_BATCH_SIZE);
    expect(index).toBeLessThan(2 * RELAY_BATCH_SIZE);
  });

  it('delivers each event once and each user’s events in order, although batches end and relays change in between', async () => {
    const users = Array.from({ length: 5 }, () => newUuid());
    const expected = new Map<string, string[]>(users.map((user) => [user, []]));
    for (let round = 1; round <= 8; round++)
      for (const [index, user] of users.entries())
        expected.get(user)!.push(...(await append(user, (round * (index + 3) * 7) % 40)));
    const handled: RelayedEvent[] = [];
    let batches = 0;
    for (let ended = false; !ended; ) {
      const relay = relayOf(
        async (tx, events) => {
          // Every third batch fails, and is delivered again by the next relay.
          if (++batches % 3 === 0) throw new Error('failed batch');
          await tx.query('SELECT 1');
          handled.push(...events);
        },
        { batchSize: 13 },
      );
      ended = await relay.drain().then(
        () => true,
        () => false,
      );
    }
    for (const user of users) expect(idsOf(handled, user)).toEqual(expected.get(user));
    expect(handled).toHaveLength([...expected.values()].flat().length);
    expect(await userProgress()).toEqual([]);
  });

  it('drains a backlog that is longer than the events it looks at', async () => {
    const others = Array.from({ length: 250 }, () => newUuid());
    await append(BUSY, RELAY_WINDOW_SIZE - 100);
    for (const other of others) await append(other, 1);
    await append(BUSY, 300);
    const handled = await drain();
    expect(new Set(handled.map(({ id }) => id)).size).toBe(RELAY_WINDOW_SIZE + 450);
    expect(handled).toHaveLength(RELAY_WINDOW_SIZE + 450);
    const [{ position }] = await dataSource.query(
      'SELECT position FROM outbox_progress WHERE consumer = $1',
      [CONSUMER],
    );
    expect(position).toBe(
      handled.reduce((last, event) => (BigInt(event.position) > BigInt(last) ? event.position : last), '0'),
    );
    expect(await drain()).toEqual([]);
  });
});
