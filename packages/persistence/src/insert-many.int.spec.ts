import { Column, type DataSource, Entity, PrimaryColumn } from 'typeorm';
import { DecimalColumn } from './columns.js';
import { createDataSource } from './data-source.js';
import { isUniqueViolation } from './errors.js';
import { newUuid } from './ids.js';
import { allProperties, insertMany } from './insert-many.js';
import type { TestDatabase } from './testing/index.js';
import { createPersistenceDatabase } from './testing/persistence-database.js';
import { inTransaction } from './transaction.js';

@Entity('samples')
class SampleEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column({ name: 'display_name', type: 'text' })
  displayName!: string;

  @DecimalColumn({ nullable: true })
  price!: string | null;

  @Column({ name: 'is_open', type: 'boolean', nullable: true })
  isOpen!: boolean | null;

  @Column({ type: 'integer', nullable: true })
  version!: number | null;

  @Column({ type: 'bigint', nullable: true })
  sequence!: string | number | bigint | null;

  @Column({ name: 'executed_at', type: 'timestamptz', nullable: true })
  executedAt!: Date | 'infinity' | null;

  @Column({ type: 'bytea', nullable: true })
  digest!: Uint8Array | null;

  @Column({ type: 'jsonb', nullable: true })
  details!: unknown;

  @Column({ type: 'text', array: true, nullable: true })
  tags!: readonly (string | null)[] | null;

  @Column({ type: 'text' })
  state!: string;

  @Column({ type: 'text', nullable: true, transformer: { to: String, from: String } })
  transformed!: string | null;
}

let database: TestDatabase;
let dataSource: DataSource;
beforeAll(async () => {
  database = await createPersistenceDatabase(
    `CREATE TABLE samples (id uuid PRIMARY KEY, display_name text NOT NULL UNIQUE, price numeric(38,18), is_open boolean,
       version integer, sequence bigint, executed_at timestamptz, digest bytea, details jsonb, tags text[],
       state text NOT NULL DEFAULT 'NEW', transformed text)`,
  );
  dataSource = createDataSource({
    url: database.url,
    entities: [SampleEntity],
    migrations: [],
    applicationName: 'insert-many-spec',
  });
  await dataSource.initialize();
});
afterEach(() => dataSource.query('TRUNCATE samples'));
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const rowsNamed = (...names: string[]) => names.map((displayName) => ({ id: newUuid(), displayName }));
const storedNames = async () => {
  const rows: { display_name: string }[] = await dataSource.query(
    'SELECT display_name FROM samples ORDER BY 1',
  );
  return rows.map(({ display_name }) => display_name);
};

