import { type Client, operationClientOf } from '../client.js';
import { type Backoff, backoffMs } from '../core/backoff.js';
import { validMaxRetries } from '../core/connection.js';
import type { DecimalForm } from '../core/decimals.js';
import type { VariablesAndOptions } from '../core/graphql.js';
import { type GraphqlDocument, textOf } from '../core/graphql-document.js';
import type { TradeSignal } from '../generated/records.js';
import { BookSource, type OrderBook } from './book-source.js';
import { DocumentSource } from './document-source.js';
import type { RealtimeStream, StreamOptions } from './realtime-stream.js';
import { ReconnectingStream, type StreamSource } from './reconnecting-stream.js';
import { SharedSocket } from './shared-socket.js';
import { SignalSource } from './signal-source.js';
import type { WebSocketClass } from './web-socket.js';

const CONNECT_MS = 15_000;
const HEARTBEAT_MS = 15_000;
const MAX_RETRIES = 2;
const BACKOFF: Backoff = { firstMs: 500, maxMs: 30_000, jitter: 'subtracted' };

/** Options of {@link Realtime}. */
export interface RealtimeOptions {
  /** The WebSocket class to use. Default: that of the runtime; on Node 20, which has none, that of the package `ws`. */
  readonly webSocketImpl?: WebSocketClass;
  /** Time limit of the handshake in milliseconds. Default: 15,000. */
  readonly timeout?: number;
  /**
   * Milliseconds of silence after which the client sends a ping. If the server stays silent as long again, the client
   * reconnects. Default: 15,000.
   */
  readonly heartbeat?: number;
  /**
   * Maximum number of retries until the client connects for the first time, and until a stream returns its first data.
   * If they all fail, the error is thrown. A connection or stream that worked before is retried without a limit.
   * Default: 2.
   */
  readonly maxRetries?: number;
  /**
   * Returns the milliseconds to wait before reconnecting. `failures` is 0 after the first failure, 1 after the second
   * consecutive one, and so on. Default: 500, doubled with each failure up to 30,000, and reduced by a random share of
   * up to half.
   */
  readonly reconnectDelay?: (failures: number) => number;
}

/** Options of a stream of trade signals. */
export interface TradeSignalsOptions extends StreamOptions {
  /**
   * The sequence of the last signal that you processed; 0 starts with the first signal. Default: start with the next
   * new signal. If a stream with the default disconnects before its first signal arrives, it misses the signals that
   * are emitted until it is connected again.
   */
  readonly afterSequence?: number;
}

/** Options of a stream of order books. */
export interface OrderbookOptions extends StreamOptions {
  /** Levels per side, 1 to 500. Default: 20. */
  readonly depth?: number;
}

/**
 * Live data over one WebSocket, which reconnects automatically and signs every connection. Needs a client with a
 * signer: API keys are for REST only.
 *
 * @example
 * import { Realtime } from '@trading-automation/sdk/realtime';
 *
 * const live = new Realtime(client);
 * for await (const signal of live.tradeSignals(strategyId, { afterSequence: 0 })) {
 *   console.log(signal.sequence, signal.kind, signal.side, signal.filled_amount);
 *   break;
 * }
 * await live.close();
 */
export class Realtime<D extends DecimalForm = 'number'> {
  readonly #decimals: D;
  readonly #socket: SharedSocket;
  readonly #maxRetries: number;
  readonly #streams = new Set<{ close(): void }>();
  #isClosed = false;

