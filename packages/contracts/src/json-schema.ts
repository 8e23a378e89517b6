/**
 * JSON Schemas (2020-12) of the contract's zod schemas. What is said on the wire and zod does not know (decimals, ids)
 * is written here.
 */
import { z } from 'zod';
import type { IdPrefix } from './ids.js';
import { exampleId } from './samples/sample.js';

/** `input` is what a caller may send, `output` what the API answers. */
export type Direction = 'input' | 'output';
export type JsonSchema = { readonly [keyword: string]: unknown };

const DECIMAL_TEXT = '^-?(0|[1-9]\\d*)(\\.\\d+)?$';
const DECIMAL_GIVEN_TEXT = '^[+-]?\\d+(\\.\\d+)?([eE][+-]?\\d{1,4})?$';

/** Decimals, whose schema in zod is a text with rules that no JSON Schema can say; by the names they are referred to. */
export const DECIMAL_SCHEMAS = {
  Decimal: {
    description:
      'A decimal, exact to 18 decimals: a JSON number, or a string with `Accept: application/json; decimals=string`. Read it from the raw text: a double does not hold all of its digits.',
    format: 'decimal',
    oneOf: [{ type: 'number' }, { type: 'string', pattern: DECIMAL_TEXT }],
    examples: [60000.1, '60000.1'],
  },
  DecimalGiven: decimalGiven('A decimal', {}),
  PositiveDecimal: decimalGiven('A decimal above zero', { exclusiveMinimum: 0 }),
  NonNegativeDecimal: decimalGiven('A decimal of zero or above', { minimum: 0 }),
} as const satisfies Readonly<Record<string, JsonSchema>>;

function decimalGiven(what: string, bounds: JsonSchema): JsonSchema {
  return {
    description: `${what}, with at most 18 decimals and 20 digits before the point: a JSON number or, safe from every double, a string.`,
    format: 'decimal',
    oneOf: [
      { type: 'number', ...bounds },
      { type: 'string', pattern: DECIMAL_GIVEN_TEXT },
    ],
    examples: ['0.00001'],
  };
}

const DECIMAL_OF_RANGE: Readonly<Record<string, keyof typeof DECIMAL_SCHEMAS>> = {
  any: 'DecimalGiven',
  positive: 'PositiveDecimal',
  non_negative: 'NonNegativeDecimal',
};

const DEFS = '#/$defs/';

/**
 * The schema as it stands in place, and those it refers to as `#/$defs/<name>`: what has an id in the contract. Of
 * {@link DECIMAL_SCHEMAS} the names alone are in it.
 */
export function jsonSchemaOf(
  schema: z.ZodType,
  direction: Direction,
): { readonly root: JsonSchema; readonly definitions: Readonly<Record<string, JsonSchema>> } {
  const { $schema, $defs, ...here } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: direction,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => publish(jsonSchema, direction),
  });
  const definitions = Object.entries($defs ?? {}).map(([name, definition]) => {
    const { id, ...rest } = definition as JsonSchema;
    return [name, rest] as const;
  });
  return { root: here, definitions: Object.fromEntries(definitions) };
}

/** Makes of one node what readers are to know; works in place, as zod asks for it. */
function publish(node: Record<string, unknown>, direction: Direction): void {
  if (node.format === 'decimal') {
    const name = direction === 'output' ? 'Decimal' : DECIMAL_OF_RANGE[String(node.decimalRange)];
    const { description, decimalMax } = node;
    for (const key of Object.keys(node)) delete node[key];
    node.$ref = `${DEFS}${name ?? 'Decimal'}`;
    const told = [description, decimalMax && `At most ${decimalMax}.`].filter(Boolean).join(' ');
    if (told !== '') node.description = told;
    return;
  }
  if (node.format === 'typeid') {
    // A wrapper's node begins as a copy of what it wraps, told already.
    const told = node.idPrefix ?? node['x-id-prefix'] ?? /^\^([a-z]+)_/.exec(String(node.pattern))?.[1];
    const prefix = told as IdPrefix;
    delete node.idPrefix;
    Object.assign(node, { 'x-id-prefix': prefix, examples: [exampleId(prefix)] });
  }
  delete node.stored;
  // Answers may gain members: a client must pass over those it does not know.
  if (direction === 'output' && node.additionalProperties === false) delete node.additionalProperties;
  // Every key of a JSON object is a string.
  if (JSON.stringify(node.propertyNames) === '{"type":"string"}') delete node.propertyNames;
}

/**
 * The schema as a document of its own, for validators of every make: with all that it refers to, and without words
 * that the standard does not have.
 */
export function plainJsonSchemaOf(schema: z.ZodType, direction: Direction): JsonSchema {
  const { root, definitions } = jsonSchemaOf(schema, direction);
  const all: Readonly<Record<string, JsonSchema>> = { ...DECIMAL_SCHEMAS, ...definitions };
  const needed = new Set<string>();
  const need = (node: JsonSchema): void => {
    for (const [, name] of JSON.stringify(node).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      if (needed.has(name!)) continue;
      needed.add(name!);
      need(all[name!]!);
    }
  };
  need(root);
  const $defs = Object.fromEntries([...needed].sort().map((name) => [name, all[name]]));
  return plain({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...root,
    ...(needed.size === 0 ? {} : { $defs }),
  }) as JsonSchema;
}

const OWN_FORMATS: readonly unknown[] = ['decimal', 'typeid'];

function plain(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(plain);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(
        ([word, value]) => word !== 'x-id-prefix' && !(word === 'format' && OWN_FORMATS.includes(value)),
      )
      .map(([word, value]) => [word, plain(value)]),
  );
}
