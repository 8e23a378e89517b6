/** One connection that follows public streams, as books and prices do. */
import { ExchangeError } from '../../port.js';
import type { MarketStreamProtocol } from '../adapter.js';
import type { CcxtClient } from '../ccxt-client.js';
import { failure } from '../failures.js';
import type { Sockets, StreamSocket } from './sockets.js';

/** What public streams need of their exchange. */
export interface MarketStreamVenue {
  readonly adapter: { readonly marketStream?: MarketStreamProtocol | undefined };
  readonly sockets: Sockets;
  /** Within which a stream has to be there. */
  readonly startTimeoutMs: number;
  /** One call about public data. */
  read<T>(work: (library: CcxtClient) => Promise<T>): Promise<T>;
}

export interface MarketStreamCallbacks {
  /** The streams to follow, by the exchange's names. */
  streams(dialect: MarketStreamProtocol, library: CcxtClient): readonly string[];
  /** The exchange has taken the subscription. */
  onSubscribed(): void;
  onMessage(message: unknown): void;
  /** Called once, and last; never after `close`. */
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
    // A call that asks for nothing has the markets read.
    venue
      .read(async (library) => library)
      .then((library) => this.#start(library))
      .catch((error: unknown) => this.lose(error));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends it; the handler is told. */
  lose(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    void this.#socket?.close();
    try {
      this.callbacks.onLost(error instanceof ExchangeError ? error : failure(['retryable', 'bad_answer']));
    } catch {
      // It is the last call in any case.
    }
  }

  async close(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#deadline);
    await this.#socket?.close();
  }

  #start(library: CcxtClient): void {
    if (this.#isOver) return;
    const dialect = this.venue.adapter.marketStream;
    if (dialect === undefined) throw failure(['rejected', 'not_supported']);
    const streams = this.callbacks.streams(dialect, library);
    if (streams.length > dialect.streamsPerConnection) throw failure(['rejected', 'not_supported']);
    const socket = this.venue.sockets.connect(dialect.url(library), {
      onOpen: () => socket.send(dialect.subscribe(streams)),
      onMessage: (message) => this.#receive(dialect, message),
      onClosed: (error) => this.lose(error),
    });
    this.#socket = socket;
  }

  #receive(dialect: MarketStreamProtocol, message: unknown): void {
    if (this.#isOver) return;
    const isTaken = dialect.acknowledges(message);
    if (isTaken === undefined) this.callbacks.onMessage(message);
    else if (isTaken) this.#begin();
    else this.lose(failure(['rejected', 'not_supported']));
  }

  #begin(): void {
    clearTimeout(this.#deadline);
    this.callbacks.onSubscribed();
  }
}

/** @throws {ExchangeError} `rejected`/`not_supported` for what isn't listed */
export function marketIdOf(library: CcxtClient, symbol: string): string {
  if (library.markets?.[symbol] === undefined) throw failure(['rejected', 'not_supported']);
  return library.market(symbol).id;
}
