import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextEventLoopIteration } from 'node:timers/promises';
import fc from 'fast-check';
import { Client } from 'pg';
import { type DataSource, Entity } from 'typeorm';
import { DecimalColumn, RecordColumns } from './columns.js';
import { createDataSource, poolOf } from './data-source.js';
import { DatabaseUnavailable, isUniqueViolation, sqlStateOf } from './errors.js';
import { newUuid } from './ids.js';
import { createTestDatabase, type TestDatabase } from './testing/index.js';
import { inTransaction, type Tx } from './transaction.js';

@Entity('amounts')
class AmountEntity extends RecordColumns {
  @DecimalColumn()
  amount!: string;
}

const SCHEMA = [
  'CREATE TABLE accounts (name text CONSTRAINT accounts_name_key PRIMARY KEY, balance integer NOT NULL)',
  // A trigger that terminates its own connection during COMMIT if a row has the name "cut at commit".
  `CREATE FUNCTION cut_at_commit() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`,
  `CREATE CONSTRAINT TRIGGER cut_at_commit AFTER INSERT ON accounts DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW WHEN (new.name = 'cut at commit') EXECUTE FUNCTION cut_at_commit()`,
  `CREATE TABLE amounts (id uuid PRIMARY KEY, amount numeric(38,18) NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now())`,
];

async function migrate(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of SCHEMA) await client.query(statement);
  await client.end();
}

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase({ schema: SCHEMA, migrate });
  dataSource = createDataSource({
    url: database.url,
    entities: [AmountEntity],
    migrations: [],
    poolSize: 8,
    applicationName: 'transaction-spec',
  });
  await dataSource.initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});
beforeEach(async () => {
  await dataSource.query('TRUNCATE accounts');
  await dataSource.query("INSERT INTO accounts VALUES ('a', 100), ('b', 100)");
});

const balances = async () => {
  const rows: { name: string; balance: number }[] = await dataSource.query(
    'SELECT * FROM accounts ORDER BY name',
  );
  return Object.fromEntries(rows.map(({ name, balance }) => [name, balance]));
};
const add = (tx: Tx, name: string, amount: number) =>
  tx.query('UPDATE accounts SET balance = balance + $2 WHERE name = $1', [name, amount]);
const balanceIn = async (tx: Tx, name: string): Promise<number> =>
  (await tx.query('SELECT balance FROM accounts WHERE name = $1', [name]))[0].balance;

/** Returns a function whose first call waits for the second call. Later calls do not wait. */
function createBarrier(): () => Promise<void> {
  let waiting = 0;
  let open: () => void;
  const bothArrived = new Promise<void>((resolve) => {
    open = resolve;
  });
  return async () => {
    if (++waiting === 2) open();
    await bothArrived;
  };
}

