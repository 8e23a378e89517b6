import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { eventually } from '@trading-automation/runtime/testing';
import type { DataSource } from 'typeorm';
import { withAdvisoryLock } from './advisory-lock.js';
import { NAMED_STATEMENTS_MAX } from './bounded-client.js';
import { createDataSource, type PersistenceOptions, poolOf } from './data-source.js';
import { DatabaseUnavailable, isConnectionLost, sqlStateOf } from './errors.js';
import { createListener } from './listener.js';
import { queryPrepared } from './prepared.js';
import type { TestDatabase } from './testing/index.js';
import { type MutableProxy, startMutableProxy } from './testing/mutable-proxy.js';
import { createPersistenceDatabase } from './testing/persistence-database.js';
import { inTransaction, type Tx } from './transaction.js';

const NOTES = 'CREATE TABLE notes (body text NOT NULL)';

let database: TestDatabase;
const opened: DataSource[] = [];
beforeAll(async () => {
  database = await createPersistenceDatabase(NOTES);
});
afterEach(async () => {
  for (const dataSource of opened.splice(0)) await dataSource.destroy();
});
afterAll(() => database.drop());

async function open(options: Partial<PersistenceOptions> = {}): Promise<DataSource> {
  const dataSource = createDataSource({
    url: database.url,
    entities: [],
    migrations: [],
    applicationName: 'bounded-spec',
    ...options,
  });
  await dataSource.initialize();
  opened.push(dataSource);
  return dataSource;
}

const numberQuery = (n: number) => `SELECT $1::int + ${n} AS sum`;
/** Runs a statement by name, as `queryPrepared` does for a statement that is used often. */
async function queryByName(tx: Tx, text: string, values: readonly unknown[]): Promise<unknown[]> {
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const runner = tx.queryRunner;
  const connection = runner === undefined ? poolOf(tx.connection) : await runner.connect();
  return (await connection.query({ name, text, values })).rows;
}
const preparedNames = async (tx: Tx): Promise<string[]> =>
  (await tx.query('SELECT name FROM pg_prepared_statements')).map(({ name }: { name: string }) => name);

describe('the named statements of a connection', () => {
  it('are bounded, however many different statements run', async () => {
    const dataSource = await open({ poolSize: 1 });
    for (let n = 0; n < 2 * NAMED_STATEMENTS_MAX; n++)
      expect(await queryByName(dataSource.manager, numberQuery(n), [1])).toEqual([{ sum: n + 1 }]);
    expect(await preparedNames(dataSource.manager)).toHaveLength(NAMED_STATEMENTS_MAX);
  });

  it('are those used most recently', async () => {
    const dataSource = await open({ poolSize: 1 });
    const often = 'SELECT $1::text AS often';
    const frequentName = async () =>
      dataSource.query('SELECT name, prepare_time FROM pg_prepared_statements WHERE statement = $1', [often]);
    await queryByName(dataSource.manager, often, ['a']);
    const [first] = await frequentName();
    for (let n = 0; n < 2 * NAMED_STATEMENTS_MAX; n++) {
      await queryByName(dataSource.manager, numberQuery(n), [1]);
      await queryByName(dataSource.manager, often, ['a']);
    }
    expect(await frequentName()).toEqual([first]);
  });

  it('return right results after any sequence of statements, failures and failed transactions', async () => {
    const dataSource = await open({ poolSize: 1 });
    // A fixed sequence that looks random, so that a failure can be repeated.
    let state = 42;
    const draw = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      // The low bits of such a generator repeat after few steps.
      return Math.floor(state / 65_536) % below;
    };
    const texts = 2 * NAMED_STATEMENTS_MAX;
    const stateOf = (error: unknown) => sqlStateOf(error);
    const succeed = async (tx: Tx) => {
      const n = draw(texts);
      expect(await queryByName(tx, numberQuery(n), [1])).toEqual([{ sum: n + 1 }]);
    };
    const fail = async (tx: Tx) => {
      const [text, expected] = [
        [`SELECT missing_${draw(texts)} FROM notes`, '42703'],
        [`SELECT ${draw(texts)} / ($1::int - 1) AS quotient`, '22012'],
      ][draw(2)] as [string, string];
      const values = expected === '22012' ? [1] : [];
      expect(await queryByName(tx, text, values).catch(stateOf)).toBe(expected);
    };
    for (let round = 0; round < 300; round++) {
      const isFailing = draw(3) === 0;
      await inTransaction(dataSource, async (tx) => {
        for (let step = draw(5); step > 0; step--) await succeed(tx);
        if (!isFailing) return;
        await fail(tx);
        // In a failed transaction, every statement fails, and some of them evict others first.
        for (let step = draw(5); step > 0; step--)
          expect(await queryByName(tx, numberQuery(draw(texts)), [1]).catch(stateOf)).toBe('25P02');
        throw new Error('roll back');
      }).catch((error: Error) => expect(error.message).toBe('roll back'));
      expect((await preparedNames(dataSource.manager)).length).toBeLessThanOrEqual(NAMED_STATEMENTS_MAX);
    }
    expect(poolOf(dataSource).totalCount).toBe(1);
  });
});

