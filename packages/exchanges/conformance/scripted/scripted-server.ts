/** Serves the scripted exchange over HTTP and WebSocket in the wire format of a dialect. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { TradingType } from '@trading-automation/contracts';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Weather } from '../conformance-fixture.js';
import type { Dialect, Route, Source, StreamConnection, VenueAnswer, VenueRequest } from './dialect.js';
import { type Account, Refusal } from './model.js';
import type { Recordings } from './recordings.js';
import { ScriptedExchange } from './scripted-exchange.js';
import { shapeDifferences } from './shapes.js';

export class ScriptedServer {
  readonly exchange: ScriptedExchange;
  weather: Weather = {};
  /** Whether the next message about an order book is lost. */
  losesBookMessage = false;
  /** What clients or the dialect did wrong. A test fails if there is any. */
  readonly problems: string[] = [];
  /** The requests that were answered, as method and path. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #connections = new Set<Duplex>();
  readonly #routes: readonly { readonly route: Route; readonly parts: readonly string[] }[];

  private constructor(
    private readonly dialect: Dialect,
    private readonly recordings: Recordings,
    private readonly tradingType: TradingType,
  ) {
    this.exchange = new ScriptedExchange(dialect.settingsFor(tradingType));
    this.#routes = dialect.routes
      .filter(({ tradingTypes }) => tradingTypes.includes(tradingType))
      .map((route) => ({ route, parts: route.path.split('/') }));
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on('connection', (socket) => this.#connections.add(socket));
    this.#server.on('upgrade', (request, socket, head) =>
      this.#sockets.handleUpgrade(request, socket, head, (peer) => this.#attach(peer, request)),
    );
  }

  static async start(
    dialect: Dialect,
    recordings: Recordings,
    tradingType: TradingType,
  ): Promise<ScriptedServer> {
    const server = new ScriptedServer(dialect, recordings, tradingType);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The route of the exchange's time, as `requests` names it. */
  get clockRoute(): string | undefined {
    const clock = this.#routes.find(({ route }) => route.capability === 'clock')?.route;
    return clock && `${clock.method} ${clock.path}`;
  }

  /** The number of open WebSocket connections. */
  get streamCount(): number {
    return this.#sockets.clients.size;
  }

  /** Closes every WebSocket connection, as an exchange does when a node restarts. */
  cutStreams(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
    await once(this.#server, 'close');
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    if (request === undefined) return;
    if (this.weather.isDown === true) {
      response.writeHead(503, { 'content-type': 'text/html' }).end('<html>Service Unavailable</html>');
      return;
    }
    const { status, body, headers } = this.#answer(request);
    if (this.weather.dropsAnswers === true) {
      incoming.socket.destroy();
      return;
    }
    const isHtml = this.weather.sendsHtml === true;
    const text = isHtml ? '<html>Bad Gateway</html>' : JSON.stringify(body);
    const type = isHtml ? 'text/html' : 'application/json';
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(this.weather.truncates === true ? text.slice(0, text.length / 2) : text);
  }

  #answer(request: VenueRequest): VenueAnswer {
    const { dialect, weather } = this;
    const matched = this.#match(request);
    this.requests.push(`${request.method} ${matched?.route.path ?? request.path}`);
    try {
      if (matched === undefined) throw this.#complain(request, 'no such call');
      if (weather.refuses !== undefined) throw new Refusal(weather.refuses);
      const { route, path } = matched;
      const account = route.isSigned ? dialect.authenticate(request, this.exchange) : undefined;
      const { data: params, error } = route.params.safeParse(dialect.readParams(request));
      if (error) throw this.#complain(request, error.message);
      const context = { exchange: this.exchange, params, path, account: account as Account };
      const body = dialect.wrap(route.answer(context as never), request);
      this.#check(body, route.source, `${route.method} ${route.path}`, this.recordings.answers);
      return { status: 200, body };
    } catch (error) {
      return this.#refuse(error, request);
    }
  }

  #refuse(error: unknown, request: VenueRequest): VenueAnswer {
    if (!(error instanceof Refusal)) throw error;
    const answer = this.dialect.refuse(error.kind, { ...request, tradingType: this.tradingType });
    if (answer !== undefined) return answer;
    this.problems.push(`${request.method} ${request.path}: no documented refusal ${error.kind}`);
    return { status: 400, body: {} };
  }

  #match({ method, path }: VenueRequest) {
    const actual = path.split('/');
    for (const { route, parts } of this.#routes) {
      if (route.method !== method || parts.length !== actual.length) continue;
      if (!parts.every((part, i) => part.startsWith(':') || part === actual[i])) continue;
      const named = parts.flatMap((part, i) =>
        part.startsWith(':') ? [[part.slice(1), actual[i] ?? '']] : [],
      );
      return { route, path: Object.fromEntries(named) as Record<string, string> };
    }
    return undefined;
  }

  #complain({ method, path }: VenueRequest, problem: string): Refusal {
    this.problems.push(`${method} ${path}: ${problem}`);
    return new Refusal('BAD_PARAMETER');
  }

  /** Compares what is sent with its recordings. */
  #check(value: unknown, source: Source, what: string, recorded: ReadonlyMap<string, unknown>): void {
    if (!('recordings' in source)) return;
    const found = source.recordings.map((name) => {
      if (!recorded.has(name)) this.problems.push(`${what}: no recording ${name}`);
      return partOf(recorded.get(name), source.part);
    });
    const sent: unknown = JSON.parse(JSON.stringify(value));
    for (const difference of shapeDifferences(sent, found, source))
      this.problems.push(`${what}: ${difference}`);
  }

  #attach(peer: WebSocket, request: IncomingMessage): void {
    const { pathname, search } = new URL(request.url ?? '/', 'http://exchange');
    const isCompressed = this.dialect.compressesStream?.(pathname) === true;
    const send = (text: string) => peer.send(isCompressed ? gzipSync(text) : text);
    const connection: StreamConnection = {
      path: pathname,
      query: search.slice(1),
      headers: request.headers as VenueRequest['headers'],
      exchange: this.exchange,
      send: (message, source) => {
        this.#check(message, source, `stream ${pathname}`, this.recordings.messages);
        send(JSON.stringify(message));
      },
      sendText: send,
      close: () => peer.close(),
    };
    const session = this.dialect.openStream(connection);
    if (session === undefined) {
      this.problems.push(`no stream ${pathname}`);
      peer.close();
      return;
    }
    const stop = this.exchange.onEvent((event) => {
      if (peer.readyState !== peer.OPEN) return;
      if (event.kind === 'book' && this.losesBookMessage) this.losesBookMessage = false;
      else session.onEvent(event);
    });
    peer.on('close', stop);
    peer.on('message', (data: RawData) => session.onMessage(data.toString()));
  }
}

function partOf(recording: unknown, part: string | undefined): unknown {
  return part === undefined
    ? recording
    : (recording as Readonly<Record<string, unknown>> | undefined)?.[part];
}

async function readRequest(incoming: IncomingMessage): Promise<VenueRequest | undefined> {
  let body = '';
  try {
    for await (const chunk of incoming) body += String(chunk);
  } catch {
    return undefined;
  }
  const { pathname, search } = new URL(incoming.url ?? '/', 'http://exchange');
  const headers = incoming.headers as Record<string, string | undefined>;
  return { method: incoming.method ?? '', path: pathname, query: search.slice(1), headers, body };
}
