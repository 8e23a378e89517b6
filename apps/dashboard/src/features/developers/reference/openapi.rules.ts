/** Reads the OpenAPI document of the API: groups, parameters, schemas and errors of its operations. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Content {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value?: unknown }>>;
}

export interface ApiResponse {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
  readonly 'x-error-codes'?: readonly string[];
}

interface RawOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, ApiResponse | Reference>>;
  readonly 'x-permission'?: string;
  readonly 'x-codeSamples'?: readonly { readonly label: string; readonly source: string }[];
}

export interface ErrorCode {
  readonly code: string;
  readonly status: number;
  readonly meaning: string;
  readonly resolution: string;
}

export interface OpenApi {
  readonly info: { readonly description: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly 'x-error-codes': readonly ErrorCode[];
}

export interface ApiOperation extends RawOperation {
  readonly method: string;
  readonly path: string;
}

export interface OperationGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly ApiOperation[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

export function operationsOf({ paths }: OpenApi): readonly ApiOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** Returns the operation of a route such as `/v1/trades/:id`. */
export function operationOfRoute(document: OpenApi, method: string, route: string): ApiOperation | undefined {
  const wanted = route.replaceAll(/:(\w+)/g, '{$1}');
  return operationsOf(document).find((operation) => operation.method === method && operation.path === wanted);
}

/** Groups the operations that match all words of the search, in the order of the document. */
export function groupsOf(document: OpenApi, search: string): readonly OperationGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ method, path, summary, operationId, tags }: ApiOperation) => {
    const text = `${method} ${path} ${summary} ${operationId} ${tags.join(' ')}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const operations = operationsOf(document).filter(matches);
  return document.tags
    .map(({ name, description }) => ({
      name,
      description,
      operations: operations.filter(({ tags }) => tags.includes(name)),
    }))
    .filter((group) => group.operations.length > 0);
}

/** Follows a reference of the document. */
export function resolve<T extends object>(document: OpenApi, node: T | Reference): T {
  if (!('$ref' in node) || typeof node.$ref !== 'string') return node as T;
  const [, , kind = '', name = ''] = node.$ref.split('/');
  const { $ref: _, ...beside } = node;
  return { ...(document.components[kind]?.[name] as T), ...beside };
}

const refName = ({ $ref }: Schema) => $ref?.split('/').at(-1);

export function parametersOf(document: OpenApi, { parameters = [] }: ApiOperation): readonly Parameter[] {
  return parameters.map((parameter) => resolve<Parameter>(document, parameter));
}

const JSON_TYPE = 'application/json';

export const bodyOf = ({ requestBody }: ApiOperation): Content | undefined => requestBody?.content[JSON_TYPE];

/** Returns the response of a success with its status and its schema. */
export function successOf(document: OpenApi, { responses }: ApiOperation) {
  const status = Object.keys(responses).find((code) => code.startsWith('2'));
  if (status === undefined) return undefined;
  const response = resolve<ApiResponse>(document, responses[status] ?? {});
  const [type, content] = Object.entries(response.content ?? {})[0] ?? [];
  return { status, type, schema: content?.schema };
}

/** Returns the errors of an operation, in the order of the document. */
export function errorsOf(document: OpenApi, { responses }: ApiOperation): readonly ErrorCode[] {
  const codes = new Set(
    Object.values(responses).flatMap(
      (response) => resolve<ApiResponse>(document, response)['x-error-codes'] ?? [],
    ),
  );
  return document['x-error-codes'].filter(({ code }) => codes.has(code));
}

/** Describes the type of a schema in a few words: "string, or null", "list of Trade". */
export function typeText(document: OpenApi, schema: Schema): string {
  const { $ref, anyOf, oneOf, allOf, items, type, enum: values } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const name = refName(schema);
  const target = $ref === undefined ? schema : resolve<Schema>(document, schema);
  if (name !== undefined) return target.properties === undefined ? scalarText(document, target, name) : name;
  const choices = anyOf ?? oneOf;
  if (choices !== undefined)
    return [...new Set(choices.map((choice) => typeText(document, choice)))].join(' or ');
  if (allOf !== undefined) return allOf.map((part) => typeText(document, part)).join(' and ');
  if (items !== undefined) return `list of ${typeText(document, items)}`;
  if (values !== undefined) return values.length > 1 ? 'enum' : String(values[0]);
  return Array.isArray(type) ? type.join(' or ') : String(type ?? 'any');
}

const scalarText = (document: OpenApi, target: Schema, name: string) =>
  target.anyOf === undefined && target.oneOf === undefined && target.type === undefined
    ? name
    : typeText(document, target);

/** Returns the schema whose members are worth showing: that of a record, of the items of a list, or of a choice. */
export function recordOf(document: OpenApi, schema: Schema): Schema | undefined {
  const target = resolve<Schema>(document, schema);
  if (target.properties !== undefined) return target;
  if (target.items !== undefined) return recordOf(document, target.items);
  for (const choice of target.anyOf ?? target.oneOf ?? target.allOf ?? []) {
    const record = recordOf(document, choice);
    if (record !== undefined) return record;
  }
  return undefined;
}

/** Returns the request target with the values of its parameters; undefined while a path parameter is empty. */
export function targetOf(
  { path }: Pick<ApiOperation, 'path'>,
  values: Readonly<Record<string, string>>,
): string | undefined {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  if (names.some((name) => (values[name] ?? '') === '')) return undefined;
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