describe('a connection', () => {
  it('has a maximum lifetime', async () => {
    const { maxLifetimeSeconds } = poolOf(await open()).options;
    expect(maxLifetimeSeconds).toBeGreaterThanOrEqual(900);
    expect(maxLifetimeSeconds).toBeLessThanOrEqual(1_350);
  });

  it('requires a response limit if statements have no timeout', async () => {
    await expect(open({ statementTimeoutMs: 0 })).rejects.toThrow('responseLimitMs must be set');
  });

  it('is kept if the process was suspended while the response arrived', async () => {
    const dataSource = await open({ poolSize: 1, responseLimitMs: 200 });
    const [{ pid }] = await dataSource.query('SELECT pg_backend_pid() AS pid');
    const response = dataSource.query('SELECT 1 AS one');
    // Let the query be sent, then block the process for longer than the limit.
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    expect(await response).toEqual([{ one: 1 }]);
    expect(await dataSource.query('SELECT pg_backend_pid() AS pid')).toEqual([{ pid }]);
  });

  it('waits longer in a transaction with a longer statement timeout, and not afterwards', async () => {
    const dataSource = await open({ poolSize: 1, statementTimeoutMs: 300, responseLimitMs: 400 });
    const sleep = (tx: Tx) => tx.query('SELECT pg_sleep(0.8)');
    await inTransaction(dataSource, sleep, { statementTimeoutMs: 5_000 });
    const error = await inTransaction(dataSource, sleep).catch((reason: unknown) => reason);
    expect(sqlStateOf(error)).toBe('57014');
  });
});

describe('while Postgres is connected and mute', () => {
  const RESPONSE_LIMIT_MS = 500;
  let proxy: MutableProxy;
  let dataSource: DataSource;
  beforeEach(async () => {
    proxy = await startMutableProxy(database.url);
    dataSource = await open({ url: proxy.url, responseLimitMs: RESPONSE_LIMIT_MS, poolSize: 3 });
  });
  afterEach(() => proxy.close());

  const insert = (tx: Tx, body: string) => tx.query('INSERT INTO notes VALUES ($1)', [body]);
  const errorOf = (work: Promise<unknown>) => work.then(() => undefined).catch((reason: unknown) => reason);
  const expectRecovery = async () => {
    await eventually(() => poolOf(dataSource).totalCount === 0 && proxy.connections === 0);
    proxy.unmute();
    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  };

  it('a query fails like one whose connection is lost, and the next one after the outage works', async () => {
    proxy.mute();
    expect(isConnectionLost(await errorOf(dataSource.query('SELECT 1')))).toBe(true);
    expect(isConnectionLost(await errorOf(queryPrepared(dataSource.manager, 'SELECT 1 AS one', [])))).toBe(
      true,
    );
    await expectRecovery();
  });

  it('all queries of a full pool fail, and so do those that wait for a connection', async () => {
    proxy.mute();
    const errors = await Promise.all(Array.from({ length: 20 }, () => errorOf(dataSource.query('SELECT 1'))));
    expect(errors.map(isConnectionLost)).toEqual(Array(20).fill(true));
    await expectRecovery();
  });

  it('a transaction throws not_committed before COMMIT, and its writes are rolled back', async () => {
    const error = await errorOf(
      inTransaction(dataSource, async (tx) => {
        await insert(tx, 'before commit');
        proxy.mute();
        await insert(tx, 'after the outage began');
      }),
    );
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect((error as DatabaseUnavailable).outcome).toBe('not_committed');
    await expectRecovery();
    expect(await dataSource.query("SELECT body FROM notes WHERE body = 'before commit'")).toEqual([]);
  });

  it('a transaction throws unknown if the response to COMMIT does not arrive', async () => {
    const error = await errorOf(
      inTransaction(dataSource, async (tx) => {
        await insert(tx, 'committed');
        // Drops the response to COMMIT, but not COMMIT itself.
        proxy.mute((bytes) => bytes.includes('COMMIT\0') && !bytes.includes('Q'));
      }),
    );
    expect((error as DatabaseUnavailable).outcome).toBe('unknown');
    await expectRecovery();
    expect(await dataSource.query("SELECT body FROM notes WHERE body = 'committed'")).toHaveLength(1);
  });

  it('the holder of an advisory lock learns that the lock is lost when it releases it', async () => {
    const outcome = await withAdvisoryLock(dataSource, 'mute', async (signal) => {
      proxy.mute();
      const lost = once(signal, 'abort');
      void errorOf(dataSource.query('SELECT 1'));
      return { lost };
    });
    expect(outcome.acquired).toBe(true);
    if (outcome.acquired) await outcome.value.lost;
    proxy.unmute();
    expect(await withAdvisoryLock(dataSource, 'another', async () => 'run')).toMatchObject({ value: 'run' });
  });

  it('the listener reports the loss and reconnects afterwards', async () => {
    let onLoss = (_error: unknown) => {};
    const lost = new Promise((resolve) => {
      onLoss = resolve;
    });
    const listener = createListener({
      url: proxy.url,
      applicationName: 'mute-listener',
      probeMs: 100,
      onError: (error) => onLoss(error),
    });
    await new Promise<void>((resolve) => {
      listener.subscribe('notes', () => resolve());
    });
    proxy.mute();
    await lost;
    expect(listener.connected).toBe(false);
    const reconnected = new Promise<void>((resolve) => {
      listener.subscribe('reconnections', () => resolve());
    });
    proxy.unmute();
    await reconnected;
    await listener.stop();
  });
});
