/**
 * Operations as data. Routes, permission checks, validation, serialization, the reference, the SDK and
 * the tests all read these; none of them is written twice.
 */
import { z } from 'zod';
import type { ErrorCode } from './errors.js';

/** What a credential may do. TRADE and WITHDRAW include READ; ADMIN includes all. */
export const PERMISSIONS = ['READ', 'TRADE', 'WITHDRAW', 'ADMIN'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/**
 * Who may call an operation: the holder of a permission, anybody (`PUBLIC`), or whoever signed the
 * challenge in the body (`CHALLENGE`).
 */
export type Access = Permission | 'PUBLIC' | 'CHALLENGE';

/** True where a credential with `held` may do what `needed` says. */
export function permits(held: readonly Permission[], needed: Permission): boolean {
  if (held.includes('ADMIN')) return true;
  return needed === 'READ' ? held.length > 0 : held.includes(needed);
}

/**
 * Buckets that an operation fills beside the general one: trade writes, and writes of credentials and withdrawals,
 * by credential; writes of identities by address.
 */
export const RATE_BUCKETS = ['trade_writes', 'sensitive_writes', 'identity_writes'] as const;
export type RateBucket = (typeof RATE_BUCKETS)[number];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How a list pages and sorts; every list takes `limit`, `offset`, `cursor`, `sort`, `order` and `include=total`. */
export interface ListShape {
  /** Fields that `sort` may name; always `created_at` among them. */
  readonly sorts: readonly [string, ...string[]];
  readonly limitDefault: number;
  /** Further values that `include` may have, beside `total`. */
  readonly includes?: readonly string[];
}

export interface Operation {
  /** `resource.verb`, the name of the service method and of the SDK method. */
  readonly id: string;
  readonly method: Method;
  /** Path with the `/v1` prefix; parameters as `:name`. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  /** Query parameters beside those of {@link ListShape}. Values arrive as text. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Set where the body may be left out. */
  readonly bodyOptional?: true;
  readonly list?: ListShape;
  /** Set where the operation has a rate limit of its own beside the general one. */
  readonly bucket?: RateBucket;
  /** Set where the answer is a stream of server-sent events; `response` is then the data of one of them. */
  readonly stream?: true;
  /** `data` of the answer; of a list, one item. */
  readonly response: z.ZodType;
  readonly status: 200 | 201 | 202;
  /** Codes beyond those that any authenticated request may meet. */
  readonly errors: readonly ErrorCode[];
}

/** Declares an operation; the type keeps every schema's own type. */
export function defineOperation<const O extends Operation>(operation: O): O {
  return operation;
}

type Infer<T> = T extends z.ZodType ? z.output<T> : undefined;
/** Parsed body of an operation. */
export type BodyOf<O extends Operation> = Infer<O['body']>;
/** Parsed query of an operation, without the list parameters. */
export type QueryOf<O extends Operation> = O['query'] extends z.ZodType
  ? z.output<O['query']>
  : Record<never, never>;
/** `data` of an operation's answer; of a list, one item. */
export type DataOf<O extends Operation> = Infer<O['response']>;

/** ISO 8601 UTC with milliseconds and `Z`. */
export const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time' });

/** An instant that a caller gives: any ISO 8601 form with an offset. */
export const instantGiven = z.iso
  .datetime({
    offset: true,
    error: 'Expected an ISO 8601 timestamp with a time zone, like 2026-01-31T12:00:00.000Z.',
  })
  .meta({ format: 'date-time' });

/** Text that Postgres and JSON both carry: no U+0000, no lone surrogate. */
export function text(lengths: { min?: number; max: number }) {
  return z
    .string()
    .min(lengths.min ?? 1)
    .max(lengths.max)
    .refine((value) => !value.includes('\u0000') && value.isWellFormed(), {
      error: 'U+0000 and lone surrogates are not allowed.',
    });
}

/** Answer of every DELETE. */
export function deletedOf<T extends z.ZodType>(id: T) {
  return z.object({ id, deleted: z.literal(true) });
}
