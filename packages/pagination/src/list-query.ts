/**
 * The query parameters of every list: `limit`, `offset` or `cursor`, `sort`, `order`, `include`.
 *
 * 1. Values are never clamped or ignored: an invalid value is an error that names the parameter and its rule.
 * 2. Values are strings (a URL query) or numbers (GraphQL). A string must be a plain decimal integer.
 * 3. `cursor` and `offset` cannot be combined. An absent `offset` has no default in the schema; it means 0.
 * 4. A repeated parameter arrives as an array and is rejected.
 */
import { z } from 'zod';
import { CURSOR_LENGTH_MAX, type SortOrder } from './cursor.js';

export const LIMIT_MAX = 100;
export const OFFSET_MAX = 1_000_000;

/** A parsed list query. The filters of the list are additional fields. */
export interface ListQuery<Sort extends string = string> {
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
  readonly sort: Sort;
  readonly order: SortOrder;
  /** Additional data of the response; `total` adds the number of all items. */
  readonly include: readonly string[];
}

export interface ListQueryOptions<Sort extends string, Filters extends z.core.$ZodLooseShape> {
  /** The fields that `sort` accepts. */
  readonly sorts: readonly [Sort, ...Sort[]];
  /** Default: the first of `sorts`. */
  readonly defaultSort?: Sort;
  /** Default: `desc`. */
  readonly defaultOrder?: SortOrder;
  readonly defaultLimit: number;
  /** Values of `include` in addition to `total`; several are separated by commas. */
  readonly includes?: readonly string[];
  /** The filters of the list. Every other parameter is rejected. */
  readonly filters: Filters;
}

/** Returns the strict schema of a list query. */
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
      const message = 'cursor and offset cannot be combined; send one of them';
      context.issues.push({ code: 'custom', path: ['cursor'], message, input: query.cursor });
    });
}

type InvalidInput = { readonly input?: unknown };

/** Returns the error message of a parameter. A repeated parameter gets another message than an invalid one. */
function messageFor(name: string, rule: string) {
  return ({ input }: InvalidInput) =>
    `${name}: ${Array.isArray(input) ? 'sent more than once; send it once' : rule}`;
}

function integer(name: string, min: number, max: number) {
  const error = messageFor(name, `must be an integer from ${min} to ${max}`);
  const toNumber = (value: unknown) =>
    typeof value === 'string' && /^(0|[1-9]\d{0,9})$/.test(value) ? Number(value) : value;
  return z.preprocess(toNumber, z.int({ error }).min(min, { error }).max(max, { error }));
}

function oneOf<Word extends string>(name: string, words: readonly [Word, ...Word[]]) {
  return z.enum(words, { error: messageFor(name, `must be one of ${words.join(', ')}`) });
}

const cursor = z
  .string({ error: messageFor('cursor', 'must be the next_cursor of an earlier page') })
  .min(1, { error: 'cursor: must not be empty; omit it for the first page' })
  .max(CURSOR_LENGTH_MAX, { error: 'cursor: must be the next_cursor of an earlier page' });

function include(words: readonly string[]) {
  const error = messageFor('include', `must be one of ${words.join(', ')}, or several separated by commas`);
  return z
    .string({ error })
    .refine((text) => text.split(',').every((word) => words.includes(word)), { error })
    .transform((text) => [...new Set(text.split(','))]);
}
