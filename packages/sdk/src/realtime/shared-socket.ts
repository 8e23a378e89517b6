/**
 * Manages one connection for all streams with the `graphql-ws` library. The connection opens with the first stream and
 * closes after the last.
 *
 * 1. Every connection has its own signature. If the server rejects its timestamp, the client reconnects once with the
 *    server's time.
 * 2. The reconnection delay grows with each failure, and is reset when a result or a pong arrives.
 * 3. A connection on which nothing arrives for two heartbeat intervals is terminated.
 */
import { type Client, createClient } from 'graphql-ws/client';
import { type ApiError, ConnectionError, createApiError } from '../core/errors.js';
import { GRAPHQL_PATH, type GraphqlResult, graphqlErrorOf, sendGraphql } from '../core/graphql.js';
import type { Transport } from '../core/transport.js';
import { waitFor } from '../core/wait.js';
import { type CloseInfo, classifyClose } from './close-codes.rules.js';
import { findWebSocket, type WebSocketClass, withSocketObserver } from './web-socket.js';

/** The server's limit of operations per connection. Each stream is one operation. */
const OPERATIONS_MAX = 50;
/** How long a connection without streams stays open for the next one. */
const LINGER_MS = 500;
const NORMAL_CLOSURE = 1000;

/** How the connection is opened and kept alive. */
export interface SharedSocketOptions {
  readonly transport: Transport;
  readonly webSocketImpl: WebSocketClass | undefined;
  /** Time limit of the handshake. */
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
 * How one operation ended. `completed`: the server ended it. `stopped`: its stream was ended. `again`: its stream did
 * not accept a result, so that the operation must be sent again. `cut`: the connection failed. `refused`: the server
 * returned a transient error.
 */
export type OperationOutcome =
  | { readonly kind: 'completed' | 'stopped' | 'again' }
  | { readonly kind: 'cut' | 'refused'; readonly error: ApiError | ConnectionError };

export class SharedSocket {
  /** Whether the server has accepted this client at least once. */
  wasConnected = false;
  #isOpen = false;
  readonly #settings: SharedSocketOptions;
  #client: Promise<Client> | undefined;
  /** The resolved `#client`. */
  #createdClient: Client | undefined;
  #activeCount = 0;
  /** Number of started connections. */
  #connections = 0;
  /** Number of the last connection that ended. */
  #lastEnded = 0;
  /** Number of connections that failed since a result or a pong last arrived. */
  #failures = 0;
  /** Earliest start of the next connection, by `performance.now()`. */
  #nextStartMs = 0;
  #silenceTimer: ReturnType<typeof setTimeout> | undefined;
  #rawSocket: { terminate?(): void } | undefined;
  /** The error with which the last signing failed. */
  #signerError: unknown;
  /** The request for the server's time, and the number of the connection that was rejected for its timestamp. */
  #clockSync: { readonly connection: number; readonly done: Promise<unknown> } | undefined;

  constructor(settings: SharedSocketOptions) {
    this.#settings = settings;
  }

