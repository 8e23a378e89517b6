/**
 * A stub server with configurable faults: a few routes of the API on a local port.
 *
 * 1. It judges signatures by the verifier of the real service, with a replay window and a clock of its own.
 * 2. A POST happens once for each Idempotency-Key, whatever becomes of its answer.
 * 3. Faults are met in the order they were given, one by each request; behind them all is well.
 */
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { InMemoryReplayWindow, nobleEngine, verifyRequest } from '@trading-automation/signed-request/browser';

/** A request as it came in. */
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

/** What happens to a request in place of its answer. `work` is what the service would have done and answered. */
export type Fault = (met: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly work: () => Promise<Outcome>;
}) => void | Promise<void>;

/** A trade with the minimum of fields. */
export interface StoredTrade {
  readonly id: string;
  readonly client_order_id: string;
  readonly [more: string]: unknown;
}

const keyOf = (label: string) => `svc_test_${createHash('sha256').update(label).digest('base64url')}`;
export const API_KEY = keyOf('key of the far side');

export class FaultyApi {
  readonly seen: RecordedRequest[] = [];
  readonly faults: Fault[] = [];
  /** The records, the newest first, as lists have them. */
  readonly trades: StoredTrade[] = [];
  /** What the stream of events sends, in order; event `evt_3` is the third. */
  readonly events: string[] = [];
  readonly keys = new Set([API_KEY]);
  /** How far its clock is ahead of this machine's. */
  skewMs = 0;
  /** Called with each request for a page, before it is answered. */
  beforePage: (count: number) => void = () => undefined;
  private pageCount = 0;
  private made = 0;
  private readonly nonces = new InMemoryReplayWindow({ nowMs: () => this.nowMs() });
  private readonly kept = new Map<string, Outcome>();
  private readonly changes = new EventEmitter();
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      void this.handle(request, response).catch((error) => response.destroy(error));
    });
  }

  static async start(): Promise<FaultyApi> {
    const farSide = new FaultyApi();
    farSide.server.listen(0, '127.0.0.1');
    await once(farSide.server, 'listening');
    return farSide;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Resolves once so many requests came in. */
  async waitForRequests(count: number): Promise<void> {
    while (this.seen.length < count) await once(this.changes, 'seen');
  }

  private nowMs(): number {
    return Date.now() + this.skewMs;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = '', url = '', headers } = request;
    const seen: RecordedRequest = { method, path: url, headers: headers as RecordedRequest['headers'], body };
    this.seen.push(seen);
    this.changes.emit('seen');
    const work = () => this.work(seen, request);
    const fault = this.faults.shift();
    if (fault !== undefined) return fault({ request, response, work });
    const outcome = await work();
    if (!url.startsWith('/v1/events/stream') || outcome.status !== 200) send(response, outcome);
    else this.stream(response, headers['last-event-id']);
  }

  private async work(seen: RecordedRequest, request: IncomingMessage): Promise<Outcome> {
    const refused = await this.refusalOf(seen, request);
    if (refused !== undefined) return refused;
    const { method, path, headers } = seen;
    const { pathname, searchParams } = new URL(path, this.origin);
    if (pathname === '/v1/trades' && method === 'GET') return this.page(searchParams);
    if (method === 'POST') {
      const key = String(headers['idempotency-key']);
      const known = this.kept.get(key);
      if (known !== undefined) return { ...known, headers: { 'idempotency-replayed': 'true' } };
      const outcome = {
        status: 201,
        body: JSON.stringify({ success: true, data: this.make(JSON.parse(seen.body).client_order_id) }),
      };
      this.kept.set(key, outcome);
      return outcome;
    }
    return { status: 200, body: JSON.stringify({ success: true, data: { id: 'usr_1', path } }) };
  }

  /** A trade more, before all others. */
  make(client_order_id: string): StoredTrade {
    const trade = { id: `trd_${++this.made}`, client_order_id };
    this.trades.unshift(trade);
    return trade;
  }

  private page(query: URLSearchParams): Outcome {
    this.beforePage(++this.pageCount);
    const limit = Number(query.get('limit') ?? 2);
    const cursor = query.get('cursor');
    // By position in the order, like keyset cursors: records that are created or deleted meanwhile shift no position.
    const begin =
      cursor === null
        ? Number(query.get('offset') ?? 0)
        : this.trades.filter(({ id }) => placeOf(id) >= Number(cursor)).length;
    const data = this.trades.slice(begin, begin + limit);
    const has_more = begin + limit < this.trades.length;
    const next_cursor = has_more ? String(placeOf(data.at(-1)!.id)) : null;
    return {
      status: 200,
      body: JSON.stringify({
        success: true,
        data,
        pagination: { limit, offset: Number(query.get('offset') ?? 0), has_more, next_cursor },
      }),
    };
  }

  /** The events after `last`, so many of them as asked for; the connection stays. */
  stream(
    response: ServerResponse,
    last: string | string[] | undefined,
    count = Number.POSITIVE_INFINITY,
  ): void {
    const begin = last === undefined ? 0 : placeOf(String(last));
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(`retry: 1\nid: evt_${begin}\n\n`);
    for (const [index, data] of this.events.slice(begin, begin + count).entries())
      response.write(`id: evt_${begin + index + 1}\nevent: trade.filled\ndata: ${data}\n\n`);
  }

  /** The next page is the first again. */
  forgetPages(): void {
    this.pageCount = 0;
  }

  private async refusalOf(
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
    return key !== undefined && this.keys.has(key) ? undefined : errorOutcome(401, 'invalid_api_key');
  }
}

const placeOf = (id: string) => Number(id.split('_')[1]);

export function errorOutcome(status: number, code: string, details?: readonly object[]): Outcome {
  const error = { code, message: `Refused: ${code}.`, details, request_id: 'req_of_body' };
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

/** The connection ends without an answer, and nothing was done. */
export const reset: Fault = ({ request }) => {
  request.socket.resetAndDestroy();
};

/** All was done, and the answer never comes. */
export const loseResponse: Fault = async ({ request, work }) => {
  await work();
  request.socket.resetAndDestroy();
};

/** All was done, and the answer ends in its middle. */
export const cutResponse: Fault = async ({ response, work }) => {
  const { status, body } = await work();
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  response.write(body.slice(0, body.length / 2), () => response.destroy());
};

/** All was done, and something between took half of the answer for all of it. */
export const truncateResponse: Fault = async ({ response, work }) => {
  const { status, body } = await work();
  send(response, { status, body: body.slice(0, body.length / 2) });
};

/** Nothing comes. */
export const hang: Fault = () => undefined;

/** Answers without having done anything. */
export const respondsWith =
  (outcome: Outcome): Fault =>
  ({ response }) =>
    send(response, outcome);

/** A refusal that says when to come back: at once. */
export const rejectsWith = (
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Fault => respondsWith({ ...errorOutcome(status, code), headers: { 'retry-after-ms': '1', ...headers } });
