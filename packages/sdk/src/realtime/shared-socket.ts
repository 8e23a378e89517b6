/**
 * One connection for all streams, by the `graphql-ws` library: opened with the first of them, closed after the last.
 *
 * 1. Every connection is signed anew. One whose time the server does not take is made again by the server's time, once.
 * 2. After a connection ended, the next one waits: longer each time, until something came.
 * 3. A connection on which nothing was heard for two heartbeats is given up.
 */
import { type Client, createClient } from 'graphql-ws/client';
import { type ApiError, ConnectionError, createApiError } from '../core/errors.js';
import { GRAPHQL_PATH, type GraphqlResult, graphqlErrorOf, sendGraphql } from '../core/graphql.js';
import type { Transport } from '../core/transport.js';
import { waitFor } from '../core/wait.js';
import { type CloseInfo, classifyClose } from './close-codes.rules.js';
import { findWebSocket, type WebSocketClass, withSocketObserver } from './web-socket.js';

/** What the server carries over one connection. */
const SUBSCRIPTIONS_MAX = 50;
/** How long a connection is kept without streams: the next one may come at once. */
const LINGER_MS = 500;
const NORMAL_CLOSURE = 1000;

/** How a connection is made and kept. */
export interface SharedSocketOptions {
  readonly transport: Transport;
  readonly webSocketImpl: WebSocketClass | undefined;
  /** How long the server may take to let the client in. */
  readonly connectMs: number;
  readonly heartbeatMs: number;
  readonly delayMs: (failures: number) => number;
}

/** One operation, as it is sent. */
export interface OperationPayload {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly extensions?: Record<string, unknown>;
}

/**
 * How one operation ended: by the server's word (`completed`), by its reader (`stopped`; `again`, where it is to be asked
 * for anew), or in a way that passes: the connection was `cut`, or the operation `refused` for now.
 */
export type OperationOutcome =
  | { readonly kind: 'completed' | 'stopped' | 'again' }
  | { readonly kind: 'cut' | 'refused'; readonly error: ApiError | ConnectionError };

export class SharedSocket {
  /** Whether the server let this client in, once at least. */
  wasConnected = false;
  #isOpen = false;
  readonly #settings: SharedSocketOptions;
  #client: Promise<Client> | undefined;
  /** The same, as soon as it is there. */
  #createdClient: Client | undefined;
  #activeCount = 0;
  /** Connections that were begun. */
  #connections = 0;
  /** The last of them that is known to have ended. */
  #ended = 0;
  /** How many ended since something came. */
  #failures = 0;
  /** When the next may be begun, by the clock of the process. */
  #notBefore = 0;
  #silenceTimer: ReturnType<typeof setTimeout> | undefined;
  #raw: { terminate?(): void } | undefined;
  /** What the signer threw. */
  #signerError: unknown;
  /** Learning the server's time, and the connection that was refused for it. */
  #clockSync: { readonly connection: number; readonly done: Promise<unknown> } | undefined;

  constructor(settings: SharedSocketOptions) {
    this.#settings = settings;
  }

