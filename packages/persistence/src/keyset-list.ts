/**
 * Lists: one statement per page, by keyset or by offset.
 *
 * 1. A page is one statement that asks for one row more than the limit; that row alone decides `has_more`.
 * 2. Order is total: the sort column, then the id, both in the same direction. Rows with equal sort values are
 *    neither skipped nor repeated between pages.
 * 3. The sort value travels as the database's own text: microseconds and all decimals survive the cursor.
 * 4. Every value is a parameter. Only what a feature's code wrote (columns, tables, types) and the validated
 *    limit become part of the text; the limit does, because the planner chooses its plan by it.
 * 5. The same text is the same prepared statement, parsed and planned once per connection.
 * 6. Sort columns are never NULL; a NULL is an error, not a row that pages lose.
 * 7. The list goes on behind any item of a page; the cursors of single items are made when they are asked for.
 */
import {
  type CursorCodec,
  type CursorPosition,
  keysetOrder,
  keysetPredicate,
  LIMIT_MAX,
  type ListQuery,
  type PageWithCursors,
} from '@trading-automation/pagination';
import type { QueryArrayConfig, QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';
import { poolOf } from './data-source.js';
import { DatabaseUnavailable, isConnectionLost } from './errors.js';
import { statementName } from './prepared.js';
import type { Selection } from './selection.js';

/** A field that a list may be sorted by: its column (or expression), and the Postgres type of its values. */
export interface SortColumn {
  readonly column: string;
  readonly type: 'timestamptz' | 'numeric' | 'bigint' | 'integer' | 'text' | 'uuid' | 'boolean';
}

/** What a list reads. All of it is code of the feature; nothing a client sent may stand in it but `params`. */
export interface ListSource<Sort extends string, Row = never> {
  /** Select list, for example `t.id, t.symbol, t.amount`; its rows become items by the names of their columns. */
  readonly select: string | Selection<Row>;
  /** Everything after FROM, joins included, without a join that multiplies rows. */
  readonly from: string;
  /** Conditions that are all to hold, with `$1` … for `params`; the owner's among them. */
  readonly where: readonly string[];
  readonly params: readonly unknown[];
  readonly sorts: Readonly<Record<Sort, SortColumn>>;
  /** The unique uuid column that breaks ties. */
  readonly idColumn: string;
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Rows as the driver reads them fastest: values by column. */
interface ReadRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** The last two columns of a page's statement: the position of a row, which is not given out. */
const POSITION_COLUMNS = 2;

/**
 * One page of `source` as `query` asks for it. `scope` names the list, its user and its filters (`cursorScope`).
 *
 * @throws {InvalidCursor} where the cursor belongs to another query or user
 * @throws {DatabaseUnavailable} where the database can't be reached
 */
export async function listPage<Row extends QueryResultRow, Sort extends string>(
  dataSource: DataSource,
  codec: CursorCodec,
  source: ListSource<Sort, Row>,
  query: ListQuery<Sort>,
  scope: string,
): Promise<PageWithCursors<Row>> {
  const { limit, sort, order } = query;
  const { columns, rows } = await run(dataSource, pageStatement(codec, source, query, scope));
  const shown = rows.slice(0, limit);
  const total = query.include.includes('total') ? await countRows(dataSource, source) : undefined;
  const sortPlace = columns.length - POSITION_COLUMNS;
  for (const row of shown) {
    if (row[sortPlace] === null) throw new Error(`sort column ${source.sorts[sort].column} held a NULL`);
  }
  const { select } = source;
  const read = typeof select === 'string' ? byName<Row>(columns.slice(0, -POSITION_COLUMNS)) : select.read;
  const hasMore = rows.length > limit;
  const cursorAt = (index: number) => {
    const row = shown[index];
    if (row === undefined) throw new RangeError(`no item ${index} on a page of ${shown.length}`);
    return codec.encode({ sort, order, scope }, positionOf(row));
  };
  return {
    items: shown.map((row) => read(row)),
    pagination: {
      limit,
      offset: query.offset ?? 0,
      has_more: hasMore,
      next_cursor: hasMore ? cursorAt(shown.length - 1) : null,
      ...(total === undefined ? {} : { total }),
    },
    cursorAt,
  };
}

function byName<Row extends QueryResultRow>(names: readonly string[]): Selection<Row>['read'] {
  return (values) => {
    const row: QueryResultRow = {};
    for (let i = 0; i < names.length; i++) row[names[i]!] = values[i];
    return row as Row;
  };
}

function positionOf(row: readonly unknown[]): CursorPosition {
  const [value, id] = row.slice(-POSITION_COLUMNS) as [string, string];
  return { value, id };
}

function pageStatement<Sort extends string>(
  codec: CursorCodec,
  source: ListSource<Sort, unknown>,
  query: ListQuery<Sort>,
  scope: string,
): Statement {
  const { limit, sort, order, cursor, offset = 0 } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new RangeError('limit outside 1 to 100');
  if (!Object.hasOwn(source.sorts, sort)) throw new RangeError('sort outside the allow-list');
  const columns = { ...source.sorts[sort], idColumn: source.idColumn };
  const where = [...source.where];
  const values = [...source.params];
  if (cursor !== undefined) {
    const position = codec.decode(cursor, { sort, order, scope });
    where.push(keysetPredicate(columns, order, values.length + 1));
    values.push(position.value, position.id);
  }
  const select = typeof source.select === 'string' ? source.select : source.select.text;
  let text = `SELECT ${select}, (${columns.column})::text AS __sort_key, ${source.idColumn}::text AS __sort_id ${fromWhere(source.from, where)} ORDER BY ${keysetOrder(columns, order)} LIMIT ${limit + 1}`;
  if (cursor === undefined && offset > 0) {
    values.push(offset);
    text += ` OFFSET $${values.length}`;
  }
  return { text, values };
}

async function countRows<Sort extends string>(
  dataSource: DataSource,
  source: ListSource<Sort, unknown>,
): Promise<number> {
  const text = `SELECT count(*) ${fromWhere(source.from, source.where)}`;
  const { rows } = await run(dataSource, { text, values: source.params });
  return Number(rows[0]?.[0]);
}

function fromWhere(from: string, where: readonly string[]): string {
  return where.length === 0
    ? `FROM ${from}`
    : `FROM ${from} WHERE ${where.map((part) => `(${part})`).join(' AND ')}`;
}

async function run(dataSource: DataSource, { text, values }: Statement): Promise<ReadRows> {
  const statement: QueryArrayConfig = {
    name: statementName(text),
    text,
    values: [...values],
    rowMode: 'array',
  };
  try {
    const { fields, rows } = await poolOf(dataSource).query<unknown[]>(statement);
    return { columns: fields.map(({ name }) => name), rows };
  } catch (error) {
    if (isConnectionLost(error)) throw new DatabaseUnavailable('not_committed', error);
    throw error;
  }
}
