/**
 * WebSocket connections to an exchange.
 *
 * 1. A connection ends exactly once, with one reason. No error is unhandled.
 * 2. A connection sends pings and ends if nothing arrives for `idleTimeoutMs`, so a peer that died is detected.
 * 3. A message that cannot be parsed ends the connection, so that no event is skipped unnoticed.
 * 4. A message that is compressed with gzip is decompressed; its text is limited like any other message.
 */
import { gunzipSync } from 'node:zlib';
import { type RawData, WebSocket } from 'ws';
import type { ExchangeError } from '../../port.js';
import { failure, MalformedResponse } from '../failures.js';
import { readJson } from '../json.js';

export interface SocketsOptions {
  /** Replaces the scheme, host and port of every URL. */
  readonly origin?: string | undefined;
  /** The time within which a connection must open. */
  readonly timeoutMs: number;
  /** Milliseconds without any message after which the peer is considered dead. */
  readonly idleTimeoutMs: number;
}

/** Messages that an exchange requires so that it keeps a connection open. */
export interface Heartbeat {
  readonly everyMs: number;
  /** A string is sent as it is. */
  readonly message: object | string;
  /** The exchange's reply, if it is not JSON. */
  readonly reply?: string | undefined;
}

export interface ConnectionOptions {
  /** The local address of the connection. Default: the operating system chooses it. */
  readonly egress?: string | undefined;
  readonly heartbeat?: Heartbeat | undefined;
  /** Whether the connection counts as open only when the exchange has sent a first message. */
  readonly isGreeted?: boolean | undefined;
  readonly answerPing?: PingAnswer | undefined;
  readonly headers?: ConnectHeaders | undefined;
}

/** Headers of the request that opens a connection. */
export type ConnectHeaders = Readonly<Record<string, string>>;

/** Returns the answer to a ping that the exchange sends as a message; undefined for any other message. */
export type PingAnswer = (message: unknown) => object | undefined;

export interface SocketHandler {
  onOpen(): void;
  onMessage(message: unknown): void;
  /** Called once, as the last call. */
  onClosed(error: ExchangeError): void;
}

/** The number of unanswered pings after which the peer is considered dead. */
const UNANSWERED_PINGS_MAX = 4;
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** The first bytes of everything that is compressed with gzip. No JSON begins with them. */
const GZIP = [0x1f, 0x8b] as const;

export class Sockets {
  readonly #open = new Set<StreamSocket>();
  #isClosed = false;

  constructor(private readonly options: SocketsOptions) {}

  /**
   * @param address the address in ccxt's configuration
   * @throws {ExchangeError} after `close`
   */
  connect(address: string, handler: SocketHandler, connection: ConnectionOptions = {}): StreamSocket {
    if (this.#isClosed) throw failure(['retryable', 'unreachable']);
    const socket: StreamSocket = new StreamSocket(
      this.#addressOf(address),
      { ...this.options, ...connection },
      {
        onOpen: () => handler.onOpen(),
        onMessage: (message) => handler.onMessage(message),
        onClosed: (error) => {
          this.#open.delete(socket);
          handler.onClosed(error);
        },
      },
    );
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
  readonly #pings: NodeJS.Timeout;
  readonly #heartbeats: NodeJS.Timeout | undefined;
  readonly #closed: Promise<void>;
  /**
   * The number of pings since the last message. Pings are counted, not timed, so that a stall of this process does not
   * end the connection.
   */
  #unansweredPings = 0;
  #hasEnded = false;
  #awaitsGreeting: boolean;
  readonly #answerPing: PingAnswer | undefined;

  constructor(
    address: string,
    options: SocketsOptions & ConnectionOptions,
    private readonly handler: SocketHandler,
  ) {
    this.#socket = new WebSocket(address, {
      handshakeTimeout: options.timeoutMs,
      maxPayload: MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
      followRedirects: false,
      ...(options.headers === undefined ? {} : { headers: options.headers }),
      ...(options.egress === undefined ? {} : { localAddress: options.egress }),
    });
    this.#closed = new Promise((resolve) => this.#socket.once('close', () => resolve()));
    this.#pings = setInterval(() => this.#ping(), options.idleTimeoutMs / (UNANSWERED_PINGS_MAX + 1));
    this.#pings.unref();
    const { heartbeat, isGreeted = false } = options;
    this.#awaitsGreeting = isGreeted;
    this.#answerPing = options.answerPing;
    this.#heartbeats =
      heartbeat && setInterval(() => this.send(heartbeat.message), heartbeat.everyMs).unref();
    this.#listen(heartbeat?.reply);
  }

