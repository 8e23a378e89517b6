/**
 * Derives the root fields of the schema from the operations.
 *
 * | Part        | Derived from                                                                                         |
 * | ----------- | ---------------------------------------------------------------------------------------------------- |
 * | type        | `Query` for GET, otherwise `Mutation`                                                                |
 * | name        | the id: `trades.list` is `trades`, `trades.get` is `trade`, `trades.create` is `createTrade`,        |
 * |             | and `copiers.decisions`, like any other GET, is `copierDecisions`                                    |
 * | arguments   | path parameters, paging and sorting of a list, query parameters, `include…`, and the body as `input` |
 * | result      | the response, or a connection of a list; nullable, so that an error does not affect other fields     |
 * | description | the summary                                                                                          |
 *
 * `root-field-overrides.ts` lists the exceptions.
 */
import { OPERATIONS, type Operation } from '@trading-automation/contracts';
import { camelCase, pascalCase, singularOf } from './names.js';
import { RESOURCE_NAMES, ROOT_FIELD_OVERRIDES, type RootFieldOverride } from './root-field-overrides.js';

export interface RootField {
  readonly operation: Operation;
  readonly type: 'Query' | 'Mutation';
  readonly name: string;
  readonly description: string;
  /** Maps an argument to the path parameter that it sets, where the names differ. */
  readonly params: Readonly<Record<string, string>>;
}

/** The root field of each operation that GraphQL offers. */
export const ROOT_FIELDS: readonly RootField[] = OPERATIONS.flatMap((operation) => {
  const override = ROOT_FIELD_OVERRIDES[operation.id];
  return override === 'REST_ONLY' ? [] : [rootFieldOf(operation, override)];
});

/** @throws {Error} if the operation is a stream, because streams have no field */
export function rootFieldOf(operation: Operation, override: RootFieldOverride = {}): RootField {
  if (operation.stream === true)
    throw new Error(
      `${operation.id} is a stream and has no root field. Add it to root-field-overrides.ts as REST_ONLY.`,
    );
  const [resource = '', verb = ''] = operation.id.split('.');
  const isRead = operation.method === 'GET';
  return {
    operation,
    type: override.type ?? (isRead ? 'Query' : 'Mutation'),
    name: override.name ?? nameOf(RESOURCE_NAMES[resource] ?? resource, verb, isRead),
    description: override.description ?? operation.summary,
    params: renamedParams(operation, resource),
  };
}

function nameOf(resource: string, verb: string, isRead: boolean): string {
  const singular = singularOf(resource);
  if (verb === 'list') return resource;
  if (verb === 'get') return singular;
  return isRead ? `${singular}${pascalCase(verb)}` : `${verb}${pascalCase(singular)}`;
}

/**
 * Names each path parameter after the record that it identifies. The record that the field returns or changes is `id`;
 * any other record is named by its type, for example `webhookId`.
 */
function renamedParams({ method, path }: Operation, resource: string): Readonly<Record<string, string>> {
  const segments = path.split('/').map(camelCaseOfPath);
  const renamed: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    const collection = segments[at - 1]!;
    if (!/^:(?:id|\w+_id)$/.test(segment)) continue;
    const isLast = at === segments.length - 1;
    const isOwn = collection === resource && (isLast || method !== 'GET');
    const argument = isOwn ? 'id' : `${singularOf(RESOURCE_NAMES[collection] ?? collection)}Id`;
    const parameter = segment.slice(1);
    if (argument !== camelCase(parameter)) renamed[argument] = parameter;
  }
  return renamed;
}

/** Converts `dead-letters` to `deadLetters`. A parameter is unchanged. */
function camelCaseOfPath(segment: string): string {
  return segment.startsWith(':') ? segment : camelCase(segment.replaceAll('-', '_'));
}
