/**
 * Operations as data: the single source of routes, permission checks, validation, serialization, the reference,
 * the SDK and the tests.
 */

import { z } from 'zod';
import type { DetailCode } from './detail-codes.js';
import type { ErrorCode } from './errors.js';

/** The permissions of credentials. TRADE and WITHDRAW include READ; ADMIN includes all. */
export const PERMISSIONS = ['READ', 'TRADE', 'WITHDRAW', 'ADMIN'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/**
 * Who may call an operation: callers with a permission, everyone (`PUBLIC`), or the signer of the challenge in the
 * body (`CHALLENGE`). A credential that is sent with a challenge must have ADMIN.
 */
export type Access = Permission | 'PUBLIC' | 'CHALLENGE';

/** Returns whether a credential with the permissions `held` satisfies `needed`. */
export function permits(held: readonly Permission[], needed: Permission): boolean {
  if (held.includes('ADMIN')) return true;
  return needed === 'READ' ? held.length > 0 : held.includes(needed);
}

/**
 * Rate-limit buckets in addition to the general one. `trade_writes` and `sensitive_writes` (credentials and withdrawals)
 * are counted by credential, with a higher limit for all credentials of a user; `identity_writes` by IP address;
 * `simulations`, `exchange_tests` and `webhook_tests` by user.
 */
export const RATE_BUCKETS = [
  'trade_writes',
  'sensitive_writes',
  'identity_writes',
  'simulations',
  'exchange_tests',
  'webhook_tests',
] as const;
export type RateBucket = (typeof RATE_BUCKETS)[number];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Paging and sorting of a list. Every list accepts `limit`, `offset`, `cursor`, `sort`, `order` and `include=total`. */
export interface ListDefinition {
  /** Fields that `sort` accepts; `created_at` is always one of them. */
  readonly sorts: readonly [string, ...string[]];
  readonly limitDefault: number;
  /** Values that `include` accepts in addition to `total`. */
  readonly includes?: readonly string[];
}

export interface Operation {
  /** `resource.verb`, such as `trades.create`: the name of the SDK's method and of most services' methods. */
  readonly id: string;
  readonly method: Method;
  /** Path with the `/v1` prefix; parameters as `:name`. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly access: Access;
  /** The permission that a browser session needs, if less than `access`. */
  readonly sessionAccess?: Permission;
  readonly params?: z.ZodObject;
  /** Query parameters in addition to those of {@link ListDefinition}. Values arrive as strings. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** True if the body is optional. */
  readonly bodyOptional?: true;
  readonly list?: ListDefinition;
  /** The rate-limit bucket that the operation uses in addition to the general one. */
  readonly bucket?: RateBucket;
  /**
   * True if the operation only computes its response. The computation ends when the client disconnects, and an
   * Idempotency-Key has no effect: the response is not stored, and a repeat computes it again.
   */
  readonly isComputation?: true;
  /** True if the request waits for an exchange or for a receiver of webhooks. */
  readonly isRemote?: true;
  /** True if the response contains a new secret. Such a response is not compressed. */
  readonly returnsSecret?: true;
  /** True if the response is a stream of server-sent events; `response` is then the schema of one event's data. */
  readonly stream?: true;
  /** Schema of the response's `data`. For a list, it is the schema of one item. */
  readonly response: z.ZodType;
  readonly status: 200 | 201 | 202;
  /** The status if the operation created a record, where `status` is that of a change. */
  readonly createdStatus?: 201;
  /** Error codes in addition to those that every authenticated request can return. */
  readonly errors: readonly ErrorCode[];
}

/**
 * The longest time in ms in which an API responds: to the test of a webhook whose receiver hangs. A client waits longer, so
 * that it learns the outcome and does not send a second test event.
 */
export const RESPONSE_TIME_MAX_MS = 35_000;

/** Returns whether an Idempotency-Key takes effect for the operation. */
export function storesResponse({
  method,
  isComputation,
}: Pick<Operation, 'method' | 'isComputation'>): boolean {
  return method === 'POST' && isComputation !== true;
}

/** Returns whether the response is one record that a client may read again with If-None-Match. */
export function isRevalidated({
  method,
  access,
  list,
  stream,
}: Pick<Operation, 'method' | 'access' | 'list' | 'stream'>): boolean {
  return method === 'GET' && access !== 'PUBLIC' && list === undefined && stream !== true;
}

/** Declares an operation and preserves the exact type of each schema. */
export function defineOperation<const O extends Operation>(operation: O): O {
  return operation;
}

type Infer<T> = T extends z.ZodType ? z.output<T> : undefined;
/** Type of an operation's parsed body. */
export type BodyOf<O extends Operation> = Infer<O['body']>;
/** Type of an operation's parsed query, without the list parameters. */
export type QueryOf<O extends Operation> = O['query'] extends z.ZodType
  ? z.output<O['query']>
  : Record<never, never>;
/** Type of the `data` of an operation's response. For a list, it is the type of one item. */
export type DataOf<O extends Operation> = Infer<O['response']>;

/** Schema of an instant in a response: ISO 8601 in UTC, with milliseconds and `Z`. */
export const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time' });

/** Schema of an instant in a request: any ISO 8601 form with an offset. */
export const instantInput = z.iso
  .datetime({
    offset: true,
    error: 'Expected an ISO 8601 timestamp with a time zone, like 2026-01-31T12:00:00.000Z.',
  })
  .meta({ format: 'date-time' });

/** Schema of a string that both Postgres and JSON can hold: no U+0000, no lone surrogates. */
export function text(lengths: { min?: number; max: number }) {
  return z
    .string()
    .min(lengths.min ?? 1)
    .max(lengths.max)
    .refine((value) => !value.includes('\u0000') && value.isWellFormed(), {
      error: 'U+0000 and lone surrogates are not allowed.',
    });
}

/**
 * A character that a reader can see. Letters, digits, punctuation and symbols are visible. Spaces, controls, bidirectional
 * and zero-width characters, combining marks without a base and the blank Braille pattern are not.
 */
const VISIBLE = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Schema of a name or label: text with at least one visible character. */
export function nameText(lengths: { max: number }) {
  return text(lengths).superRefine((value, context) => {
    if (value === '' || VISIBLE.test(value)) return;
    context.addIssue({
      code: 'custom',
      message: 'Must contain a visible character, such as a letter or a digit.',
      params: { code: 'not_visible' satisfies DetailCode },
    });
  });
}

/**
 * Schema of a name that another user reads before a decision: at least one visible character, and no others but spaces,
 * so that nothing in it is hidden or reorders the text.
 */
export function visibleText(lengths: { max: number }) {
  return nameText(lengths).refine(
    (value) => [...value].every((letter) => letter === ' ' || VISIBLE.test(letter)),
    {
      error: 'Use only letters, digits, punctuation, symbols and spaces.',
    },
  );
}

/** Schema of the response of a DELETE. */
export function deletedOf<T extends z.ZodType>(id: T) {
  return z.object({ id, deleted: z.literal(true) });
}
