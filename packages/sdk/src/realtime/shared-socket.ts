/**
 * One connection for all streams, by the `graphql-ws` library: opened with the first of them, closed after the last.
 *
 * 1. Every connection is signed anew. One whose time the server does not take is made again by the server's time, once.
 * 2. After a connection ended, the next one waits: longer each time, until something came.
 * 3. A connection on which nothing was heard for two heartbeats is given up.
 */
import { type Client, createClient } from 'graphql-ws/client';
import { type ApiError, ConnectionError, refusalError } from '../core/errors.js';
import { askGraphql, GRAPHQL_PATH, type GraphqlResult, refusalOf } from '../core/graphql.js';
import type { Transport } from '../core/transport.js';
import { waitFor } from '../core/wait.js';
import { type Closed, verdictOf } from './close-codes.rules.js';
import { findWebSocket, type WebSocketClass, watched } from './web-socket.js';

/** What the server carries over one connection. */
const SUBSCRIPTIONS_MAX = 50;
/** How long a connection is kept without streams: the next one may come at once. */
const LINGER_MS = 500;
const WITHIN_A_GOODBYE = 1000;

/** How a connection is made and kept. */
export interface SocketSettings {
  readonly transport: Transport;
  readonly webSocketImpl: WebSocketClass | undefined;
  /** How long the server may take to let the client in. */
  readonly connectMs: number;
  readonly heartbeatMs: number;
  readonly delayMs: (failures: number) => number;
}

/** One operation, as it is sent. */
export interface Asked {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly extensions?: Record<string, unknown>;
}

/**
 * How one operation ended: by the server's word (`completed`), by its reader (`stopped`; `again`, where it is to be asked
 * for anew), or in a way that passes: the connection was `cut`, or the operation `refused` for now.
 */
export type Ending =
  | { readonly kind: 'completed' | 'stopped' | 'again' }
  | { readonly kind: 'cut' | 'refused'; readonly error: ApiError | ConnectionError };

export class SharedSocket {
  /** Whether the server let this client in, once at least. */
  wasConnected = false;
  #isOpen = false;
  readonly #settings: SocketSettings;
  #client: Promise<Client> | undefined;
  /** The same, as soon as it is there. */
  #made: Client | undefined;
  #carried = 0;
  /** Connections that were begun. */
  #connections = 0;
  /** The last of them that is known to have ended. */
  #ended = 0;
  /** How many ended since something came. */
  #failures = 0;
  /** When the next may be begun, by the clock of the process. */
  #notBefore = 0;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #raw: { terminate?(): void } | undefined;
  /** What the signer threw. */
  #fault: unknown;
  /** Learning the server's time, and the connection that was refused for it. */
  #repair: { readonly connection: number; readonly done: Promise<unknown> } | undefined;

  constructor(settings: SocketSettings) {
    this.#settings = settings;
  }

  /**
   * Carries one operation until it ends. @param take is given each answer; false asks for the operation anew
   *
   * @throws what no waiting mends
   */
  async carry(asked: Asked, take: (data: unknown) => boolean, stop: AbortSignal): Promise<Ending> {
    if (this.#carried >= SUBSCRIPTIONS_MAX) throw tooMany();
    this.#carried++;
    try {
      await this.#calm(stop);
      if (stop.aborted) return { kind: 'stopped' };
      this.#client ??= this.#makeClient();
      return await this.#converse(await this.#client, asked, take, stop);
    } finally {
      this.#carried--;
      // Nobody waits for it any more.
      if (this.#carried === 0 && !this.#isOpen) this.#giveUp();
    }
  }

  /** Says goodbye. */
  async close(): Promise<void> {
    if (this.#isOpen) await this.#made?.dispose();
    else this.#giveUp();
  }

  #converse(
    client: Client,
    asked: Asked,
    take: (data: unknown) => boolean,
    stop: AbortSignal,
  ): Promise<Ending> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      /** Where it is over: how, or what is thrown. */
      const look = (endingNow: () => Ending | undefined) => {
        if (isOver) return;
        try {
          const ending = endingNow();
          if (ending === undefined) return;
          resolve(ending);
        } catch (error) {
          reject(error);
        }
        isOver = true;
        stop.removeEventListener('abort', onStop);
        leave();
      };
      const onStop = () => look(() => ({ kind: 'stopped' }));
      const leave = client.subscribe(asked, {
        next: (result) => look(() => endingAt(result as GraphqlResult, take)),
        error: (reason) => look(() => this.#judge(reason)),
        complete: () => look(() => ({ kind: 'completed' })),
      });
      stop.addEventListener('abort', onStop);
    });
  }

