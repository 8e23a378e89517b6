import { Column, type DataSource, Entity } from 'typeorm';
import { DecimalColumn, RecordColumns } from './columns.js';
import { createDataSource } from './data-source.js';
import { DatabaseUnavailable, isUniqueViolation } from './errors.js';
import { newUuid } from './ids.js';
import { insertPrepared, queryPrepared, selectPrepared } from './prepared.js';
import { allColumns, selectionOf } from './selection.js';
import { assertColumnsNamed } from './statement-names.js';
import type { TestDatabase } from './testing/index.js';
import { createPersistenceDatabase } from './testing/persistence-database.js';
import { inTransaction, type Tx } from './transaction.js';

@Entity('orders')
class OrderEntity extends RecordColumns {
  @Column({ name: 'owner_name', type: 'text' })
  ownerName!: string;

  @DecimalColumn({ nullable: true })
  price!: string | null;

  @Column({ type: 'jsonb' })
  tags!: readonly string[];
}

let database: TestDatabase;
let dataSource: DataSource;
beforeAll(async () => {
  database = await createPersistenceDatabase(
    `CREATE TABLE orders (id uuid PRIMARY KEY, owner_name text NOT NULL, price numeric(38,18), tags jsonb NOT NULL,
       created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now())`,
  );
  dataSource = createDataSource({
    url: database.url,
    entities: [OrderEntity],
    migrations: [],
    applicationName: 'prepared-spec',
  });
  await dataSource.initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const orderSelection = () => selectionOf(dataSource, OrderEntity, 'o', ['id', 'price', 'tags', 'createdAt']);
const selectById = allColumns(
  OrderEntity,
  'o',
  (columns) => `SELECT ${columns} FROM orders o WHERE o.id = $1`,
);
const insert = (tx: Tx, record: Partial<OrderEntity>) =>
  insertPrepared(tx, OrderEntity, record, { alias: 'o', returning: orderSelection() });
const newOrder = () => ({ id: newUuid(), ownerName: 'ada', price: '1.5', tags: ['a', 'b'] });

describe('a prepared statement', () => {
  it('that is used often is parsed once per connection, and runs in the transaction of its caller', async () => {
    const text = 'SELECT $1::int + 1 AS sum, pg_current_xact_id()::text AS xid';
    await inTransaction(dataSource, async (tx) => {
      const first = await queryPrepared(tx, text, [1]);
      const second = await queryPrepared(tx, text, [2]);
      for (let n = 3; n < 10; n++) expect(await queryPrepared(tx, text, [n])).toMatchObject([{ sum: n + 1 }]);
      expect([first[0]?.sum, second[0]?.sum]).toEqual([2, 3]);
      expect(first[0]?.xid).toBe(second[0]?.xid);
      const prepared = await tx.query(
        'SELECT count(*)::int AS n FROM pg_prepared_statements WHERE statement = $1',
        [text],
      );
      expect(prepared).toEqual([{ n: 1 }]);
    });
  });

  it('inserts a record and returns the stored values', async () => {
    const order = newOrder();
    const stored = await inTransaction(dataSource, (tx) => insert(tx, order));
    expect(stored).toStrictEqual({
      id: order.id,
      price: '1.500000000000000000',
      tags: ['a', 'b'],
      createdAt: expect.any(Date),
    });
    const rest = 'FROM orders o WHERE o.id = $1';
    expect(await selectPrepared(dataSource.manager, orderSelection(), rest, [order.id])).toStrictEqual([
      stored,
    ]);
  });

  it('is rolled back with its transaction', async () => {
    const order = newOrder();
    const failing = inTransaction(dataSource, async (tx) => {
      await insert(tx, order);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    const rest = 'FROM orders o WHERE o.id = $1';
    expect(await selectPrepared(dataSource.manager, orderSelection(), rest, [order.id])).toEqual([]);
  });

  it('reports a unique violation like any other statement', async () => {
    const order = newOrder();
    await insert(dataSource.manager, order);
    const violation = await insert(dataSource.manager, order).catch((error: unknown) => error);
    expect(isUniqueViolation(violation, 'orders_pkey')).toBe(true);
  });

  it('makes its transaction throw DatabaseUnavailable if the connection is lost', async () => {
    const failing = inTransaction(dataSource, async (tx) => {
      const [{ pid }] = await tx.query('SELECT pg_backend_pid() AS pid');
      await dataSource.query('SELECT pg_terminate_backend($1)', [pid]);
      await queryPrepared(tx, 'SELECT 1 AS one', []);
    });
    await expect(failing).rejects.toThrow(DatabaseUnavailable);
  });

  it('returns the same columns after a column is added to its table', async () => {
    const order = newOrder();
    const readBoth = async (tx: Tx) => [
      await selectPrepared(tx, orderSelection(), 'FROM orders o WHERE o.id = $1', [order.id]),
      await queryPrepared(tx, selectById(dataSource), [order.id]),
    ];
    await inTransaction(dataSource, async (tx) => {
      await insert(tx, order);
      const before = await readBoth(tx);
      await tx.query("ALTER TABLE orders ADD COLUMN note text NOT NULL DEFAULT ''");
      expect(await readBoth(tx)).toEqual(before);
      await insert(tx, newOrder());
    });
  });

  it.each([
    'SELECT * FROM orders',
    'select *\n from orders',
    'SELECT *, 1 AS one FROM orders',
    'SELECT DISTINCT ON (id) * FROM orders',
    'SELECT o.id, o.* FROM orders o',
    'SELECT count(*), o.* FROM orders o GROUP BY o.id',
    'SELECT x.id FROM (SELECT * FROM orders) AS x',
    'WITH made AS (INSERT INTO orders (id) VALUES ($1) RETURNING *) SELECT id FROM made',
    'UPDATE orders SET price = 1 RETURNING *',
    'UPDATE orders SET price = 1 RETURNING *;',
    'SELECT row_to_json((o.*)) FROM orders o',
  ])('is rejected if it does not name its columns: %s', async (text) => {
    await expect(queryPrepared(dataSource.manager, text, [])).rejects.toThrow('name its columns');
  });

  it.each([
    'SELECT count(*) FROM orders',
    'SELECT count( * )::int, count(*) FILTER (WHERE price > 1) FROM orders',
    'SELECT price * 2, (price * 2) * (price), 2 * price FROM orders',
    "SELECT '*' = ANY (tags) FROM orders",
    'INSERT INTO orders (id) SELECT * FROM unnest($1::uuid[])',
  ])('is accepted if its * does not stand for the columns of a table: %s', (text) => {
    expect(() => assertColumnsNamed(text)).not.toThrow();
  });

  it('throws if its transaction has ended', async () => {
    let endedTx: Tx | undefined;
    await inTransaction(dataSource, async (tx) => {
      endedTx = tx;
    });
    await expect(queryPrepared(endedTx!, 'SELECT 1 AS one', [])).rejects.toThrow();
  });
});