  /**
   * Carries one operation until it ends. @param take is given each answer; false asks for the operation anew
   *
   * @throws what no waiting mends
   */
  async run(
    asked: OperationPayload,
    take: (data: unknown) => boolean,
    stop: AbortSignal,
  ): Promise<OperationOutcome> {
    if (this.#activeCount >= SUBSCRIPTIONS_MAX) throw tooMany();
    this.#activeCount++;
    try {
      await this.#waitForBackoff(stop);
      if (stop.aborted) return { kind: 'stopped' };
      this.#client ??= this.#makeClient();
      return await this.#runOperation(await this.#client, asked, take, stop);
    } finally {
      this.#activeCount--;
      // Nobody waits for it any more.
      if (this.#activeCount === 0 && !this.#isOpen) this.#terminate();
    }
  }

  /** Says goodbye. */
  async close(): Promise<void> {
    if (this.#isOpen) await this.#createdClient?.dispose();
    else this.#terminate();
  }

  #runOperation(
    client: Client,
    asked: OperationPayload,
    take: (data: unknown) => boolean,
    stop: AbortSignal,
  ): Promise<OperationOutcome> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      /** Where it is over: how, or what is thrown. */
      const look = (endingNow: () => OperationOutcome | undefined) => {
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
        error: (reason) => look(() => this.#outcomeOf(reason)),
        complete: () => look(() => ({ kind: 'completed' })),
      });
      stop.addEventListener('abort', onStop);
    });
  }

  /** Whatever the library ends an operation with. */
  #outcomeOf(reason: unknown): OperationOutcome {
    if (reason !== undefined && reason === this.#signerError) throw reason;
    if (Array.isArray(reason)) return refused(graphqlErrorOf({ errors: reason })!);
    const { code, reason: why, message } = reason as Partial<CloseInfo> & { readonly message?: unknown };
    if (typeof code !== 'number') {
      const { graphqlURL } = this.#settings.transport;
      const words = `No connection to ${graphqlURL}: ${message || 'the WebSocket failed'}`;
      return { kind: 'cut', error: new ConnectionError(words, { cause: reason }) };
    }
    const { kind, error } = classifyClose({ code, reason: why ?? '' }, this.wasConnected);
    if (kind === 'fatal' || (kind === 'skewed' && !this.#syncClock())) throw error;
    return { kind: 'cut', error };
  }

  /** Asks for the server's time, once for a connection that it refused; false where that was in vain already. */
  #syncClock(): boolean {
    if (this.#clockSync !== undefined) return this.#clockSync.connection === this.#connections;
    const { transport } = this.#settings;
    // A request that is refused for its time tells the time, and is then repeated by it.
    const done = sendGraphql(transport, '{ __typename }').catch((error: unknown) =>
      transport.logger.warn('the time of the server is not known', error),
    );
    this.#clockSync = { connection: this.#connections, done };
    return true;
  }

  /** Until the next connection may be begun. */
  async #waitForBackoff(stop: AbortSignal): Promise<void> {
    await this.#clockSync?.done;
    for (;;) {
      const waitMs = this.#notBefore - performance.now();
      if (waitMs <= 0 || stop.aborted) return;
      await waitFor(waitMs, stop).catch(() => undefined);
    }
  }

  async #makeClient(): Promise<Client> {
    const { transport, webSocketImpl, connectMs, heartbeatMs } = this.#settings;
    const Impl = await findWebSocket(webSocketImpl);
    this.#createdClient = createClient({
      url: transport.graphqlURL.replace(/^http/, 'ws') + GRAPHQL_PATH,
      webSocketImpl: withSocketObserver(Impl, (socket) => {
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
          this.#terminateIn(connectMs);
        },
        connected: () => this.#onConnected(),
        ping: (isReceived) => {
          if (!isReceived) this.#terminateIn(heartbeatMs);
        },
        message: ({ type }) => this.#onMessage(type),
        closed: (event) => this.#onEnd(event),
        error: (event) => this.#onEnd(event),
      },
    });
    return this.#createdClient;
  }

  async #sign(): Promise<Record<string, string>> {
    try {
      const { transport } = this.#settings;
      const headers = await transport.credentials({ method: 'CONNECT', path: GRAPHQL_PATH, body: '' });
      if (headers['x-svc-sig'] === undefined)
        throw new TypeError('Live data takes a client with a signer: API keys are for REST.');
      return { ...headers };
    } catch (error) {
      this.#signerError = error;
      throw error;
    }
  }

  #onConnected(): void {
    clearTimeout(this.#silenceTimer);
    this.wasConnected = true;
    this.#isOpen = true;
    this.#clockSync = undefined;
    if (this.#failures > 0) this.#settings.transport.logger.info('live data is back');
  }

  #onMessage(type: string): void {
    clearTimeout(this.#silenceTimer);
    if (type === 'next' || type === 'pong') this.#failures = 0;
  }

  /** A failure and the close after it are one end. */
  #onEnd(event: unknown): void {
    clearTimeout(this.#silenceTimer);
    this.#isOpen = false;
    if (this.#ended === this.#connections) return;
    this.#ended = this.#connections;
    const { code } = event as Partial<CloseInfo>;
    if (code === NORMAL_CLOSURE) return;
    const { transport, delayMs } = this.#settings;
    const waitMs = delayMs(this.#failures++);
    this.#notBefore = performance.now() + waitMs;
    transport.logger.info(
      `live data was cut (${code ?? 'no connection'}); again in ${Math.round(waitMs)} ms`,
    );
  }

  #terminateIn(ms: number): void {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => this.#terminate(), ms);
  }

  /** Ends the connection without waiting for a word of the server. */
  #terminate(): void {
    this.#createdClient?.terminate();
    this.#raw?.terminate?.();
  }
}

/** How an operation ends with this result; undefined where it goes on. */
function endingAt(result: GraphqlResult, take: (data: unknown) => boolean): OperationOutcome | undefined {
  const refusal = graphqlErrorOf(result);
  if (refusal !== undefined) return refused(refusal);
  return take(result.data) ? undefined : { kind: 'again' };
}

/** What passes at the server passes here; any other refusal is final. */
function refused(error: ApiError): OperationOutcome {
  if (error.status !== 429 && error.status < 500) throw error;
  return { kind: 'refused', error };
}

function tooMany(): ApiError {
  return createApiError({
    status: 409,
    code: 'limit_reached',
    message: `A connection carries ${SUBSCRIPTIONS_MAX} streams: close one first, or make another Realtime.`,
    details: [],
    requestId: undefined,
    headers: new Headers(),
  });
}
