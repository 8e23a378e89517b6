import type { DataSource } from 'typeorm';
import { withAdvisoryLock } from './advisory-lock.js';
import { createDataSource, poolOf } from './data-source.js';
import { readHeartbeats, recordHeartbeat } from './heartbeat.js';
import type { TestDatabase } from './testing/index.js';
import { createPersistenceDatabase } from './testing/persistence-database.js';

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createPersistenceDatabase();
  const { url } = database;
  dataSource = createDataSource({
    url,
    entities: [],
    migrations: [],
    poolSize: 5,
    applicationName: 'lock-spec',
  });
  await dataSource.initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

describe('withAdvisoryLock', () => {
  it('runs only one function at a time for each name, and releases the lock when it returns or throws', async () => {
    const outcome = await withAdvisoryLock(dataSource, 'reconcile', async () => {
      expect(await withAdvisoryLock(dataSource, 'reconcile', async () => 'second')).toEqual({
        acquired: false,
      });
      return withAdvisoryLock(dataSource, 'accrue', async () => 'other name');
    });
    expect(outcome).toEqual({ acquired: true, value: { acquired: true, value: 'other name' } });
    const failing = withAdvisoryLock(dataSource, 'reconcile', async () => {
      throw new RangeError('work failed');
    });
    await expect(failing).rejects.toBeInstanceOf(RangeError);
    const again = await withAdvisoryLock(dataSource, 'reconcile', async () => 'again');
    expect(again).toEqual({ acquired: true, value: 'again' });
    expect(poolOf(dataSource).idleCount).toBe(poolOf(dataSource).totalCount);
  });

  it('aborts the signal when its connection is lost; from then on, another connection can take the lock', async () => {
    const outcome = await withAdvisoryLock(dataSource, 'cut', async (signal) => {
      const lost = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await dataSource.query(
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
         WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      await lost;
      return withAdvisoryLock(dataSource, 'cut', async () => 'another');
    });
    expect(outcome).toEqual({ acquired: true, value: { acquired: true, value: 'another' } });
  });
});

describe('readHeartbeats', () => {
  it('returns the age of the last heartbeat of each process, newest first, without those older than a day', async () => {
    await recordHeartbeat(dataSource, 'trading-worker', 'w1');
    await recordHeartbeat(dataSource, 'trading-worker', 'w2');
    await recordHeartbeat(dataSource, 'trading-worker', 'gone');
    await dataSource.query(
      "UPDATE heartbeats SET beat_at = now() - interval '90 seconds' WHERE instance = 'w1'",
    );
    await dataSource.query(
      "UPDATE heartbeats SET beat_at = now() - interval '2 days' WHERE instance = 'gone'",
    );
    const [newest, old, ...others] = await readHeartbeats(dataSource);
    expect(others).toEqual([]);
    expect(newest).toEqual({ service: 'trading-worker', instance: 'w2', ageMs: expect.any(Number) });
    expect(old!.instance).toBe('w1');
    expect(old!.ageMs).toBeGreaterThanOrEqual(90_000);
    await recordHeartbeat(dataSource, 'trading-worker', 'w1');
    const ages = await readHeartbeats(dataSource);
    expect(ages.map(({ instance }) => instance)).toEqual(['w1', 'w2']);
    expect(ages[0]!.ageMs).toBeLessThan(90_000);
  });
});
