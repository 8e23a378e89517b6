/**
 * An in-memory API: responds to a client's requests and records them.
 *
 * 1. An operation responds with its configured one-time responses in order, then with its configured permanent
 *    response. Without either, it responds with a record that matches the contract.
 * 2. The client behaves as in production; only `fetch` is replaced. Pages are linked by cursors, errors have their code
 *    and status, and decimals have the requested form.
 * 3. Retries do not wait: each transient error has the header `retry-after-ms: 0`.
 */

import type { DecimalForm } from '../core/decimals.js';
import { GRAPHQL_PATH } from '../core/graphql.js';
import type { ErrorCode } from '../generated/error-codes.js';
import { ERRORS_BY_CODE } from '../generated/fixtures.js';
import { OPERATIONS, type OperationId } from '../generated/operations.js';
import type { OperationTypes } from '../generated/records.js';
import { fixture } from './records.js';
import { type Route, routeOf } from './routes.js';

type ResponseKind<Id extends OperationId> = (typeof OPERATIONS)[Id] extends readonly [string, string, infer K]
  ? K
  : 'record';
type InputOf<
  Id extends OperationId,
  Name extends string,
  D extends DecimalForm,
> = OperationTypes<D>[Id] extends { [Key in Name]?: infer Value } ? Value : undefined;

/** A configurable response: changes to the default record or, for a list or a stream, its items. */
export type AnswerOf<Id extends OperationId, D extends DecimalForm = 'number'> =
  ResponseKind<Id> extends 'list' | 'stream'
    ? readonly Partial<OperationTypes<D>[Id]['data']>[]
    : Partial<OperationTypes<D>[Id]['data']>;

/** A recorded request. */
export interface FakeRequest<Id extends OperationId = OperationId, D extends DecimalForm = 'number'> {
  /** Id of the operation, such as `trades.get`. */
  readonly operation: Id;
  /** The HTTP method. */
  readonly method: string;
  /** The request target, including the query string. */
  readonly path: string;
  /** The path parameters. */
  readonly params: NonNullable<InputOf<Id, 'params', D>>;
  /** The query, each value as a string. */
  readonly query: Readonly<Record<string, string>>;
  /** The parsed JSON body. */
  readonly body: InputOf<Id, 'body', D>;
  /** The headers of the request. */
  readonly headers: Headers;
}

/** A response, or a function that returns one for a request. */
export type Answering<Id extends OperationId, D extends DecimalForm = 'number'> =
  | AnswerOf<Id, D>
  | ((request: FakeRequest<Id, D>) => AnswerOf<Id, D> | Promise<AnswerOf<Id, D>>);

/** A recorded GraphQL request. */
export interface FakeGraphqlRequest {
  /** The document, as a string. */
  readonly query: string;
  /** The variables of the operation. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The headers of the request. */
  readonly headers: Headers;
}

/** The details of a configured error. */
export interface FailureDetails {
  /** Default: the meaning of the error code. */
  readonly message?: string;
  /** The invalid fields. Default: none. */
  readonly details?: readonly {
    readonly field?: string;
    readonly code?: string;
    readonly message?: string;
  }[];
  /** Additional headers, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
}

type AnyRequest = FakeRequest<OperationId, DecimalForm>;
type Reply = (request: AnyRequest, route: Route) => Response | Promise<Response>;

const PAGE_DEFAULT = 20;

/**
 * An in-memory API. Pass its `fetch` to a client, or use {@link createTestClient}.
 *
 * @example
 * import { Client } from '@trading-automation/sdk';
 * import { FakeApi } from '@trading-automation/sdk/testing';
 *
 * const api = new FakeApi().answer('trades.list', [{ symbol: 'ETH/USDT' }, { symbol: 'BTC/USDT' }]);
 * const client = new Client({ baseURL: 'https://api.test', apiKey: 'svc_test_fake', fetch: api.fetch });
 * for await (const trade of client.trades.list()) console.log(trade.symbol);
 */
export class FakeApi<D extends DecimalForm = 'number'> {
  /** All REST requests in order, including retries. */
  readonly requests: FakeRequest[] = [];
  /** All GraphQL requests in order, including retries. */
  readonly graphqlRequests: FakeGraphqlRequest[] = [];
  readonly #permanentReplies = new Map<OperationId, Reply>();
  readonly #oneTimeReplies = new Map<OperationId, Reply[]>();
  #graphqlAnswer: ((request: FakeGraphqlRequest) => unknown) | undefined;

