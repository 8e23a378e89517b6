import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { hostProblem } from '@trading-automation/runtime/request-target';
import { WebSocketServer } from 'ws';
import type { Weather } from '../../weather/weather.js';
import { Peer } from './peer.js';

const MAX_MESSAGE_BYTES = 64 * 1_024;
const MAX_CONNECTIONS = 1_000;
/** The base URL for parsing request targets, which are relative. Only path and query are used. */
const ORIGIN = 'ws://localhost';
/**
 * The host of the venue as the first segment of a path. A client that distinguishes spot from futures by the host of
 * its connection keeps it there when its URLs are replaced: `/stream.binance.com:9443/ws`, `/fstream.binance.com/ws`.
 */
const VENUE_HOST = /^\/(stream|ws-api|fstream|ws-fapi)\.binance\.com(?::\d{1,5})?(?=\/)/;
const FUTURES_HOSTS: ReadonlySet<string | undefined> = new Set(['fstream', 'ws-fapi']);
const PING_EVERY_MS = 20_000;
/** The interval at which the weather may drop connections. */
const RANDOM_CUT_EVERY_MS = 250;
/** A client that answers no ping for a minute is disconnected, as at the venue. */
const MISSED_PONGS_MAX = 3;

/** The handler of a connection; undefined if its path has none, `invalid` if something in its URL is not supported. */
export type ConnectionRoute = ((peer: Peer) => void) | 'invalid' | undefined;
export type ConnectionRouter = (url: URL, product: Product | undefined) => ConnectionRoute;
/** What the host in a path says about the streams of a connection. */
export type Product = 'spot' | 'futures';

/** Accepts, checks and closes the WebSocket connections of the process. */
export class StreamServer {
  private readonly sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  private readonly peers = new Set<Peer>();
  private readonly timers: readonly NodeJS.Timeout[];

  constructor(
    server: Server,
    private readonly route: ConnectionRouter,
    private readonly weather: Weather,
  ) {
    server.on('upgrade', (req, socket, head) => this.upgrade(req, socket, head));
    const pingAll = () => {
      for (const peer of this.peers) peer.ping(MISSED_PONGS_MAX);
    };
    this.timers = [
      setInterval(pingAll, PING_EVERY_MS),
      setInterval(() => this.cutAtRandom(), RANDOM_CUT_EVERY_MS),
    ];
    for (const timer of this.timers) timer.unref();
    weather.onChange(() => this.cutAtRandom());
  }

  /** Drops all connections without a close frame. Returns the number of dropped connections. */
  disconnectAll(): number {
    const count = this.peers.size;
    for (const peer of this.peers) peer.cut();
    return count;
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.disconnectAll();
  }

  /** Drops each connection with the probability that the weather sets; during maintenance, drops all of them. */
  private cutAtRandom(): void {
    const { maintenance: isClosed, disconnect_rate: ratePerSecond } = this.weather.get();
    const probability = isClosed ? 1 : 1 - (1 - ratePerSecond) ** (RANDOM_CUT_EVERY_MS / 1_000);
    for (const peer of this.peers) if (this.weather.appliesWith(probability)) peer.cut();
  }

  private upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const target = req.url ?? '/';
    if (hostProblem(req, target) !== undefined) {
      reject(socket, '400 Bad Request');
      return;
    }
    const url = URL.canParse(target, ORIGIN) ? new URL(target, ORIGIN) : undefined;
    const handle = url === undefined ? undefined : this.route(url, takeHost(url));
    if (url === undefined || handle === undefined) {
      reject(socket, '404 Not Found');
      return;
    }
    if (handle === 'invalid') {
      reject(socket, '400 Bad Request');
      return;
    }
    if (this.peers.size >= MAX_CONNECTIONS || this.weather.get().maintenance) {
      reject(socket, '503 Service Unavailable');
      return;
    }
    this.sockets.handleUpgrade(req, socket, head, (webSocket) => {
      const peer = new Peer(webSocket, req.socket.remoteAddress ?? '');
      this.peers.add(peer);
      peer.onClose(() => this.peers.delete(peer));
      handle(peer);
    });
  }
}

/** Removes the host of the venue from the path. Returns which product the host serves; undefined without a host. */
function takeHost(url: URL): Product | undefined {
  const [prefix, host] = VENUE_HOST.exec(url.pathname) ?? [];
  if (prefix === undefined) return undefined;
  url.pathname = url.pathname.slice(prefix.length);
  return FUTURES_HOSTS.has(host) ? 'futures' : 'spot';
}

function reject(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
