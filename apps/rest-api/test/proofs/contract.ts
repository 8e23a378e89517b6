/** Sends requests to operations and checks the responses against the contract. */

import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import {
  decodeId,
  ERRORS,
  type ErrorCode,
  encodeId,
  errorDetailOf,
  type IdPrefix,
  OPERATIONS,
  type Operation,
} from '@trading-automation/contracts';
import { z } from 'zod';
import { type TestResponse } from '../send.js';
import { type GoodRequest, type MakeRequest, REQUESTS } from './requests.js';
import type { CallOptions, TestUser } from './test-user.js';

/** Error codes that any request may get. */
const GENERAL_ERRORS: readonly ErrorCode[] = [
  'credential_in_query',
  'invalid_query',
  'malformed_json',
  'unsupported_media_type',
  'validation_failed',
  'payload_too_large',
  'rate_limited',
  'service_unavailable',
];
/** Error codes that any request with credentials may get. */
const CREDENTIAL_ERRORS: readonly ErrorCode[] = [
  'authentication_required',
  'invalid_api_key',
  'invalid_signature_headers',
  'invalid_signature',
  'credentials_ambiguous',
  'unknown_public_key',
  'timestamp_out_of_window',
  'nonce_replayed',
  'permission_denied',
  'ip_not_allowed',
];
/** Error codes that any request with an Idempotency-Key may get. */
const IDEMPOTENCY_ERRORS: readonly ErrorCode[] = ['idempotency_key_reused', 'idempotency_in_progress'];

/** Returns the error codes that the contract allows for an operation. */
function codesOf({ id, access, method, errors }: Operation): ReadonlySet<string> {
  return new Set<string>([
    ...GENERAL_ERRORS,
    ...errors,
    ...(access === 'PUBLIC' ? [] : CREDENTIAL_ERRORS),
    ...(method === 'POST' && id !== 'copiers.simulate' ? IDEMPOTENCY_ERRORS : []),
  ]);
}

const pagination = z.strictObject({
  limit: z.number().int(),
  offset: z.number().int(),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
  total: z.number().int().optional(),
});

/** Checks a response against the contract of its operation. Decimals in the response must be strings. */
export function expectContract(operation: Operation, { status, json, headers }: TestResponse): void {
  expect(headers['x-request-id']).toMatch(/^[\w.-]+$/);
  if (json.success === true) {
    expect([200, 201, 202]).toContain(status);
    if (operation.list === undefined) operation.response.parse(json.data);
    else {
      z.array(operation.response).parse(json.data);
      pagination.parse(json.pagination);
    }
    return;
  }
  const { error } = json;
  expect(json).toEqual({ success: false, error: expect.any(Object) });
  expect([...codesOf(operation)]).toContain(error!.code);
  expect(status).toBe(ERRORS[error!.code as ErrorCode].status);
  expect(error!.message).toMatch(/\S{3}/);
  const detail = errorDetailOf(error!.code as ErrorCode);
  for (const each of error!.details ?? [])
    expect({ code: error!.code, each, problem: detail?.safeParse(each).error }).toEqual({
      code: error!.code,
      each: expect.any(Object),
      problem: undefined,
    });
  if (error!.details !== undefined)
    expect({ code: error!.code, hasDetails: detail !== undefined }).toEqual({
      code: error!.code,
      hasDetails: true,
    });
  expect(error!.request_id).toBe(headers['x-request-id']);
}

/** Returns the request target: the path of the operation with its parameters filled in, and the query. */
export function targetOf({ path }: Operation, { params = {}, query = {} }: GoodRequest): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

/** Creates the records that a request to the operation needs. Returns the request, which must succeed. */
export async function goodRequest(operation: Operation, user: TestUser): Promise<GoodRequest> {
  const make = REQUESTS[operation.id] ?? requestOfSibling(operation);
  if (make === undefined) throw new Error(`requests.ts has no request to ${operation.id}`);
  return make(user);
}

/**
 * For an operation without a body: returns an empty request if it has no parameters. If it has the parameters of its
 * resource's `get`, returns the request of that `get`.
 */
function requestOfSibling({ id, params, body }: Operation): MakeRequest | undefined {
  if (body !== undefined) return undefined;
  if (params === undefined) return () => ({});
  const siblingId = `${id.slice(0, id.indexOf('.'))}.get`;
  const sibling = OPERATIONS.find((other) => other.id === siblingId);
  const hasSameParams = Object.keys(sibling?.params?.shape ?? {}).join() === Object.keys(params.shape).join();
  return hasSameParams ? REQUESTS[siblingId] : undefined;
}

