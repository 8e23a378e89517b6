import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A reply: the data of a success, or the status and code of an error. */
export type StubReply =
  | { readonly data: unknown; readonly pagination?: unknown }
  | { readonly status: number; readonly code: string };

/** A request that is not for the event stream. */
export interface RecordedRequest {
  readonly route: string;
  readonly url: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

const PAGE = { limit: 20, offset: 0, has_more: false, next_cursor: null };

/** A local API with an event stream that a test can disconnect, and with replies that a test sets. */
export class StubStreamingApi {
  readonly requests: RecordedRequest[] = [];
  /** `Last-Event-ID` of each connection to the event stream; empty if the header was missing. */
  readonly resumedAfter: string[] = [];
  private readonly replies = new Map<string, (request: RecordedRequest) => StubReply>();
  private readonly events: { readonly id: string; readonly data: string }[] = [];
  /** The open connections to the event stream, each with the index of the next event to send. */
  private readonly readers = new Map<ServerResponse, number>();
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StubStreamingApi> {
    const server = createServer();
    const stub = new StubStreamingApi(server);
    server.on('request', (request, response) => void stub.serve(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sets the reply of a route such as `GET /v1/me`. */
  on(route: string, reply: StubReply | ((request: RecordedRequest) => StubReply)): this {
    this.replies.set(route, typeof reply === 'function' ? reply : () => reply);
    return this;
  }

  /** Sets a list of one page as the reply of a route. */
  onList(route: string, items: readonly unknown[]): this {
    return this.on(route, { data: items, pagination: PAGE });
  }

  /** Sends an event to the connected readers, and to those that reconnect later. */
  push(id: string, data: string): void {
    this.events.push({ id, data });
    for (const reader of this.readers.keys()) this.send(reader);
  }

  /** Disconnects all readers of the event stream. */
  cut(): void {
    for (const reader of this.readers.keys()) reader.destroy();
    this.readers.clear();
  }

  /** Waits until the event stream has had this number of connections. */
  async waitForConnections(count: number): Promise<void> {
    while (this.resumedAfter.length < count)
      await new Promise<void>((resolve) => {
        const once = () => {
          this.waiting.delete(once);
          resolve();
        };
        this.waiting.add(once);
      });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const [path = ''] = url.split('?');
    const route = `${method} ${path}`;
    if (path === '/v1/events/stream' && !this.replies.has(route)) return this.stream(headers, response);
    const recorded = { route, url, headers, body: await text(request) };
    this.requests.push(recorded);
    const reply = this.replies.get(route)?.(recorded) ?? { status: 404, code: 'not_found' };
    const [status, body] =
      'data' in reply
        ? [200, { success: true, ...reply }]
        : [reply.status, { success: false, error: { code: reply.code, message: `${route} failed.` } }];
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_test' });
    response.end(JSON.stringify(body));
  }

  private stream(headers: IncomingMessage['headers'], response: ServerResponse): void {
    const after = headers['last-event-id'];
    const position = this.events.findIndex(({ id }) => id === after) + 1;
    const beginsAfter = String(after ?? this.events.at(-1)?.id ?? 'evt_0');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`retry: 5\nid: ${beginsAfter}\n\n`);
    this.readers.set(response, after === undefined ? this.events.length : position);
    response.on('close', () => this.readers.delete(response));
    this.resumedAfter.push(String(after ?? ''));
    this.send(response);
    for (const wake of this.waiting) wake();
  }

  private send(reader: ServerResponse): void {
    const from = this.readers.get(reader) ?? 0;
    for (const { id, data } of this.events.slice(from)) reader.write(`id: ${id}\ndata: ${data}\n\n`);
    this.readers.set(reader, this.events.length);
  }
}
