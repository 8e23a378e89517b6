/** Checks the schema against the contracts: every operation has a field, every record a type, and nothing else exists. */
import { readdirSync, readFileSync } from 'node:fs';
import { OPERATIONS, type Operation } from '@trading-automation/contracts';
import { getNamedType, getNullableType, isLeafType, isNonNullType, printSchema } from 'graphql';
import { OPERATION_FIELDS } from '../src/graphql/operation.js';
import { buildSchemaText } from '../src/schema/build-schema.js';
import { type SchemaNode, unwrap } from '../src/schema/generated-types.js';
import {
  argumentsOf,
  itemTypeOf,
  membersOf,
  REST_ONLY_OPERATIONS,
  rootFieldOf,
  rootFieldsOf,
  SCHEMA,
  SHARED_OPERATIONS,
} from './operation-requests.js';

const text = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const rootFields = [SCHEMA.getQueryType()!, SCHEMA.getMutationType()!].flatMap((type) =>
  Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const),
);

it('schema.graphql is generated from the contracts and the root fields', () => {
  const handwritten = readdirSync(new URL('../src/resolvers/', import.meta.url))
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => text(`../src/resolvers/${file}`));
  expect(printSchema(SCHEMA)).toBe(buildSchemaText(handwritten).trimEnd());
});

it('every root field belongs to an operation, is `node`, or is deprecated', () => {
  const unexpectedFields = rootFields.filter(
    ([place, { deprecationReason }]) =>
      !OPERATION_FIELDS.has(place) && place !== 'Query.node' && !deprecationReason,
  );
  expect(unexpectedFields.map(([place]) => place)).toEqual([]);
  for (const place of OPERATION_FIELDS.keys()) expect(rootFields.map(([known]) => known)).toContain(place);
});

it('the event stream is the only operation that exists only in REST', () => {
  const without = OPERATIONS.filter((operation) => rootFieldsOf(operation).length === 0);
  expect(without.map(({ id }) => id)).toEqual(REST_ONLY_OPERATIONS);
  expect(without.every(({ stream }) => stream === true)).toBe(true);
  expect(SCHEMA.getQueryType()!.getFields()).toHaveProperty('events');
});

/** Returns the type that an argument must have; undefined if the test does not require a certain type. */
function expectedTypeOf(operation: Operation, place: string): string | undefined {
  const [part = '', name = ''] = place.split('.');
  if (name === 'limit') return 'Int';
  if (name.startsWith('include=')) return 'Boolean';
  if (part === 'body') return undefined;
  const schema = operation[part as 'params' | 'query']?.shape[name] as unknown as SchemaNode | undefined;
  const [inner] = unwrap(schema ?? ({ def: { type: 'string' }, meta: () => undefined } as SchemaNode));
  const format = inner.meta()?.format;
  if (format === 'typeid') return 'ID';
  return format === 'date-time' ? 'DateTime' : undefined;
}

describe.each(SHARED_OPERATIONS.map((operation) => [operation.id, operation] as const))(
  '%s',
  (_id, operation) => {
    it('has exactly one field, a query or a mutation', () => {
      expect(rootFieldsOf(operation).map(({ kind }) => kind)).toHaveLength(1);
    });

    it('has exactly the arguments of the operation', () => {
      const { field } = rootFieldOf(operation);
      const places = [...argumentsOf(operation)];
      expect(field.args.map(({ name }) => name).sort()).toEqual(
        places.map(([, argument]) => argument).sort(),
      );
      for (const [place, argument] of places) {
        const { type } = field.args.find(({ name }) => name === argument)!;
        const expectedType = expectedTypeOf(operation, place);
        if (expectedType !== undefined)
          expect([argument, getNamedType(type).name]).toEqual([argument, expectedType]);
        if (place.startsWith('params.')) expect([argument, isNonNullType(type)]).toEqual([argument, true]);
      }
    });

    it('requires its input if REST requires a body', () => {
      const { field } = rootFieldOf(operation);
      const input = field.args.find(({ name }) => name === 'input');
      expect(input === undefined ? undefined : isNonNullType(input.type)).toBe(
        operation.body === undefined ? undefined : operation.bodyOptional !== true,
      );
    });

    it("has every member of the body and of the response, under the contract's name", () => {
      const { field } = rootFieldOf(operation);
      const input = field.args.find(({ name }) => name === 'input');
      if (input !== undefined) expectMembers(input.type, operation.body as unknown as SchemaNode);
      expectMembers(itemTypeOf(operation, field.type), operation.response as unknown as SchemaNode);
    });
  },
);

/** Checks every level: optional members are nullable, and required members are not. */
function expectMembers(type: Parameters<typeof membersOf>[0], schema: SchemaNode): void {
  for (const [field, wireName, member] of membersOf(type, schema)) {
    const [inner, isNullable] = unwrap(member);
    // Null is JSON, too.
    const canBeNull = isNullable || inner.def.type === 'unknown';
    expect([wireName, isNonNullType(field.type)]).toEqual([wireName, !canBeNull]);
    const [item] = inner.def.type === 'array' ? unwrap(inner.def.element!) : [inner];
    const isRecord = item.def.shape !== undefined;
    expect([wireName, isLeafType(getNamedType(field.type))]).toEqual([wireName, !isRecord]);
    if (isRecord) expectMembers(getNullableType(field.type), member);
  }
}

/** Events are readable only for 30 days, so no loader reads them. */
const NO_NODES = ['Event'];
it('types that can be loaded by id implement Node', () => {
  const nodes = SCHEMA.getPossibleTypes(SCHEMA.getType('Node') as never).map(({ name }) => name);
  const loadable = SHARED_OPERATIONS.filter(
    ({ id, params }) => id.endsWith('.get') && Object.keys(params?.shape ?? {}).join() === 'id',
  ).map((operation) => getNamedType(rootFieldOf(operation).field.type).name);
  expect(loadable.length).toBeGreaterThan(5);
  expect(nodes).toEqual(expect.arrayContaining(loadable.filter((name) => !NO_NODES.includes(name))));
});
