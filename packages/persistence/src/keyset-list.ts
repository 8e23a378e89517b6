/**
 * Reads lists page by page, by keyset or by offset.
 *
 * 1. A page is one statement that requests one row more than the limit; that row decides `has_more`.
 * 2. The order is total: rows are sorted by the sort column, then by the id, both in the same direction. Rows with
 *    equal sort values are neither skipped nor repeated between pages.
 * 3. The cursor contains the sort value as the database writes it, with microseconds and all decimals.
 * 4. Every value is a parameter, including limit and offset. The SQL contains only code of a feature (columns, tables,
 *    types), so a list has one statement for each sort, order, combination of filters and kind of position.
 * 5. For a limit that is a parameter, the planner expects a tenth of all rows. The inner query therefore also has the
 *    largest possible limit as a literal. The outer limit stops it early.
 * 6. Equal SQL that is used often shares one prepared statement (statement-names.ts).
 * 7. Sort columns are never NULL. A NULL is an error, because pages would skip the row.
 * 8. A list can continue after any item of a page: `cursorAt` creates the cursor of one item.
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
import type { Selection } from './selection.js';
import { nameOf } from './statement-names.js';

/** A sortable field: its column or expression, and the Postgres type of its values. */
export interface SortColumn {
  readonly column: string;
  readonly type: 'timestamptz' | 'numeric' | 'bigint' | 'integer' | 'text' | 'uuid' | 'boolean';
}

/** The source of a list. Only `params` may contain input of a client; the feature's code defines everything else. */
export interface ListSource<Sort extends string, Row = never> {
  /** Select list, for example `t.id, t.symbol, t.amount`. Its column names become the properties of the items. */
  readonly select: string | Selection<Row>;
  /** The FROM clause, including joins. A join must not multiply rows. */
  readonly from: string;
  /** Conditions, joined by AND, with `$1` … for `params`. Must include the condition for the owner. */
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

/** Rows are arrays, because the driver reads them faster than objects. */
interface ReadRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** The last two columns of a page's statement are the sort value and the id of the row. Items do not include them. */
const POSITION_COLUMNS = 2;

/**
 * Reads one page of `source`. `scope` identifies the list, its user and its filters (`cursorScope`).
 *
 * @throws {InvalidCursor} if the cursor belongs to another query or user
 * @throws {DatabaseUnavailable} if the database cannot be reached
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
  const pageRows = rows.slice(0, limit);
  const total = query.include.includes('total') ? await countRows(dataSource, source) : undefined;
  const sortIndex = columns.length - POSITION_COLUMNS;
  for (const row of pageRows) {
    if (row[sortIndex] === null)
      throw new Error(`The sort column ${source.sorts[sort].column} contains a NULL.`);
  }
  const { select } = source;
  const read =
    typeof select === 'string' ? readByName<Row>(columns.slice(0, -POSITION_COLUMNS)) : select.read;
  const hasMore = rows.length > limit;
  const cursorAt = (index: number) => {
    const row = pageRows[index];
    if (row === undefined)
      throw new RangeError(`The page has no item ${index}; it has ${pageRows.length} items.`);
    return codec.encode({ sort, order, scope }, positionOf(row));
  };
  return {
    items: pageRows.map((row) => read(row)),
    pagination: {
      limit,
      offset: query.offset ?? 0,
      has_more: hasMore,
      next_cursor: hasMore ? cursorAt(pageRows.length - 1) : null,
      ...(total === undefined ? {} : { total }),
    },
    cursorAt,
  };
}

function readByName<Row extends QueryResultRow>(names: readonly string[]): Selection<Row>['read'] {
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
    throw new RangeError(`limit must be an integer from 1 to ${LIMIT_MAX}; got ${limit}.`);
  if (!Object.hasOwn(source.sorts, sort)) throw new RangeError(`sort is not allowed: ${sort}.`);
  const columns = { ...source.sorts[sort], idColumn: source.idColumn };
  const where = [...source.where];
  const values = [...source.params];
  if (cursor !== undefined) {
    const position = codec.decode(cursor, { sort, order, scope });
    where.push(keysetPredicate(columns, order, values.length + 1));
    values.push(position.value, position.id);
  }
  const select = typeof source.select === 'string' ? source.select : source.select.text;
  let page = `SELECT ${select}, (${columns.column})::text AS __sort_key, ${source.idColumn}::text AS __sort_id ${fromWhere(source.from, where)} ORDER BY ${keysetOrder(columns, order)} LIMIT ${LIMIT_MAX + 1}`;
  if (cursor === undefined && offset > 0) {
    values.push(offset);
    page += ` OFFSET $${values.length}`;
  }
  values.push(limit + 1);
  return { text: `SELECT * FROM (${page}) AS page LIMIT $${values.length}`, values };
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
    : `FROM ${from} WHERE ${where.map((condition) => `(${condition})`).join(' AND ')}`;
}

async function run(dataSource: DataSource, { text, values }: Statement): Promise<ReadRows> {
  const statement: QueryArrayConfig = {
    ...nameOf(text),
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
