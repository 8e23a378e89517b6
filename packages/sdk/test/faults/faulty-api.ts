/**
 * A stub server with configurable faults: a few routes of the API on a local port.
 *
 * 1. It verifies signatures with the verifier of the REST API, but has its own replay window and clock.
 * 2. A POST takes effect once for each Idempotency-Key, even if its response is lost.
 * 3. Each request consumes one fault, in order. Without a fault, the server executes the request and responds.
 */
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { InMemoryReplayWindow, nobleEngine, verifyRequest } from '@trading-automation/signed-request/browser';

/** A request that the server received. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface Outcome {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Handles a request in place of the stub. `execute` executes the request and returns its outcome. */
export type Fault = (context: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly execute: () => Promise<Outcome>;
}) => void | Promise<void>;

/** A trade with the only fields that the tests need. */
export interface StoredTrade {
  readonly id: string;
  readonly client_order_id: string;
  readonly [more: string]: unknown;
}

const keyOf = (label: string) => `svc_test_${createHash('sha256').update(label).digest('base64url')}`;
export const API_KEY = keyOf('key of the faulty API');

export class FaultyApi {
  readonly requests: RecordedRequest[] = [];
  readonly faults: Fault[] = [];
  /** The stored trades, newest first, as in lists. */
  readonly trades: StoredTrade[] = [];
  /** The data of the event stream in order; the third has the id `evt_3`. */
  readonly events: string[] = [];
  /** The valid API keys. */
  readonly apiKeys = new Set([API_KEY]);
  /** Milliseconds by which the server's clock is ahead of the local clock. */
  skewMs = 0;
  /** Called before each page is returned, with the number of this page: 1 for the first. */
  beforePage: (pageNumber: number) => void = () => undefined;
  private pageCount = 0;
  private createdCount = 0;
  private readonly nonces = new InMemoryReplayWindow({ nowMs: () => this.nowMs() });
  private readonly storedOutcomes = new Map<string, Outcome>();
  private readonly changes = new EventEmitter();
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      void this.handle(request, response).catch((error) => response.destroy(error));
    });
  }

  static async start(): Promise<FaultyApi> {
    const api = new FaultyApi();
    api.server.listen(0, '127.0.0.1');
    await once(api.server, 'listening');
    return api;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Waits until the server has received this number of requests. */
  async waitForRequests(count: number): Promise<void> {
    while (this.requests.length < count) await once(this.changes, 'request');
  }

  private nowMs(): number {
    return Date.now() + this.skewMs;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = '', url = '', headers } = request;
    const recorded: RecordedRequest = {
      method,
      path: url,
      headers: headers as RecordedRequest['headers'],
      body,
    };
    this.requests.push(recorded);
    this.changes.emit('request');
    const execute = () => this.execute(recorded, request);
    const fault = this.faults.shift();
    if (fault !== undefined) return fault({ request, response, execute });
    const outcome = await execute();
    if (!url.startsWith('/v1/events/stream') || outcome.status !== 200) send(response, outcome);
    else this.stream(response, headers['last-event-id']);
  }

  private async execute(recorded: RecordedRequest, request: IncomingMessage): Promise<Outcome> {
    const rejection = await this.rejectionOf(recorded, request);
    if (rejection !== undefined) return rejection;
    const { method, path, headers } = recorded;
    const { pathname, searchParams } = new URL(path, this.origin);
    if (pathname === '/v1/trades' && method === 'GET') return this.page(searchParams);
    if (method === 'POST') {
      const key = String(headers['idempotency-key']);
      const known = this.storedOutcomes.get(key);
      if (known !== undefined) return { ...known, headers: { 'idempotency-replayed': 'true' } };
      const outcome = {
        status: 201,
        body: JSON.stringify({
          success: true,
          data: this.createTrade(JSON.parse(recorded.body).client_order_id),
        }),
      };
      this.storedOutcomes.set(key, outcome);
      return outcome;
    }
    return { status: 200, body: JSON.stringify({ success: true, data: { id: 'usr_1', path } }) };
  }

  /** Creates a trade at the start of the list. */
  createTrade(client_order_id: string): StoredTrade {
    const trade = { id: `trd_${++this.createdCount}`, client_order_id };
    this.trades.unshift(trade);
    return trade;
  }

  private page(query: URLSearchParams): Outcome {
    this.beforePage(++this.pageCount);
    const limit = Number(query.get('limit') ?? 2);
    const cursor = query.get('cursor');
    // The cursor is a position that created or deleted records do not shift, as in the API.
    const begin =
      cursor === null
        ? Number(query.get('offset') ?? 0)
        : this.trades.filter(({ id }) => numberOf(id) >= Number(cursor)).length;
    const data = this.trades.slice(begin, begin + limit);
    const has_more = begin + limit < this.trades.length;
    const next_cursor = has_more ? String(numberOf(data.at(-1)!.id)) : null;
    return {
      status: 200,
      body: JSON.stringify({
        success: true,
        data,
        pagination: { limit, offset: Number(query.get('offset') ?? 0), has_more, next_cursor },
      }),
    };
  }

  /** Sends up to `count` events after the event with the id `last`, and keeps the connection open. */
  stream(
    response: ServerResponse,
    last: string | string[] | undefined,
    count = Number.POSITIVE_INFINITY,
  ): void {
    const begin = last === undefined ? 0 : numberOf(String(last));
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(`retry: 1\nid: evt_${begin}\n\n`);
    for (const [index, data] of this.events.slice(begin, begin + count).entries())
      response.write(`id: evt_${begin + index + 1}\nevent: trade.filled\ndata: ${data}\n\n`);
  }

  /** Resets the number of returned pages, so that the next page is the first. */
  resetPageCount(): void {
    this.pageCount = 0;
  }

  private async rejectionOf(
    { method, path, body, headers }: RecordedRequest,
    request: IncomingMessage,
  ): Promise<Outcome | undefined> {
    const verdict = await verifyRequest(
      { method, path, headers: request.rawHeaders, body: new TextEncoder().encode(body) },
      {
        engine: nobleEngine,
        findPublicKey: async (key) => key,
        replayWindow: this.nonces,
        nowMs: () => this.nowMs(),
      },
    );
    if (verdict.kind === 'accepted') return undefined;
    if (verdict.kind === 'refused')
      return errorOutcome(401, verdict.code, [{ field: 'x-svc-timestamp', server_time: this.nowMs() }]);
    const key = headers['x-api-key'];
    return key !== undefined && this.apiKeys.has(key) ? undefined : errorOutcome(401, 'invalid_api_key');
  }
}

