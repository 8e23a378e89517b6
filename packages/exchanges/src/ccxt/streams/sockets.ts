/**
 * WebSocket connections to an exchange.
 *
 * 1. A connection ends once, with one reason, whatever happens to it; nothing is thrown to nobody.
 * 2. It pings, and is lost when nothing at all was heard for a while: a peer that died without a word is found out.
 * 3. What can't be read ends it, lest something that was told is passed over in silence.
 */
import { type RawData, WebSocket } from 'ws';
import type { ExchangeError } from '../../port.js';
import { failure, MalformedResponse } from '../failures.js';
import { readJson } from '../json.js';

export interface SocketsOptions {
  /** Scheme, host and port that stand in for those of every address. */
  readonly origin?: string | undefined;
  /** Within which a connection has to come to be. */
  readonly timeoutMs: number;
  /** A peer that has said nothing for this long is gone. */
  readonly idleTimeoutMs: number;
}

export interface SocketHandler {
  onOpen(): void;
  onMessage(message: unknown): void;
  /** Called once, and last. */
  onClosed(error: ExchangeError): void;
}

/** As many go unanswered before a peer is given up. */
const UNANSWERED_PINGS_MAX = 4;
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

export class Sockets {
  readonly #open = new Set<StreamSocket>();
  #isClosed = false;

  constructor(private readonly options: SocketsOptions) {}

  /**
   * @param address as ccxt has it
   * @throws {ExchangeError} once all are closed
   */
  connect(address: string, handler: SocketHandler): StreamSocket {
    if (this.#isClosed) throw failure(['retryable', 'unreachable']);
    const socket: StreamSocket = new StreamSocket(this.#addressOf(address), this.options, {
      onOpen: () => handler.onOpen(),
      onMessage: (message) => handler.onMessage(message),
      onClosed: (error) => {
        this.#open.delete(socket);
        handler.onClosed(error);
      },
    });
    this.#open.add(socket);
    return socket;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((socket) => socket.close()));
  }

  #addressOf(address: string): string {
    const url = new URL(address);
    if (this.options.origin === undefined) return address;
    const { origin } = new URL(this.options.origin);
    return `${origin.replace(/^http/, 'ws')}${url.pathname}${url.search}`;
  }
}

export class StreamSocket {
  readonly #socket: WebSocket;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #gone: Promise<void>;
  /** Pings since anything was heard. Counted, not timed: a process that was held up itself has lost nobody. */
  #unansweredPings = 0;
  #isOver = false;

  constructor(
    address: string,
    options: SocketsOptions,
    private readonly handler: SocketHandler,
  ) {
    this.#socket = new WebSocket(address, {
      handshakeTimeout: options.timeoutMs,
      maxPayload: MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
      followRedirects: false,
    });
    this.#gone = new Promise((resolve) => this.#socket.once('close', () => resolve()));
    this.#heartbeat = setInterval(() => this.#beat(), options.idleTimeoutMs / (UNANSWERED_PINGS_MAX + 1));
    this.#heartbeat.unref();
    this.#listen();
  }

  send(message: object): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(JSON.stringify(message), (error) => {
      if (error) this.end(failure(['retryable', 'unreachable']));
    });
  }

  /** Ends the connection for a reason of ours, which the handler is told. */
  end(error: ExchangeError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#heartbeat);
    this.#socket.terminate();
    this.handler.onClosed(error);
  }

  /** Ends it as somebody's wish; kept when the connection is gone. */
  close(): Promise<void> {
    this.end(failure(['retryable', 'unreachable']));
    return this.#gone;
  }

  #listen(): void {
    const hear = () => {
      this.#unansweredPings = 0;
    };
    this.#socket.on('open', () => {
      hear();
      this.#guard(() => this.handler.onOpen());
    });
    this.#socket.on('message', (data) => {
      hear();
      this.#guard(() => this.handler.onMessage(readMessage(data)));
    });
    this.#socket.on('ping', hear);
    this.#socket.on('pong', hear);
    // An error is followed by the end; without a listener it would end the process.
    this.#socket.on('error', () => this.end(failure(['retryable', 'unreachable'])));
    this.#socket.on('close', () => this.end(failure(['retryable', 'unreachable'])));
  }

  #beat(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#unansweredPings >= UNANSWERED_PINGS_MAX) {
      this.end(failure(['retryable', 'no_answer']));
      return;
    }
    this.#unansweredPings += 1;
    this.#socket.ping();
  }

  /** After its end nothing is told, and what goes wrong while telling is the end. */
  #guard(tell: () => void): void {
    if (this.#isOver) return;
    try {
      tell();
    } catch (error) {
      this.end(reasonOf(error));
    }
  }
}

function reasonOf(error: unknown): ExchangeError {
  const detail = error instanceof MalformedResponse ? error.message : undefined;
  const type = error instanceof Error ? error.name : typeof error;
  return failure(['retryable', 'bad_answer'], { type, detail });
}

/** @throws {MalformedResponse} for what isn't JSON */
function readMessage(data: RawData): unknown {
  const read = readJson(data.toString());
  if (typeof read === 'object' && read !== null) return read;
  throw new MalformedResponse('not JSON');
}
