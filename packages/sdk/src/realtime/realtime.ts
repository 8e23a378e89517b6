import { type Client, operationClientOf } from '../client.js';
import { maxRetriesIn } from '../core/connection.js';
import type { DecimalForm } from '../core/decimals.js';
import type { Behind } from '../core/graphql.js';
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
const FIRST_DELAY_MS = 500;
const DELAY_MAX_MS = 30_000;

/** How live data is connected. */
export interface RealtimeOptions {
  /** In place of the runtime's `WebSocket`. Node 20 has none: there the package `ws` is used where it is installed. */
  readonly webSocketImpl?: WebSocketClass;
  /** Milliseconds that the server may take to let the client in. Default: 15,000. */
  readonly timeout?: number;
  /**
   * Milliseconds of silence after which the server is asked whether it is there; after as many without a word the
   * connection is made anew. Default: 15,000.
   */
  readonly heartbeat?: number;
  /**
   * How often what never worked is tried again, before its error is thrown: the first connection, and what a stream asks
   * for. What did work is taken up again for as long as it takes. Default: 2.
   */
  readonly maxRetries?: number;
  /**
   * Milliseconds before the next connection, after so many that ended one after the other. Default: 500 at first, twice
   * as much each time, 30,000 at most, and up to half of it less by chance.
   */
  readonly reconnectDelay?: (failures: number) => number;
}

/** What a stream of signals is opened with. */
export interface TradeSignalsOptions extends StreamOptions {
  /**
   * The sequence of the last signal that you have dealt with; 0 begins at the first. Without it you get those from now
   * on, and what is given in a cut before the first one came is not told.
   */
  readonly afterSequence?: number;
}

/** What a stream of books is opened with. */
export interface OrderbookOptions extends StreamOptions {
  /** Levels of each side, 1 to 500. Default: 20. */
  readonly depth?: number;
}

/**
 * Live data over one WebSocket: signed for each connection, taken up again after each cut. It takes a client with a
 * signer, since API keys are for REST.
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
  readonly #delayMs: (failures: number) => number;
  readonly #streams = new Set<{ close(): void }>();
  #isClosed = false;

  constructor(client: Client<D>, options: RealtimeOptions = {}) {
    const { transport } = operationClientOf(client);
    const { webSocketImpl, timeout = CONNECT_MS, heartbeat = HEARTBEAT_MS } = options;
    for (const [name, ms] of Object.entries({ timeout, heartbeat }))
      if (!Number.isFinite(ms) || ms <= 0)
        throw new RangeError(`${name} is a number of milliseconds above 0.`);
    this.#decimals = (/decimals=string/.test(transport.accept) ? 'string' : 'number') as D;
    this.#maxRetries = maxRetriesIn(options.maxRetries ?? MAX_RETRIES);
    this.#delayMs = options.reconnectDelay ?? delayMs;
    this.#socket = new SharedSocket({
      transport,
      webSocketImpl,
      connectMs: timeout,
      heartbeatMs: heartbeat,
      delayMs: this.#delayMs,
    });
  }

  /**
   * The signals of a strategy, yours or another user's active public one, in their order. Over cuts none is lost and none
   * comes twice. Who reads slowly loses none either: the server is asked for no more meanwhile.
   *
   * @example
   * for await (const signal of live.tradeSignals(strategyId, { afterSequence: 0 })) {
   *   console.log(signal.sequence, signal.kind, signal.symbol, signal.reference_price);
   *   break; // leaving the loop closes the stream
   * }
   *
   * @throws {NotFoundError} while it is read, where the strategy is not there or not yours to see (any more)
   * @throws {BadRequestError} where it never gave a signal with that sequence
   */
  tradeSignals(strategyId: string, options: TradeSignalsOptions = {}): RealtimeStream<TradeSignal<D>> {
    return this.#open(new SignalSource<D>(strategyId, options.afterSequence, this.#decimals), options);
  }

  /**
   * The best levels of an order book, whole, each time that they changed. Who reads slowly gets fewer books, each of them
   * the newest.
   *
   * @example
   * for await (const book of live.orderbook(pairId, { depth: 5 })) {
   *   console.log(book.symbol, 'bid', book.bids[0], 'ask', book.asks[0]);
   *   break;
   * }
   *
   * @throws {NotFoundError} while it is read, where there is no such pair
   * @throws {BadRequestError} where there is no such depth
   */
  orderbook(pairId: string, options: OrderbookOptions = {}): RealtimeStream<OrderBook<D>> {
    return this.#open(new BookSource<D>(pairId, options.depth, this.#decimals), options);
  }

  /**
   * The results of a GraphQL operation of your own, its decimals as text. A subscription is asked for anew after a cut:
   * give its variables as a function to say from where it goes on.
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
   * @throws {ApiError} while it is read, by the code of the first error of a result
   */
  subscribe<Data = unknown, Variables extends object = Record<string, unknown>>(
    document: GraphqlDocument<Data, Variables>,
    ...[variables = {} as Variables, options = {}]: Behind<Variables | (() => Variables), StreamOptions>
  ): RealtimeStream<Data> {
    return this.#open(new DocumentSource<Data>(textOf(document), variables), options);
  }

  /**
   * Ends all streams and says goodbye. Without streams the connection is closed anyway, half a second after the last one.
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
    if (this.#isClosed) throw new TypeError('This Realtime is closed: make another one.');
    const [socket, maxRetries] = [this.#socket, this.#maxRetries];
    const carriage = { socket, maxRetries, delayMs: this.#delayMs, streams: this.#streams };
    return new ReconnectingStream(source, carriage, options);
  }
}

function delayMs(failures: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** failures, DELAY_MAX_MS) * (1 - Math.random() / 2);
}
