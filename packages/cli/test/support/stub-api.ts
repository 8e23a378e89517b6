import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { OPERATIONS, type Operation } from '@trading-automation/contracts';
import { sampleDataOf } from './sample-data.js';

/** A request that the stub received. */
export interface RecordedRequest {
  readonly operation: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** A response that a test sets for an operation, instead of the sample of its schema. */
export interface StubResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** If true, no response is sent. */
  readonly hangs?: boolean;
}

/** A local API that responds to each operation with a sample of its schema. */
export class StubApi {
  readonly requests: RecordedRequest[] = [];
  private readonly responses = new Map<string, (request: RecordedRequest) => StubResponse>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StubApi> {
    const server = createServer();
    const stub = new StubApi(server);
    server.on('request', async (request, response) => {
      const { status, headers, body, hangs } = await stub.respond(request);
      if (hangs) return;
      response.writeHead(status ?? 200, {
        'content-type': 'application/json',
        'x-request-id': 'req_test',
        ...headers,
      });
      response.end(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sets the response of an operation. */
  on(operation: string, response: StubResponse | ((request: RecordedRequest) => StubResponse)): void {
    this.responses.set(operation, typeof response === 'function' ? response : () => response);
  }

  /** Sets an error as the response of an operation. */
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

  /** Leaves the requests of an operation without a response. Calls `onRequest` for each of them. */
  hang(operation: string, onRequest: () => void): void {
    this.on(operation, () => {
      onRequest();
      return { hangs: true };
    });
  }

  /** Deletes the recorded requests and the responses that were set. */
  reset(): void {
    this.requests.length = 0;
    this.responses.clear();
  }

  /** Returns the requests to one operation. */
  requestsOf(operation: string): readonly RecordedRequest[] {
    return this.requests.filter((recorded) => recorded.operation === operation);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async respond(request: IncomingMessage): Promise<StubResponse> {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    const operation = operationAt(method, url.split('?')[0]!);
    if (operation === undefined)
      return { status: 404, body: { success: false, error: { code: 'not_found', message: url } } };
    const recorded = {
      operation: operation.id,
      url,
      headers,
      body: body === '' ? undefined : JSON.parse(body),
    };
    this.requests.push(recorded);
    return this.responses.get(operation.id)?.(recorded) ?? sampleResponse(operation);
  }
}

/** Returns a sample record or, for a list, a page of one item. */
function sampleResponse(operation: Operation): StubResponse {
  const data = sampleDataOf(operation);
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
  const matching = OPERATIONS.filter(
    (operation) =>
      operation.method === method && new RegExp(`^${operation.path.replace(/:\w+/g, '[^/]+')}$`).test(path),
  );
  // A literal segment takes precedence over a parameter: `/v1/trades/analytics` is not a trade.
  return matching.sort((a, b) => a.path.split(':').length - b.path.split(':').length)[0];
}