  /** Sends a message as JSON; a string is sent as it is. */
  send(message: object | string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message), (error) => {
      if (error) this.end(failure(['retryable', 'unreachable']));
    });
  }

  /** Ends the connection with `error` and notifies the handler. */
  end(error: ExchangeError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearInterval(this.#pings);
    clearInterval(this.#heartbeats);
    this.#socket.terminate();
    this.handler.onClosed(error);
  }

  /** Ends the connection on request, and notifies the handler. Resolves when the socket is closed. */
  close(): Promise<void> {
    this.end(failure(['retryable', 'unreachable']));
    return this.#closed;
  }

  /** @param ignored a message that is no event, and need not be JSON */
  #listen(ignored: string | undefined): void {
    const onAlive = () => {
      this.#unansweredPings = 0;
    };
    this.#socket.on('open', () => {
      onAlive();
      if (!this.#awaitsGreeting) this.#callHandler(() => this.handler.onOpen());
    });
    this.#socket.on('message', (data) => {
      onAlive();
      if (this.#awaitsGreeting) {
        this.#awaitsGreeting = false;
        this.#callHandler(() => this.handler.onOpen());
      } else
        this.#callHandler(() => {
          const text = textOf(data);
          if (text !== ignored) this.#receive(readMessage(text));
        });
    });
    this.#socket.on('ping', onAlive);
    this.#socket.on('pong', onAlive);
    // Without a listener, an `error` event would end the process. The `close` event follows it.
    this.#socket.on('error', () => this.end(failure(['retryable', 'unreachable'])));
    this.#socket.on('close', () => this.end(failure(['retryable', 'unreachable'])));
  }

  #receive(message: unknown): void {
    const answer = this.#answerPing?.(message);
    if (answer === undefined) this.handler.onMessage(message);
    else this.send(answer);
  }

  #ping(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#unansweredPings >= UNANSWERED_PINGS_MAX) {
      this.end(failure(['retryable', 'no_answer']));
      return;
    }
    this.#unansweredPings += 1;
    this.#socket.ping();
  }

  /** Calls the handler unless the connection has ended. An exception ends the connection. */
  #callHandler(notify: () => void): void {
    if (this.#hasEnded) return;
    try {
      notify();
    } catch (error) {
      this.end(toExchangeError(error));
    }
  }
}

function toExchangeError(error: unknown): ExchangeError {
  const detail = error instanceof MalformedResponse ? error.message : undefined;
  const type = error instanceof Error ? error.name : typeof error;
  return failure(['retryable', 'bad_answer'], { type, detail });
}

/** @throws {MalformedResponse} if the message cannot be decompressed */
function textOf(data: RawData): string {
  const isCompressed = Buffer.isBuffer(data) && data[0] === GZIP[0] && data[1] === GZIP[1];
  if (!isCompressed) return data.toString();
  try {
    return gunzipSync(data, { maxOutputLength: MESSAGE_BYTES_MAX }).toString();
  } catch {
    throw new MalformedResponse('not gzip');
  }
}

/** @throws {MalformedResponse} if the message is not a JSON object or array */
function readMessage(text: string): unknown {
  const parsed = readJson(text);
  if (typeof parsed === 'object' && parsed !== null) return parsed;
  throw new MalformedResponse('not JSON');
}
