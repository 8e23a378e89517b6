/**
 * Defines the custom scalars. They reject only values that the contract cannot parse. The contract validates all other
 * values and provides the error messages.
 */
import { JsonNumber } from '@trading-automation/contracts';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';

/** Passes the digits of a literal to the contract unchanged. */
const decimal = new GraphQLScalarType({
  name: 'Decimal',
  parseValue: (value) => {
    if (typeof value === 'string' || typeof value === 'number' || value instanceof JsonNumber) return value;
    throw new GraphQLError('Expected a decimal, as a number or as a string of digits.');
  },
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING) return node.value;
    if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return new JsonNumber(node.value);
    throw new GraphQLError('Expected a decimal, as a number or as a string of digits.', { nodes: node });
  },
});

const dateTime = new GraphQLScalarType({
  name: 'DateTime',
  parseValue: (value) => {
    if (typeof value === 'string') return value;
    throw new GraphQLError('Expected an ISO 8601 timestamp with a time zone, as a string.');
  },
});

const json = new GraphQLScalarType({ name: 'JSON', parseValue: (value) => value, parseLiteral: jsonOf });

function jsonOf(node: ValueNode, variables?: Readonly<Record<string, unknown>> | null): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT: {
      const number = Number(node.value);
      return String(number) === node.value ? number : new JsonNumber(node.value);
    }
    case Kind.LIST:
      return node.values.map((value) => jsonOf(value, variables));
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, jsonOf(value, variables)]));
    default:
      return valueFromASTUntyped(node, variables);
  }
}

const longError = () => new GraphQLError('Expected a whole number of at most 53 bits.');
const readLong = (value: unknown): number => {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(number)) return number as number;
  throw longError();
};
const long = new GraphQLScalarType({
  name: 'Long',
  serialize: readLong,
  parseValue: readLong,
  parseLiteral: (node) => {
    if (node.kind === Kind.INT || node.kind === Kind.STRING) return readLong(node.value);
    throw longError();
  },
});

export const SCALARS = { Decimal: decimal, DateTime: dateTime, JSON: json, Long: long };
