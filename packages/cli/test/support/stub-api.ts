import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { OPERATIONS, type Operation } from '@trading-automation/contracts';
import { dataOf } from './answers.js';

/** A request as it came. */
export interface RecordedRequest {
  readonly operation: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** What one operation answers in place of the sample of its schema. */
export interface StubResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** It is never sent. */
  readonly hangs?: boolean;
}

/** An API on this machine that answers each operation with a sample of its schema. */
export class StubApi {
  readonly requests: RecordedRequest[] = [];
  private readonly answers = new Map<string, (heard: RecordedRequest) => StubResponse>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StubApi> {
    const server = createServer();
    const farSide = new StubApi(server);
    server.on('request', async (request, response) => {
      const { status, headers, body, hangs } = await farSide.answer(request);
      if (hangs) return;
      response.writeHead(status ?? 200, {
        'content-type': 'application/json',
        'x-request-id': 'req_test',
        ...headers,
      });
      response.end(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return farSide;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on the operation answers so. */
  on(operation: string, answer: StubResponse | ((heard: RecordedRequest) => StubResponse)): void {
    this.answers.set(operation, typeof answer === 'function' ? answer : () => answer);
  }

  /** The operation refuses from now on. */
  respondWithError(
    operation: string,
    status: number,
    error: Readonly<Record<string, unknown>>,
    headers = {},
  ): void {
    this.on(operation, {
      status,
      headers,
      body: { success: false, error: { request_id: 'req_test', details: [], ...error } },
    });
  }

  /** The operation gets no answer from now on; `asked` is called when it is asked for. */
  hang(operation: string, asked: () => void): void {
    this.on(operation, () => {
      asked();
      return { hangs: true };
    });
  }

  /** As it was in the beginning. */
  reset(): void {
    this.requests.length = 0;
    this.answers.clear();
  }

  /** Requests of one operation. */
  requestsOf(operation: string): readonly RecordedRequest[] {
    return this.requests.filter((heard) => heard.operation === operation);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage): Promise<StubResponse> {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    const operation = operationAt(method, url.split('?')[0]!);
    if (operation === undefined)
      return { status: 404, body: { success: false, error: { code: 'not_found', message: url } } };
    const heard = { operation: operation.id, url, headers, body: body === '' ? undefined : JSON.parse(body) };
    this.requests.push(heard);
    return this.answers.get(operation.id)?.(heard) ?? sampleAnswer(operation);
  }
}

/** One page of one item, or one record. */
function sampleAnswer(operation: Operation): StubResponse {
  const data = dataOf(operation);
  const page = { limit: 20, offset: 0, has_more: false, next_cursor: null };
  return {
    status: operation.status,
    body:
      operation.list === undefined
        ? { success: true, data }
        : { success: true, data: [data], pagination: page },
  };
}

function operationAt(method: string, path: string): Operation | undefined {
  const found = OPERATIONS.filter(
    (operation) =>
      operation.method === method && new RegExp(`^${operation.path.replace(/:\w+/g, '[^/]+')}$`).test(path),
  );
  // A word goes before a parameter: `/v1/trades/analytics` is no trade.
  return found.sort((a, b) => a.path.split(':').length - b.path.split(':').length)[0];
}