  /**
   * Creates a Realtime for a client. It connects when the first stream is opened.
   *
   * @throws {RangeError} if `timeout` or `heartbeat` is not above 0, or if `maxRetries` is not an integer of 0 or more
   */
  constructor(client: Client<D>, options: RealtimeOptions = {}) {
    const { transport } = operationClientOf(client);
    const { webSocketImpl, timeout = CONNECT_MS, heartbeat = HEARTBEAT_MS } = options;
    for (const [name, ms] of Object.entries({ timeout, heartbeat }))
      if (!Number.isFinite(ms) || ms <= 0)
        throw new RangeError(`${name} must be more than 0 milliseconds; got ${ms}.`);
    this.#decimals = (/decimals=string/.test(transport.accept) ? 'string' : 'number') as D;
    this.#maxRetries = validMaxRetries(options.maxRetries ?? MAX_RETRIES);
    this.#socket = new SharedSocket({
      transport,
      webSocketImpl,
      connectMs: timeout,
      heartbeatMs: heartbeat,
      delayMs: options.reconnectDelay ?? delayMs,
    });
  }

  /**
   * Streams the signals of your strategy, or of another user's active public strategy, in order. With
   * `afterSequence`, or once the first signal has arrived, no signal is lost or repeated, even after a disconnect. While
   * you read too slowly, the client pauses the subscription.
   *
   * @example
   * for await (const signal of live.tradeSignals(strategyId, { afterSequence: 0 })) {
   *   console.log(signal.sequence, signal.kind, signal.symbol, signal.reference_price);
   *   break; // leaving the loop closes the stream
   * }
   *
   * @throws {NotFoundError} while reading, if the strategy does not exist or is not (or no longer) visible to you
   * @throws {BadRequestError} while reading, if the strategy has no signal with the sequence `afterSequence`
   */
  tradeSignals(strategyId: string, options: TradeSignalsOptions = {}): RealtimeStream<TradeSignal<D>> {
    return this.#open(new SignalSource<D>(strategyId, options.afterSequence, this.#decimals), options);
  }

  /**
   * Streams an order book: after each change, a book with all levels up to `depth`. A slow reader gets fewer books, but
   * each is the latest.
   *
   * @example
   * for await (const book of live.orderbook(pairId, { depth: 5 })) {
   *   console.log(book.symbol, 'bid', book.bids[0], 'ask', book.asks[0]);
   *   break;
   * }
   *
   * @throws {NotFoundError} while reading, if the pair does not exist
   * @throws {BadRequestError} while reading, if `depth` is not from 1 to 500
   */
  orderbook(pairId: string, options: OrderbookOptions = {}): RealtimeStream<OrderBook<D>> {
    return this.#open(new BookSource<D>(pairId, options.depth, this.#decimals), options);
  }

  /**
   * Streams the results of a GraphQL operation; decimals are strings. After a disconnect, the client sends the
   * operation again. To resume a subscription, pass a function that returns its variables: the client calls it each
   * time before it sends the operation.
   *
   * @example
   * const updates = live.subscribe<{ orderbookUpdate: { kind: string; sequence: number } }>(
   *   'subscription ($pair: ID!) { orderbookUpdate(tradePairId: $pair, depth: 1) { kind sequence } }',
   *   { pair: pairId },
   * );
   * for await (const { orderbookUpdate } of updates) {
   *   console.log(orderbookUpdate.kind, orderbookUpdate.sequence);
   *   break;
   * }
   *
   * @throws {ApiError} while reading, if a result has errors; the first error determines its code and subclass
   */
  subscribe<Data = unknown, Variables extends object = Record<string, unknown>>(
    document: GraphqlDocument<Data, Variables>,
    ...[variables = {} as Variables, options = {}]: VariablesAndOptions<
      Variables | (() => Variables),
      StreamOptions
    >
  ): RealtimeStream<Data> {
    return this.#open(new DocumentSource<Data>(textOf(document), variables), options);
  }

  /**
   * Ends all streams and closes the connection. If you do not call it, the connection closes half a second after the
   * last stream ends.
   *
   * @example
   * await live.close();
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stream of this.#streams) stream.close();
    await this.#socket.close();
  }

  #open<T>(source: StreamSource<T>, options: StreamOptions): RealtimeStream<T> {
    if (this.#isClosed) throw new TypeError('This Realtime is closed. Create a new one.');
    const settings = { socket: this.#socket, maxRetries: this.#maxRetries, streams: this.#streams };
    return new ReconnectingStream(source, settings, options);
  }
}

function delayMs(failures: number): number {
  return backoffMs(BACKOFF, failures, Math.random());
}
