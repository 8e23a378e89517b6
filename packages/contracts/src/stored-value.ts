/**
 * Stores the data of a response as a text, and restores it, according to its schema.
 *
 * A restored value renders to the same bytes as the original, in every decimal mode. Stored JSON and JSON of any shape
 * keep their digits.
 */
import type { z } from 'zod';
import { compileStoredSerializer, type Serializer } from './serializer.js';
import { StoredJson } from './stored-json.js';

/** Writes values of one schema as text, and reads them again. */
export interface StoredValueCodec {
  /** @throws {TypeError} if the value does not match the schema */
  readonly write: Serializer;
  /** Restores a value from its parsed JSON, such as a member of an envelope. */
  readonly restore: (parsed: unknown) => unknown;
}

type Restore = StoredValueCodec['restore'];

interface ZodNode {
  readonly def: {
    readonly type: string;
    readonly shape?: Readonly<Record<string, ZodNode>>;
    readonly element?: ZodNode;
    readonly innerType?: ZodNode;
    readonly valueType?: ZodNode;
  };
  meta(): { readonly stored?: unknown } | undefined;
}

/** Compiles the codec of a response schema. */
export function compileStoredValue(schema: z.ZodType): StoredValueCodec {
  return { write: compileStoredSerializer(schema), restore: restorerOf(schema as unknown as ZodNode) };
}

const identity: Restore = (parsed) => parsed;
const restoreJson: Restore = (parsed) => StoredJson.of(parsed as string);

function restorerOf(schema: ZodNode): Restore {
  const { def } = schema;
  if (schema.meta()?.stored !== undefined) return restoreJson;
  switch (def.type) {
    case 'unknown':
    case 'any':
      return restoreJson;
    case 'object':
      return objectRestorer(def.shape ?? {});
    case 'array': {
      const item = restorerOf(def.element!);
      return item === identity ? identity : (parsed) => (parsed as readonly unknown[]).map(item);
    }
    case 'record':
      return recordRestorer(restorerOf(def.valueType!));
    case 'optional':
    case 'readonly':
    case 'nullable': {
      const inner = restorerOf(def.innerType!);
      return inner === identity ? identity : (parsed) => (parsed === null ? null : inner(parsed));
    }
    default:
      return identity;
  }
}

function objectRestorer(shape: Readonly<Record<string, ZodNode>>): Restore {
  const restorers = new Map(Object.entries(shape).map(([name, member]) => [name, restorerOf(member)]));
  if ([...restorers.values()].every((restore) => restore === identity)) return identity;
  return mapMembers((name, member) => restorers.get(name)!(member));
}

function recordRestorer(restore: Restore): Restore {
  return restore === identity ? identity : mapMembers((_name, member) => restore(member));
}

function mapMembers(restore: (name: string, member: unknown) => unknown): Restore {
  return (parsed) =>
    Object.fromEntries(
      Object.entries(parsed as object).map(([name, member]) => [name, restore(name, member)]),
    );
}
