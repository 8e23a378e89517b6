/**
 * Runs frequent statements as prepared statements, which the server parses and plans once per connection.
 *
 * 1. Only statements that are used often are kept (statement-names.ts), and each connection keeps a bounded number of them
 *    (bounded-client.ts). All others are parsed at each use.
 * 2. Every statement names its columns, so that a migration can add a column while processes run. With `*`, the server
 *    would then reject the statement on every connection that has prepared it.
 */
import type { QueryArrayConfig, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import {
  type EntityTarget,
  type ObjectLiteral,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
} from 'typeorm';
import { arrayLiteral } from './array-literal.js';
import { poolOf } from './data-source.js';
import type { Selection } from './selection.js';
import { nameOf } from './statement-names.js';
import type { Tx } from './transaction.js';

/** Runs a statement and returns its rows by column name. `tx` may also be a manager outside of a transaction. */
export async function queryPrepared<Row extends QueryResultRow>(
  tx: Tx,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await run<Row>(tx, {
    ...nameOf(text),
    text,
    values: values.map((value) => (Array.isArray(value) ? (arrayLiteral(value) ?? value) : value)),
  });
  return rows;
}

/** Selects the columns of `selection` and returns its items. `rest` is the SQL that starts with FROM. */
export async function selectPrepared<Item>(
  tx: Tx,
  { text, read }: Selection<Item>,
  rest: string,
  values: readonly unknown[],
): Promise<Item[]> {
  return queryPositional(tx, `SELECT ${text} ${rest}`, values, read);
}

/**
 * Inserts one record of an entity and returns the item that `returning` selects from the stored row. The SQL of
 * `returning` refers to that row as `alias`. Missing properties get the defaults of the database.
 */
export async function insertPrepared<Entity extends ObjectLiteral, Item>(
  tx: Tx,
  target: EntityTarget<Entity>,
  record: Partial<Entity>,
  { alias, returning }: { readonly alias: string; readonly returning: Selection<Item> },
): Promise<Item> {
  const { tableName, columns } = tx.connection.getMetadata(target);
  const present = columns.filter(({ propertyName }) => record[propertyName] !== undefined);
  const values = present.map(({ propertyName, type }) =>
    // The driver would send a list as a Postgres array.
    type === 'jsonb' ? JSON.stringify(record[propertyName]) : record[propertyName],
  );
  const names = present.map(({ databaseName }) => databaseName).join(', ');
  const parameters = present.map((_, i) => `$${i + 1}`).join(', ');
  const text = `INSERT INTO ${tableName} AS ${alias} (${names}) VALUES (${parameters}) RETURNING ${returning.text}`;
  const [item] = await queryPositional(tx, text, values, returning.read);
  return item!;
}

async function queryPositional<Item>(
  tx: Tx,
  text: string,
  values: readonly unknown[],
  read: Selection<Item>['read'],
): Promise<Item[]> {
  const statement: QueryArrayConfig = {
    ...nameOf(text),
    text,
    values: [...values],
    rowMode: 'array',
  };
  const { rows } = await run<unknown[]>(tx, statement);
  return rows.map((row) => read(row));
}

/** Runs a statement. Throws the same errors as TypeORM's own queries, so that callers handle both alike. */
async function run<Row>(tx: Tx, statement: QueryConfig | QueryArrayConfig): Promise<{ rows: Row[] }> {
  const runner = tx.queryRunner;
  if (runner?.isReleased) throw new QueryRunnerAlreadyReleasedError();
  try {
    const connection: Connection = runner === undefined ? poolOf(tx.connection) : await runner.connect();
    return (await connection.query(statement)) as { rows: Row[] };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new QueryFailedError(statement.text, statement.values, error);
  }
}

interface Connection {
  query(
    statement: QueryConfig | QueryArrayConfig,
  ): Promise<Pick<QueryResult, 'rows'> | { rows: unknown[][] }>;
}
