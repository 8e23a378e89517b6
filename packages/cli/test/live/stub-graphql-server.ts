import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: { readonly variables?: Record<string, unknown> };
}

/** A local GraphQL API over HTTP and `graphql-transport-ws`. It sends the responses that a test sets. */
export class StubGraphqlServer {
  readonly requests: { readonly query: string; readonly variables: unknown }[] = [];
  /** The headers of each HTTP request, and the payload of each `connection_init`. */
  readonly headers: Record<string, unknown>[] = [];
  /** The body of every HTTP response. */
  httpResponse: unknown = { data: { me: { id: 'usr_1' } } };
  /** Sent in order at the start of each subscription, which then stays open. */
  initialPayloads: readonly unknown[] = [];
  /** If set, the server closes each socket with this code and reason after `connection_init`. */
  closeAfterInit: readonly [code: number, reason: string] | undefined;

  private constructor(
    private readonly server: Server,
    private readonly sockets: WebSocketServer,
  ) {}

  static async start(): Promise<StubGraphqlServer> {
    const server = createServer();
    const sockets = new WebSocketServer({ server, handleProtocols: () => 'graphql-transport-ws' });
    const stub = new StubGraphqlServer(server, sockets);
    server.on('request', async (request, response) => {
      stub.headers.push(request.headers);
      stub.requests.push(JSON.parse(await text(request)));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(stub.httpResponse));
    });
    sockets.on('connection', (socket) => stub.handleSocket(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sends data to every subscription. */
  push(data: unknown): void {
    for (const socket of this.sockets.clients) socket.send(nextMessage('1', data, socket));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets.clients) socket.terminate();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private handleSocket(socket: WebSocket): void {
    socket.on('message', (raw) => {
      const { type, id, payload } = JSON.parse(String(raw)) as Message;
      if (type === 'connection_init') {
        this.headers.push((payload ?? {}) as Record<string, unknown>);
        if (this.closeAfterInit !== undefined) socket.close(...this.closeAfterInit);
        else socket.send(JSON.stringify({ type: 'connection_ack' }));
      } else if (type === 'ping') socket.send(JSON.stringify({ type: 'pong' }));
      else if (type === 'subscribe') {
        subscriptionIds.set(socket, id!);
        this.requests.push(payload as { query: string; variables: unknown });
        for (const data of this.initialPayloads) socket.send(nextMessage(id!, data, socket));
      }
    });
  }
}

const subscriptionIds = new WeakMap<WebSocket, string>();

function nextMessage(id: string, data: unknown, socket: WebSocket): string {
  return JSON.stringify({ type: 'next', id: subscriptionIds.get(socket) ?? id, payload: { data } });
}
