import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { MarketDataPublisher } from '@trading-automation/core/market-data';
import type { ExchangeVenue } from '@trading-automation/exchanges';
import { type Loop, startLoop } from '../schedules/loop.js';
import { BookPublisher } from './book-publisher.js';
import { PricePublisher } from './price-publisher.js';
import { type PairSource, VenueFeed } from './venue-feed.js';

/** How often the lease is renewed, the list of requested order books is read and stored snapshots are refreshed. */
const TICK_EVERY_MS = 1_000;
/** How often the active pairs are read from the database. */
const SYMBOLS_EVERY_MS = 5_000;

export interface MarketDataSettings {
  readonly redisUrl: string;
  /** The key prefix. It must equal the prefix of the API's feeds. */
  readonly prefix: string;
  /** Identifies this worker as the holder of a lease. */
  readonly holder: string;
}

/**
 * Publishes the market data of all venues to Redis, for the APIs. For each venue, one worker at a time holds a
 * lease. The holder streams the prices of all active pairs and the order books that clients requested.
 */
export class MarketData implements OnApplicationBootstrap, OnApplicationShutdown {
  private publisher: MarketDataPublisher | undefined;
  private venuePublishers: readonly VenuePublisher[] = [];
  private loops: readonly Loop[] = [];

  constructor(
    private readonly settings: MarketDataSettings,
    private readonly venues: readonly ExchangeVenue[],
    private readonly pairs: PairSource,
    private readonly onError: (error: unknown) => void,
  ) {}

  onApplicationBootstrap(): void {
    const { venues, pairs, onError } = this;
    const publisher = new MarketDataPublisher({ ...this.settings, onError });
    this.publisher = publisher;
    this.venuePublishers = venues.map(
      (venue) => new VenuePublisher(new VenueFeed(venue, publisher, pairs), onError),
    );
    for (const venuePublisher of this.venuePublishers) venuePublisher.listen().catch(onError);
    this.loops = this.venuePublishers.map((venuePublisher) =>
      startLoop(TICK_EVERY_MS, () => venuePublisher.tick(), onError),
    );
  }

  /** Closes every stream, and releases the leases so that another worker can take over immediately. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
    await Promise.all(
      this.venuePublishers.map((venuePublisher) => venuePublisher.stop().catch(this.onError)),
    );
    this.publisher?.close();
  }
}

/** The market data of one venue. */
class VenuePublisher {
  private readonly books = new Map<string, BookPublisher>();
  private prices: { readonly symbols: string; readonly publisher: PricePublisher } | undefined;
  private symbols: { readonly active: readonly string[]; readonly readAt: number } | undefined;
  private hasLease = false;

  constructor(
    private readonly feed: VenueFeed,
    private readonly onError: (error: unknown) => void,
  ) {}

  listen(): Promise<void> {
    return this.feed.onSnapshotRequest((symbol) => {
      if (!this.hasLease) return;
      const publisher = this.books.get(symbol);
      if (publisher !== undefined) publisher.rebroadcast();
      else this.syncBooks().catch(this.onError);
    });
  }

  async tick(): Promise<void> {
    this.hasLease = await this.feed.acquireLease();
    if (!this.hasLease) {
      await this.closeAll();
      return;
    }
    // If the database is unavailable, the symbols of the last read are used.
    await this.readSymbols().catch(this.onError);
    await this.syncPriceStream();
    await this.syncBooks();
    for (const publisher of this.books.values()) publisher.refreshSnapshot();
  }

  async stop(): Promise<void> {
    const { hasLease } = this;
    // Cleared first, so that a request that arrives meanwhile does not open a stream.
    this.hasLease = false;
    await this.closeAll();
    if (hasLease) await this.feed.releaseLease();
  }

  private async readSymbols(): Promise<void> {
    const now = performance.now();
    if (this.symbols !== undefined && now - this.symbols.readAt < SYMBOLS_EVERY_MS) return;
    const active = await this.feed.activeSymbols();
    this.symbols = { active: active.toSorted(), readAt: now };
  }

  /** Keeps one price stream for all active pairs, and replaces it when they change. */
  private async syncPriceStream(): Promise<void> {
    const active = this.symbols?.active ?? [];
    const symbols = active.join(' ');
    if (symbols === (this.prices?.symbols ?? '')) return;
    await this.prices?.publisher.close();
    this.prices = undefined;
    if (active.length === 0) return;
    this.prices = { symbols, publisher: new PricePublisher(this.feed, active, this.onError) };
  }

  private async syncBooks(): Promise<void> {
    const requested = await this.feed.wantedSymbols();
    if (!this.hasLease) return;
    const wanted = new Set(requested.filter((symbol) => this.symbols?.active.includes(symbol)));
    for (const symbol of wanted) {
      if (!this.books.has(symbol)) this.books.set(symbol, new BookPublisher(this.feed, symbol, this.onError));
    }
    const unwanted = [...this.books.keys()].filter((symbol) => !wanted.has(symbol));
    await Promise.all(unwanted.map((symbol) => this.closeBook(symbol)));
  }

  private async closeBook(symbol: string): Promise<void> {
    const publisher = this.books.get(symbol);
    this.books.delete(symbol);
    await publisher?.close();
  }

  private async closeAll(): Promise<void> {
    const { prices } = this;
    this.prices = undefined;
    await Promise.all([
      prices?.publisher.close(),
      ...[...this.books.keys()].map((symbol) => this.closeBook(symbol)),
    ]);
  }
}