/** Starts a TCP proxy to the server. The test can close it and start it again on the same port. */
async function startProxy(target: string, port = 0) {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((downstream) => {
    const upstream = connect(Number(targetPort), hostname);
    for (const socket of [downstream, upstream]) {
      sockets.add(socket.on('error', () => undefined));
    }
    downstream.pipe(upstream).pipe(downstream);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, close };
}

describe('inTransaction', () => {
  it('commits all of the work, or none of it if the work fails', async () => {
    await inTransaction(dataSource, (tx) => add(tx, 'a', 1));
    const failing = inTransaction(dataSource, async (tx) => {
      await add(tx, 'a', 1000);
      throw new RangeError('work failed');
    });
    await expect(failing).rejects.toBeInstanceOf(RangeError);
    expect(await balances()).toEqual({ a: 101, b: 100 });
  });

  it('retries the victim of a deadlock, so that both transactions commit', async () => {
    const meet = createBarrier();
    let runs = 0;
    const move = (from: string, to: string) =>
      inTransaction(dataSource, async (tx) => {
        runs++;
        await add(tx, from, -10);
        await meet();
        await add(tx, to, 10);
      });
    await Promise.all([move('a', 'b'), move('b', 'a')]);
    expect(runs).toBeGreaterThanOrEqual(3);
    expect(await balances()).toEqual({ a: 100, b: 100 });
  });

  it('retries after a serialization failure, so that the sum of two balances never becomes too low', async () => {
    const meet = createBarrier();
    let runs = 0;
    const withdrawIfSumSuffices = (name: string) =>
      inTransaction(
        dataSource,
        async (tx) => {
          runs++;
          const sum = (await balanceIn(tx, 'a')) + (await balanceIn(tx, 'b'));
          await meet();
          if (sum >= 150) await add(tx, name, -100);
        },
        { isolation: 'SERIALIZABLE' },
      );
    await Promise.all([withdrawIfSumSuffices('a'), withdrawIfSumSuffices('b')]);
    expect(runs).toBeGreaterThanOrEqual(3);
    const { a, b } = await balances();
    expect(a! + b!).toBe(100);
  });

  it('throws if its transaction is idle for longer than the idle timeout, and the server releases its locks', async () => {
    const shortIdleDataSource = createDataSource({
      url: database.url,
      entities: [],
      migrations: [],
      applicationName: 'transaction-spec',
      idleTimeoutMs: 100,
    });
    await shortIdleDataSource.initialize();
    try {
      const stalled = inTransaction(shortIdleDataSource, async (tx) => {
        await add(tx, 'a', 1);
        // Waits for the lock, which the server releases when it ends the idle transaction.
        await add(dataSource.manager, 'a', 10);
        return balanceIn(tx, 'a');
      });
      await expect(stalled).rejects.toBeInstanceOf(DatabaseUnavailable);
      expect(await balances()).toEqual({ a: 110, b: 100 });
    } finally {
      await shortIdleDataSource.destroy();
    }
  });

  it('throws the serialization failure after the maximum number of attempts', async () => {
    let runs = 0;
    const conflicting = inTransaction(
      dataSource,
      async (tx) => {
        runs++;
        await balanceIn(tx, 'a');
        await dataSource.query("UPDATE accounts SET balance = balance + 1 WHERE name = 'a'");
        await add(tx, 'a', 1);
      },
      { isolation: 'REPEATABLE READ', attempts: 3 },
    );
    expect(sqlStateOf(await conflicting.catch((reason: unknown) => reason))).toBe('40001');
    expect(runs).toBe(3);
  });

  it('throws DatabaseUnavailable with `not_committed` if the connection is lost during the work', async () => {
    let runs = 0;
    const cut = inTransaction(dataSource, async (tx) => {
      runs++;
      await add(tx, 'a', 5);
      const [{ pid }] = await tx.query('SELECT pg_backend_pid() AS pid');
      await dataSource.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
      await add(tx, 'b', 5);
    });
    const error = await cut.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect((error as DatabaseUnavailable).outcome).toBe('not_committed');
    expect(runs).toBe(1);
    expect(await balances()).toEqual({ a: 100, b: 100 });
    await inTransaction(dataSource, (tx) => add(tx, 'a', 1));
    expect(await balances()).toEqual({ a: 101, b: 100 });
  });

  it('throws DatabaseUnavailable with `unknown` if the connection is lost during COMMIT, without a retry', async () => {
    let runs = 0;
    const cut = inTransaction(dataSource, async (tx) => {
      runs++;
      await tx.query("INSERT INTO accounts VALUES ('cut at commit', 1)");
    });
    const error = await cut.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect((error as DatabaseUnavailable).outcome).toBe('unknown');
    expect(runs).toBe(1);
  });

  it('throws DatabaseUnavailable for a lost connection even if the work ignores the error', async () => {
    const ignoring = inTransaction(dataSource, async (tx) => {
      const [{ pid }] = await tx.query('SELECT pg_backend_pid() AS pid');
      await dataSource.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
      await add(tx, 'a', 5).catch(() => undefined);
      // Wait until TypeORM notices the end of the connection, which arrives after the server's last error.
      while (!tx.queryRunner?.isReleased) await nextEventLoopIteration();
    });
    const error = await ignoring.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect((error as DatabaseUnavailable).outcome).toBe('not_committed');
  });

  it('throws DatabaseUnavailable while the server is unreachable, and works again afterwards', async () => {
    const proxy = await startProxy(database.url);
    const url = new URL(database.url);
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    const proxiedDataSource = createDataSource({
      url: url.href,
      entities: [],
      migrations: [],
      applicationName: 'proxied',
    });
    await proxiedDataSource.initialize();
    await proxy.close();
    const error = await inTransaction(proxiedDataSource, (tx) => add(tx, 'a', 1)).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect((error as DatabaseUnavailable).outcome).toBe('not_committed');
    const restartedProxy = await startProxy(database.url, proxy.port);
    await inTransaction(proxiedDataSource, (tx) => add(tx, 'a', 1));
    expect(await balances()).toEqual({ a: 101, b: 100 });
    await proxiedDataSource.destroy();
    await restartedProxy.close();
  });

  it('rethrows a connection error of another service unchanged', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const failing = inTransaction(dataSource, async () => {
      throw refused;
    });
    await expect(failing).rejects.toBe(refused);
  });

  it('throws if the work ignored a failed statement, so that COMMIT rolled the transaction back', async () => {
    const ignoring = inTransaction(dataSource, async (tx) => {
      await add(tx, 'a', 50);
      await tx.query("INSERT INTO accounts VALUES ('a', 1)").catch(() => undefined);
    });
    await expect(ignoring).rejects.toThrow('rolled back at COMMIT');
    expect(await balances()).toEqual({ a: 100, b: 100 });
  });

  it('throws errors in which isUniqueViolation finds a unique violation and its constraint', async () => {
    const error = await inTransaction(dataSource, (tx) =>
      tx.query("INSERT INTO accounts VALUES ('a', 1)"),
    ).catch((reason: unknown) => reason);
    expect(isUniqueViolation(error)).toBe(true);
    expect(isUniqueViolation(error, 'accounts_name_key')).toBe(true);
    expect(isUniqueViolation(error, 'another_key')).toBe(false);
    expect(isUniqueViolation(new Error('accounts_name_key'))).toBe(false);
  });

  it('returns every connection to the pool, whether the work succeeds or fails', async () => {
    await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        inTransaction(dataSource, async (tx) => {
          await add(tx, 'a', 1);
          if (index % 2 === 0) throw new Error('work failed');
        }),
      ),
    );
    expect(await balances()).toEqual({ a: 120, b: 100 });
    expect(poolOf(dataSource).idleCount).toBe(poolOf(dataSource).totalCount);
  });
});

describe('decimal columns', () => {
  it('keep 20 integer digits and 18 decimals exactly', async () => {
    const digits = (length: number) => fc.bigInt({ min: 0n, max: 10n ** BigInt(length) - 1n });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), digits(20), digits(18), async (negative, whole, fraction) => {
        const sign = negative && whole + fraction > 0n ? '-' : '';
        const amount = `${sign}${whole}.${String(fraction).padStart(18, '0')}`;
        const id = newUuid();
        await dataSource.getRepository(AmountEntity).insert({ id, amount });
        const read = await dataSource.getRepository(AmountEntity).findOneByOrFail({ id });
        expect(read.amount).toBe(amount);
      }),
      { numRuns: 100 },
    );
  });

  it('reject a value that is too large', async () => {
    const insert = dataSource
      .getRepository(AmountEntity)
      .insert({ id: newUuid(), amount: `1${'0'.repeat(20)}` });
    const error = await insert.catch((reason: unknown) => reason);
    expect(sqlStateOf(error)).toBe('22003');
  });
});
