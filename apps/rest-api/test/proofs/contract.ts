/** Sends requests to operations and checks the responses against the contract. */

import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import {
  decodeId,
  ERRORS,
  type ErrorCode,
  encodeId,
  type IdPrefix,
  OPERATIONS,
  type Operation,
} from '@trading-automation/contracts';
import { z } from 'zod';
import { type TestResponse } from '../send.js';
import { type GoodRequest, type MakeRequest, REQUESTS } from './requests.js';
import type { CallOptions, TestUser } from './test-user.js';

/** Error codes that any request may get. */
const EVERYWHERE: readonly ErrorCode[] = [
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
const AUTHENTICATED: readonly ErrorCode[] = [
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
const IDEMPOTENT: readonly ErrorCode[] = ['idempotency_key_reused', 'idempotency_in_progress'];

/** Returns the error codes that the contract allows for an operation. */
function codesOf({ access, method, errors }: Operation): ReadonlySet<string> {
  return new Set<string>([
    ...EVERYWHERE,
    ...errors,
    ...(access === 'PUBLIC' ? [] : AUTHENTICATED),
    ...(method === 'POST' ? IDEMPOTENT : []),
  ]);
}

const pagination = z.strictObject({
  limit: z.number().int(),
  offset: z.number().int(),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
  total: z.number().int().optional(),
});

/** Checks a response, whose decimals are strings, against the operation's contract. */
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
  expect(error!.request_id).toBe(headers['x-request-id']);
}

/** Returns the operation's path with its parameters, and the query. */
export function targetOf({ path }: Operation, { params = {}, query = {} }: GoodRequest): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

/** A request that must succeed, on records created for it. */
export async function goodRequest(operation: Operation, person: TestUser): Promise<GoodRequest> {
  const make = REQUESTS[operation.id] ?? requestOfSibling(operation);
  if (make === undefined) throw new Error(`requests.ts has no request to ${operation.id}`);
  return make(person);
}

/**
 * Returns the request of the resource's `get` if the operation has the same parameters and no body. Returns an empty
 * request if the operation has no parameters.
 */
function requestOfSibling({ id, params, body }: Operation): MakeRequest | undefined {
  if (body !== undefined) return undefined;
  if (params === undefined) return () => ({});
  const siblingId = `${id.slice(0, id.indexOf('.'))}.get`;
  const sibling = OPERATIONS.find((other) => other.id === siblingId);
  const isAlike = Object.keys(sibling?.params?.shape ?? {}).join() === Object.keys(params.shape).join();
  return isAlike ? REQUESTS[siblingId] : undefined;
}

/**
 * Creates at least two records of every type for a user. Returns a request to each operation that must succeed.
 */
export async function populate(person: TestUser): Promise<ReadonlyMap<Operation, GoodRequest>> {
  for (let round = 0; round < 2; round++)
    for (const operation of OPERATIONS) {
      if (operation.method === 'POST') await perform(operation, person, await goodRequest(operation, person));
    }
  const made = new Map<Operation, GoodRequest>();
  for (const operation of OPERATIONS) made.set(operation, await goodRequest(operation, person));
  return made;
}

export function perform(
  operation: Operation,
  person: TestUser,
  request: GoodRequest,
  options: Omit<CallOptions, 'body'> = {},
): Promise<TestResponse> {
  const target = targetOf(operation, request);
  const call = { ...options, ...('body' in request ? { body: request.body } : {}) };
  if (operation.stream !== true) return person.call(operation.method, target, call);
  return headOfStream(person, target, call);
}

/** Returns the head of a stream, or the complete error response. */
function headOfStream(person: TestUser, target: string, { permission = 'ADMIN', headers }: CallOptions) {
  return new Promise<TestResponse>((resolve, reject) => {
    const sent = { 'x-api-key': person.keyOf(permission), ...headers };
    const outgoing = httpRequest(
      { host: '127.0.0.1', port: person.environment.api.port, path: target, headers: sent, agent: false },
      (response) => {
        const { statusCode: status = 0, headers: got } = response;
        if (status === 200) {
          response.destroy();
          resolve({ status, headers: got, text: '', json: {} });
          return;
        }
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve({ status, headers: got, text, json: JSON.parse(text) }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Records that every user can read. */
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

/** A position in a request that holds an id. */
export interface IdLocation {
  readonly part: 'params' | 'query' | 'body';
  readonly name: string;
  /** Its name in errors. */
  readonly field: string;
  readonly prefix: IdPrefix;
  /** Returns the request with another id at this position. */
  put(request: GoodRequest, id: string): GoodRequest;
  /** Returns the id at this position; undefined if the request omits it. */
  read(request: GoodRequest): string | undefined;
}

/** Returns every position of an operation's requests that can hold an id. */
export function idLocations(operation: Operation): IdLocation[] {
  const parts = ['params', 'query', 'body'] as const;
  return parts.flatMap((part) =>
    Object.entries(operation[part]?.shape ?? {}).flatMap(([name, schema]) => {
      const prefix = prefixOf(schema);
      if (prefix === undefined) return [];
      const many = isList(schema);
      const members = (request: GoodRequest) => (request[part] ?? {}) as Record<string, unknown>;
      return [
        {
          part,
          name,
          field: many ? `${name}.0` : name,
          prefix,
          put: (request: GoodRequest, id: string) => ({
            ...request,
            [part]: { ...members(request), [name]: many ? [id] : id },
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
