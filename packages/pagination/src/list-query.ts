/**
 * The query parameters that every list takes: `limit`, `offset` or `cursor`, `sort`, `order`, `include`.
 *
 * 1. Nothing is clamped or ignored: a value outside the rules is an error that names the parameter and the mend.
 * 2. Values arrive as text (a URL's query) or as numbers (GraphQL); text is read as a plain decimal integer alone.
 * 3. `cursor` and `offset` exclude each other. An absent `offset` stays absent, and means 0.
 * 4. A parameter given twice arrives as an array and is refused.
 */
import { z } from 'zod';
import { CURSOR_LENGTH_MAX, type SortOrder } from './cursor.js';

export const LIMIT_MAX = 100;
export const OFFSET_MAX = 1_000_000;

/** A parsed list query; a list's own filters stand beside these fields. */
export interface ListQuery<Sort extends string = string> {
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
  readonly sort: Sort;
  readonly order: SortOrder;
  /** What the answer shall hold besides; `total` asks for the count of all items. */
  readonly include: readonly string[];
}

export interface ListQueryOptions<Sort extends string, Filters extends z.core.$ZodLooseShape> {
  /** The fields that the list may be sorted by. */
  readonly sorts: readonly [Sort, ...Sort[]];
  /** The sort of a query that names none; the first of `sorts` unless given. */
  readonly defaultSort?: Sort;
  /** `desc` unless given. */
  readonly defaultOrder?: SortOrder;
  readonly defaultLimit: number;
  /** Further words of `include`, beside `total`; several are joined by commas. */
  readonly includes?: readonly string[];
  /** The list's own parameters; every other name is refused. */
  readonly filters: Filters;
}

/** The strict schema of one list's query. */
export function listQuerySchema<Sort extends string, Filters extends z.core.$ZodLooseShape>(
  options: ListQueryOptions<Sort, Filters>,
) {
  const {
    sorts,
    defaultSort = sorts[0],
    defaultOrder = 'desc',
    defaultLimit,
    includes = [],
    filters,
  } = options;
  return z
    .strictObject({
      ...filters,
      limit: integer('limit', 1, LIMIT_MAX).default(defaultLimit),
      offset: integer('offset', 0, OFFSET_MAX).optional(),
      cursor: cursor.optional(),
      sort: oneOf('sort', sorts).default(defaultSort),
      order: oneOf<SortOrder>('order', ['asc', 'desc']).default(defaultOrder),
      include: include(['total', ...includes]).default([]),
    })
    .check((context) => {
      const query = context.value as { cursor?: unknown; offset?: unknown };
      if (query.cursor === undefined || query.offset === undefined) return;
      const message = 'cursor and offset exclude each other: send one of them';
      context.issues.push({ code: 'custom', path: ['cursor'], message, input: query.cursor });
    });
}

type Refused = { readonly input?: unknown };

/** A parameter's message; one that was given twice is told so instead. */
function say(name: string, rule: string) {
  return ({ input }: Refused) =>
    `${name}: ${Array.isArray(input) ? 'given more than once; send it once' : rule}`;
}

function integer(name: string, min: number, max: number) {
  const error = say(name, `must be an integer from ${min} to ${max}`);
  const read = (value: unknown) =>
    typeof value === 'string' && /^(0|[1-9]\d{0,9})$/.test(value) ? Number(value) : value;
  return z.preprocess(read, z.int({ error }).min(min, { error }).max(max, { error }));
}

function oneOf<Word extends string>(name: string, words: readonly [Word, ...Word[]]) {
  return z.enum(words, { error: say(name, `must be one of ${words.join(', ')}`) });
}

const cursor = z
  .string({ error: say('cursor', 'must be the next_cursor of an earlier page') })
  .min(1, { error: 'cursor: empty; leave it out for the first page' })
  .max(CURSOR_LENGTH_MAX, { error: 'cursor: must be the next_cursor of an earlier page' });

function include(words: readonly string[]) {
  const error = say('include', `takes ${words.join(', ')} (several joined by commas)`);
  return z
    .string({ error })
    .refine((text) => text.split(',').every((word) => words.includes(word)), { error })
    .transform((text) => [...new Set(text.split(','))]);
}
