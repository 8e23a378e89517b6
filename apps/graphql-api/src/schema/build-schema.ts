import { OPERATIONS, orderBookUpdate, tradeSignal } from '@trading-automation/contracts';
import { buildASTSchema, type DocumentNode, Kind, parse, printSchema } from 'graphql';
import { GeneratedTypes } from './generated-types.js';
import { ROOT_FIELDS } from './root-fields.js';

/** Definitions that the generated and the handwritten parts of the schema use. */
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

"The position of a page in its list. Only forward pagination is supported."
type PageInfo {
  hasNextPage: Boolean!
  "True if the page was requested with a cursor, so that other items precede it."
  hasPreviousPage: Boolean!
  startCursor: String
  endCursor: String
}

type Query
type Mutation
type Subscription
`;

/**
 * Builds the whole schema from the generated types and root fields, and the handwritten fields. A handwritten root
 * field replaces the generated one.
 *
 * @param handwritten contents of `src/resolvers/*.graphql`
 */
export function buildSchemaText(handwritten: readonly string[]): string {
  const types = new GeneratedTypes();
  for (const operation of OPERATIONS) types.add(operation);
  for (const payload of [tradeSignal, orderBookUpdate]) types.addPayload(payload);
  const replaced = fieldsIn(parse(handwritten.join('\n')));
  const rootFields = ROOT_FIELDS.filter(({ type, name }) => !replaced.has(`${type}.${name}`)).map(
    (field) => `extend type ${field.type} {\n${types.rootField(field)}\n}`,
  );
  const document = parse([FOUNDATION, types.text, ...rootFields, ...handwritten].join('\n'));
  return `${printSchema(buildASTSchema(document))}\n`;
}

/** Returns the fields that a document adds to object types, as `Type.field`. */
function fieldsIn({ definitions }: DocumentNode): ReadonlySet<string> {
  return new Set(
    definitions.flatMap((definition) =>
      definition.kind === Kind.OBJECT_TYPE_EXTENSION
        ? (definition.fields ?? []).map(({ name }) => `${definition.name.value}.${name.value}`)
        : [],
    ),
  );
}