const numberOf = (id: string) => Number(id.split('_')[1]);

export function errorOutcome(status: number, code: string, details?: readonly object[]): Outcome {
  const error = { code, message: `Rejected: ${code}.`, details, request_id: 'req_of_body' };
  return { status, body: JSON.stringify({ success: false, error }) };
}

function send(response: ServerResponse, { status, headers, body }: Outcome): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': 'req_of_header',
    ...headers,
  });
  response.end(body);
}

/** Resets the connection without executing the request. */
export const reset: Fault = ({ request }) => {
  request.socket.resetAndDestroy();
};

/** Executes the request and resets the connection without a response. */
export const loseResponse: Fault = async ({ request, execute }) => {
  await execute();
  request.socket.resetAndDestroy();
};

/** Executes the request and disconnects in the middle of the response. */
export const cutResponse: Fault = async ({ response, execute }) => {
  const { status, body } = await execute();
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  response.write(body.slice(0, body.length / 2), () => response.destroy());
};

/** Executes the request and sends half of the response as if it were complete. */
export const truncateResponse: Fault = async ({ response, execute }) => {
  const { status, body } = await execute();
  send(response, { status, body: body.slice(0, body.length / 2) });
};

/** Sends no response and does not execute the request. */
export const hang: Fault = () => undefined;

/** Sends a response without executing the request. */
export const respondsWith =
  (outcome: Outcome): Fault =>
  ({ response }) =>
    send(response, outcome);

/** Sends an error that allows an immediate retry. */
export const rejectsWith = (
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Fault => respondsWith({ ...errorOutcome(status, code), headers: { 'retry-after-ms': '1', ...headers } });
