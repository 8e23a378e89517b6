import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: { readonly variables?: Record<string, unknown> };
}

/** A GraphQL API on this machine, over HTTP and `graphql-transport-ws`, that answers as a test says. */
export class StubGraphqlServer {
  readonly requests: { readonly query: string; readonly variables: unknown }[] = [];
  readonly headers: Record<string, unknown>[] = [];
  /** What it answers over HTTP. */
  answer: unknown = { data: { me: { id: 'usr_1' } } };
  /** The results of each subscription, sent in order; it then stays open. */
  initialPayloads: readonly unknown[] = [];
  /** Where set, the close code and reason after the handshake. */
  refusal: readonly [code: number, reason: string] | undefined;

  private constructor(
    private readonly server: Server,
    private readonly sockets: WebSocketServer,
  ) {}

  static async start(): Promise<StubGraphqlServer> {
    const server = createServer();
    const sockets = new WebSocketServer({ server, handleProtocols: () => 'graphql-transport-ws' });
    const side = new StubGraphqlServer(server, sockets);
    server.on('request', async (request, response) => {
      side.headers.push(request.headers);
      side.requests.push(JSON.parse(await text(request)));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(side.answer));
    });
    sockets.on('connection', (socket) => side.talk(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return side;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sent to every subscription. */
  push(data: unknown): void {
    for (const socket of this.sockets.clients) socket.send(nextOf('1', data, socket));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets.clients) socket.terminate();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private talk(socket: WebSocket): void {
    socket.on('message', (raw) => {
      const { type, id, payload } = JSON.parse(String(raw)) as Message;
      if (type === 'connection_init') {
        this.headers.push((payload ?? {}) as Record<string, unknown>);
        if (this.refusal !== undefined) socket.close(...this.refusal);
        else socket.send(JSON.stringify({ type: 'connection_ack' }));
      } else if (type === 'ping') socket.send(JSON.stringify({ type: 'pong' }));
      else if (type === 'subscribe') {
        ids.set(socket, id!);
        this.requests.push(payload as { query: string; variables: unknown });
        for (const data of this.initialPayloads) socket.send(nextOf(id!, data, socket));
      }
    });
  }
}

const ids = new WeakMap<WebSocket, string>();

function nextOf(id: string, data: unknown, socket: WebSocket): string {
  return JSON.stringify({ type: 'next', id: ids.get(socket) ?? id, payload: { data } });
}
