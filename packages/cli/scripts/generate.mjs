/**
 * Writes src/generated from the built contracts: the fields of each operation as flags, and the resolution of each
 * error code. Run `npm run generate` at the root, which builds first.
 */
import { writeFileSync } from 'node:fs';
import { ERRORS, jsonSchemaOf, OPERATIONS } from '@trading-automation/contracts';
import { exampleOf, resolve, SAMPLES } from '@trading-automation/contracts/samples';

/** @typedef {{ readonly [keyword: string]: any }} Schema */

const HEADER = '// Written by scripts/generate.mjs from the contracts: run `npm run generate`, never edit.\n';
const REF = '#/$defs/';
const DECIMALS = ['Decimal', 'DecimalGiven', 'PositiveDecimal', 'NonNegativeDecimal'];

/** Converts the fields of an object schema to flags. A field of a nested object has a path such as `sizing.mode`. */
class Fields {
  /** @param {Readonly<Record<string, Schema>>} definitions */
  constructor(definitions) {
    this.definitions = definitions;
  }

  /** @param {Schema} schema @param {string} prefix @param {boolean} isRequired @returns {object[]} */
  fieldsIn(schema, prefix = '', isRequired = true) {
    const { properties = {}, required = [] } = this.dereferenced(schema);
    return Object.entries(properties).flatMap(([name, member]) =>
      this.field(prefix + name, member, isRequired && required.includes(name)),
    );
  }

  /**
   * @param {string} path @param {Schema} declared @param {boolean} isRequired @returns {object[]}
   */
  field(path, declared, isRequired) {
    const { schema, isNullable } = withoutNull(declared);
    const named = this.dereferenced(schema);
    const { description = named.description ?? schema.description, default: fallback = schema.default } =
      declared;
    const common = {
      path,
      ...(isRequired ? { isRequired: true } : {}),
      ...(isNullable ? { isNullable: true } : {}),
      ...(description === undefined ? {} : { description: helpText(description) }),
      ...(['string', 'number', 'boolean'].includes(typeof fallback) ? { default: String(fallback) } : {}),
    };
    if (isDecimal(schema)) return [{ ...common, type: 'decimal' }];
    switch (named.type) {
      case 'object':
        return named.properties === undefined || isNullable
          ? [{ ...common, type: 'json' }]
          : this.fieldsIn(named, `${path}.`, isRequired);
      case 'array':
        if (this.dereferenced(named.items).type === 'array') return [{ ...common, type: 'json' }];
        return [{ ...common, ...this.typeOf(this.dereferenced(named.items)), isList: true }];
      default:
        return [{ ...common, ...this.typeOf(named) }];
    }
  }

  /** @param {Schema} schema */
  typeOf(schema) {
    if (schema.const !== undefined) return { type: 'text', choices: [String(schema.const)] };
    if (schema.enum !== undefined) return { type: 'text', choices: schema.enum };
    if (schema.anyOf !== undefined) return { type: 'text' };
    switch (schema.type) {
      case 'string':
        return { type: 'text' };
      case 'integer':
        return { type: 'integer' };
      case 'boolean':
        return { type: 'boolean' };
      case undefined:
        return { type: 'json' };
      default:
        throw new Error(`unsupported schema for a flag: ${JSON.stringify(schema)}`);
    }
  }

  /** @param {Schema} schema @returns {Schema} */
  dereferenced(schema) {
    if (typeof schema.$ref !== 'string' || isDecimal(schema)) return schema;
    const definition = this.definitions[schema.$ref.slice(REF.length)];
    if (definition === undefined) throw new Error(`unknown $ref: ${schema.$ref}`);
    return definition;
  }
}

/** @param {Schema} schema */
const isDecimal = ({ $ref }) => typeof $ref === 'string' && DECIMALS.includes($ref.slice(REF.length));