describe('insertMany', () => {
  it('stores values and nulls in columns of every type', async () => {
    const full = {
      id: newUuid(),
      displayName: 'full',
      price: '12345678901234567890.123456789012345678',
      isOpen: false,
      version: -7,
      sequence: 9_007_199_254_740_993n,
      executedAt: new Date('2026-02-28T23:59:59.987Z'),
      digest: Buffer.from([0, 92, 34, 255]),
      details: { text: 'a "b" \\ {c}, null', list: [1, null, 'NULL'], digits: 1.5 },
      tags: ['', null, 'NULL', 'a,b', '"quoted" \\ {braces}'],
    };
    const empty = {
      ...Object.fromEntries(Object.keys(full).map((property) => [property, null])),
      id: newUuid(),
      displayName: 'empty',
    } as typeof full;
    await insertMany(dataSource.manager, SampleEntity, [full, empty]);
    const rows = await dataSource.query('SELECT * FROM samples ORDER BY display_name DESC');
    expect(rows).toEqual([
      {
        id: full.id,
        display_name: 'full',
        price: full.price,
        is_open: false,
        version: -7,
        sequence: '9007199254740993',
        executed_at: full.executedAt,
        digest: full.digest,
        details: full.details,
        tags: full.tags,
        state: 'NEW',
        transformed: null,
      },
      expect.objectContaining({ id: empty.id, price: null, executed_at: null, digest: null, tags: null }),
    ]);
    const [nulls] = await dataSource.query('SELECT details IS NULL AS is_null FROM samples WHERE id = $1', [
      empty.id,
    ]);
    expect(nulls).toEqual({ is_null: true });
  });

  it.each([
    ['quotes', `'single' "double" $$dollar$$`],
    ['backslashes', '\\ \\\\ \\n \\x00'],
    ['braces and commas', '{a,b},{}'],
    ['white space', ' \t\n\r '],
    ['an empty string', ''],
    ['the word NULL', 'NULL'],
    ['the word null', 'null'],
    ['other scripts', 'žluťoučký 价格 🚀 \u{10FFFF}'],
  ])('stores a string unchanged: %s', async (_, text) => {
    await insertMany(dataSource.manager, SampleEntity, rowsNamed(text));
    expect(await storedNames()).toEqual([text]);
  });

  it('replaces a lone surrogate as the driver does', async () => {
    await insertMany(dataSource.manager, SampleEntity, rowsNamed('a\uD800b'));
    expect(await storedNames()).toEqual(['a\uFFFDb']);
  });

  it('throws for a string with U+0000, which Postgres cannot store', async () => {
    const failing = insertMany(dataSource.manager, SampleEntity, rowsNamed('a\0b'));
    await expect(failing).rejects.toThrow('unsupported Unicode escape');
  });

  it('stores infinity in a timestamp column', async () => {
    await insertMany(dataSource.manager, SampleEntity, [
      { id: newUuid(), displayName: 'never', executedAt: 'infinity' as const },
      { id: newUuid(), displayName: 'once', executedAt: new Date(0) },
    ]);
    const rows = await dataSource.query(`SELECT display_name FROM samples WHERE executed_at = 'infinity'`);
    expect(rows).toEqual([{ display_name: 'never' }]);
  });

  it('sends no statement if there are no rows', async () => {
    const endedTx = await inTransaction(dataSource, async (tx) => tx);
    expect(await insertMany(endedTx, SampleEntity, [], { returning: ['id'] })).toEqual([]);
    await expect(insertMany(endedTx, SampleEntity, rowsNamed('ada'))).rejects.toThrow();
  });

  it('returns the requested properties in the order of the rows', async () => {
    const rows = rowsNamed(...Array.from({ length: 500 }, (_, i) => `row ${(i * 7919) % 500}`));
    const returned = await insertMany(dataSource.manager, SampleEntity, rows, {
      returning: ['displayName', 'state', 'price'],
    });
    expect(returned).toEqual(rows.map(({ displayName }) => ({ displayName, state: 'NEW', price: null })));
  });

  it('returns all properties of the entity that have no transformer', async () => {
    const [row] = await insertMany(dataSource.manager, SampleEntity, rowsNamed('ada'), {
      returning: allProperties(dataSource.manager, SampleEntity).filter((name) => name !== 'transformed'),
    });
    expect(Object.keys(row!)).toEqual([
      ...[
        'id',
        'displayName',
        'price',
        'isOpen',
        'version',
        'sequence',
        'executedAt',
        'digest',
        'details',
        'tags',
      ],
      'state',
    ]);
  });

  it('skips a row that conflicts on the given properties, and throws for other conflicts', async () => {
    const [ada] = rowsNamed('ada');
    await insertMany(dataSource.manager, SampleEntity, [ada!]);
    const rows = [...rowsNamed('ada', 'grace')];
    const inserted = await insertMany(dataSource.manager, SampleEntity, rows, {
      skipConflictsOn: ['displayName'],
      returning: ['displayName'],
    });
    expect(inserted).toEqual([{ displayName: 'grace' }]);
    const sameId = [{ id: ada!.id, displayName: 'other' }];
    const failing = insertMany(dataSource.manager, SampleEntity, sameId, {
      skipConflictsOn: ['displayName'],
    });
    expect(isUniqueViolation(await failing.catch((error: unknown) => error), 'samples_pkey')).toBe(true);
    await insertMany(dataSource.manager, SampleEntity, sameId, { skipConflictsOn: 'any constraint' });
    expect(await storedNames()).toEqual(['ada', 'grace']);
  });

  it('throws on a conflict by default, and stores nothing', async () => {
    const failing = insertMany(dataSource.manager, SampleEntity, rowsNamed('ada', 'ada'));
    expect(isUniqueViolation(await failing.catch((error: unknown) => error))).toBe(true);
    expect(await storedNames()).toEqual([]);
  });

  it('computes properties by SQL from the input row', async () => {
    const rows = rowsNamed('ada', 'grace').map((row, i) => ({ ...row, price: `${i + 1}.5` }));
    const returned = await insertMany(dataSource.manager, SampleEntity, rows, {
      computed: { state: `'x' || given."displayName"`, version: '(given.price * 2)::int' },
      returning: ['state', 'version'],
    });
    expect(returned).toEqual([
      { state: 'xada', version: 3 },
      { state: 'xgrace', version: 5 },
    ]);
  });

  it('prepares one statement for each set of columns', async () => {
    await inTransaction(dataSource, async (tx) => {
      const countPrepared = async (): Promise<number> => {
        const [{ n }] = await tx.query(
          `SELECT count(*)::int AS n FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO samples AS stored ("display_name"%'`,
        );
        return n;
      };
      const before = await countPrepared();
      const nameFirst = (name: string) => ({ displayName: name, id: newUuid() });
      for (let n = 1; n < 10; n++)
        await insertMany(
          tx,
          SampleEntity,
          Array.from({ length: n }, (_, i) => nameFirst(`a${n} ${i}`)),
        );
      expect(await countPrepared()).toBe(before + 1);
      for (let n = 1; n < 10; n++)
        await insertMany(tx, SampleEntity, [{ ...nameFirst(`b${n}`), price: '1' }]);
      expect(await countPrepared()).toBe(before + 2);
    });
  });

  it('stores more rows than fit into one statement', async () => {
    const rows = rowsNamed(...Array.from({ length: 10_001 }, (_, i) => `row ${i}`));
    const returned = await insertMany(dataSource.manager, SampleEntity, rows, { returning: ['id'] });
    expect(returned).toEqual(rows.map(({ id }) => ({ id })));
  });

  it('is rolled back with its transaction', async () => {
    const failing = inTransaction(dataSource, async (tx) => {
      await insertMany(tx, SampleEntity, rowsNamed('ada'));
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await storedNames()).toEqual([]);
  });

  it.each([
    ['a property that the first row lacks', [{}, { price: '1' }], 'more properties'],
    ['a missing property that the first row has', [{ price: '1' }, {}], 'lacks price'],
    ['a property without a column', [{ weight: 1 }], 'no column for weight'],
    ['a property whose column has a transformer', [{ transformed: 'x' }], 'transformer'],
    ['an object in a column of type text', [{ state: { a: 1 } }], 'cannot store'],
    ['an invalid date', [{ executedAt: new Date(Number.NaN) }], 'Invalid time value'],
    ['a string in an array column', [{ tags: 'abc' }], 'malformed array literal'],
  ])('rejects rows with %s', async (_, partialRows, message) => {
    const rows = partialRows.map((row, i) => ({
      id: newUuid(),
      displayName: `row ${i}`,
      ...(row as object),
    }));
    await expect(insertMany(dataSource.manager, SampleEntity, rows)).rejects.toThrow(message);
  });

  it('compiles only with properties of the entity and their types', () => {
    const misspelled = () =>
      // @ts-expect-error -- the entity has no property `displayname`
      insertMany(dataSource.manager, SampleEntity, [{ id: newUuid(), displayname: 'ada' }]);
    const wrongType = () =>
      // @ts-expect-error -- version is a number
      insertMany(dataSource.manager, SampleEntity, [{ id: newUuid(), version: '1' }]);
    const wrongReturning = () =>
      // @ts-expect-error -- the entity has no property `display_name`
      insertMany(dataSource.manager, SampleEntity, rowsNamed('ada'), { returning: ['display_name'] });
    expect([misspelled, wrongType, wrongReturning]).toHaveLength(3);
  });
});
