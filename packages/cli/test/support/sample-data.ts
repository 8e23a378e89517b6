/** Generates sample data of an operation from its schema: exactly the fields of the contract, with constant values. */
import { type JsonSchema, jsonSchemaOf, type Operation } from '@trading-automation/contracts';

const REF = '#/$defs/';

/** Realistic texts by field name. */
const TEXTS: Readonly<Record<string, unknown>> = {
  symbol: 'BTC/USDT',
  base: 'BTC',
  quote: 'USDT',
  currency: 'USDT',
  exchange: 'paper',
  exchange_name: 'paper',
  account_name: 'main',
  name: 'momentum',
  label: 'laptop',
  key: 'dashboard.theme',
  value: 'dark',
  url: 'https://example.com/hooks/trading',
  email: 'you@example.com',
  version: '1.0.0',
  type: 'trade.filled',
  limit: 20,
};

/** Returns the `data` of an operation's response; for a list, one item. */
export function sampleDataOf(operation: Operation): unknown {
  const { root, definitions } = jsonSchemaOf(operation.response, 'output');
  return sampleOf(root, definitions, '', 0);
}

type Definitions = Readonly<Record<string, JsonSchema>>;

function sampleOf(schema: JsonSchema, definitions: Definitions, name: string, depth: number): unknown {
  if (typeof schema.$ref === 'string')
    return sampleOfReference(schema.$ref.slice(REF.length), definitions, name, depth);
  if (schema.const !== undefined) return schema.const;
  const options = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (options !== undefined) return sampleOf(options[0]!, definitions, name, depth);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object') return objectOf(schema, definitions, depth);
  if (type === 'array') return [sampleOf(schema.items as JsonSchema, definitions, name, depth + 1)];
  if (type === 'integer' || type === 'number')
    return schema.minimum === undefined ? 3 : Math.max(3, Number(schema.minimum));
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return textOf(schema, name);
}

function sampleOfReference(
  definitionName: string,
  definitions: Definitions,
  name: string,
  depth: number,
): unknown {
  if (definitionName === 'Decimal') return DECIMALS[name] ?? '12.5';
  const schema = definitions[definitionName];
  return schema === undefined ? null : sampleOf(schema, definitions, name, depth);
}

/** Decimals by field name. The long ones show that no digit is lost. */
const DECIMALS: Readonly<Record<string, string>> = {
  average_price: '60000.100000000000000001',
  amount: '0.01',
  cost: '600.001',
};

function objectOf(schema: JsonSchema, definitions: Definitions, depth: number): unknown {
  const { properties, additionalProperties } = schema as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly additionalProperties?: JsonSchema | boolean;
  };
  if (properties === undefined)
    return typeof additionalProperties === 'object'
      ? { USDT: sampleOf(additionalProperties, definitions, '', depth + 1) }
      : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [
      name,
      sampleOf(member, definitions, name, depth + 1),
    ]),
  );
}

function textOf({ examples, format, pattern }: JsonSchema, name: string): unknown {
  if (Array.isArray(examples)) return examples[0];
  if (format === 'date-time') return '2026-01-31T12:00:00.000Z';
  const hex = /\[0-9a-f\]\{(\d+)\}/.exec(String(pattern))?.[1];
  if (hex !== undefined) return '0'.repeat(Number(hex));
  return TEXTS[name] ?? name;
}