  /** Whatever the library ends an operation with. */
  #judge(reason: unknown): Ending {
    if (reason !== undefined && reason === this.#fault) throw reason;
    if (Array.isArray(reason)) return refused(refusalOf({ errors: reason })!);
    const { code, reason: why, message } = reason as Partial<Closed> & { readonly message?: unknown };
    if (typeof code !== 'number') {
      const { graphqlURL } = this.#settings.transport;
      const words = `No connection to ${graphqlURL}: ${message || 'the WebSocket failed'}`;
      return { kind: 'cut', error: new ConnectionError(words, { cause: reason }) };
    }
    const { kind, error } = verdictOf({ code, reason: why ?? '' }, this.wasConnected);
    if (kind === 'fatal' || (kind === 'skewed' && !this.#learnTime())) throw error;
    return { kind: 'cut', error };
  }

  /** Asks for the server's time, once for a connection that it refused; false where that was in vain already. */
  #learnTime(): boolean {
    if (this.#repair !== undefined) return this.#repair.connection === this.#connections;
    const { transport } = this.#settings;
    // A request that is refused for its time tells the time, and is then repeated by it.
    const done = askGraphql(transport, '{ __typename }').catch((error: unknown) =>
      transport.logger.warn('the time of the server is not known', error),
    );
    this.#repair = { connection: this.#connections, done };
    return true;
  }

  /** Until the next connection may be begun. */
  async #calm(stop: AbortSignal): Promise<void> {
    await this.#repair?.done;
    for (;;) {
      const waitMs = this.#notBefore - performance.now();
      if (waitMs <= 0 || stop.aborted) return;
      await waitFor(waitMs, stop).catch(() => undefined);
    }
  }

  async #makeClient(): Promise<Client> {
    const { transport, webSocketImpl, connectMs, heartbeatMs } = this.#settings;
    const Impl = await findWebSocket(webSocketImpl);
    this.#made = createClient({
      url: transport.graphqlURL.replace(/^http/, 'ws') + GRAPHQL_PATH,
      webSocketImpl: watched(Impl, (socket) => {
        this.#raw = socket;
      }),
      connectionParams: () => this.#sign(),
      // Taking up again is each stream's own: it alone knows from where.
      retryAttempts: 0,
      lazyCloseTimeout: LINGER_MS,
      keepAlive: heartbeatMs,
      on: {
        connecting: () => {
          this.#connections++;
          this.#giveUpIn(connectMs);
        },
        connected: () => this.#onConnected(),
        ping: (isReceived) => {
          if (!isReceived) this.#giveUpIn(heartbeatMs);
        },
        message: ({ type }) => this.#onMessage(type),
        closed: (event) => this.#onEnd(event),
        error: (event) => this.#onEnd(event),
      },
    });
    return this.#made;
  }

  async #sign(): Promise<Record<string, string>> {
    try {
      const { transport } = this.#settings;
      const headers = await transport.credentials({ method: 'CONNECT', path: GRAPHQL_PATH, body: '' });
      if (headers['x-svc-sig'] === undefined)
        throw new TypeError('Live data takes a client with a signer: API keys are for REST.');
      return { ...headers };
    } catch (error) {
      this.#fault = error;
      throw error;
    }
  }

  #onConnected(): void {
    clearTimeout(this.#silence);
    this.wasConnected = true;
    this.#isOpen = true;
    this.#repair = undefined;
    if (this.#failures > 0) this.#settings.transport.logger.info('live data is back');
  }

  #onMessage(type: string): void {
    clearTimeout(this.#silence);
    if (type === 'next' || type === 'pong') this.#failures = 0;
  }

  /** A failure and the close after it are one end. */
  #onEnd(event: unknown): void {
    clearTimeout(this.#silence);
    this.#isOpen = false;
    if (this.#ended === this.#connections) return;
    this.#ended = this.#connections;
    const { code } = event as Partial<Closed>;
    if (code === WITHIN_A_GOODBYE) return;
    const { transport, delayMs } = this.#settings;
    const waitMs = delayMs(this.#failures++);
    this.#notBefore = performance.now() + waitMs;
    transport.logger.info(
      `live data was cut (${code ?? 'no connection'}); again in ${Math.round(waitMs)} ms`,
    );
  }

  #giveUpIn(ms: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#giveUp(), ms);
  }

  /** Ends the connection without waiting for a word of the server. */
  #giveUp(): void {
    this.#made?.terminate();
    this.#raw?.terminate?.();
  }
}

/** How an operation ends with this result; undefined where it goes on. */
function endingAt(result: GraphqlResult, take: (data: unknown) => boolean): Ending | undefined {
  const refusal = refusalOf(result);
  if (refusal !== undefined) return refused(refusal);
  return take(result.data) ? undefined : { kind: 'again' };
}

/** What passes at the server passes here; any other refusal is final. */
function refused(error: ApiError): Ending {
  if (error.status !== 429 && error.status < 500) throw error;
  return { kind: 'refused', error };
}

function tooMany(): ApiError {
  return refusalError({
    status: 409,
    code: 'limit_reached',
    message: `A connection carries ${SUBSCRIPTIONS_MAX} streams: close one first, or make another Realtime.`,
    details: [],
    requestId: undefined,
    headers: new Headers(),
  });
}