  /**
   * Runs one operation until it ends.
   *
   * @param push receives each result; returns false if the operation must be sent again
   * @throws a permanent error
   */
  async run(
    payload: OperationPayload,
    push: (data: unknown) => boolean,
    stop: AbortSignal,
  ): Promise<OperationOutcome> {
    if (this.#activeCount >= OPERATIONS_MAX) throw tooManyStreamsError();
    this.#activeCount++;
    try {
      await this.#waitForBackoff(stop);
      if (stop.aborted) return { kind: 'stopped' };
      this.#client ??= this.#createClient();
      return await this.#runOperation(await this.#client, payload, push, stop);
    } finally {
      this.#activeCount--;
      // No operation needs the connection, which is still opening.
      if (this.#activeCount === 0 && !this.#isOpen) this.#terminate();
    }
  }

  /** Returns the delay before the next connection. @param failures the consecutive failures before the last one */
  backoffMs(failures: number): number {
    return this.#settings.delayMs(failures);
  }

  /** Closes an open connection gracefully, and drops one that is still opening. */
  async close(): Promise<void> {
    if (this.#isOpen) await this.#createdClient?.dispose();
    else this.#terminate();
  }

  #runOperation(
    client: Client,
    payload: OperationPayload,
    push: (data: unknown) => boolean,
    stop: AbortSignal,
  ): Promise<OperationOutcome> {
    return new Promise((resolve, reject) => {
      let hasEnded = false;
      /** Settles the promise once `readOutcome` returns an outcome or throws. */
      const settle = (readOutcome: () => OperationOutcome | undefined) => {
        if (hasEnded) return;
        try {
          const outcome = readOutcome();
          if (outcome === undefined) return;
          resolve(outcome);
        } catch (error) {
          reject(error);
        }
        hasEnded = true;
        stop.removeEventListener('abort', onStop);
        unsubscribe();
      };
      const onStop = () => settle(() => ({ kind: 'stopped' }));
      const unsubscribe = client.subscribe(payload, {
        next: (result) => settle(() => outcomeOfResult(result as GraphqlResult, push)),
        error: (reason) => settle(() => this.#outcomeOf(reason)),
        complete: () => settle(() => ({ kind: 'completed' })),
      });
      stop.addEventListener('abort', onStop);
    });
  }

  /** Converts the error with which the library ended an operation. */
  #outcomeOf(reason: unknown): OperationOutcome {
    if (reason !== undefined && reason === this.#signerError) throw reason;
    if (Array.isArray(reason)) return refused(graphqlErrorOf({ errors: reason })!);
    const { code, reason: why, message } = reason as Partial<CloseInfo> & { readonly message?: unknown };
    if (typeof code !== 'number') {
      const { graphqlURL, isGraphqlURLSet } = this.#settings.transport;
      const hint = isGraphqlURLSet ? '' : '. graphqlURL is not set, so the client used baseURL';
      const error = new ConnectionError(
        `No connection to ${graphqlURL}: ${message || 'the WebSocket failed'}${hint}`,
        {
          cause: reason,
        },
      );
      return { kind: 'cut', error };
    }
    const { kind, error } = classifyClose({ code, reason: why ?? '' }, this.wasConnected);
    if (kind === 'fatal' || (kind === 'skewed' && !this.#syncClock())) throw error;
    return { kind: 'cut', error };
  }

  /** Requests the server's time after a rejected timestamp. Returns false if an earlier request did not help. */
  #syncClock(): boolean {
    if (this.#clockSync !== undefined) return this.#clockSync.connection === this.#connections;
    const { transport } = this.#settings;
    // A request rejected for its timestamp returns the server's time; the transport then retries with it.
    const done = sendGraphql(transport, '{ __typename }').catch((error: unknown) =>
      transport.logger.warn("Could not read the server's time.", error),
    );
    this.#clockSync = { connection: this.#connections, done };
    return true;
  }

  /** Waits until the next connection may start. */
  async #waitForBackoff(stop: AbortSignal): Promise<void> {
    await this.#clockSync?.done;
    for (;;) {
      const waitMs = this.#nextStartMs - performance.now();
      if (waitMs <= 0 || stop.aborted) return;
      await waitFor(waitMs, stop).catch(() => undefined);
    }
  }

  async #createClient(): Promise<Client> {
    const { transport, webSocketImpl, connectMs, heartbeatMs } = this.#settings;
    const Impl = await findWebSocket(webSocketImpl);
    this.#createdClient = createClient({
      url: transport.graphqlURL.replace(/^http/, 'ws') + GRAPHQL_PATH,
      webSocketImpl: withSocketObserver(Impl, (socket) => {
        this.#rawSocket = socket;
      }),
      connectionParams: () => this.#sign(),
      // Each stream reconnects itself: only the stream knows where to resume.
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
        throw new TypeError(
          'Live data needs a client with a signer: API keys are for REST only. Set the option signer.',
        );
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
    if (this.#failures > 0) this.#settings.transport.logger.info('Live data is connected again.');
  }

  #onMessage(type: string): void {
    clearTimeout(this.#silenceTimer);
    if (type === 'next' || type === 'pong') this.#failures = 0;
  }

  /** Records the end of a connection. An `error` event and the `closed` event of one connection count once. */
  #onEnd(event: unknown): void {
    clearTimeout(this.#silenceTimer);
    this.#isOpen = false;
    if (this.#lastEnded === this.#connections) return;
    this.#lastEnded = this.#connections;
    const { code } = event as Partial<CloseInfo>;
    if (code === NORMAL_CLOSURE) return;
    const { transport } = this.#settings;
    const waitMs = this.backoffMs(this.#failures++);
    this.#nextStartMs = performance.now() + waitMs;
    transport.logger.info(
      `Live data disconnected (${code ?? 'no connection'}); reconnecting in ${Math.round(waitMs)} ms.`,
    );
  }

  #terminateIn(ms: number): void {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => this.#terminate(), ms);
  }

  /** Drops the connection without waiting for the server. */
  #terminate(): void {
    this.#createdClient?.terminate();
    this.#rawSocket?.terminate?.();
  }
}

/** Returns how an operation ends with this result; undefined if it continues. */
function outcomeOfResult(
  result: GraphqlResult,
  push: (data: unknown) => boolean,
): OperationOutcome | undefined {
  const error = graphqlErrorOf(result);
  if (error !== undefined) return refused(error);
  return push(result.data) ? undefined : { kind: 'again' };
}

/** Throws a permanent error; returns a transient one (429 or 5xx) as an outcome. */
function refused(error: ApiError): OperationOutcome {
  if (error.status !== 429 && error.status < 500) throw error;
  return { kind: 'refused', error };
}

function tooManyStreamsError(): ApiError {
  return createApiError({
    status: 409,
    code: 'limit_reached',
    message: `A connection carries at most ${OPERATIONS_MAX} streams. Close one, or create another Realtime.`,
    details: [],
    requestId: undefined,
    headers: new Headers(),
  });
}
