/**
 * Samples: at least one request to each operation, as data. The API reference shows them, and a test runs them in
 * order against the whole product.
 *
 * 1. A string of the form `$name.field` is a reference to a value of an earlier response or of
 *    {@link SAMPLE_FIXTURES}. The API reference shows an example instead; a run inserts the actual value.
 * 2. The API reference shows the first sample of an operation.
 */
import type { z } from 'zod';
import { encodeId, ID_PREFIXES, type IdPrefix } from '../ids.js';
import type { Operation } from '../operation.js';

export interface Sample {
  readonly operation: Operation;
  /** Heading that says what the request does. */
  readonly title: string;
  /** The name that later samples use to refer to the `data` of the response. */
  readonly as?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type ParamsInput<O extends Operation> = O extends { readonly params: infer P extends z.ZodType }
  ? { readonly params: Readonly<Record<keyof z.input<P> & string, string>> }
  : { readonly params?: never };
type BodyInput<O extends Operation> = O extends { readonly body: infer B extends z.ZodType }
  ? O extends { readonly bodyOptional: true }
    ? { readonly body?: z.input<B> }
    : { readonly body: z.input<B> }
  : { readonly body?: never };
type SampleInput<O extends Operation> = Pick<Sample, 'title' | 'as' | 'query'> &
  ParamsInput<O> &
  BodyInput<O>;

/** Defines a sample; its members are type-checked against the operation's schemas. */
export function sample<const O extends Operation>(operation: O, input: SampleInput<O>): Sample {
  return { operation, ...input };
}

const REFERENCE = /^\$([a-z_]+)\.([\w.-]+)$/;

/** Parses a reference into its name and path; returns null if the string is not a reference. */
export function referenceIn(text: string): { name: string; path: readonly string[] } | null {
  const match = REFERENCE.exec(text);
  return match && { name: match[1]!, path: match[2]!.split('.') };
}

/** Returns `value` with every reference replaced by the result of `lookUp`. */
export function resolve<T>(value: T, lookUp: (reference: string) => unknown): T {
  if (typeof value === 'string') return (referenceIn(value) === null ? value : lookUp(value)) as T;
  if (Array.isArray(value)) return value.map((item) => resolve(item, lookUp)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolve(member, lookUp)]),
  ) as T;
}

/** Returns a well-formed example id that belongs to no record. */
export function exampleId(prefix: IdPrefix): string {
  const index = Object.keys(ID_PREFIXES).indexOf(prefix).toString(16).padStart(2, '0');
  return encodeId(prefix, `019a7c3e-5d10-7${index}4-8b21-6f0d2e91c4a7`);
}
