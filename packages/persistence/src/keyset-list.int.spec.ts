import { createHmac } from 'node:crypto';
import {
  type CursorCodec,
  createCursorCodec,
  InvalidCursor,
  type ListQuery,
  type PageWithCursors,
  paginate,
} from '@trading-automation/pagination';
import fc from 'fast-check';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { createDataSource } from './data-source.js';
import { newUuid } from './ids.js';
import { type ListSource, listPage } from './keyset-list.js';
import { createTestDatabase, type TestDatabase } from './testing/index.js';

const SCHEMA = `CREATE TABLE items (
  id uuid PRIMARY KEY, owner text NOT NULL, name text NOT NULL,
  amount numeric(38,18) NOT NULL, created_at timestamptz NOT NULL)`;

type Sort = 'created_at' | 'amount' | 'name';
interface Item extends Record<string, unknown> {
  readonly id: string;
}

const codec = createCursorCodec((bytes) => createHmac('sha256', 'list test key').update(bytes).digest());
let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase({
    schema: SCHEMA,
    migrate: async (url) => {
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(SCHEMA);
      await client.end();
    },
  });
  dataSource = createDataSource({
    url: database.url,
    entities: [],
    migrations: [],
    applicationName: 'list-spec',
  });
  await dataSource.initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});
beforeEach(() => dataSource.query('TRUNCATE items'));

const sourceOf = (owner: string): ListSource<Sort> => ({
  select: 'id, name, amount, created_at',
  from: 'items',
  where: ['owner = $1'],
  params: [owner],
  sorts: {
    created_at: { column: 'created_at', type: 'timestamptz' },
    amount: { column: 'amount', type: 'numeric' },
    name: { column: 'name', type: 'text' },
  },
  idColumn: 'id',
});
const list = (query: Partial<ListQuery<Sort>>, owner = 'ann'): Promise<PageWithCursors<Item>> =>
  listPage<Item, Sort>(
    dataSource,
    codec,
    sourceOf(owner),
    { limit: 10, sort: 'created_at', order: 'desc', include: [], ...query },
    `items of ${owner}`,
  );
const idsOf = ({ items }: PageWithCursors<Item>) => items.map(({ id }) => id);
const insert = (owner: string, name: string, amount: string, createdAt: string) =>
  dataSource.query('INSERT INTO items VALUES ($1, $2, $3, $4, $5)', [
    newUuid(),
    owner,
    name,
    amount,
    createdAt,
  ]);

/** Rows with few distinct values, so that ties are frequent. A rounded cursor would skip or repeat some of them. */
const anyRow = fc.record({
  owner: fc.constantFrom('ann', 'bob'),
  name: fc.constantFrom('', 'a', 'B', 'ä', 'b c', "o'clock"),
  amount: fc.constantFrom(
    '0',
    '-1.5',
    '0.000000000000000001',
    '0.000000000000000002',
    '12345678901234567890.1',
  ),
  createdAt: fc.constantFrom(
    '2026-01-02T03:04:05.123456Z',
    '2026-01-02T03:04:05.123457Z',
    '2026-01-02T03:04:05.123Z',
    '1969-12-31T23:59:59.999999Z',
  ),
});

const anyQuery = fc.record({
  rows: fc.array(anyRow, { maxLength: 30 }),
  limit: fc.integer({ min: 1, max: 7 }),
  sort: fc.constantFrom<Sort>('created_at', 'amount', 'name'),
  order: fc.constantFrom<'asc' | 'desc'>('asc', 'desc'),
});

type SortedQuery = typeof anyQuery extends fc.Arbitrary<infer Value> ? Value : never;

/** Replaces all rows of the table. Returns the ids of Ann's rows in the order of the query. */
async function insertAndSort({ rows, sort, order }: SortedQuery): Promise<string[]> {
  await dataSource.query('TRUNCATE items');
  for (const { owner, name, amount, createdAt } of rows) await insert(owner, name, amount, createdAt);
  const all: Item[] = await dataSource.query(
    `SELECT id FROM items WHERE owner = 'ann' ORDER BY ${sort} ${order}, id ${order}`,
  );
  return all.map(({ id }) => id);
}

