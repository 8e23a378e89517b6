import { OPERATIONS, orderBookUpdate, tradeSignal } from '@trading-automation/contracts';
import { buildASTSchema, parse, printSchema } from 'graphql';
import { GeneratedTypes } from './generated-types.js';

/** What every part of the schema stands on. */
const FOUNDATION = `
"An exact decimal, to 18 decimals: always a string in answers; a string or a number where it is given."
scalar Decimal
"ISO 8601 in UTC with milliseconds."
scalar DateTime
"Any JSON. Decimals in it are strings."
scalar JSON
"A whole number of up to 53 bits, which Int does not hold."
scalar Long

"Anything that can be found again by its id."
interface Node {
  id: ID!
}

enum SortOrder {
  asc
  desc
}

"Where a page stands in its list. Lists go forward alone."
type PageInfo {
  hasNextPage: Boolean!
  "Whether items come before this page: it was asked for with a cursor."
  hasPreviousPage: Boolean!
  startCursor: String
  endCursor: String
}

type Query
type Mutation
type Subscription
`;

/**
 * The whole schema: the generated types, and the root fields and edges that stand beside their resolvers.
 *
 * @param handwritten the texts of `src/resolvers/*.graphql`
 */
export function buildSchemaText(handwritten: readonly string[]): string {
  const types = new GeneratedTypes();
  for (const operation of OPERATIONS) types.add(operation);
  for (const payload of [tradeSignal, orderBookUpdate]) types.addPayload(payload);
  const document = parse([FOUNDATION, types.text, ...handwritten].join('\n'));
  return `${printSchema(buildASTSchema(document))}\n`;
}