  /** Replaces the runtime's `fetch`. Bound, so that it can be passed as a value. */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    init.signal?.throwIfAborted();
    const { pathname, search, searchParams } = new URL(url);
    const { method = 'GET' } = init;
    const headers = new Headers(init.headers);
    const body = typeof init.body === 'string' && init.body !== '' ? JSON.parse(init.body) : undefined;
    if (method === 'POST' && pathname === GRAPHQL_PATH) return this.#replyGraphql({ ...body, headers });
    const route = routeOf(method, pathname);
    if (route === undefined) return errorResponse('route_not_found', {});
    const { operation, params } = route;
    const query = Object.fromEntries(searchParams);
    const request = { operation, method, path: pathname + search, params, query, body, headers };
    this.requests.push(request as unknown as FakeRequest);
    const reply =
      this.#oneTimeReplies.get(operation)?.shift() ?? this.#permanentReplies.get(operation) ?? fixtureReply;
    const response = await reply(request as unknown as AnyRequest, route);
    init.signal?.throwIfAborted();
    return response;
  };

  /**
   * Sets the permanent response of an operation.
   *
   * @example
   * import { createTestClient } from '@trading-automation/sdk/testing';
   *
   * const { client, api } = createTestClient();
   * api.answer('trades.create', ({ body }) => ({ side: body.side, status: 'FILLED' }));
   * api.answer('trades.list', [{ symbol: 'ETH/USDT' }, { symbol: 'BTC/USDT' }]);
   * const trades = await client.trades.list().toArray({ limit: 10 });
   */
  answer<Id extends OperationId>(id: Id, answer: Answering<Id, D>): this {
    this.#permanentReplies.set(id, toReply(answer as ReplyInput));
    return this;
  }

  /**
   * Adds a one-time response of an operation, used after the one-time responses added before it.
   *
   * @example
   * import { createTestClient } from '@trading-automation/sdk/testing';
   *
   * const { client, api } = createTestClient();
   * api.answerOnce('trades.get', { status: 'PENDING' }).answerOnce('trades.get', { status: 'FILLED' });
   * const trade = await client.trades.waitUntil('trd_1', { pollInterval: 1 });
   */
  answerOnce<Id extends OperationId>(id: Id, answer: Answering<Id, D>): this {
    return this.#addOneTimeReply(id, toReply(answer as ReplyInput));
  }

  /**
   * Makes every request of an operation fail with an error code and the status of that code.
   *
   * @example
   * import { createTestClient } from '@trading-automation/sdk/testing';
   *
   * const { client, api } = createTestClient();
   * api.fail('trades.cancel', 'invalid_state', { message: 'The trade is filled.' });
   * const error = await client.trades.cancel('trd_1').catch((reason) => reason);
   * console.log(String(error)); // ConflictError: The trade is filled.
   */
  fail(id: OperationId, code: ErrorCode, details: FailureDetails = {}): this {
    this.#permanentReplies.set(id, () => errorResponse(code, details));
    return this;
  }

  /**
   * Makes the next request of an operation fail. For tests of retries.
   *
   * @example
   * import { createTestClient } from '@trading-automation/sdk/testing';
   *
   * const { client, api } = createTestClient({ maxRetries: 1 });
   * api.failOnce('me.get', 'service_unavailable');
   * await client.me.get();
   * console.log(api.requests.length); // 2
   */
  failOnce(id: OperationId, code: ErrorCode, details: FailureDetails = {}): this {
    return this.#addOneTimeReply(id, () => errorResponse(code, details));
  }

