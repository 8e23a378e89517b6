/**
 * The API without a server: answers a client's requests in memory, and remembers them.
 *
 * 1. Every operation answers from the beginning on, with a record of the contract's form. What was told to answer, or
 *    to fail, goes before that: first what was told for once, in the order of telling, then what was told for good.
 * 2. What the client does is what it does everywhere: only `fetch` is another. Pages hang together by cursors, refusals
 *    have their code and status, decimals are as they were asked for.
 * 3. Nothing waits: a refusal that may pass may be asked again at once.
 */

import type { DecimalForm } from '../core/decimals.js';
import { GRAPHQL_PATH } from '../core/graphql.js';
import type { ErrorCode } from '../generated/error-codes.js';
import { REFUSALS } from '../generated/fixtures.js';
import { OPERATIONS, type OperationId } from '../generated/operations.js';
import type { OperationTypes } from '../generated/records.js';
import { fixture } from './records.js';
import { type Route, routeOf } from './routes.js';

type Kind<Id extends OperationId> = (typeof OPERATIONS)[Id] extends readonly [string, string, infer K]
  ? K
  : 'record';
type Part<
  Id extends OperationId,
  Name extends string,
  D extends DecimalForm,
> = OperationTypes<D>[Id] extends { [Key in Name]?: infer Value } ? Value : undefined;

/** What an operation can be told to answer: changes of its usual record; of a list or a stream, its items. */
export type AnswerOf<Id extends OperationId, D extends DecimalForm = 'number'> =
  Kind<Id> extends 'list' | 'stream'
    ? readonly Partial<OperationTypes<D>[Id]['data']>[]
    : Partial<OperationTypes<D>[Id]['data']>;

/** A request that was made. */
export interface FakeRequest<Id extends OperationId = OperationId, D extends DecimalForm = 'number'> {
  readonly operation: Id;
  readonly method: string;
  /** The target, query string included. */
  readonly path: string;
  /** What stands in the path. */
  readonly params: NonNullable<Part<Id, 'params', D>>;
  /** The query, each value as its text. */
  readonly query: Readonly<Record<string, string>>;
  /** What was sent, read from JSON. */
  readonly body: Part<Id, 'body', D>;
  readonly headers: Headers;
}

/** Makes an answer of a request. */
export type Answering<Id extends OperationId, D extends DecimalForm = 'number'> =
  | AnswerOf<Id, D>
  | ((request: FakeRequest<Id, D>) => AnswerOf<Id, D> | Promise<AnswerOf<Id, D>>);

/** A document with its variables, as it was sent. */
export interface FakeGraphqlRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** What is wrong, beside its code. */
export interface FailureDetails {
  readonly message?: string;
  readonly details?: readonly {
    readonly field?: string;
    readonly code?: string;
    readonly message?: string;
  }[];
  /** Further headers, like `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
}

type AnyRequest = FakeRequest<OperationId, DecimalForm>;
type Reply = (request: AnyRequest, route: Route) => Response | Promise<Response>;

const PAGE_DEFAULT = 20;

/**
 * An API in memory: give a client its `fetch`, or let {@link createTestClient} do so.
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
  /** Every request of an operation, in order; repetitions among them. */
  readonly requests: FakeRequest[] = [];
  /** Every document that was asked for. */
  readonly graphqlRequests: FakeGraphqlRequest[] = [];
  readonly #steady = new Map<OperationId, Reply>();
  readonly #once = new Map<OperationId, Reply[]>();
  #graphqlAnswer: ((request: FakeGraphqlRequest) => unknown) | undefined;

