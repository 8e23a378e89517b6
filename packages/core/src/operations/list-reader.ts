import { DomainError, type Operation, refuseEmptyRange } from '@trading-automation/contracts';
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

/** Whose list it is where an operation is public. */
const EVERYBODY = 'everybody';

/** The schema of an operation's query string; of a list, with what every list takes. */
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
        refuseEmptyRange(query as { from?: string; to?: string }, context),
      )
    : schema;
}

/**
 * The conditions of a list's filters, each the part before its value (`t.status =`); those without a value hold for
 * every row. Values become parameters in their order.
 */
export function conditions(
  filters: readonly (readonly [string, unknown])[],
): Pick<ListSource<string>, 'where' | 'params'> {
  const given = filters.filter(([, value]) => value !== undefined);
  return {
    where: given.map(([condition], place) => `${condition} $${place + 1}`),
    params: given.map(([, value]) => value),
  };
}

/** An instant that a caller gave, as the driver takes it: its text may name a year that the database's reader refuses. */
export function parseInstant(given: string | undefined): Date | undefined {
  return given === undefined ? undefined : new Date(given);
}

/** Reads the lists of an API: pages by keyset, with cursors that only their own user and query can use. */
export class ListReader {
  constructor(
    private readonly platform: Platform,
    private readonly cursors: CursorCodec,
  ) {}

  /** One page, as rows. `query` holds the list's parameters and filters, which bind its cursors; whether a total is told beside the page, and how long it is, does not. */
  async page<Row extends Record<string, unknown>>(
    operation: Operation,
    userId: string | null,
    source: ListSource<string, Row>,
    query: ListQuery,
  ): Promise<PageWithCursors<Row>> {
    const { limit, offset, cursor, sort, order, include, ...filters } = query;
    const shown = include.filter((what) => what !== 'total').join(',');
    const scope = cursorScope(operation.id, userId ?? EVERYBODY, { ...filters, include: shown });
    try {
      return await listPage<Row, string>(this.platform.database, this.cursors, source, query, scope);
    } catch (error) {
      if (!(error instanceof InvalidCursor)) throw error;
      throw new DomainError('invalid_query', undefined, [
        {
          field: 'cursor',
          code: 'invalid',
          message: 'The cursor belongs to another query; begin again without it.',
        },
      ]);
    }
  }
}
