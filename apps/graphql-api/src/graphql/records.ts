/**
 * Records as GraphQL shows them: the contract's members under camelCase names.
 *
 * 1. Only members that the schema names are shown; a value that it can't explain throws, as in REST's writer.
 * 2. A decimal stays the text that it is. In what was stored as JSON the decimals become strings, too.
 * 3. What any JSON is keeps its own names.
 *
 * A shape is compiled once for a schema; the closures then know nothing of schemas.
 */
import { compileWriter, StoredJson } from '@trading-automation/contracts';
import { isSafeNumber, parse } from 'lossless-json';
import type { z } from 'zod';
import { type Described, unwrapped } from '../schema/generated-types.js';
import { camelCase } from '../schema/names.js';

const numberOf = (digits: string) => (isSafeNumber(digits) ? Number(digits) : digits);

export type Shape = (value: unknown) => unknown;

const asItIs: Shape = (value) => value;

export function compileShape(schema: z.ZodType): Shape {
  return compile(schema as unknown as Described);
}

function compile(schema: Described): Shape {
  const [inner] = unwrapped(schema);
  if ('stored' in (inner.meta() ?? {})) return storedShape(inner);
  const shape = shapeOf(inner);
  return shape === asItIs ? asItIs : (value) => (value === null || value === undefined ? null : shape(value));
}

function shapeOf(schema: Described): Shape {
  switch (schema.def.type) {
    case 'object':
      return objectShape(schema.def.shape!);
    case 'array': {
      const item = compile(schema.def.element!);
      return item === asItIs ? asItIs : (value) => (value as readonly unknown[]).map(item);
    }
    default:
      return asItIs;
  }
}

function objectShape(members: Readonly<Record<string, Described>>): Shape {
  const fields = Object.entries(members).map(([wireName, schema]) => ({
    wireName,
    name: camelCase(wireName),
    isOptional: schema.def.type === 'optional',
    shape: compile(schema),
  }));
  return (value) => {
    const record = value as Readonly<Record<string, unknown>>;
    const shown: Record<string, unknown> = {};
    for (const { wireName, name, isOptional, shape } of fields) {
      const member = record[wireName];
      if (member === undefined && !isOptional) throw new TypeError(`the answer lacks ${wireName}`);
      shown[name] = member === undefined ? null : shape === asItIs ? member : shape(member);
    }
    return shown;
  };
}

/** What was stored as text is read with its decimals quoted, and any other number that a double can't carry is a string, too. */
function storedShape(schema: Described): Shape {
  const write = compileWriter(schema as unknown as z.ZodType, 'string');
  const shape = shapeOf(schema);
  return (value) => shape(value instanceof StoredJson ? parse(write(value), null, numberOf) : value);
}

/** An input under the names of the wire, all the way down; maps and whatever is any JSON keep their own names. */
export function compileInput(schema: z.ZodType | undefined): Shape {
  return schema === undefined ? asItIs : inputShape(schema as unknown as Described);
}

function inputShape(schema: Described): Shape {
  const [inner] = unwrapped(schema);
  if (inner.def.type === 'array') {
    const item = inputShape(inner.def.element!);
    return item === asItIs ? asItIs : (value) => (Array.isArray(value) ? value.map(item) : value);
  }
  if (inner.def.type !== 'object') return asItIs;
  const members = new Map(
    Object.entries(inner.def.shape!).map(([wireName, member]) => [
      camelCase(wireName),
      { wireName, shape: inputShape(member) },
    ]),
  );
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        // GraphQL lets no other names in.
        const { wireName, shape } = members.get(name)!;
        return [wireName, shape(member)];
      }),
    );
  };
}
