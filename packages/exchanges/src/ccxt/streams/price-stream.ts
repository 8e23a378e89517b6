import type { PriceHandler, VenueStream } from '../../port.js';
import type { CcxtClient } from '../ccxt-client.js';
import { failure } from '../failures.js';
import { MarketStream, type MarketStreamVenue, marketIdOf } from './market-stream.js';

/** The last prices of some symbols. */
export class PriceStream implements VenueStream {
  readonly #stream: MarketStream;
  readonly #symbols = new Map<string, string>();

  constructor(
    private readonly venue: MarketStreamVenue,
    private readonly wanted: readonly string[],
    private readonly handler: PriceHandler,
  ) {
    this.#stream = new MarketStream(venue, {
      streams: (dialect, library) => this.#marketIds(library).map((id) => dialect.priceStream(id)),
      onSubscribed: () => handler.onConnected(),
      onMessage: (message) => this.#dispatch(message),
      onLost: (error) => handler.onLost(error),
    });
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  #marketIds(library: CcxtClient): readonly string[] {
    if (this.wanted.length === 0) throw failure(['rejected', 'not_supported']);
    for (const symbol of this.wanted) this.#symbols.set(marketIdOf(library, symbol), symbol);
    return [...this.#symbols.keys()];
  }

  #dispatch(message: unknown): void {
    const told = this.venue.adapter.marketStream?.readPrice(message);
    const symbol = this.#symbols.get(told?.marketId ?? '');
    if (told !== undefined && symbol !== undefined && told.price !== '0')
      this.handler.onPrice(symbol, told.price, told.at);
  }
}
