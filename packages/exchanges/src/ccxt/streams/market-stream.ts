/** One connection for public streams: order books and prices. */
import { ExchangeError } from '../../port.js';
import type { CcxtClient } from '../ccxt-client.js';
import type { MarketStreamProtocol } from '../declaration.js';
import { failure } from '../failures.js';
import type { Sockets, StreamSocket } from './sockets.js';

/** The members of a segment that public streams use. */
export interface MarketStreamSegment {
  readonly declaration: { readonly marketStream?: MarketStreamProtocol | undefined };
  readonly sockets: Sockets;
  /** The time within which a stream must be connected. */
  readonly startTimeoutMs: number;
  /** The local address from which public data is read. */
  readonly publicEgress: string | undefined;
  /** Runs one call for public data. */
  read<T>(work: (ccxt: CcxtClient) => Promise<T>): Promise<T>;
}

export interface MarketStreamCallbacks {
  /** The streams to subscribe to, by the exchange's names. */
  streams(protocol: MarketStreamProtocol, ccxt: CcxtClient): readonly string[];
  /** The exchange has accepted the subscription. */
  onSubscribed(): void;
  onMessage(message: unknown): void;
  /** Called at most once, as the last call; never after `close`. */
  onLost(error: ExchangeError): void;
}

export class MarketStream {
  #socket: StreamSocket | undefined;
  #hasEnded = false;
  #isSubscribed = false;
  #streams: readonly string[] = [];
  readonly #deadline: NodeJS.Timeout;

  constructor(
    private readonly segment: MarketStreamSegment,
    private readonly callbacks: MarketStreamCallbacks,
  ) {
    this.#deadline = setTimeout(() => this.lose(failure(['retryable', 'no_answer'])), segment.startTimeoutMs);
    // `read` loads the markets before it runs its callback.
    segment
      .read((ccxt) => this.#prepare(ccxt))
      .then((url) => this.#start(url))
      .catch((error: unknown) => this.lose(error));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Ends the stream and calls `onLost`. */
  lose(error: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#deadline);
    void this.#socket?.close();
    try {
      this.callbacks.onLost(error instanceof ExchangeError ? error : failure(['retryable', 'bad_answer']));
    } catch {
      // onLost is the last callback, so nothing is left to clean up.
    }
  }

  async close(): Promise<void> {
    this.#hasEnded = true;
    clearTimeout(this.#deadline);
    await this.#socket?.close();
  }

  /** Subscribes once more, so that the exchange sends a new snapshot. */
  resubscribe(): void {
    const protocol = this.segment.declaration.marketStream;
    if (protocol === undefined || this.#socket === undefined) return;
    sendAll(this.#socket, protocol.unsubscribe(this.#streams));
    sendAll(this.#socket, protocol.subscribe(this.#streams));
  }

  /** Returns the address. */
  async #prepare(ccxt: CcxtClient): Promise<string> {
    const protocol = this.segment.declaration.marketStream;
    if (protocol === undefined) throw failure(['rejected', 'not_supported']);
    const streams = this.callbacks.streams(protocol, ccxt);
    if (streams.length > protocol.streamsPerConnection) throw failure(['rejected', 'not_supported']);
    this.#streams = streams;
    return protocol.url(ccxt, streams);
  }

  #start(url: string): void {
    const protocol = this.segment.declaration.marketStream;
    if (this.#hasEnded || protocol === undefined) return;
    const streams = this.#streams;
    const handler = {
      onOpen: () => sendAll(socket, protocol.subscribe(streams)),
      onMessage: (message: unknown) => this.#receive(protocol, message),
      onClosed: (error: ExchangeError) => this.lose(error),
    };
    const socket: StreamSocket = this.segment.sockets.connect(url, handler, {
      egress: this.segment.publicEgress,
      heartbeat: protocol.heartbeat,
      isGreeted: protocol.isGreeted,
      answerPing: protocol.answerPing,
      headers: protocol.connectHeaders,
    });
    this.#socket = socket;
  }

  #receive(protocol: MarketStreamProtocol, message: unknown): void {
    if (this.#hasEnded) return;
    const acknowledgement = protocol.acknowledgementOf(message);
    if (acknowledgement === undefined) this.callbacks.onMessage(message);
    else if (acknowledgement === 'accepted') {
      this.#acceptSubscription();
      if (protocol.numbersAcknowledgements === true) this.callbacks.onMessage(message);
    } else this.lose(failure(['rejected', 'not_supported']));
  }

  #acceptSubscription(): void {
    if (this.#isSubscribed) return;
    this.#isSubscribed = true;
    clearTimeout(this.#deadline);
    this.callbacks.onSubscribed();
  }
}

function sendAll(socket: StreamSocket, messages: object | readonly object[]): void {
  for (const message of Array.isArray(messages) ? messages : [messages]) socket.send(message);
}

/**
 * Returns the name of a market on streams.
 * @throws {ExchangeError} `rejected`/`not_supported` if the symbol is not listed
 */
export function streamNameOf(protocol: MarketStreamProtocol, ccxt: CcxtClient, symbol: string): string {
  if (ccxt.markets?.[symbol] === undefined) throw failure(['rejected', 'not_supported']);
  return protocol.nameOf?.(ccxt, symbol) ?? ccxt.market(symbol).id;
}
