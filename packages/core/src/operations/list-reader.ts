import { DomainError, type Operation, rejectEmptyRange } from '@trading-automation/contracts';
import {
  type CursorCodec,
  cursorScope,
  InvalidCursor,
  type ListQuery,
  listQuerySchema,
  type Page,
  type PageWithCursors,
} from '@trading-automation/pagination';
import { type ListSource, listPage } from '@trading-automation/persistence';
import { z } from 'zod';
import type { Platform } from '../platform/index.js';

export type { ListQuery, Page, PageWithCursors };

/** The cursor scope of a public list, instead of a user id. */
const PUBLIC_SCOPE = 'everybody';

/**
 * Returns the schema of an operation's query string. The schema of a list includes the parameters that all lists
 * share.
 */
export function querySchemaOf(operation: Operation): z.ZodType {
  const filters = operation.query?.shape ?? {};
  if (operation.list === undefined) return operation.query ?? z.strictObject({});
  const { sorts, limitDefault, includes } = operation.list;
  const schema = listQuerySchema({
    sorts,
    defaultSort: 'created_at',
    defaultLimit: limitDefault,
    filters,
    ...(includes === undefined ? {} : { includes }),
  });
  const isRanged = 'from' in filters && 'to' in filters;
  return isRanged
    ? schema.superRefine((query, context) =>
        rejectEmptyRange(query as { from?: string; to?: string }, context),
      )
    : schema;
}

/**
 * Builds the conditions of a list's filters. A filter consists of the SQL before its value (`t.status =`) and the value.
 * Filters without a value are omitted. Values become parameters in input order.
 */
export function conditions(
  filters: readonly (readonly [string, unknown])[],
): Pick<ListSource<string>, 'where' | 'params'> {
  const present = filters.filter(([, value]) => value !== undefined);
  return {
    where: present.map(([condition], index) => `${condition} $${index + 1}`),
    params: present.map(([, value]) => value),
  };
}

/** Parses an instant of a request. Returns a Date, because Postgres cannot read some years as text. */
export function parseInstant(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

/** Reads the lists of an API in keyset pages. A cursor is valid only for its user and query. */
export class ListReader {
  constructor(
    private readonly platform: Platform,
    private readonly cursors: CursorCodec,
  ) {}

  /**
   * Returns one page of rows. Cursors are bound to the filters and includes of `query`, but not to its limit or to
   * whether the total is included.
   */
  async page<Row extends Record<string, unknown>>(
    operation: Operation,
    userId: string | null,
    source: ListSource<string, Row>,
    query: ListQuery,
  ): Promise<PageWithCursors<Row>> {
    const { limit, offset, cursor, sort, order, include, ...filters } = query;
    const includedNames = include.filter((name) => name !== 'total').join(',');
    const scope = cursorScope(operation.id, userId ?? PUBLIC_SCOPE, { ...filters, include: includedNames });
    try {
      return await listPage<Row, string>(this.platform.database, this.cursors, source, query, scope);
    } catch (error) {
      if (!(error instanceof InvalidCursor)) throw error;
      throw new DomainError('invalid_query', undefined, [
        {
          field: 'cursor',
          code: 'invalid',
          message: 'The cursor belongs to another query; start again without it.',
        },
      ]);
    }
  }
}