describe('listPage', () => {
  it('returns every row of the owner once, page by page, in the sort order, even if sort values are equal', async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery, async (query) => {
        const all = await insertAndSort(query);
        const { limit, sort, order } = query;
        const sizes: number[] = [];
        const listed: string[] = [];
        const fetchPage = async (cursor: string | undefined) => {
          const page = await list({ limit, sort, order, cursor });
          sizes.push(page.items.length);
          return page;
        };
        for await (const { id } of paginate(fetchPage)) listed.push(id);
        expect(listed).toEqual(all);
        // `paginate` would hide a repeated row, so check the sizes of the pages: only the last page may be short.
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(all.length);
        expect(sizes.length).toBe(Math.max(1, Math.ceil(all.length / limit)));
      }),
      { numRuns: 40 },
    );
  });

  it('continues after any item of a page by its cursor, in every sort order', async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery, fc.nat({ max: 9 }), async (query, offset) => {
        const all = await insertAndSort(query);
        const { limit, sort, order } = query;
        const page = await list({ limit, sort, order, offset });
        for (let index = 0; index < page.items.length; index++) {
          const rest = await list({ limit: 100, sort, order, cursor: page.cursorAt(index) });
          expect(idsOf(rest)).toEqual(all.slice(offset + index + 1));
        }
        const { has_more, next_cursor } = page.pagination;
        if (has_more) expect(page.cursorAt(page.items.length - 1)).toBe(next_cursor);
      }),
      { numRuns: 30 },
    );
  });

  it('creates only `next_cursor` with a page, and the cursor of another item when `cursorAt` is called', async () => {
    for (let i = 0; i < 4; i++) await insert('ann', `n${i}`, '1', '2026-01-01T00:00:00Z');
    let encodedCount = 0;
    const counting: CursorCodec = {
      ...codec,
      encode: (binding, position) => {
        encodedCount++;
        return codec.encode(binding, position);
      },
    };
    const query = { limit: 3, sort: 'name', order: 'asc', include: [] } as const;
    const page = await listPage<Item, Sort>(dataSource, counting, sourceOf('ann'), query, 'items of ann');
    expect(encodedCount).toBe(1);
    const rest = await list({ sort: 'name', order: 'asc', cursor: page.cursorAt(1) });
    expect(encodedCount).toBe(2);
    expect(rest.items.map(({ name }) => name)).toEqual(['n2', 'n3']);
    for (const index of [3, -1, 0.5]) expect(() => page.cursorAt(index)).toThrow(RangeError);
    expect(() => page.cursorAt(3)).toThrow('no item 3');
  });

  it('skips `offset` items, returns the total only if it is included, and continues by cursor', async () => {
    for (let i = 0; i < 5; i++) await insert('ann', `n${i}`, '1', `2026-01-0${i + 1}T00:00:00Z`);
    await insert('bob', 'b', '1', '2026-01-01T00:00:00Z');
    const page = await list({ limit: 2, offset: 1, include: ['total'] });
    expect(page.items.map(({ name }) => name)).toEqual(['n3', 'n2']);
    expect(page.pagination).toEqual({
      limit: 2,
      offset: 1,
      has_more: true,
      next_cursor: expect.any(String),
      total: 5,
    });
    const next = await list({ limit: 2, cursor: page.pagination.next_cursor! });
    expect(next.items.map(({ name }) => name)).toEqual(['n1', 'n0']);
    expect(next.pagination).toEqual({ limit: 2, offset: 0, has_more: false, next_cursor: null });
    const beyond = await list({ offset: 1_000_000, include: ['total'] });
    expect(beyond.items).toEqual([]);
    expect(beyond.pagination).toEqual({
      limit: 10,
      offset: 1_000_000,
      has_more: false,
      next_cursor: null,
      total: 5,
    });
  });

  it('returns only the selected columns, with decimals as exact strings', async () => {
    await insert('ann', 'n', '12345678901234567890.123456789012345678', '2026-01-01T00:00:00Z');
    const [item] = (await list({})).items;
    expect(Object.keys(item!).sort()).toEqual(['amount', 'created_at', 'id', 'name']);
    expect(item!.amount).toBe('12345678901234567890.123456789012345678');
  });

  it('rejects another user’s cursor', async () => {
    for (let i = 0; i < 3; i++) await insert('bob', 'b', '1', '2026-01-01T00:00:00Z');
    const { next_cursor: cursor } = (await list({ limit: 1 }, 'bob')).pagination;
    await expect(list({ limit: 1, cursor: cursor! }, 'ann')).rejects.toBeInstanceOf(InvalidCursor);
    const itemCursor = (await list({ limit: 2 }, 'bob')).cursorAt(0);
    await expect(list({ limit: 1, cursor: itemCursor }, 'ann')).rejects.toBeInstanceOf(InvalidCursor);
    expect((await list({ limit: 1, cursor: cursor! }, 'bob')).items).toHaveLength(1);
  });

  it('throws for an unknown sort field and for a limit that is not a number', async () => {
    await expect(list({ sort: 'toString' as Sort })).rejects.toThrow(RangeError);
    await expect(list({ limit: '1; DROP TABLE items' as unknown as number })).rejects.toThrow(RangeError);
  });
});
