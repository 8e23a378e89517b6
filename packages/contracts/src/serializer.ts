/**
 * Serializes responses as JSON according to their schema.
 *
 * 1. A decimal is written from its string as a JSON number with every digit or, on request, as a string. It never
 *    passes through a double.
 * 2. Only fields of the schema are written, so a field that a query returned by mistake is not exposed.
 * 3. A value that does not match the schema throws: an invalid response is an internal error.
 * 4. Where the schema allows any JSON, a number keeps its original digits.
 *
 * `compileSerializer` inspects a schema once and returns closures that no longer inspect it.
 */
import type { z } from 'zod';
import { JsonNumber } from './decimal.js';
import { type DecimalNames, quoteDecimals, StoredJson } from './stored-json.js';

export type DecimalMode = 'number' | 'string';
/** `stored` writes a text from which `stored-value.ts` restores every value exactly. */
type Mode = DecimalMode | 'stored';
export type Serializer = (value: unknown) => string;

const PLAIN_DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Returns compact JSON for any JSON value, with every digit of a {@link JsonNumber} and the sign of a negative zero.
 * Undefined members are omitted.
 *
 * @throws {TypeError} if JSON cannot represent the value: undefined, NaN, a function, or an instance of a class other
 *   than {@link JsonNumber} and {@link StoredJson}
 */
export function jsonText(value: unknown): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : scalar(value);
    case 'object':
      return objectText(value);
    default:
      throw new TypeError(`cannot serialize a value of type ${typeof value} as JSON`);
  }
}

function objectText(value: object): string {
  if (value instanceof JsonNumber || value instanceof StoredJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('expected a plain object');
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${jsonText(member)}`);
  return `{${members.join(',')}}`;
}

/** Compiles the serializer of a response schema. */
export function compileSerializer(schema: z.ZodType, decimals: DecimalMode = 'number'): Serializer {
  return compile(schema as unknown as ZodNode, decimals);
}

/**
 * Compiles the serializer whose text `stored-value.ts` reads: decimals are strings, and JSON of any shape is a string
 * of its text, so that a plain JSON parser loses no digit.
 */
export function compileStoredSerializer(schema: z.ZodType): Serializer {
  return compile(schema as unknown as ZodNode, 'stored');
}

interface ZodNode {
  readonly def: {
    readonly type: string;
    readonly shape?: Record<string, ZodNode>;
    readonly element?: ZodNode;
    readonly innerType?: ZodNode;
    readonly valueType?: ZodNode;
    readonly options?: readonly ZodNode[];
  };
  meta(): { format?: string; stored?: DecimalNames } | undefined;
}

function compile(schema: ZodNode, mode: Mode): Serializer {
  const { def } = schema;
  const names = schema.meta()?.stored;
  if (names !== undefined) return storedJsonSerializer(names, mode);
  if (schema.meta()?.format === 'decimal' && def.type === 'string') return decimalSerializer(mode);
  switch (def.type) {
    case 'object':
      return objectSerializer(def.shape ?? {}, mode);
    case 'array':
      return arraySerializer(compile(def.element!, mode));
    case 'record':
      return recordSerializer(compile(def.valueType!, mode));
    case 'optional':
    case 'readonly':
      return compile(def.innerType!, mode);
    case 'nullable': {
      const inner = compile(def.innerType!, mode);
      return (value) => (value === null ? 'null' : inner(value));
    }
    case 'string':
    case 'enum':
      return (value) => {
        if (typeof value !== 'string') throw new TypeError('expected a string');
        return JSON.stringify(value);
      };
    case 'number':
    case 'boolean':
    case 'literal':
      return scalar;
    case 'unknown':
    case 'any':
      return mode === 'stored' ? (value) => JSON.stringify(jsonText(value)) : jsonText;
    case 'union':
      // Only unions of scalars: the serializer cannot decide which of several records a value is.
      if (def.options?.every((option) => SCALARS.has(option.def.type) && option.meta() === undefined)) {
        return serializeScalarUnion;
      }
      throw new TypeError('a response schema may only use unions of scalars');
    default:
      throw new TypeError(`a response schema may not use ${def.type}`);
  }
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'null']);

function serializeScalarUnion(value: unknown): string {
  if (typeof value === 'object' && value !== null) throw new TypeError('expected a scalar');
  return jsonText(value);
}

function serializeStored(value: unknown): string {
  if (!(value instanceof StoredJson)) throw new TypeError('expected a StoredJson');
  return value.text;
}

function storedJsonSerializer(names: DecimalNames, mode: Mode): Serializer {
  if (mode === 'number') return serializeStored;
  if (mode === 'stored') return (value) => JSON.stringify(serializeStored(value));
  return (value) => quoteDecimals(serializeStored(value), names);
}

function scalar(value: unknown): string {
  if (
    typeof value === 'number'
      ? Number.isFinite(value)
      : typeof value === 'boolean' || typeof value === 'string'
  ) {
    return JSON.stringify(value);
  }
  throw new TypeError('expected a finite number, a boolean or a literal');
}

function decimalSerializer(mode: Mode): Serializer {
  return (value) => {
    if (typeof value !== 'string' || !PLAIN_DECIMAL.test(value))
      throw new TypeError('expected a plain decimal');
    return mode === 'number' ? value : `"${value}"`;
  };
}

function arraySerializer(item: Serializer): Serializer {
  return (value) => {
    if (!Array.isArray(value)) throw new TypeError('expected an array');
    let json = '[';
    for (let i = 0; i < value.length; i++) json += i === 0 ? item(value[i]) : `,${item(value[i])}`;
    return `${json}]`;
  };
}

function recordSerializer(item: Serializer): Serializer {
  return (value) => {
    const members = Object.entries(expectObject(value)).map(
      ([key, member]) => `${JSON.stringify(key)}:${item(member)}`,
    );
    return `{${members.join(',')}}`;
  };
}

function objectSerializer(shape: Record<string, ZodNode>, mode: Mode): Serializer {
  const fields = Object.entries(shape).map(([name, schema]) => ({
    name,
    isOptional: schema.def.type === 'optional',
    label: `${JSON.stringify(name)}:`,
    write: compile(schema, mode),
  }));
  return (value) => {
    const record = expectObject(value);
    let json = '';
    for (const { name, isOptional, label, write } of fields) {
      const member = record[name];
      if (member === undefined) {
        if (isOptional) continue;
        throw new TypeError(`the response lacks the field ${name}`);
      }
      json += json === '' ? label + write(member) : `,${label}${write(member)}`;
    }
    return `{${json}}`;
  };
}

function expectObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('expected an object');
  return value as Record<string, unknown>;
}
