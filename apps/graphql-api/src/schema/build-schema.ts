import { OPERATIONS, orderBookUpdate, tradeSignal } from '@trading-automation/contracts';
import { buildASTSchema, parse, printSchema } from 'graphql';
import { GeneratedTypes } from './generated-types.js';

/** Definitions that every part of the schema uses. */
const FOUNDATION = `
"A decimal number, exact to 18 decimal places. Always a string in responses; a string or a number in arguments."
scalar Decimal
"An ISO 8601 timestamp in UTC with milliseconds."
scalar DateTime
"Any JSON value. Decimals in it are strings."
scalar JSON
"An integer of up to 53 bits, which may exceed Int."
scalar Long

"A record that can be retrieved by its id."
interface Node {
  id: ID!
}

enum SortOrder {
  asc
  desc
}

"Position of a page in its list. Only forward pagination is supported."
type PageInfo {
  hasNextPage: Boolean!
  "True if the page was requested with a cursor, so that items precede it."
  hasPreviousPage: Boolean!
  startCursor: String
  endCursor: String
}

type Query
type Mutation
type Subscription
`;

/**
 * Builds the whole schema from the generated types and the handwritten root fields and field resolvers.
 *
 * @param handwritten contents of `src/resolvers/*.graphql`
 */
export function buildSchemaText(handwritten: readonly string[]): string {
  const types = new GeneratedTypes();
  for (const operation of OPERATIONS) types.add(operation);
  for (const payload of [tradeSignal, orderBookUpdate]) types.addPayload(payload);
  const document = parse([FOUNDATION, types.text, ...handwritten].join('\n'));
  return `${printSchema(buildASTSchema(document))}\n`;
}
