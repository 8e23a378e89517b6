/**
 * Statements that run so often that the server shall parse and plan them once per connection, and not each time.
 *
 * 1. Their text is code of the feature and one of a few: each text is kept by every connection for as long as it lasts.
 * 2. It names its columns: a column that a migration adds while processes run changes no row that they read. With `*`,
 *    the server would refuse the statement on every connection that has it prepared.
 */
import { createHash } from 'node:crypto';
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
import type { Tx } from './transaction.js';

/** The rows of a statement, by the names of their columns. `tx` may stand outside any transaction, too. */
export async function queryPrepared<Row extends QueryResultRow>(
  tx: Tx,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await run<Row>(tx, {
    name: statementName(text),
    text,
    values: values.map((value) => (Array.isArray(value) ? (arrayLiteral(value) ?? value) : value)),
  });
  return rows;
}

/** As `queryPrepared`, for `SELECT` of a selection; `rest` is everything from FROM on. */
export async function selectPrepared<Item>(
  tx: Tx,
  { text, read }: Selection<Item>,
  rest: string,
  values: readonly unknown[],
): Promise<Item[]> {
  return queryPositional(tx, `SELECT ${text} ${rest}`, values, read);
}

/**
 * Inserts one record of an entity, and gives back what `returning` selects of it, under the alias `alias`. What the
 * record does not have is the database's default.
 */
export async function insertPrepared<Entity extends ObjectLiteral, Item>(
  tx: Tx,
  target: EntityTarget<Entity>,
  record: Partial<Entity>,
  { alias, returning }: { readonly alias: string; readonly returning: Selection<Item> },
): Promise<Item> {
  const { tableName, columns } = tx.connection.getMetadata(target);
  const given = columns.filter(({ propertyName }) => record[propertyName] !== undefined);
  const values = given.map(({ propertyName, type }) =>
    // The driver takes a list for an array of the database's.
    type === 'jsonb' ? JSON.stringify(record[propertyName]) : record[propertyName],
  );
  const names = given.map(({ databaseName }) => databaseName).join(', ');
  const places = given.map((_, i) => `$${i + 1}`).join(', ');
  const text = `INSERT INTO ${tableName} AS ${alias} (${names}) VALUES (${places}) RETURNING ${returning.text}`;
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
    name: statementName(text),
    text,
    values: [...values],
    rowMode: 'array',
  };
  const { rows } = await run<unknown[]>(tx, statement);
  return rows.map((row) => read(row));
}

/** Fails as TypeORM's own queries do: whoever judges an error knows them alike. */
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

const names = new Map<string, string>();

/**
 * `*` for columns: no operand follows it as in a product, and it is not that of `count(*)`. What `unnest` gives is said
 * in the statement itself.
 */
const STAR = /(?<!\(\s*)\*(?=\s*(?:[,);]|$|FROM\b(?!\s+unnest\b)))/i;

/** A prepared statement's name belongs to one text for ever, so it is made from the text. */
export function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    if (STAR.test(text)) throw new TypeError(`a prepared statement has to name its columns: ${text}`);
    name = `s_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    names.set(text, name);
  }
  return name;
}
