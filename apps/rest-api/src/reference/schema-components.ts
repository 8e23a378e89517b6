/**
 * JSON Schemas (2020-12, as OpenAPI 3.1 has them) of the contract's zod schemas. A schema with an id becomes a
 * component, once; what is said on the wire and zod does not know (decimals, ids) is written here.
 */
import type { IdPrefix } from '@trading-automation/contracts';
import { exampleId } from '@trading-automation/contracts/samples';
import { z } from 'zod';
import { type Json, type JsonObject, refTo } from './json.js';

/** `input` is what a caller may send, `output` what the API answers. */
export type Direction = 'input' | 'output';

const DECIMAL_TEXT = '^-?(0|[1-9]\\d*)(\\.\\d+)?$';
const DECIMAL_GIVEN_TEXT = '^[+-]?\\d+(\\.\\d+)?([eE][+-]?\\d{1,4})?$';

/** Decimals, whose schema in zod is a text with rules that no JSON Schema can say. */
const DECIMALS: Readonly<Record<string, JsonObject>> = {
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
};

function decimalGiven(what: string, bounds: JsonObject): JsonObject {
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

const DECIMAL_OF_RANGE: Readonly<Record<string, string>> = {
  any: 'DecimalGiven',
  positive: 'PositiveDecimal',
  non_negative: 'NonNegativeDecimal',
};

export class SchemaComponents {
  private readonly found = new Map<string, JsonObject>(Object.entries(DECIMALS));

  /** The schema as it stands in place: a reference where it has an id. */
  of(schema: z.ZodType, direction: Direction): JsonObject {
    const { $schema, $defs, ...here } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io: direction,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => publish(jsonSchema, direction),
    });
    for (const [id, definition] of Object.entries($defs ?? {})) {
      const { id: _, ...rest } = definition as JsonObject;
      this.keep(id, pointingToComponents(rest) as JsonObject);
    }
    return pointingToComponents(here as JsonObject) as JsonObject;
  }

  /** Puts down a schema that the contract has no zod schema for. */
  define(id: string, schema: JsonObject): void {
    this.keep(id, schema);
  }

  all(): JsonObject {
    return Object.fromEntries([...this.found].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @throws where one id names two schemas: a client's type can be only one of them */
  private keep(id: string, schema: JsonObject): void {
    const known = this.found.get(id);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`the schema id ${id} names two schemas`);
    this.found.set(id, schema);
  }
}

/** Makes of one node what clients are to know; works in place, as zod asks for it. */
function publish(node: Record<string, unknown>, direction: Direction): void {
  if (node.format === 'decimal') {
    const name = direction === 'output' ? 'Decimal' : DECIMAL_OF_RANGE[String(node.decimalRange)];
    const { description, decimalMax } = node;
    for (const key of Object.keys(node)) delete node[key];
    Object.assign(node, refTo('schemas', name ?? 'Decimal'));
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

function pointingToComponents(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => pointingToComponents(item)!);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string'
        ? member.replace('#/$defs/', '#/components/schemas/')
        : pointingToComponents(member),
    ]),
  );
}
