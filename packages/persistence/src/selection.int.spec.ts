import { createHmac } from 'node:crypto';
import { createCursorCodec, type ListQuery } from '@trading-automation/pagination';
import { Column, type DataSource, Entity } from 'typeorm';
import { DecimalColumn, RecordColumns } from './columns.js';
import { createDataSource } from './data-source.js';
import { hydrate } from './hydrate.js';
import { newUuid } from './ids.js';
import { listPage } from './keyset-list.js';
import { allColumns, leftJoined, selectionOf } from './selection.js';
import type { TestDatabase } from './testing/index.js';
import { createPersistenceDatabase } from './testing/persistence-database.js';

@Entity('orders')
class OrderEntity extends RecordColumns {
  @Column({ name: 'owner_name', type: 'text' })
  ownerName!: string;

  @DecimalColumn({ nullable: true })
  price!: string | null;

  @Column({ type: 'jsonb' })
  tags!: readonly string[];

  @Column({ type: 'text' })
  secret!: string;
}

let database: TestDatabase;
let dataSource: DataSource;
beforeAll(async () => {
  database = await createPersistenceDatabase(
    `CREATE TABLE orders (id uuid PRIMARY KEY, owner_name text NOT NULL, price numeric(38,18), tags jsonb NOT NULL,
       secret text NOT NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL)`,
  );
  dataSource = createDataSource({
    url: database.url,
    entities: [OrderEntity],
    migrations: [],
    applicationName: 'selection-spec',
  });
  await dataSource.initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

describe('a selection of properties', () => {
  const codec = createCursorCodec((bytes) =>
    createHmac('sha256', 'selection test key').update(bytes).digest(),
  );
  const query: ListQuery<'created_at'> = { limit: 10, sort: 'created_at', order: 'asc', include: [] };

  it('reads only these properties, in any order', async () => {
    const [first, second] = [newUuid(), newUuid()];
    await dataSource.query(
      `INSERT INTO orders VALUES
         ($1, 'ada', 1.5, '["a"]', 'hidden', '2026-11-21 18:54:37.123456+00', '2026-11-21 18:54:38+00'),
         ($2, 'bob', NULL, '[]', 'hidden', '2026-11-22 00:00:00+02', '2026-11-22 00:00:00+00')`,
      [first, second],
    );
    const properties = ['price', 'createdAt', 'id', 'tags', 'ownerName'] as const;
    const select = selectionOf(dataSource, OrderEntity, 'o', properties);
    const sorts = { created_at: { column: 'o.created_at', type: 'timestamptz' } } as const;
    const source = { select, from: 'orders o', where: [], params: [], sorts, idColumn: 'o.id' };
    const { items } = await listPage(dataSource, codec, source, query, 'scope');
    expect(items).toStrictEqual([
      {
        price: '1.500000000000000000',
        createdAt: new Date('2026-11-21T18:54:37.123Z'),
        id: first,
        tags: ['a'],
        ownerName: 'ada',
      },
      { price: null, createdAt: new Date('2026-11-21T22:00:00Z'), id: second, tags: [], ownerName: 'bob' },
    ]);
  });

  it('returns a separate object for each row', () => {
    const { read } = selectionOf(dataSource, OrderEntity, 'o', ['id', 'ownerName']);
    expect([read(['1', 'ada']), read(['2', 'bob'])]).toStrictEqual([
      { id: '1', ownerName: 'ada' },
      { id: '2', ownerName: 'bob' },
    ]);
  });

  it('reads both sides of a join, and null if the second side has no row', () => {
    const { text, width, read } = leftJoined(
      selectionOf(dataSource, OrderEntity, 'o', ['id', 'price']),
      selectionOf(dataSource, OrderEntity, 'other', ['id', 'ownerName']),
    );
    expect([text, width]).toEqual(['o.id, o.price, other.id, other.owner_name', 4]);
    expect(read(['1', null, '2', 'bob'])).toStrictEqual([
      { id: '1', price: null },
      { id: '2', ownerName: 'bob' },
    ]);
    expect(read(['1', '5', null, null])).toStrictEqual([{ id: '1', price: '5' }, null]);
  });

  it('throws if a property has no column', () => {
    const properties = ['id', 'toString'] as unknown as ['id'];
    expect(() => selectionOf(dataSource, OrderEntity, 'o', properties)).toThrow(TypeError);
  });
});

describe('all columns of an entity', () => {
  it('are listed with their database names', () => {
    const columns = 'o.id, o.created_at, o.updated_at, o.owner_name, o.price, o.tags, o.secret';
    expect(allColumns(OrderEntity, 'o')(dataSource)).toBe(columns);
  });

  it('are inserted into SQL that is built only once for each data source', async () => {
    const otherDataSource = createDataSource({
      url: database.url,
      entities: [OrderEntity],
      migrations: [],
      applicationName: 'selection-spec',
    });
    await otherDataSource.initialize();
    const written: string[] = [];
    const text = allColumns(OrderEntity, 'o', (columns) => {
      written.push(columns);
      return `SELECT ${columns} FROM orders o`;
    });
    expect([text(dataSource), text(dataSource), text(otherDataSource)]).toEqual(
      Array.from({ length: 3 }, () => `SELECT ${allColumns(OrderEntity, 'o')(dataSource)} FROM orders o`),
    );
    expect(written).toHaveLength(2);
    await otherDataSource.destroy();
  });

  it('can be converted to an entity by `hydrate`', async () => {
    const id = newUuid();
    await dataSource.query(`INSERT INTO orders VALUES ($1, 'eve', 2, '[]', 's', now(), now())`, [id]);
    const rows = await dataSource.query(
      `SELECT ${allColumns(OrderEntity, 'o')(dataSource)} FROM orders o WHERE o.id = $1`,
      [id],
    );
    const [order] = hydrate(dataSource, OrderEntity, rows);
    expect(order).toBeInstanceOf(OrderEntity);
    expect(order).toEqual(await dataSource.manager.findOneByOrFail(OrderEntity, { id }));
  });
});
