/**
 * Null for an optional field of a request means that the field is absent.
 *
 * 1. The rule holds at every level of a body, for each field that may be omitted and whose schema does not accept null.
 * 2. It does not hold in an update (`isUpdate` in the metadata of its schema), where null would be ambiguous: a field that
 *    can be cleared accepts null, any other field rejects it.
 */
import type { z } from 'zod';
import { JsonNumber } from './decimal.js';

/** The metadata of a schema whose fields change only what they name. */
export const UPDATE = { isUpdate: true } as const;

type RemoveNulls = (value: unknown) => unknown;

interface ZodNode {
  readonly def: {
    readonly type: string;
    readonly shape?: Readonly<Record<string, ZodNode>>;
    readonly element?: ZodNode;
    readonly valueType?: ZodNode;
    readonly innerType?: ZodNode;
    readonly in?: ZodNode;
  };
  meta(): { readonly isUpdate?: boolean } | undefined;
}

/** Compiles a function that removes each null that means "absent" from a body, before the body is validated. */
export function compileNullRemoval(schema: z.ZodType): RemoveNulls {
  return removalOf(schema as unknown as ZodNode);
}

/** Returns the fields of an object schema for which null means "absent"; none for any other schema. */
export function nullableFieldsOf(schema: z.ZodType): readonly string[] {
  const { def, isUpdate } = unwrap(schema as unknown as ZodNode);
  if (def.type !== 'object' || isUpdate) return [];
  return Object.entries(def.shape ?? {})
    .filter(([, member]) => isOmittable(member))
    .map(([name]) => name);
}

const identity: RemoveNulls = (value) => value;

function removalOf(wrapped: ZodNode): RemoveNulls {
  const { def, isUpdate } = unwrap(wrapped);
  if (def.type === 'array') {
    const item = removalOf(def.element!);
    return item === identity ? identity : (value) => (Array.isArray(value) ? value.map(item) : value);
  }
  if (def.type === 'record') {
    const member = removalOf(def.valueType!);
    return member === identity ? identity : (value) => mapMembers(value, member);
  }
  if (def.type !== 'object') return identity;
  const members = Object.entries(def.shape ?? {}).map(([name, member]) => ({
    name,
    isRemoved: !isUpdate && isOmittable(member),
    removal: removalOf(member),
  }));
  const affected = members.filter(({ isRemoved, removal }) => isRemoved || removal !== identity);
  return affected.length === 0 ? identity : (value) => removeFrom(value, affected);
}

function mapMembers(value: unknown, removal: RemoveNulls): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof JsonNumber)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, removal(member)]));
}

interface Member {
  readonly name: string;
  readonly isRemoved: boolean;
  readonly removal: RemoveNulls;
}

function removeFrom(value: unknown, members: readonly Member[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const result: Record<string, unknown> = { ...value };
  for (const { name, isRemoved, removal } of members) {
    if (!Object.hasOwn(result, name)) continue;
    if (result[name] === null && isRemoved) delete result[name];
    else result[name] = removal(result[name]);
  }
  return result;
}

/** Returns the schema without wrappers, and whether it is an update. */
function unwrap(schema: ZodNode): { readonly def: ZodNode['def']; readonly isUpdate: boolean } {
  let node = schema;
  let isUpdate = node.meta()?.isUpdate;
  for (let inner = innerOf(node); inner !== undefined; inner = innerOf(node)) {
    node = inner;
    isUpdate ??= node.meta()?.isUpdate;
  }
  return { def: node.def, isUpdate: isUpdate === true };
}

function innerOf({ def }: ZodNode): ZodNode | undefined {
  return def.innerType ?? (def.type === 'pipe' ? def.in : undefined);
}

const OMITTABLE: readonly string[] = ['optional', 'default', 'prefault'];
const ACCEPTS_NULL: readonly string[] = ['nullable', 'null', 'unknown', 'any'];

/** Returns whether a field may be omitted and its schema rejects null. */
function isOmittable(member: ZodNode): boolean {
  const types: string[] = [];
  for (let node: ZodNode | undefined = member; node !== undefined; node = innerOf(node))
    types.push(node.def.type);
  return types.some((type) => OMITTABLE.includes(type)) && !types.some((type) => ACCEPTS_NULL.includes(type));
}
