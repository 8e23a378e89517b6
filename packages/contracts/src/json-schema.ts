/**
 * Converts the contract's zod schemas to JSON Schema (2020-12). zod cannot convert decimals and ids; their JSON Schemas
 * are defined here.
 */
import { z } from 'zod';
import { DECIMAL_STRING } from './decimal.js';
import type { IdPrefix } from './ids.js';
import { nullableFieldsOf } from './optional-fields.js';
import { exampleId } from './samples/sample.js';

/** `input` is what a caller may send, `output` what the API returns. */
export type SchemaDirection = 'input' | 'output';
export type JsonSchema = { readonly [keyword: string]: unknown };

const DECIMAL_OUTPUT_PATTERN = '^-?(0|[1-9]\\d*)(\\.\\d+)?$';

/** Decimal schemas by reference name. In zod they are strings with rules that JSON Schema cannot express. */
export const DECIMAL_SCHEMAS = {
  Decimal: {
    description:
      'A decimal number, exact to 18 decimal places: a JSON number, or a string with `Accept: application/json; decimals=string`. A double cannot hold all of its digits, so parse it from the raw JSON or request strings.',
    format: 'decimal',
    oneOf: [{ type: 'number' }, { type: 'string', pattern: DECIMAL_OUTPUT_PATTERN }],
    examples: [60000.1, '60000.1'],
  },
  DecimalGiven: decimalInput('A decimal number', {}),
  PositiveDecimal: decimalInput('A decimal number greater than zero', { exclusiveMinimum: 0 }),
  NonNegativeDecimal: decimalInput('A decimal number greater than or equal to zero', { minimum: 0 }),
} as const satisfies Readonly<Record<string, JsonSchema>>;

function decimalInput(subject: string, bounds: JsonSchema): JsonSchema {
  return {
    description: `${subject}, with at most 18 decimal places and 20 digits before the decimal point. Send a JSON number, which may have an exponent, or a string without exponent, plus sign or leading zeros. A string avoids rounding to a double.`,
    format: 'decimal',
    oneOf: [
      { type: 'number', ...bounds },
      { type: 'string', pattern: DECIMAL_STRING.source },
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
 * Returns the schema, and the definitions that it references as `#/$defs/<name>`: one for each schema whose `meta`
 * contains an `id`. References to {@link DECIMAL_SCHEMAS} are included without their definitions.
 *
 * @param options `showsNulls`: whether a field for which null means "absent" accepts null; by default only in an `input`.
 *   False for a query, which cannot contain null
 */
export function jsonSchemaOf(
  schema: z.ZodType,
  direction: SchemaDirection,
  { showsNulls = direction === 'input' }: { readonly showsNulls?: boolean } = {},
): { readonly root: JsonSchema; readonly definitions: Readonly<Record<string, JsonSchema>> } {
  const { $schema, $defs, ...root } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: direction,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      toPublishedForm(jsonSchema, direction);
      const nullable = showsNulls ? nullableFieldsOf(zodSchema as unknown as z.ZodType) : [];
      if (nullable.length > 0 && jsonSchema.properties !== undefined) jsonSchema[NULLABLE] = nullable;
    },
  });
  const definitions = Object.entries($defs ?? {}).map(([name, definition]) => {
    const { id, ...rest } = definition as JsonSchema;
    return [name, withNulls(rest) as JsonSchema] as const;
  });
  return { root: withNulls(root) as JsonSchema, definitions: Object.fromEntries(definitions) };
}

/** Marks, until the conversion is complete, the properties of a node that accept null in addition to their schema. */
const NULLABLE = 'x-nullable-properties';

function withNulls(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withNulls);
  if (typeof node !== 'object' || node === null) return node;
  const { [NULLABLE]: nullable, ...keywords } = node as JsonSchema;
  const converted = Object.fromEntries(
    Object.entries(keywords).map(([keyword, value]) => [keyword, withNulls(value)]),
  );
  for (const name of (nullable ?? []) as readonly string[]) {
    const properties = converted.properties as Record<string, JsonSchema>;
    const { description, default: byDefault, ...schema } = properties[name]!;
    properties[name] = {
      ...(byDefault === undefined ? {} : { default: byDefault }),
      anyOf: [schema, { type: 'null' }],
      ...(description === undefined ? {} : { description }),
    };
  }
  return converted;
}

/** Converts one node to its published form, in place, as zod's `override` requires. */
function toPublishedForm(node: Record<string, unknown>, direction: SchemaDirection): void {
  if (node.format === 'decimal') {
    const name = direction === 'output' ? 'Decimal' : DECIMAL_OF_RANGE[String(node.decimalRange)];
    const { description, decimalMax } = node;
    for (const key of Object.keys(node)) delete node[key];
    node.$ref = `${DEFS}${name ?? 'Decimal'}`;
    const fullDescription = [description, decimalMax && `At most ${decimalMax}.`].filter(Boolean).join(' ');
    if (fullDescription !== '') node.description = fullDescription;
    return;
  }
  if (node.format === 'typeid') {
    // The node of a wrapper, such as `optional`, starts as a copy of the wrapped node, which is already converted.
    const prefix = (node.idPrefix ??
      node['x-id-prefix'] ??
      /^\^([a-z]+)_/.exec(String(node.pattern))?.[1]) as IdPrefix;
    delete node.idPrefix;
    Object.assign(node, { 'x-id-prefix': prefix, examples: [exampleId(prefix)] });
  }
  delete node.stored;
  delete node.isUpdate;
  // New members may be added to responses; clients must ignore unknown members.
  if (direction === 'output' && node.additionalProperties === false) delete node.additionalProperties;
  // The keyword is redundant: every key of a JSON object is a string.
  if (JSON.stringify(node.propertyNames) === '{"type":"string"}') delete node.propertyNames;
}

/**
 * Returns the schema as a standalone document for any validator: with every definition that it references, and
 * without keywords and formats outside the standard.
 */
export function plainJsonSchemaOf(schema: z.ZodType, direction: SchemaDirection): JsonSchema {
  const { root, definitions } = jsonSchemaOf(schema, direction);
  const all: Readonly<Record<string, JsonSchema>> = { ...DECIMAL_SCHEMAS, ...definitions };
  const referenced = new Set<string>();
  const collect = (node: JsonSchema): void => {
    for (const [, name] of JSON.stringify(node).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      if (referenced.has(name!)) continue;
      referenced.add(name!);
      collect(all[name!]!);
    }
  };
  collect(root);
  const $defs = Object.fromEntries([...referenced].sort().map((name) => [name, all[name]]));
  return withoutCustomKeywords({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...root,
    ...(referenced.size === 0 ? {} : { $defs }),
  }) as JsonSchema;
}

const CUSTOM_FORMATS: readonly unknown[] = ['decimal', 'typeid'];

function withoutCustomKeywords(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutCustomKeywords);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(
        ([keyword, value]) =>
          keyword !== 'x-id-prefix' && !(keyword === 'format' && CUSTOM_FORMATS.includes(value)),
      )
      .map(([keyword, value]) => [keyword, withoutCustomKeywords(value)]),
  );
}
