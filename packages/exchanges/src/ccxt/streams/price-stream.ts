import type { PriceHandler, VenueStream } from '../../port.js';
import type { CcxtClient } from '../ccxt-client.js';
import { failure } from '../failures.js';
import { MarketStream, type MarketStreamVenue, marketIdOf } from './market-stream.js';

/** Streams the last prices of some symbols. */
export class PriceStream implements VenueStream {
  readonly #stream: MarketStream;
  readonly #symbolsByMarketId = new Map<string, string>();

  constructor(
    private readonly venue: MarketStreamVenue,
    private readonly symbols: readonly string[],
    private readonly handler: PriceHandler,
  ) {
    this.#stream = new MarketStream(venue, {
      streams: (protocol, ccxt) => this.#marketIds(ccxt).map((id) => protocol.priceStream(id)),
      onSubscribed: () => handler.onConnected(),
      onMessage: (message) => this.#dispatch(message),
      onLost: (error) => handler.onLost(error),
    });
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  #marketIds(ccxt: CcxtClient): readonly string[] {
    if (this.symbols.length === 0) throw failure(['rejected', 'not_supported']);
    for (const symbol of this.symbols) this.#symbolsByMarketId.set(marketIdOf(ccxt, symbol), symbol);
    return [...this.#symbolsByMarketId.keys()];
  }

  #dispatch(message: unknown): void {
    const parsed = this.venue.adapter.marketStream?.readPrice(message);
    const symbol = this.#symbolsByMarketId.get(parsed?.marketId ?? '');
    if (parsed !== undefined && symbol !== undefined && parsed.price !== '0')
      this.handler.onPrice(symbol, parsed.price, parsed.at);
  }
}