/**
 * Sends every POST twice, so that the user has at least two records of each type. Returns one request for each
 * operation; each of these requests must succeed.
 */
export async function populate(user: TestUser): Promise<ReadonlyMap<Operation, GoodRequest>> {
  for (let round = 0; round < 2; round++)
    for (const operation of OPERATIONS) {
      if (operation.method === 'POST') await perform(operation, user, await goodRequest(operation, user));
    }
  const requests = new Map<Operation, GoodRequest>();
  for (const operation of OPERATIONS) requests.set(operation, await goodRequest(operation, user));
  return requests;
}

export function perform(
  operation: Operation,
  user: TestUser,
  request: GoodRequest,
  options: Omit<CallOptions, 'body'> = {},
): Promise<TestResponse> {
  const target = targetOf(operation, request);
  const call = { ...options, ...('body' in request ? { body: request.body } : {}) };
  if (operation.stream !== true) return user.call(operation.method, target, call);
  return headOfStream(user, target, call);
}

/** Requests a stream. Returns only the head of a success, without its events, or a complete error response. */
function headOfStream(user: TestUser, target: string, { permission = 'ADMIN', headers }: CallOptions) {
  return new Promise<TestResponse>((resolve, reject) => {
    const requestHeaders = { 'x-api-key': user.keyOf(permission), ...headers };
    const { port } = user.environment.api;
    const outgoing = httpRequest(
      { host: '127.0.0.1', port, path: target, headers: requestHeaders, agent: false },
      (response) => {
        const { statusCode: status = 0, headers: responseHeaders } = response;
        if (status === 200) {
          response.destroy();
          resolve({ status, headers: responseHeaders, text: '', json: {} });
          return;
        }
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve({ status, headers: responseHeaders, text, json: JSON.parse(text) }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** The id prefixes of records that every user can read: trade pairs and reward types. */
const SHARED: readonly string[] = ['tpr', 'rwt'];
export const isOwned = (prefix: IdPrefix) => !SHARED.includes(prefix);

function prefixOf(schema: z.core.$ZodType): IdPrefix | undefined {
  let inner: z.core.$ZodType = schema;
  for (;;) {
    const prefix = (inner as z.ZodType).meta?.()?.idPrefix;
    if (prefix !== undefined) return prefix as IdPrefix;
    const { def } = inner._zod as unknown as {
      def: { innerType?: z.core.$ZodType; element?: z.core.$ZodType };
    };
    const next = def.innerType ?? def.element;
    if (next === undefined) return undefined;
    inner = next;
  }
}

const isList = (schema: z.core.$ZodType): boolean => {
  const { def } = schema._zod as unknown as { def: { type: string; innerType?: z.core.$ZodType } };
  return def.type === 'array' || (def.innerType !== undefined && isList(def.innerType));
};

/** A parameter or field of a request that contains an id. */
export interface IdLocation {
  readonly part: 'params' | 'query' | 'body';
  readonly name: string;
  /** The name of the parameter or field in errors. */
  readonly field: string;
  readonly prefix: IdPrefix;
  /** Returns the request with another id in this parameter or field. */
  put(request: GoodRequest, id: string): GoodRequest;
  /** Returns the id in this parameter or field; undefined if the request omits it. */
  read(request: GoodRequest): string | undefined;
}

/** Returns every parameter and field of an operation that can contain an id. */
export function idLocations(operation: Operation): IdLocation[] {
  const parts = ['params', 'query', 'body'] as const;
  return parts.flatMap((part) =>
    Object.entries(operation[part]?.shape ?? {}).flatMap(([name, schema]) => {
      const prefix = prefixOf(schema);
      if (prefix === undefined) return [];
      const isIdList = isList(schema);
      const members = (request: GoodRequest) => (request[part] ?? {}) as Record<string, unknown>;
      return [
        {
          part,
          name,
          field: isIdList ? `${name}.0` : name,
          prefix,
          put: (request: GoodRequest, id: string) => ({
            ...request,
            [part]: { ...members(request), [name]: isIdList ? [id] : id },
          }),
          read: (request: GoodRequest) => [members(request)[name]].flat()[0] as string | undefined,
        },
      ];
    }),
  );
}

export const unknownId = (prefix: IdPrefix) => encodeId(prefix, randomUUID());

export function malformedIds(prefix: IdPrefix): string[] {
  const id = unknownId(prefix);
  const other = prefix === 'trd' ? 'whk' : 'trd';
  return ['nonsense', id.toUpperCase(), `${id}0`, unknownId(other), `${prefix}_${'8'.repeat(26)}`].filter(
    (text) => decodeId(prefix, text) === null,
  );
}
