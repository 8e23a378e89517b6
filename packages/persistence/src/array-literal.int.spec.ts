import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { arrayLiteral } from './array-literal.js';
import { createDataSource } from './data-source.js';
import { queryPrepared } from './prepared.js';
import type { TestDatabase } from './testing/index.js';
import { createPersistenceDatabase } from './testing/persistence-database.js';

let database: TestDatabase;
let dataSource: DataSource;
beforeAll(async () => {
  database = await createPersistenceDatabase('');
  dataSource = createDataSource({
    url: database.url,
    entities: [],
    migrations: [],
    applicationName: 'array-literal-spec',
  });
  await dataSource.initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** Sends the values to Postgres as an array of `type` and returns the array that Postgres received. */
const roundTrip = async (type: string, values: readonly unknown[]) => {
  const [row] = await queryPrepared<{ list: unknown[] }>(
    dataSource.manager,
    `SELECT array_to_json($1::${type}[]) AS list`,
    [values],
  );
  return row!.list;
};

describe('an array parameter', () => {
  it('of any strings reaches Postgres unchanged', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0')),
      fc.constantFrom('', 'null', 'NULL', 'Null', '{}', '"', '\\', 'a b', ' ', ',', '{"a":"b\\n"}', '1.5'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
        expect(await roundTrip('text', values)).toEqual(values);
      }),
      { numRuns: 200 },
    );
  });

  it('of numbers, booleans or nulls, or without elements, reaches Postgres unchanged', async () => {
    expect(await roundTrip('float8', [1.5, -2e-7, null, 3])).toEqual([1.5, -2e-7, null, 3]);
    expect(await roundTrip('bool', [true, false, null])).toEqual([true, false, null]);
    expect(await roundTrip('int', [])).toEqual([]);
    expect(await roundTrip('bool', [undefined])).toEqual([null]);
  });

  it('of dates or of JSON strings reaches Postgres unchanged', async () => {
    const at = new Date('2026-01-02T03:04:05.678Z');
    const [row] = await queryPrepared<{ same: boolean }>(
      dataSource.manager,
      'SELECT $1::timestamptz[] = ARRAY[$2::timestamptz] AS same',
      [[at], at],
    );
    expect(row!.same).toBe(true);
    const record = { text: 'it\'s "so"\\', list: [1, null] };
    expect(await roundTrip('jsonb', [JSON.stringify(record)])).toEqual([record]);
  });

  it('is serialised by the driver if it contains buffers or arrays', async () => {
    expect(arrayLiteral([Buffer.from('a')])).toBeUndefined();
    expect(arrayLiteral([['a']])).toBeUndefined();
    expect(await roundTrip('bytea', [Buffer.from([0, 255])])).toEqual(['\\x00ff']);
  });
});
