/** Generates the `paths` of the OpenAPI document: one entry for each operation of the contract. */
import { type Operation, type Permission, storesResponse } from '@trading-automation/contracts';
import type { Sample } from '@trading-automation/contracts/samples';
import { codeSamples, sampleRequest } from './code-samples.js';
import { errorResponsesOf } from './error-responses.js';
import { type Json, type JsonObject, refTo } from './json.js';
import type { SchemaComponents } from './schema-components.js';
import { tagOf } from './tags.js';

const LIMIT_MAX = 100;

/** The three alternative ways to authenticate. */
const CREDENTIALS = [
  { ApiKey: [] },
  { Bearer: [] },
  { SvcPublicKey: [], SvcTimestamp: [], SvcNonce: [], SvcSignature: [] },
];

export function operationPaths(
  operations: readonly Operation[],
  samples: readonly Sample[],
  components: SchemaComponents,
): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    const operationSamples = samples.filter((sample) => sample.operation.id === operation.id);
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describe(operation, operationSamples, components),
    };
  }
  return paths;
}

function describe(
  operation: Operation,
  samples: readonly Sample[],
  components: SchemaComponents,
): JsonObject {
  const { id, summary, access, bucket, stream } = operation;
  const [first] = samples;
  return {
    operationId: id,
    tags: [tagOf(id)],
    summary,
    description: descriptionOf(operation),
    security: securityOf(operation),
    'x-permission': access,
    ...(bucket === undefined ? {} : { 'x-rate-limit': bucket }),
    parameters: [
      ...pathParameters(operation, components),
      ...queryParameters(operation, components),
      ...listParameters(operation),
      ...(storesResponse(operation) ? [refTo('parameters', 'IdempotencyKey')] : []),
      ...(stream === true ? [refTo('parameters', 'LastEventId')] : []),
    ],
    ...bodyOf(operation, samples, components),
    responses: {
      [String(operation.status)]: success(operation, operation.status, components),
      ...(operation.createdStatus === undefined
        ? {}
        : { [String(operation.createdStatus)]: success(operation, operation.createdStatus, components) }),
      ...errorResponsesOf(operation),
    },
    ...(first === undefined ? {} : { 'x-codeSamples': codeSamples(first) }),
  };
}

function descriptionOf({ access, sessionAccess, bucket }: Operation): string {
  const descriptionsWithoutPermission = {
    PUBLIC: 'Public: requires no credentials.',
    CHALLENGE:
      'Requires no credentials, because the body contains a signature. A credential that is sent too must have the permission ADMIN.',
  } as const;
  const required =
    access === 'PUBLIC' || access === 'CHALLENGE'
      ? descriptionsWithoutPermission[access]
      : `Requires the permission **${access}**.${forSession(sessionAccess)}`;
  return bucket === undefined ? required : `${required} Also counts toward the rate limit \`${bucket}\`.`;
}

const forSession = (permission: Permission | undefined) =>
  permission === undefined ? '' : ` A browser session needs **${permission}** only.`;

function securityOf({ access }: Operation): Json {
  if (access === 'PUBLIC') return [];
  return access === 'CHALLENGE' ? [{}, ...CREDENTIALS] : CREDENTIALS;
}

function pathParameters({ params }: Operation, components: SchemaComponents): JsonObject[] {
  return Object.entries(params?.shape ?? {}).map(([name, schema]) =>
    parameter('path', name, true, components.of(schema, 'input')),
  );
}

function queryParameters({ query }: Operation, components: SchemaComponents): JsonObject[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) =>
    parameter('query', name, !schema.safeParse(undefined).success, components.of(schema, 'input')),
  );
}

function parameter(
  place: 'path' | 'query',
  name: string,
  required: boolean,
  describedSchema: JsonObject,
): JsonObject {
  const { description, ...schema } = describedSchema;
  return {
    name,
    in: place,
    required,
    ...(description === undefined ? {} : { description }),
    schema: Object.keys(schema).length === 0 ? { type: 'string' } : schema,
  };
}

function listParameters({ list }: Operation): JsonObject[] {
  if (list === undefined) return [];
  const query = (name: string, description: string, schema: JsonObject) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema,
  });
  const includes = ['total', ...(list.includes ?? [])];
  const alternatives = includes.join('|');
  return [
    query('limit', 'Maximum number of items on a page.', {
      type: 'integer',
      minimum: 1,
      maximum: LIMIT_MAX,
      default: list.limitDefault,
    }),
    refTo('parameters', 'Offset'),
    refTo('parameters', 'Cursor'),
    query('sort', 'Field to sort by.', { type: 'string', enum: list.sorts, default: list.sorts[0] }),
    refTo('parameters', 'Order'),
    query(
      'include',
      `Additional content of the response: ${includes.join(', ')}. Separate multiple values with commas.`,
      {
        type: 'string',
        pattern: `^(${alternatives})(,(${alternatives}))*$`,
      },
    ),
  ];
}

function bodyOf(
  { body, bodyOptional }: Operation,
  samples: readonly Sample[],
  components: SchemaComponents,
): JsonObject {
  if (body === undefined) return {};
  const examples = samples
    .map((sample) => ({ title: sample.title, value: sampleRequest(sample).body }))
    .filter(({ value }) => value !== undefined);
  return {
    requestBody: {
      required: bodyOptional !== true,
      content: {
        'application/json': {
          schema: components.of(body, 'input'),
          ...(examples.length === 0
            ? {}
            : {
                examples: Object.fromEntries(
                  examples.map(({ title, value }) => [nameOf(title), { summary: title, value }]),
                ),
              }),
        },
      },
    },
  };
}

const nameOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

function success(
  operation: Operation,
  status: Operation['status'],
  components: SchemaComponents,
): JsonObject {
  const { stream } = operation;
  const data = components.of(operation.response, 'output');
  return {
    description:
      stream === true
        ? 'A stream of server-sent events, each with this schema as its data.'
        : SUCCESS_DESCRIPTIONS[status],
    headers: {
      'x-request-id': refTo('headers', 'RequestId'),
      RateLimit: refTo('headers', 'RateLimit'),
      'RateLimit-Policy': refTo('headers', 'RateLimitPolicy'),
      ...(status === 201 ? { Location: refTo('headers', 'Location') } : {}),
      ...(storesResponse(operation)
        ? { 'Idempotency-Replayed': refTo('headers', 'IdempotencyReplayed') }
        : {}),
    },
    content:
      stream === true
        ? { 'text/event-stream': { schema: { type: 'string' }, 'x-event-data': data } }
        : { 'application/json': { schema: envelope(operation, data) } },
  };
}

const SUCCESS_DESCRIPTIONS = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted. The work continues in the background.',
} as const;

function envelope({ list }: Operation, data: JsonObject): JsonObject {
  const isList = list !== undefined;
  return {
    type: 'object',
    properties: {
      success: { const: true },
      data: isList ? { type: 'array', items: data } : data,
      ...(isList ? { pagination: refTo('schemas', 'Pagination') } : {}),
    },
    required: ['success', 'data', ...(isList ? ['pagination'] : [])],
  };
}
