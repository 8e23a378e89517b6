/**
 * Converts REST requests to GraphQL: the field of an operation, its arguments, and a selection of the whole response.
 *
 * 1. The app provides only the field of each operation and its renamed path parameters. All types come from
 *    `schema.graphql`.
 * 2. The selection covers every member of the contract. Related records exist only in GraphQL and are omitted.
 */
import { readFileSync } from 'node:fs';
import { OPERATIONS, type Operation } from '@trading-automation/contracts';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
// This import registers the field of each operation.
import '../src/app.module.js';
import type { GoodRequest } from '../../rest-api/test/proofs/requests.js';
import { OPERATION_FIELDS } from '../src/graphql/operation.js';
import { type SchemaNode, unwrap } from '../src/schema/generated-types.js';
import { ROOT_FIELDS } from '../src/schema/root-fields.js';
import type { GraphqlRequest } from './test-graphql-api.js';

export const SCHEMA = buildSchema(readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8'));

/** A REST stream. In GraphQL, `events` reads the same events, and subscriptions cover only market activity. */
export const REST_ONLY_OPERATIONS: readonly string[] = ['events.stream'];
export const SHARED_OPERATIONS = OPERATIONS.filter(({ id }) => !REST_ONLY_OPERATIONS.includes(id));

const WEBHOOK_PARAMS = { id: 'webhookId' };
const DEAD_LETTER_PARAMS = { ...WEBHOOK_PARAMS, dlq_id: 'id' };
/**
 * Maps the path parameters of some operations to their published GraphQL arguments. Operations that are not listed
 * follow the rules of `root-fields.ts`.
 */
const PARAMETERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'copiers.decisions': { id: 'copierId' },
  'webhooks.deliveries': WEBHOOK_PARAMS,
  'deadLetters.list': WEBHOOK_PARAMS,
  'deadLetters.stats': WEBHOOK_PARAMS,
  'deadLetters.retryMany': WEBHOOK_PARAMS,
  'deadLetters.get': DEAD_LETTER_PARAMS,
  'deadLetters.retry': DEAD_LETTER_PARAMS,
  'deadLetters.discard': DEAD_LETTER_PARAMS,
};
const LIST_ARGUMENTS = { limit: 'first', cursor: 'after', sort: 'sort', order: 'order' } as const;

export const camelCase = (name: string) =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

interface RootField {
  readonly kind: 'query' | 'mutation';
  readonly name: string;
  readonly field: GraphQLField<unknown, unknown>;
}

/** Returns every root field of the operation. */
export function rootFieldsOf(operation: Operation): RootField[] {
  return [...OPERATION_FIELDS]
    .filter(([, fieldOperation]) => fieldOperation.id === operation.id)
    .map(([place]) => {
      const [type = '', name = ''] = place.split('.');
      const field = (SCHEMA.getType(type) as GraphQLObjectType).getFields()[name];
      if (field === undefined) throw new Error(`schema.graphql has no ${place}`);
      return { kind: type === 'Query' ? 'query' : 'mutation', name, field };
    });
}

export function rootFieldOf(operation: Operation): RootField {
  const [root] = rootFieldsOf(operation);
  if (root === undefined) throw new Error(`${operation.id} has no field`);
  return root;
}

/** Returns the GraphQL arguments by the place of a value in a REST request, for example `query.limit`. */
export function argumentsOf(operation: Operation): ReadonlyMap<string, string> {
  const { id, params, query, body, list } = operation;
  const places = new Map<string, string>();
  for (const name of Object.keys(params?.shape ?? {}))
    places.set(`params.${name}`, PARAMETERS[id]?.[name] ?? derivedArgument(id, name));
  if (list !== undefined)
    for (const [name, argument] of Object.entries(LIST_ARGUMENTS)) places.set(`query.${name}`, argument);
  for (const name of list?.includes ?? []) places.set(`query.include=${name}`, camelCase(`include_${name}`));
  for (const name of Object.keys(query?.shape ?? {})) places.set(`query.${name}`, camelCase(name));
  if (body !== undefined) places.set('body', 'input');
  return places;
}

function derivedArgument(id: string, parameter: string): string {
  const { params = {} } = ROOT_FIELDS.find(({ operation }) => operation.id === id) ?? {};
  const [renamed] = Object.entries(params).find(([, wireName]) => wireName === parameter) ?? [];
  return renamed ?? camelCase(parameter);
}

/** Returns the name that GraphQL errors use for the `field` of a REST error. */
export function errorFieldOf(operation: Operation, part: 'params' | 'query' | 'body', field: string): string {
  const [name = '', ...rest] = field.split('.');
  const argument = part === 'body' ? undefined : argumentsOf(operation).get(`${part}.${name}`);
  const member = part === 'body' ? operation.body?.shape[name] : undefined;
  const isMap = member !== undefined && unwrap(member as unknown as SchemaNode)[0].def.type === 'record';
  return [argument ?? camelCase(name), ...(isMap ? rest : rest.map(camelCase))].join('.');
}

