import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What is answered: the data of a success, or a refusal by its status. */
export type StubReply =
  | { readonly data: unknown; readonly pagination?: unknown }
  | { readonly status: number; readonly code: string };

/** A request that is no stream. */
export interface RecordedRequest {
  readonly route: string;
  readonly url: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

const PAGE = { limit: 20, offset: 0, has_more: false, next_cursor: null };

/** An API on this machine with a stream of events that can be cut, and answers that a test decides on. */
export class StubStreamingApi {
  readonly requests: RecordedRequest[] = [];
  /** `Last-Event-ID` of each connection of the stream; empty where it named none. */
  readonly resumedAfter: string[] = [];
  private readonly answers = new Map<string, (asked: RecordedRequest) => StubReply>();
  private readonly events: { readonly id: string; readonly data: string }[] = [];
  private readonly readers = new Map<ServerResponse, number>();
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StubStreamingApi> {
    const server = createServer();
    const side = new StubStreamingApi(server);
    server.on('request', (request, response) => void side.serve(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return side;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on `GET /v1/me` and so on answers so. */
  on(route: string, told: StubReply | ((asked: RecordedRequest) => StubReply)): this {
    this.answers.set(route, typeof told === 'function' ? told : () => told);
    return this;
  }

  /** A list of one page. */
  onList(route: string, items: readonly unknown[]): this {
    return this.on(route, { data: items, pagination: PAGE });
  }

  /** Sends an event to current and to reconnecting readers. */
  push(id: string, data: string): void {
    this.events.push({ id, data });
    for (const reader of this.readers.keys()) this.send(reader);
  }

  /** Connections of the stream end in the middle of it. */
  cut(): void {
    for (const reader of this.readers.keys()) reader.destroy();
    this.readers.clear();
  }

  /** Once so many connections of the stream were opened. */
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
    if (path === '/v1/events/stream' && !this.answers.has(route)) return this.stream(headers, response);
    const asked = { route, url, headers, body: await text(request) };
    this.requests.push(asked);
    const told = this.answers.get(route)?.(asked) ?? { status: 404, code: 'not_found' };
    const [status, body] =
      'data' in told
        ? [200, { success: true, ...told }]
        : [told.status, { success: false, error: { code: told.code, message: `${route} is refused.` } }];
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
