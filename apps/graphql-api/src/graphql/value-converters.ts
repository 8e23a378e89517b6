/**
 * Converts records to GraphQL: the members of the contract get camelCase names.
 *
 * 1. Only members of the schema are included. The converter throws if a required member is missing, as in REST.
 * 2. Decimals are strings, including those of stored JSON.
 * 3. Names inside free-form JSON are unchanged.
 * 4. A value that an enum lacks is null where the field may be null. A later release writes such values while it is rolled out,
 *    and GraphQL would reject the response.
 *
 * A converter is compiled once per schema, into closures that no longer inspect the schema.
 */
import { compileSerializer, StoredJson } from '@trading-automation/contracts';
import { isSafeNumber, parse } from 'lossless-json';
import type { z } from 'zod';
import { type SchemaNode, unwrap } from '../schema/generated-types.js';
import { camelCase } from '../schema/names.js';

const numberOrDigits = (digits: string) => (isSafeNumber(digits) ? Number(digits) : digits);

export type Converter = (value: unknown) => unknown;

const identity: Converter = (value) => value;

export function compileOutputConverter(schema: z.ZodType): Converter {
  return compile(schema as unknown as SchemaNode);
}

function compile(schema: SchemaNode): Converter {
  const [inner] = unwrap(schema);
  if ('stored' in (inner.meta() ?? {})) return storedJsonConverter(inner);
  const convert = converterOf(inner);
  return convert === identity
    ? identity
    : (value) => (value === null || value === undefined ? null : convert(value));
}

function converterOf(schema: SchemaNode): Converter {
  switch (schema.def.type) {
    case 'object':
      return objectConverter(schema.def.shape!);
    case 'array': {
      const item = compile(schema.def.element!);
      return item === identity ? identity : (value) => (value as readonly unknown[]).map(item);
    }
    default:
      return identity;
  }
}

function objectConverter(members: Readonly<Record<string, SchemaNode>>): Converter {
  const fields = Object.entries(members).map(([wireName, schema]) => ({
    wireName,
    name: camelCase(wireName),
    isOptional: schema.def.type === 'optional',
    convert: isAbsentable(schema) ? knownValueConverter(schema) : compile(schema),
  }));
  return (value) => {
    const record = value as Readonly<Record<string, unknown>>;
    const converted: Record<string, unknown> = {};
    for (const { wireName, name, isOptional, convert } of fields) {
      const member = record[wireName];
      if (member === undefined && !isOptional)
        throw new TypeError(`the response lacks the field ${wireName}`);
      converted[name] = member === undefined ? null : convert === identity ? member : convert(member);
    }
    return converted;
  };
}

function isAbsentable({ def }: SchemaNode): boolean {
  return def.type === 'optional' || def.type === 'nullable';
}

/** Returns the converter of a field that may be null. */
function knownValueConverter(schema: SchemaNode): Converter {
  const [inner] = unwrap(schema);
  if (inner.def.type !== 'enum') return compile(schema);
  const known = new Set<unknown>(Object.values(inner.def.entries!));
  return (value) => (known.has(value) ? value : null);
}

/** Parses stored JSON. Decimals, and other numbers that a double cannot hold, become strings. */
function storedJsonConverter(schema: SchemaNode): Converter {
  const serialize = compileSerializer(schema as unknown as z.ZodType, 'string');
  const convert = converterOf(schema);
  return (value) =>
    convert(value instanceof StoredJson ? parse(serialize(value), null, numberOrDigits) : value);
}

/**
 * Compiles a converter that changes the names of an input to wire names at every level. Names inside maps and free-form
 * JSON are unchanged.
 */
export function compileInputConverter(schema: z.ZodType | undefined): Converter {
  return schema === undefined ? identity : inputConverter(schema as unknown as SchemaNode);
}

function inputConverter(schema: SchemaNode): Converter {
  const [inner] = unwrap(schema);
  if (inner.def.type === 'array') {
    const item = inputConverter(inner.def.element!);
    return item === identity ? identity : (value) => (Array.isArray(value) ? value.map(item) : value);
  }
  if (inner.def.type !== 'object') return identity;
  const members = new Map(
    Object.entries(inner.def.shape!).map(([wireName, member]) => [
      camelCase(wireName),
      { wireName, convert: inputConverter(member) },
    ]),
  );
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        // GraphQL validation has rejected all other names.
        const { wireName, convert } = members.get(name)!;
        return [wireName, convert(member)];
      }),
    );
  };
}
