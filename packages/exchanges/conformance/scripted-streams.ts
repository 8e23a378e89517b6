/** An exchange whose streams a test controls. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ScriptedExchangeServer } from './scripted-exchange.js';

type Request = Readonly<Record<string, unknown>>;

/** Accepts WebSocket connections in front of a {@link ScriptedExchangeServer}, which handles all other requests. */
export class ScriptedStreams {
  /** Handles a request on a connection. By default, accepts it as a subscription. */
  onRequest: (socket: WebSocket, request: Request) => void = (socket, { id }) =>
    sendMessage(socket, { id, status: 200, result: { subscriptionId: 0 } });
  /** Handles a connection attempt. Undefined: accepts it. */
  onUpgrade: ((socket: Duplex) => void) | undefined;
  readonly requests: Request[] = [];
  readonly sockets: WebSocket[] = [];
  readonly #server: Server;
  readonly #connections = new Set<Duplex>();

  private constructor(upstream: ScriptedExchangeServer) {
    const streams = new WebSocketServer({ noServer: true });
    this.#server = createServer((request, response) => {
      forward(upstream, request).then(
        ({ status, text }) => {
          response.writeHead(status, { 'content-type': 'application/json' });
          response.end(text);
        },
        () => response.destroy(),
      );
    });
    this.#server.on('connection', (connection) => this.#connections.add(connection));
    this.#server.on('upgrade', (request, socket, head) => {
      if (this.onUpgrade !== undefined) this.onUpgrade(socket);
      else streams.handleUpgrade(request, socket, head, (peer) => this.#attach(peer));
    });
  }

  static async start(upstream: ScriptedExchangeServer): Promise<ScriptedStreams> {
    const streams = new ScriptedStreams(upstream);
    streams.#server.listen(0, '127.0.0.1');
    await once(streams.#server, 'listening');
    return streams;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
    await once(this.#server, 'close');
  }

  #attach(socket: WebSocket): void {
    this.sockets.push(socket);
    socket.on('message', (data) => {
      const request = JSON.parse(data.toString()) as Request;
      this.requests.push(request);
      this.onRequest(socket, request);
    });
  }
}

export function sendMessage(socket: WebSocket, message: object | string): void {
  socket.send(typeof message === 'string' ? message : JSON.stringify(message));
}

async function forward(upstream: ScriptedExchangeServer, request: IncomingMessage) {
  const response = await fetch(`${upstream.url}${request.url}`, { method: request.method ?? 'GET' });
  return { status: response.status, text: await response.text() };
}
