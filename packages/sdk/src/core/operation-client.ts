/** Turns calls of operations into requests, by the table of operations: method, path and types come from there alone. */

import { OPERATIONS, type OperationId } from '../generated/operations.js';
import type { OperationTypes } from '../generated/records.js';
import { ApiPromise, type ApiResponse } from './api-promise.js';
import type { DecimalForm } from './decimals.js';
import { UnexpectedAnswerError } from './errors.js';
import { PagePromise } from './page.js';
import type { Request, RequestOptions, Transport } from './transport.js';

/** `data` of an operation's answer; of a list, one item. */
export type DataOf<Id extends OperationId, D extends DecimalForm> = OperationTypes<D>[Id]['data'];

/** What goes with a call. */
export interface OperationInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: unknown;
}

export class OperationClient<D extends DecimalForm> {
  constructor(readonly transport: Transport) {}

  /** One record. */
  call<Id extends OperationId>(
    id: Id,
    input: OperationInput,
    options?: RequestOptions,
  ): ApiPromise<DataOf<Id, D>> {
    return new ApiPromise(this.send(id, input, options), parseData<DataOf<Id, D>>);
  }

  /** Many records, page after page. */
  list<Id extends OperationId>(
    id: Id,
    input: OperationInput,
    options?: RequestOptions,
  ): PagePromise<DataOf<Id, D>> {
    return pages(this.transport, () => buildRequest(id, input), options);
  }

  /** A mistake in the input rejects as all else does: nobody has to look for errors in two places. */
  private async send(id: OperationId, input: OperationInput, options?: RequestOptions): Promise<ApiResponse> {
    return this.transport.send(buildRequest(id, input), options);
  }
}

/** The page that a request asks for, and those after it. A request that can't be made rejects. */
export function pages<T>(
  transport: Transport,
  first: () => Request,
  options?: RequestOptions,
): PagePromise<T> {
  const answer = async () => transport.send(first(), options);
  const next = (cursor: string) => pages<T>(transport, () => pageAt(first(), cursor), options);
  return new PagePromise(answer(), next);
}

function pageAt({ method, path }: Request, cursor: string): Request {
  const url = new URL(path, 'https://api');
  url.searchParams.delete('offset');
  url.searchParams.set('cursor', cursor);
  return { method, path: url.pathname + url.search };
}

/** @throws {UnexpectedAnswerError} where the answer is none of the API */
export function parseData<T>({ response, json }: ApiResponse): T {
  const { success, data } = Object(json) as { success?: unknown; data?: T };
  if (success === true || response.status === 204) return data as T;
  const type = response.headers.get('content-type') ?? 'nothing';
  throw new UnexpectedAnswerError(
    `Not an answer of the API: ${response.status} with ${type}. asResponse() gives it as it is.`,
  );
}

export function buildRequest(id: OperationId, { params = {}, query = {}, body }: OperationInput): Request {
  const [method, route] = OPERATIONS[id];
  const path = route.replace(/:(\w+)/g, (_, name: string) => segmentOf(name, params[name]));
  return { method, path: path + queryStringOf(query), body };
}

/** An empty one, or one that means a place above, would be another route. */
export function segmentOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError(`${name} is a text that is not empty, not ${JSON.stringify(value) ?? 'undefined'}.`);
  return encodeURIComponent(value);
}

/** A path, which may have a query already, with more of it. */
export function pathWith(path: string, query: object): string {
  const search = queryStringOf(query);
  return path.includes('?') && search !== '' ? `${path}&${search.slice(1)}` : path + search;
}

/** The query string with its `?`, or nothing; what is undefined is left out. */
export function queryStringOf(query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of query instanceof URLSearchParams ? query : Object.entries(query)) {
    if (value !== undefined && value !== null)
      search.append(name, value instanceof Date ? value.toISOString() : String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
