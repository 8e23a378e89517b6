/**
 * GraphQL over HTTP: one operation per POST, with the signature, retries and timeout of a REST request.
 *
 * 1. If a result has errors, an {@link ApiError} is thrown, of the class that REST throws for the same code. The
 *    partial data is in `graphql.data` of that error. A returned result is therefore complete.
 * 2. Each call has an Idempotency-Key: a mutation takes effect once, even if it is retried.
 */
import { CODES_OF_STATUS } from '../generated/error-codes.js';
import type { ApiResponse } from './api-promise.js';
import { ApiError, createApiError, docUrlOf, type ErrorDetail, GraphqlAddressError } from './errors.js';
import { type GraphqlDocument, textOf } from './graphql-document.js';
import type { RequestOptions, Transport } from './transport.js';

export const GRAPHQL_PATH = '/graphql';

/** The arguments after a document: the variables, optional if no variable is required, and the options. */
export type VariablesAndOptions<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options];

/** One error of a response, as the GraphQL specification defines it. */
interface GraphqlError {
  readonly message?: unknown;
  readonly path?: readonly (string | number)[];
  readonly extensions?: {
    readonly code?: unknown;
    readonly details?: readonly ErrorDetail[];
    readonly request_id?: string;
    readonly retry_after?: number;
  };
}

/** The result of an operation. */
export interface GraphqlResult {
  readonly data?: unknown;
  readonly errors?: readonly GraphqlError[];
}

/**
 * Sends an operation and returns its response.
 *
 * @throws {ApiError}
 * @throws {ConnectionError}
 * @throws {GraphqlAddressError} if another server than the GraphQL API responds, such as the REST API
 */
export async function sendGraphql(
  transport: Transport,
  document: GraphqlDocument,
  variables: unknown = {},
  options: RequestOptions = {},
): Promise<ApiResponse> {
  const body = { query: textOf(document), variables };
  const assertSuccess = ({ response, json }: ApiResponse) => {
    const result = Object(json) as GraphqlResult;
    const error = graphqlErrorOf(result, response.headers, docUrlOf(transport.baseURL));
    if (error !== undefined) throw error;
    if (typeof result.data !== 'object') throw graphqlAddressError(transport);
  };
  try {
    return await transport.send(
      { method: 'POST', origin: transport.graphqlURL, path: GRAPHQL_PATH, body, assertSuccess },
      options,
    );
  } catch (error) {
    throw hasNoGraphql(error) ? graphqlAddressError(transport) : error;
  }
}

function graphqlAddressError({ graphqlURL, isGraphqlURLSet }: Transport): GraphqlAddressError {
  return new GraphqlAddressError(graphqlURL, isGraphqlURLSet);
}

/** Returns whether a response came from a server without the route of the GraphQL API. */
function hasNoGraphql(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.graphql !== undefined) return false;
  return error.code === 'route_not_found' || (error.code === 'unknown' && NO_ROUTE.includes(error.status));
}

/** 404 and 405: a web server without the route. 501: one that serves only GET. */
const NO_ROUTE: readonly number[] = [404, 405, 501];

/** Converts the first error of a result to an {@link ApiError}. Returns undefined for a result without errors. */
export function graphqlErrorOf(
  { data, errors }: GraphqlResult,
  headers = new Headers(),
  docUrl?: string,
): ApiError | undefined {
  const first = errors?.[0];
  if (first === undefined) return undefined;
  const { code, details, request_id, retry_after } = first.extensions ?? {};
  const withRetryAfter = new Headers(headers);
  if (typeof retry_after === 'number') withRetryAfter.set('retry-after', String(retry_after));
  return createApiError({
    status: statusOf(code),
    code: typeof code === 'string' ? code : 'unknown',
    message: typeof first.message === 'string' ? first.message : 'The operation failed without a message.',
    details: Array.isArray(details) ? details : [],
    requestId: request_id ?? headers.get('x-request-id') ?? undefined,
    headers: withRetryAfter,
    docUrl,
    graphql: { path: first.path ?? [], errors: errors!, data },
  });
}

/** Returns the HTTP status of an error code; for an unknown code 200, the status of a GraphQL response with errors. */
export function statusOf(code: unknown): number {
  const row = Object.entries(CODES_OF_STATUS).find(([, codes]) => codes.split(' ').includes(code as string));
  return Number(row?.[0] ?? 200);
}
