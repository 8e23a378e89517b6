/** One connection for public streams: order books and prices. */
import { ExchangeError } from '../../port.js';
import type { MarketStreamProtocol } from '../adapter.js';
import type { CcxtClient } from '../ccxt-client.js';
import { failure } from '../failures.js';
import type { Sockets, StreamSocket } from './sockets.js';

/** What public streams need from their venue. */
export interface MarketStreamVenue {
  readonly adapter: { readonly marketStream?: MarketStreamProtocol | undefined };
  readonly sockets: Sockets;
  /** The time within which a stream must be connected. */
  readonly startTimeoutMs: number;
  /** Runs one call for public data. */
  read<T>(work: (library: CcxtClient) => Promise<T>): Promise<T>;
}

export interface MarketStreamCallbacks {
  /** The streams to subscribe to, by the exchange's names. */
  streams(protocol: MarketStreamProtocol, library: CcxtClient): readonly string[];
  /** The exchange has accepted the subscription. */
  onSubscribed(): void;
  onMessage(message: unknown): void;
  /** Called at most once, as the last call; never after `close`. */
  onLost(error: ExchangeError): void;
}

export class MarketStream {
  #socket: StreamSocket | undefined;
  #isOver = false;
  readonly #deadline: NodeJS.Timeout;

  constructor(
    private readonly venue: MarketStreamVenue,
    private readonly callbacks: MarketStreamCallbacks,
  ) {
    this.#deadline = setTimeout(() => this.lose(failure(['retryable', 'no_answer'])), venue.startTimeoutMs);
    // A call that sends nothing of its own loads the markets.
    venue
      .read(async (library) => library)
      .then((library) => this.#start(library))
      .catch((error: unknown) => this.lose(error));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends the stream and notifies the handler. */
  lose(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    void this.#socket?.close();
    try {
      this.callbacks.onLost(error instanceof ExchangeError ? error : failure(['retryable', 'bad_answer']));
    } catch {
      // No call follows, so there is nothing left to end.
    }
  }

  async close(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#deadline);
    await this.#socket?.close();
  }

  #start(library: CcxtClient): void {
    if (this.#isOver) return;
    const protocol = this.venue.adapter.marketStream;
    if (protocol === undefined) throw failure(['rejected', 'not_supported']);
    const streams = this.callbacks.streams(protocol, library);
    if (streams.length > protocol.streamsPerConnection) throw failure(['rejected', 'not_supported']);
    const socket = this.venue.sockets.connect(protocol.url(library), {
      onOpen: () => socket.send(protocol.subscribe(streams)),
      onMessage: (message) => this.#receive(protocol, message),
      onClosed: (error) => this.lose(error),
    });
    this.#socket = socket;
  }

  #receive(protocol: MarketStreamProtocol, message: unknown): void {
    if (this.#isOver) return;
    const isAccepted = protocol.acknowledges(message);
    if (isAccepted === undefined) this.callbacks.onMessage(message);
    else if (isAccepted) this.#acceptSubscription();
    else this.lose(failure(['rejected', 'not_supported']));
  }

  #acceptSubscription(): void {
    clearTimeout(this.#deadline);
    this.callbacks.onSubscribed();
  }
}

/** @throws {ExchangeError} `rejected`/`not_supported` if the symbol is not listed */
export function marketIdOf(library: CcxtClient, symbol: string): string {
  if (library.markets?.[symbol] === undefined) throw failure(['rejected', 'not_supported']);
  return library.market(symbol).id;
}
