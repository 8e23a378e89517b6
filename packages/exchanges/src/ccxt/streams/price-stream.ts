import type { ExchangeError, PriceHandler, VenueStream } from '../../port.js';
import type { CcxtClient } from '../ccxt-client.js';
import type { MarketStreamProtocol } from '../declaration.js';
import { failure } from '../failures.js';
import { MarketStream, type MarketStreamSegment, streamNameOf } from './market-stream.js';

/** Streams the last prices of some symbols. */
export class PriceStream implements VenueStream {
  readonly #stream: MarketStream;
  readonly #symbolsByName = new Map<string, string>();

  constructor(
    private readonly segment: MarketStreamSegment,
    private readonly symbols: readonly string[],
    private readonly handler: PriceHandler,
  ) {
    this.#stream = new MarketStream(segment, {
      streams: (protocol, ccxt) => this.#names(protocol, ccxt).map((name) => protocol.priceStream(name)),
      onSubscribed: () => handler.onConnected(),
      onMessage: (message) => this.#dispatch(message),
      onLost: (error) => handler.onLost(error),
    });
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  #names(protocol: MarketStreamProtocol, ccxt: CcxtClient): readonly string[] {
    if (this.symbols.length === 0) throw failure(['rejected', 'not_supported']);
    for (const symbol of this.symbols) this.#symbolsByName.set(streamNameOf(protocol, ccxt, symbol), symbol);
    return [...this.#symbolsByName.keys()];
  }

  #dispatch(message: unknown): void {
    for (const { marketId, price, at } of this.segment.declaration.marketStream?.readPrices(message) ?? []) {
      const symbol = this.#symbolsByName.get(marketId);
      if (symbol !== undefined && price !== '0') this.handler.onPrice(symbol, price, at);
    }
  }
}

/** Streams the last prices of symbols of several segments. It ends when the first of its streams ends. */
export class CombinedPriceStream implements VenueStream {
  readonly #streams: readonly PriceStream[];
  #missingConnections: number;
  #hasEnded = false;

  constructor(
    groups: readonly (readonly [segment: MarketStreamSegment, symbols: readonly string[]])[],
    private readonly handler: PriceHandler,
  ) {
    this.#missingConnections = groups.length;
    const part: PriceHandler = {
      onConnected: () => this.#countConnection(),
      onPrice: (symbol, price, at) => {
        if (!this.#hasEnded) handler.onPrice(symbol, price, at);
      },
      onLost: (error) => this.#lose(error),
    };
    this.#streams = groups.map(([segment, symbols]) => new PriceStream(segment, symbols, part));
  }

  async close(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all(this.#streams.map((stream) => stream.close()));
  }

  #countConnection(): void {
    this.#missingConnections -= 1;
    if (this.#missingConnections === 0 && !this.#hasEnded) this.handler.onConnected();
  }

  #lose(error: ExchangeError): void {
    if (this.#hasEnded) return;
    void this.close();
    this.handler.onLost(error);
  }
}
