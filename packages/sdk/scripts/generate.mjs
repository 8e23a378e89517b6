/**
 * Writes src/generated from the built contract: the types of all records and bodies, the error codes, and the table of
 * operations that the client uses. Run `npm run generate` at the root, which builds first.
 */
import { writeFileSync } from 'node:fs';
import {
  ERRORS,
  EVENT_DEFINITIONS,
  EVENT_TYPES,
  eventDataOf,
  jsonSchemaOf,
  OPERATIONS,
  orderBookUpdate,
  tradeSignal,
} from '@trading-automation/contracts';
import { Declarations } from './typescript-of.mjs';

const declarations = new Declarations();
const HEADER = '// Written by scripts/generate.mjs from the contracts: run `npm run generate`, never edit.\n';

const rootSchemaOf = (schema, direction, options) => {
  const converted = jsonSchemaOf(schema, direction, options);
  declarations.add(converted, direction);
  return converted.root;
};

const operations = OPERATIONS.map((operation) => ({
  operation,
  query: operation.query && rootSchemaOf(operation.query, 'input', { showsNulls: false }),
  body: operation.body && rootSchemaOf(operation.body, 'input'),
  response: rootSchemaOf(operation.response, 'output'),
}));
for (const { operation, body, response } of operations) {
  declarations.recordUse(body, operation.id);
  declarations.recordUse(response, operation.id);
}
const eventTypes = EVENT_TYPES.map((type) => ({ type, data: rootSchemaOf(eventDataOf(type), 'output') }));
// Payloads of GraphQL subscriptions, which no REST operation returns.
rootSchemaOf(tradeSignal, 'output');
rootSchemaOf(orderBookUpdate, 'output');

const typeName = (id, suffix) =>
  id
    .split('.')
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join('') + suffix;
const interfaces = [];
const rows = [];
const types = [];
for (const { operation, query, body, response } of operations) {
  const { id, method, path, list, stream } = operation;
  rows.push(`  '${id}': ['${method}', '${path}'${list ? ", 'list'" : stream ? ", 'stream'" : ''}],`);
  const members = [];
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  if (params.length > 0) members.push(`params: { ${params.map((name) => `${name}: string`).join('; ')} };`);
  if (query !== undefined || list !== undefined) {
    const name = typeName(id, 'Query');
    const ownMembers = query === undefined ? '{}' : declarations.members(query, 'input', id);
    const base =
      list === undefined
        ? ''
        : ` extends ListQuery<${list.sorts.map((sort) => `'${sort}'`).join(' | ')}${(list.includes ?? []).map((value) => `, '${value}'`).join('')}>`;
    interfaces.push(`/** Query parameters of \`${id}\`. */\nexport interface ${name}${base} ${ownMembers}`);
    members.push(`query: ${name};`);
  }
  if (body !== undefined)
    members.push(`body${operation.bodyOptional ? '?' : ''}: ${declarations.typeOf(body, 'input', id)};`);
  const data = responseTypeOf(id, response);
  members.push(`data: ${data};`);
  types.push(`/** ${operation.summary} */\n'${id}': {\n${members.join('\n')}\n};`);
}
/** Returns the type of a response, with a generated name if the contract has none. */
function responseTypeOf(id, schema) {
  if (isDeletion(schema)) return 'Deleted';
  const type = declarations.typeOf(schema, 'output', id);
  if (!type.startsWith('{')) return type;
  const name = typeName(id, 'Result');
  const generic = declarations.holdsDecimals(schema) ? "<D extends DecimalForm = 'number'>" : '';
  interfaces.push(`/** The response of \`${id}\`. */\nexport interface ${name}${generic} ${type}`);
  return generic === '' ? name : `${name}<D>`;
}

function isDeletion(schema) {
  return Object.keys(schema.properties ?? {}).join() === 'id,deleted';
}

const events = eventTypes.map(({ type, data }) => {
  const recordType = declarations.typeOf(data, 'output', type);
  return `/** ${EVENT_DEFINITIONS[type].description} */\n'${type}': ${recordType};`;
});

writeFileSync(
  new URL('../src/generated/records.ts', import.meta.url),
  `${HEADER}import type { DecimalForm, DecimalInput, DecimalOf } from '../core/decimals.js';
import type { ListQuery } from '../core/list-query.js';

${declarations.text}

/** The response to a deletion. */
export interface Deleted { id: string; deleted: true }

${interfaces.join('\n\n')}

/** The record of each event type. */
export interface EventData<D extends DecimalForm = 'number'> {
${events.join('\n')}
}

/** The input and the response of each operation. */
export interface OperationTypes<D extends DecimalForm = 'number'> {
${types.join('\n')}
}
`,
);
writeFileSync(
  new URL('../src/generated/operations.ts', import.meta.url),
  `${HEADER}/** The method and the path of each operation, and the kind of its response unless it is a single record. */
export const OPERATIONS = {
${rows.join('\n')}
} as const;
export type OperationId = keyof typeof OPERATIONS;
`,
);
/** @type {Map<number, string[]>} */
const codesOfStatus = new Map();
for (const [code, { status }] of Object.entries(ERRORS))
  codesOfStatus.set(status, [...(codesOfStatus.get(status) ?? []), code]);
const statuses = [...codesOfStatus].sort(([a], [b]) => a - b);
writeFileSync(
  new URL('../src/generated/error-codes.ts', import.meta.url),
  `${HEADER}/** Every error code of the API. New codes may be added. */\nexport type ErrorCode =\n${Object.keys(
    ERRORS,
  )
    .map((code) => `| '${code}'`)
    .join('\n')}\n| (string & {});

/** The error codes of each HTTP status. */
export const CODES_OF_STATUS: Readonly<Record<number, string>> = {
${statuses.map(([status, codes]) => `${status}: '${codes.join(' ')}',`).join('\n')}
};
`,
);