  /** In place of the runtime's; bound, so that it can be handed on. */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    init.signal?.throwIfAborted();
    const { pathname, search, searchParams } = new URL(url);
    const { method = 'GET' } = init;
    const headers = new Headers(init.headers);
    const body = typeof init.body === 'string' && init.body !== '' ? JSON.parse(init.body) : undefined;
    if (method === 'POST' && pathname === GRAPHQL_PATH) return this.#replyGraphql({ ...body, headers });
    const route = routeOf(method, pathname);
    if (route === undefined) return refusal('route_not_found', {});
    const { operation, params } = route;
    const query = Object.fromEntries(searchParams);
    const request = { operation, method, path: pathname + search, params, query, body, headers };
    this.requests.push(request as unknown as FakeRequest);
    const reply = this.#once.get(operation)?.shift() ?? this.#steady.get(operation) ?? fixtureReply;
    const response = await reply(request as unknown as AnyRequest, route);
    init.signal?.throwIfAborted();
    return response;
  };

  /**
   * Has an operation answer so from now on.
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
    this.#steady.set(id, toReply(answer as ReplyInput));
    return this;
  }

  /**
   * Has an operation answer so once, after what it was told before; then as it did.
   *
   * @example
   * import { createTestClient } from '@trading-automation/sdk/testing';
   *
   * const { client, api } = createTestClient();
   * api.answerOnce('trades.get', { status: 'PENDING' }).answerOnce('trades.get', { status: 'FILLED' });
   * const trade = await client.trades.waitUntil('trd_1', { pollInterval: 1 });
   */
  answerOnce<Id extends OperationId>(id: Id, answer: Answering<Id, D>): this {
    return this.#next(id, toReply(answer as ReplyInput));
  }

  /**
   * Has an operation refuse from now on, by the code and its status.
   *
   * @example
   * import { createTestClient } from '@trading-automation/sdk/testing';
   *
   * const { client, api } = createTestClient();
   * api.fail('trades.cancel', 'invalid_state', { message: 'It is filled.' });
   * const error = await client.trades.cancel('trd_1').catch((reason) => reason);
   * console.log(String(error)); // ConflictError: It is filled.
   */
  fail(id: OperationId, code: ErrorCode, details: FailureDetails = {}): this {
    this.#steady.set(id, () => refusal(code, details));
    return this;
  }

  /**
   * Has an operation refuse once: to see how a client goes on.
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
    return this.#next(id, () => refusal(code, details));
  }

  /**
   * Has the connection break at an operation once: no answer comes, and whether it was carried out is not known.
   *
   * @example
   * import { createTestClient } from '@trading-automation/sdk/testing';
   *
   * const { client, api } = createTestClient();
   * api.disconnectOnce('trades.cancel');
   * const error = await client.trades.cancel('trd_1').catch((reason) => reason);
   * console.log(String(error)); // ConnectionError: No answer from https://api.test: ECONNRESET
   */
  disconnectOnce(id: OperationId): this {
    return this.#next(id, () => {
      throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
    });
  }

  /**
   * Has GraphQL answer with data, the same or made of the request.
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
   * The requests of one operation, in order.
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
   * Forgets what it was told and what it was asked.
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
    this.#steady.clear();
    this.#once.clear();
    this.#graphqlAnswer = undefined;
    return this;
  }

  #next(id: OperationId, reply: Reply): this {
    this.#once.set(id, [...(this.#once.get(id) ?? []), reply]);
    return this;
  }

  #replyGraphql(request: FakeGraphqlRequest): Response {
    this.graphqlRequests.push(request);
    if (this.#graphqlAnswer === undefined)
      return json(200, { errors: [{ message: 'No answer was told: see answerGraphql.', extensions: {} }] });
    return json(200, { data: this.#graphqlAnswer(request) });
  }
}

/** Without its types: what fits an operation was seen to where it was told. */
type ReplyInput = object | ((request: AnyRequest) => object | Promise<object>);

const fixtureReply: Reply = (request, route) => toReply(route.kind === 'record' ? {} : [{}])(request, route);

function toReply(given: ReplyInput): Reply {
  return async (request, { kind, params }) => {
    const { operation, headers, query } = request;
    const decimals = headers.get('accept')?.includes('decimals=string') ? 'string' : 'number';
    const usual = fixture(operation, {}, decimals) as object;
    const told: object = typeof given === 'function' ? await given(request) : given;
    if (kind === 'record')
      return json(200, { success: true, data: { ...withRequestedId(usual, params), ...told } });
    const items = (told as readonly object[]).map((item) => ({ ...usual, ...item }));
    return kind === 'list' ? page(items, query) : stream(items, headers.get('last-event-id'));
  };
}

/** The usual record, under the id that was asked for. */
function withRequestedId(usual: object, params: Readonly<Record<string, string>>): object {
  const { id, key } = usual as { id?: unknown; key?: unknown };
  const prefix = typeof id === 'string' ? id.split('_', 1)[0] : undefined;
  const asked = Object.values(params).find((param) => param.split('_', 1)[0] === prefix);
  return {
    ...usual,
    ...(asked === undefined ? {} : { id: asked }),
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

/** The events after the last that was seen; then it stays open until the client leaves. */
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

function refusal(code: ErrorCode, { message, details, headers }: FailureDetails): Response {
  const known = REFUSALS[code as keyof typeof REFUSALS] as readonly [number, string] | undefined;
  if (known === undefined) throw new TypeError(`The API has no code ${code}.`);
  const [status, meaning] = known;
  const mayPass = status === 429 || status >= 500;
  const error = { code, message: message ?? meaning, ...(details === undefined ? {} : { details }) };
  return json(
    status,
    { success: false, error: { ...error, request_id: REQUEST_ID } },
    { ...(mayPass ? { 'retry-after-ms': '0' } : {}), ...headers },
  );
}

const REQUEST_ID = 'req_test';

function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': REQUEST_ID, ...headers },
  });
}
