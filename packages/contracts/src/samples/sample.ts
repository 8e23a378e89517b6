/**
 * Samples: one request to each operation, as data. The reference shows them, and a test runs them in order
 * against the whole product, so that none can be wrong.
 *
 * 1. A text of the form `$name.field` stands for a value of an earlier answer, or of {@link SURROUNDINGS}. The
 *    reference shows an example in its place, a run puts in what was answered.
 * 2. The first sample of an operation is the one that the reference shows.
 */
import type { z } from 'zod';
import { encodeId, ID_PREFIXES, type IdPrefix } from '../ids.js';
import type { Operation } from '../operation.js';

export interface Sample {
  readonly operation: Operation;
  /** What it does, as a heading. */
  readonly title: string;
  /** Name that later samples call `data` of the answer by. */
  readonly as?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type ParamsGiven<O extends Operation> = O extends { readonly params: infer P extends z.ZodType }
  ? { readonly params: Readonly<Record<keyof z.input<P> & string, string>> }
  : { readonly params?: never };
type BodyGiven<O extends Operation> = O extends { readonly body: infer B extends z.ZodType }
  ? O extends { readonly bodyOptional: true }
    ? { readonly body?: z.input<B> }
    : { readonly body: z.input<B> }
  : { readonly body?: never };
type SampleGiven<O extends Operation> = Pick<Sample, 'title' | 'as' | 'query'> &
  ParamsGiven<O> &
  BodyGiven<O>;

/** Writes a sample down; its members are checked against the operation's schemas. */
export function sample<const O extends Operation>(operation: O, given: SampleGiven<O>): Sample {
  return { operation, ...given };
}

const REFERENCE = /^\$([a-z_]+)\.([\w.-]+)$/;

/** The name and the path of a reference, or null where a text is none. */
export function referenceIn(text: string): { name: string; path: readonly string[] } | null {
  const match = REFERENCE.exec(text);
  return match && { name: match[1]!, path: match[2]!.split('.') };
}

/** `value` with every reference replaced. */
export function resolve<T>(value: T, lookUp: (reference: string) => unknown): T {
  if (typeof value === 'string') return (referenceIn(value) === null ? value : lookUp(value)) as T;
  if (Array.isArray(value)) return value.map((item) => resolve(item, lookUp)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolve(member, lookUp)]),
  ) as T;
}

/** An id as an example shows it: well-formed, and of no record. */
export function exampleId(prefix: IdPrefix): string {
  const place = Object.keys(ID_PREFIXES).indexOf(prefix).toString(16).padStart(2, '0');
  return encodeId(prefix, `019a7c3e-5d10-7${place}4-8b21-6f0d2e91c4a7`);
}