/** Returns the request as a document with variables. `selection` defaults to the whole response. */
export function graphqlRequestOf(
  operation: Operation,
  request: GoodRequest,
  selection?: string,
): GraphqlRequest {
  const { kind, name, field } = rootFieldOf(operation);
  const variables = variablesOf(operation, request, field);
  const usedArguments = field.args.filter(({ name: argument }) => argument in variables);
  const declared = usedArguments.map(({ name: argument, type }) => `$${argument}: ${type}`).join(', ');
  const passed = usedArguments.map(({ name: argument }) => `${argument}: $${argument}`).join(', ');
  const item = itemSelectionOf(operation);
  const selected = selection ?? (operation.list === undefined ? item : `{ nodes ${item} }`);
  return {
    query: `${kind} Asked${declared && `(${declared})`} { ${name}${passed && `(${passed})`} ${selected} }`,
    variables,
  };
}

function variablesOf(
  operation: Operation,
  { params = {}, query = {}, body }: GoodRequest,
  field: RootField['field'],
): Record<string, unknown> {
  const places = argumentsOf(operation);
  const typeOf = (argument: string) => field.args.find(({ name }) => name === argument)?.type;
  const variables: Record<string, unknown> = {};
  const put = (place: string, value: unknown) => {
    const argument = places.get(place);
    const type = argument === undefined ? undefined : typeOf(argument);
    if (argument === undefined || type === undefined) throw new Error(`${operation.id}: no ${place}`);
    variables[argument] = inputOf(type, value);
  };
  for (const [name, value] of Object.entries(params)) put(`params.${name}`, value);
  for (const [name, value] of Object.entries(query)) {
    if (name !== 'include') put(`query.${name}`, value);
    else if (value !== 'total') put(`query.include=${value}`, 'true');
  }
  if (body !== undefined) put('body', body);
  return variables;
}

/** Converts a REST value to an input of the type: query strings are parsed, members renamed. */
function inputOf(type: GraphQLInputType, value: unknown): unknown {
  const named = getNullableType(type);
  if (value === null || value === undefined) return value;
  if (isListType(named)) return (value as unknown[]).map((item) => inputOf(named.ofType, item));
  if (isInputObjectType(named)) {
    const fields = named.getFields();
    return Object.fromEntries(
      Object.entries(value as object).map(([wireName, member]) => {
        const field = fields[camelCase(wireName)];
        if (field === undefined) throw new Error(`${named.name} has no ${camelCase(wireName)}`);
        return [field.name, inputOf(field.type, member)];
      }),
    );
  }
  if (typeof value !== 'string') return value;
  if (named.name === 'Int') return Number(value);
  return named.name === 'Boolean' ? value === 'true' : value;
}

/** Returns a selection of every member of the response; for a list, of one item. */
export function itemSelectionOf(operation: Operation): string {
  const type = itemTypeOf(operation, rootFieldOf(operation).field.type);
  return selectionOfType(type, operation.response as unknown as SchemaNode);
}

export function itemTypeOf({ list }: Operation, type: GraphQLOutputType): GraphQLOutputType {
  if (list === undefined) return type;
  return getNamedType((getNamedType(type) as GraphQLObjectType).getFields().nodes!.type);
}

function selectionOfType(type: GraphQLOutputType, schema: SchemaNode): string {
  const members = membersOf(type, schema);
  return `{ ${members.map(([field, , member]) => `${field.name} ${selectionInside(field.type, member)}`).join(' ')} }`;
}

function selectionInside(type: GraphQLOutputType, schema: SchemaNode): string {
  return isLeafType(getNamedType(type)) ? '' : selectionOfType(type, schema);
}

/** Returns the GraphQL field, the wire name and the schema of each member of the contract. */
export function membersOf(type: GraphQLOutputType | GraphQLInputType, schema: SchemaNode) {
  const named = getNamedType(type);
  const shape = itemOf(schema).def.shape;
  if (!(isObjectType(named) || isInputObjectType(named)) || shape === undefined)
    throw new Error(`${named.name} is not a type of records`);
  return Object.entries(shape).map(([wireName, member]) => {
    const field = named.getFields()[camelCase(wireName)];
    if (field === undefined) throw new Error(`${named.name} lacks ${camelCase(wireName)}`);
    return [field as { name: string; type: GraphQLOutputType }, wireName, member] as const;
  });
}

function itemOf(schema: SchemaNode): SchemaNode {
  const [inner] = unwrap(schema);
  return inner.def.type === 'array' ? itemOf(inner.def.element!) : inner;
}

/** Converts REST data, whose decimals are strings, to the expected GraphQL data: renamed, with null for absent members. */
export function toGraphqlData(operation: Operation, data: unknown): unknown {
  const type = itemTypeOf(operation, rootFieldOf(operation).field.type);
  const schema = operation.response as unknown as SchemaNode;
  return operation.list === undefined
    ? toGraphqlValue(type, schema, data)
    : (data as unknown[]).map((item) => toGraphqlValue(type, schema, item));
}

function toGraphqlValue(type: GraphQLOutputType, schema: SchemaNode, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const nullable = getNullableType(type);
  const [inner] = unwrap(schema);
  if (isLeafType(getNamedType(type))) return value;
  if (isListType(nullable))
    return (value as unknown[]).map((item) =>
      toGraphqlValue(nullable.ofType, inner.def.element ?? inner, item),
    );
  const record = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    membersOf(type, schema).map(([field, wireName, member]) => [
      field.name,
      toGraphqlValue(field.type, member, record[wireName]),
    ]),
  );
}
