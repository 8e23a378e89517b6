/** Builds requests from the generated table of operations, the only source of methods, paths and types. */

import { OPERATIONS, type OperationId } from '../generated/operations.js';
import type { OperationTypes } from '../generated/records.js';
import { ApiPromise, type ApiResponse } from './api-promise.js';
import type { DecimalForm } from './decimals.js';
import { UnexpectedAnswerError } from './errors.js';
import { PagePromise } from './page.js';
import type { Request, RequestOptions, Transport } from './transport.js';

/** The `data` of an operation's response; for a list, one item. */
export type DataOf<Id extends OperationId, D extends DecimalForm> = OperationTypes<D>[Id]['data'];

/** The input of a call. */
export interface OperationInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: unknown;
}

export class OperationClient<D extends DecimalForm> {
  constructor(readonly transport: Transport) {}

  /** Calls an operation that returns one record. */
  call<Id extends OperationId>(
    id: Id,
    input: OperationInput,
    options?: RequestOptions,
  ): ApiPromise<DataOf<Id, D>> {
    return new ApiPromise(this.send(id, input, options), parseData<DataOf<Id, D>>);
  }

  /** Calls an operation that returns a list. */
  list<Id extends OperationId>(
    id: Id,
    input: OperationInput,
    options?: RequestOptions,
  ): PagePromise<DataOf<Id, D>> {
    return pages(this.transport, () => buildRequest(id, input), options);
  }

  /** Is async, so that invalid input rejects the promise, as every other error does. */
  private async send(id: OperationId, input: OperationInput, options?: RequestOptions): Promise<ApiResponse> {
    return this.transport.send(buildRequest(id, input), options);
  }
}

/** Requests the first page and, during iteration, the pages after it. Rejects if `firstRequest` throws. */
export function pages<T>(
  transport: Transport,
  firstRequest: () => Request,
  options?: RequestOptions,
): PagePromise<T> {
  const send = async () => transport.send(firstRequest(), options);
  const next = (cursor: string) => pages<T>(transport, () => pageAt(firstRequest(), cursor), options);
  return new PagePromise(send(), next);
}

function pageAt({ method, path }: Request, cursor: string): Request {
  const url = new URL(path, 'https://api');
  url.searchParams.delete('offset');
  url.searchParams.set('cursor', cursor);
  return { method, path: url.pathname + url.search };
}

/** Returns the data of a response. @throws {UnexpectedAnswerError} if the response is not from the API */
export function parseData<T>({ response, json }: ApiResponse): T {
  const { success, data } = Object(json) as { success?: unknown; data?: T };
  if (success === true || response.status === 204) return data as T;
  const type = response.headers.get('content-type') ?? 'no content type';
  throw new UnexpectedAnswerError(
    `The response is not from the API: status ${response.status}, ${type}.`,
    'Call asResponse() to read it.',
  );
}

export function buildRequest(id: OperationId, { params = {}, query = {}, body }: OperationInput): Request {
  const [method, route] = OPERATIONS[id];
  const path = route.replace(/:(\w+)/g, (_, name: string) => segmentOf(name, params[name]));
  return { method, path: path + queryStringOf(query), body };
}

/** Encodes a path segment. @throws {TypeError} if it is empty, `.` or `..`, which would address another route */
export function segmentOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError(
      `${name} must be a non-empty string other than "." and ".."; got ${JSON.stringify(value) ?? 'undefined'}.`,
    );
  return encodeURIComponent(value);
}

/** Appends a query string to a path that may already contain one. */
export function pathWith(path: string, query: object): string {
  const search = queryStringOf(query);
  return path.includes('?') && search !== '' ? `${path}&${search.slice(1)}` : path + search;
}

/** Returns the query string with its `?`, or an empty string. Omits null and undefined values. */
export function queryStringOf(query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of query instanceof URLSearchParams ? query : Object.entries(query)) {
    if (value !== undefined && value !== null)
      search.append(name, value instanceof Date ? value.toISOString() : String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