/** @param {Schema} declared @returns {{ schema: Schema, isNullable: boolean }} */
function withoutNull(declared) {
  const { anyOf } = declared;
  const others = anyOf?.filter((/** @type {Schema} */ option) => option.type !== 'null');
  return others?.length === 1 && others.length < anyOf.length
    ? { schema: others[0], isNullable: true }
    : { schema: declared, isNullable: false };
}

/** Formats a description for the help. @param {string} description */
const helpText = (description) => description.replaceAll('`', '').replace(/\.$/, '');

/** @param {import('@trading-automation/contracts').Operation['query']} schema */
function fieldsOf(schema) {
  if (schema === undefined) return [];
  // A flag that is not given is absent, so a command never sends null for it.
  const { root, definitions } = jsonSchemaOf(schema, 'input', { showsNulls: false });
  return new Fields(definitions).fieldsIn(root);
}

/**
 * Returns the field names of a record, for `--json`.
 *
 * @param {import('@trading-automation/contracts').Operation['response']} schema
 */
function membersOf(schema) {
  const { root, definitions } = jsonSchemaOf(schema, 'output');
  return Object.keys(new Fields(definitions).dereferenced(root).properties ?? {});
}

/**
 * Returns the words after the command in its example: the path parameters and the required fields of the first sample.
 *
 * @param {import('@trading-automation/contracts').Operation} operation
 */
function exampleArguments({ id, params, body }) {
  const sample = SAMPLES.find(({ operation }) => operation.id === id);
  const sampleInput = /** @type {Schema} */ (
    resolve({ ...sample?.params, ...Object(sample?.body) }, exampleOf)
  );
  const names = Object.keys(params?.shape ?? {});
  const required = fieldsOf(body).filter(
    (/** @type {Schema} */ field) => field.isRequired === true && !field.path.startsWith('credentials.'),
  );
  const flags = required.map((/** @type {Schema} */ { path }) => {
    const value = path
      .split('.')
      .reduce((/** @type {Schema} */ inner, /** @type {string} */ name) => inner?.[name], sampleInput);
    return `--${path.replaceAll('_', '-')} ${shellWord(textOf(value))}`;
  });
  return [...names.map((name) => shellWord(String(sampleInput[name]))), ...flags].join(' ');
}

/** @param {unknown} value */
const textOf = (value) =>
  Object.prototype.toString.call(value) === '[object Object]'
    ? JSON.stringify(value)
    : [value].flat().join(',');

/** @param {string} value */
const shellWord = (value) => (/^[\w.,:/-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);

const operations = OPERATIONS.map((operation) => {
  const { id, method, path, summary, access, list, stream, query, body, response } = operation;
  const example = exampleArguments(operation);
  return [
    id,
    {
      method,
      path,
      summary,
      access,
      query: fieldsOf(query),
      body: fieldsOf(body),
      ...(list === undefined ? {} : { list: { sorts: list.sorts, includes: list.includes ?? [] } }),
      ...(stream === undefined ? {} : { isStream: true }),
      ...(example === '' ? {} : { example }),
      members: membersOf(response),
    },
  ];
});

/** @param {string} file @param {string} text */
const write = (file, text) =>
  writeFileSync(new URL(`../src/generated/${file}`, import.meta.url), `${HEADER}${text}\n`);

write(
  'operations.ts',
  `import type { OperationInfo } from '../operations/operation-info.js';

export const OPERATIONS = ${JSON.stringify(Object.fromEntries(operations), null, 2)} as const satisfies Readonly<Record<string, OperationInfo>>;

export type OperationId = keyof typeof OPERATIONS;`,
);
write(
  'resolutions.ts',
  `/** How to fix an error, by its code. */
export const RESOLUTIONS: Readonly<Record<string, string>> = ${JSON.stringify(
    Object.fromEntries(Object.entries(ERRORS).map(([code, { resolution }]) => [code, resolution])),
    null,
    2,
  )};`,
);
