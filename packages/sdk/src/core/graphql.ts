/**
 * GraphQL over HTTP: one operation in one POST, signed, repeated and timed as a request of REST is.
 *
 * 1. An operation with errors is thrown, by the class that REST throws for their code; what was answered nevertheless is
 *    with the error (`graphql.data`). So what is returned is whole.
 * 2. Each call has an Idempotency-Key: a mutation happens once, however often it is sent.
 */
import { CODES_OF_STATUS } from '../generated/error-codes.js';
import type { ApiResponse } from './api-promise.js';
import {
  type ApiError,
  createApiError,
  docUrlOf,
  type ErrorDetail,
  UnexpectedAnswerError,
} from './errors.js';
import { type GraphqlDocument, textOf } from './graphql-document.js';
import type { RequestOptions, Transport } from './transport.js';

export const GRAPHQL_PATH = '/graphql';

/** Variables and options behind a document: variables may be left out where none is required. */
export type Behind<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options];

/** One error of an answer, as the specification has it. */
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

/** What an operation came to. */
export interface GraphqlResult {
  readonly data?: unknown;
  readonly errors?: readonly GraphqlError[];
}

/** The whole answer to an operation. @throws {ApiError} @throws {ConnectionError} */
export async function sendGraphql(
  transport: Transport,
  document: GraphqlDocument,
  variables: unknown = {},
  options: RequestOptions = {},
): Promise<ApiResponse> {
  const body = { query: textOf(document), variables };
  const judge = ({ response, json }: ApiResponse) => {
    const result = Object(json) as GraphqlResult;
    const refusal = graphqlErrorOf(result, response.headers, docUrlOf(transport.baseURL));
    if (refusal !== undefined) throw refusal;
    if (typeof result.data !== 'object') throw new UnexpectedAnswerError('Not an answer of GraphQL.');
  };
  return transport.send(
    { method: 'POST', origin: transport.graphqlURL, path: GRAPHQL_PATH, body, assertSuccess: judge },
    options,
  );
}

/** The error of a result with errors: the first of them says which. */
export function graphqlErrorOf(
  { data, errors }: GraphqlResult,
  headers = new Headers(),
  docUrl?: string,
): ApiError | undefined {
  const first = errors?.[0];
  if (first === undefined) return undefined;
  const { code, details, request_id, retry_after } = first.extensions ?? {};
  const asked = new Headers(headers);
  if (typeof retry_after === 'number') asked.set('retry-after', String(retry_after));
  return createApiError({
    status: statusOf(code),
    code: typeof code === 'string' ? code : 'unknown',
    message: typeof first.message === 'string' ? first.message : 'The operation failed without saying why.',
    details: Array.isArray(details) ? details : [],
    requestId: request_id ?? headers.get('x-request-id') ?? undefined,
    headers: asked,
    docUrl,
    graphql: { path: first.path ?? [], errors: errors!, data },
  });
}

/** A code that is not known here keeps the status of an answer with errors: 200. */
export function statusOf(code: unknown): number {
  const known = Object.entries(CODES_OF_STATUS).find(([, codes]) =>
    codes.split(' ').includes(code as string),
  );
  return Number(known?.[0] ?? 200);
}
