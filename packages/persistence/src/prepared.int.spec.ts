import { Column, type DataSource, Entity } from 'typeorm';
import { DecimalColumn, RecordColumns } from './columns.js';
import { createDataSource } from './data-source.js';
import { DatabaseUnavailable, isUniqueViolation } from './errors.js';
import { newUuid } from './ids.js';
import { insertPrepared, queryPrepared, selectPrepared } from './prepared.js';
import { selectionOf } from './selection.js';
import type { TestDatabase } from './testing/index.js';
import { createMechanismDatabase } from './testing/mechanism-database.js';
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
  database = await createMechanismDatabase(
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

const shown = () => selectionOf(dataSource, OrderEntity, 'o', ['id', 'price', 'tags', 'createdAt']);
const insert = (tx: Tx, record: Partial<OrderEntity>) =>
  insertPrepared(tx, OrderEntity, record, { alias: 'o', returning: shown() });
const anOrder = () => ({ id: newUuid(), ownerName: 'ada', price: '1.5', tags: ['a', 'b'] });

describe('a prepared statement', () => {
  it('is parsed once per connection, and runs in the transaction it is given', async () => {
    const text = 'SELECT $1::int + 1 AS sum, pg_current_xact_id()::text AS xid';
    await inTransaction(dataSource, async (tx) => {
      const first = await queryPrepared(tx, text, [1]);
      const second = await queryPrepared(tx, text, [2]);
      expect([first[0]?.sum, second[0]?.sum]).toEqual([2, 3]);
      expect(first[0]?.xid).toBe(second[0]?.xid);
      const kept = await tx.query(
        'SELECT count(*)::int AS n FROM pg_prepared_statements WHERE statement = $1',
        [text],
      );
      expect(kept).toEqual([{ n: 1 }]);
    });
  });

  it('inserts a record and gives back what the database made of it', async () => {
    const order = anOrder();
    const made = await inTransaction(dataSource, (tx) => insert(tx, order));
    expect(made).toStrictEqual({
      id: order.id,
      price: '1.500000000000000000',
      tags: ['a', 'b'],
      createdAt: expect.any(Date),
    });
    const rest = 'FROM orders o WHERE o.id = $1';
    expect(await selectPrepared(dataSource.manager, shown(), rest, [order.id])).toStrictEqual([made]);
  });

  it('is undone with its transaction', async () => {
    const order = anOrder();
    const failing = inTransaction(dataSource, async (tx) => {
      await insert(tx, order);
      throw new Error('changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    const rest = 'FROM orders o WHERE o.id = $1';
    expect(await selectPrepared(dataSource.manager, shown(), rest, [order.id])).toEqual([]);
  });

  it('fails as any other statement does', async () => {
    const order = anOrder();
    await insert(dataSource.manager, order);
    const again = await insert(dataSource.manager, order).catch((error: unknown) => error);
    expect(isUniqueViolation(again, 'orders_pkey')).toBe(true);
  });

  it('whose connection is lost takes its transaction with it', async () => {
    const lost = inTransaction(dataSource, async (tx) => {
      const [{ pid }] = await tx.query('SELECT pg_backend_pid() AS pid');
      await dataSource.query('SELECT pg_terminate_backend($1)', [pid]);
      await queryPrepared(tx, 'SELECT 1 AS one', []);
    });
    await expect(lost).rejects.toThrow(DatabaseUnavailable);
  });

  it('does not run in a transaction that is over', async () => {
    let over: Tx | undefined;
    await inTransaction(dataSource, async (tx) => {
      over = tx;
    });
    await expect(queryPrepared(over!, 'SELECT 1 AS one', [])).rejects.toThrow();
  });
});