  /**
   * Drops the connection of the next request of an operation. The client gets no response and cannot know whether the
   * request was executed.
   *
   * @example
   * import { createTestClient } from '@trading-automation/sdk/testing';
   *
   * const { client, api } = createTestClient();
   * api.disconnectOnce('trades.cancel');
   * const error = await client.trades.cancel('trd_1').catch((reason) => reason);
   * console.log(String(error)); // ConnectionError: No response from https://api.test: ECONNRESET
   */
  disconnectOnce(id: OperationId): this {
    return this.#addOneTimeReply(id, () => {
      throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
    });
  }

  /**
   * Sets the data that GraphQL requests return, or a function that computes it from the request.
   *
   * @example
   * import { createTestClient } from '@trading-automation/sdk/testing';
   *
   * const { client, api } = createTestClient();
   * api.answerGraphql({ me: { id: 'usr_1' } });
   * const { me } = await client.graphql<{ me: { id: string } }>('{ me { id } }');
   */
  answerGraphql(answer: object | ((request: FakeGraphqlRequest) => object)): this {
    this.#graphqlAnswer = typeof answer === 'function' ? (answer as () => object) : () => answer;
    return this;
  }

  /**
   * Returns the requests of one operation in order.
   *
   * @example
   * import { createTestClient } from '@trading-automation/sdk/testing';
   *
   * const { client, api } = createTestClient();
   * await client.trades.list({ status: 'FILLED' });
   * console.log(api.requestsOf('trades.list')[0]?.query.status); // FILLED
   */
  requestsOf<Id extends OperationId>(id: Id): FakeRequest<Id>[] {
    return this.requests.filter(({ operation }) => operation === id) as unknown as FakeRequest<Id>[];
  }

  /**
   * Removes all configured responses and recorded requests.
   *
   * @example
   * import { FakeApi } from '@trading-automation/sdk/testing';
   *
   * const api = new FakeApi().fail('me.get', 'permission_denied');
   * api.reset();
   */
  reset(): this {
    this.requests.length = 0;
    this.graphqlRequests.length = 0;
    this.#permanentReplies.clear();
    this.#oneTimeReplies.clear();
    this.#graphqlAnswer = undefined;
    return this;
  }

  #addOneTimeReply(id: OperationId, reply: Reply): this {
    this.#oneTimeReplies.set(id, [...(this.#oneTimeReplies.get(id) ?? []), reply]);
    return this;
  }

  #replyGraphql(request: FakeGraphqlRequest): Response {
    this.graphqlRequests.push(request);
    if (this.#graphqlAnswer === undefined)
      return json(200, {
        errors: [{ message: 'No GraphQL response is configured. Call answerGraphql().', extensions: {} }],
      });
    return json(200, { data: this.#graphqlAnswer(request) });
  }
}

/** An untyped response; the public methods check its type. */
type ReplyInput = object | ((request: AnyRequest) => object | Promise<object>);

const fixtureReply: Reply = (request, route) => toReply(route.kind === 'record' ? {} : [{}])(request, route);

function toReply(input: ReplyInput): Reply {
  return async (request, { kind, params }) => {
    const { operation, headers, query } = request;
    const decimals = headers.get('accept')?.includes('decimals=string') ? 'string' : 'number';
    const defaults = fixture(operation, {}, decimals) as object;
    const result: object = typeof input === 'function' ? await input(request) : input;
    if (kind === 'record')
      return json(200, { success: true, data: { ...withRequestedId(defaults, params), ...result } });
    const items = (result as readonly object[]).map((item) => ({ ...defaults, ...item }));
    return kind === 'list' ? page(items, query) : stream(items, headers.get('last-event-id'));
  };
}

/** Returns the default record with the id or the setting key that the path contains. */
function withRequestedId(defaults: object, params: Readonly<Record<string, string>>): object {
  const { id, key } = defaults as { id?: unknown; key?: unknown };
  const prefix = typeof id === 'string' ? id.split('_', 1)[0] : undefined;
  const requested = Object.values(params).find((param) => param.split('_', 1)[0] === prefix);
  return {
    ...defaults,
    ...(requested === undefined ? {} : { id: requested }),
    ...(key === undefined || params.key === undefined ? {} : { key: params.key }),
  };
}

function page(items: readonly object[], query: Readonly<Record<string, string>>): Response {
  const limit = Number(query.limit ?? PAGE_DEFAULT);
  const offset = Number(query.cursor ?? query.offset ?? 0);
  const end = offset + limit;
  const has_more = end < items.length;
  const pagination = {
    limit,
    offset,
    has_more,
    next_cursor: has_more ? String(end) : null,
    ...(query.include?.includes('total') ? { total: items.length } : {}),
  };
  return json(200, { success: true, data: items.slice(offset, end), pagination });
}

/** Returns a stream of the events after `lastId`, or of all. The stream stays open until the client closes it. */
function stream(events: readonly object[], lastId: string | null): Response {
  const idOf = (event: object) => String((event as { event_id?: unknown }).event_id);
  const from = events.findIndex((event) => idOf(event) === lastId) + 1;
  const text = events
    .slice(from)
    .map((event) => `id: ${idOf(event)}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(`: open\n\n${text}`)),
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function errorResponse(code: ErrorCode, { message, details, headers }: FailureDetails): Response {
  const entry = ERRORS_BY_CODE[code as keyof typeof ERRORS_BY_CODE] as readonly [number, string] | undefined;
  if (entry === undefined) throw new TypeError(`Unknown error code: ${code}. Use a code of the API.`);
  const [status, meaning] = entry;
  const isTransient = status === 429 || status >= 500;
  const error = { code, message: message ?? meaning, ...(details === undefined ? {} : { details }) };
  return json(
    status,
    { success: false, error: { ...error, request_id: REQUEST_ID } },
    { ...(isTransient ? { 'retry-after-ms': '0' } : {}), ...headers },
  );
}

const REQUEST_ID = 'req_test';

function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': REQUEST_ID, ...headers },
  });
}
