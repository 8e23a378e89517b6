import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { MarketBoard } from '@trading-automation/core/market-data';
import type { ExchangeVenue } from '@trading-automation/exchanges';
import { type Loop, startLoop } from '../schedules/loop.js';
import { BookWatch } from './book-watch.js';
import { type PairSource, PriceWatch } from './price-watch.js';

/** How often the lease is renewed, wishes are read and snapshots kept up. */
const TURN_EVERY_MS = 1_000;
const SYMBOLS_EVERY_MS = 5_000;

export interface MarketDataParts {
  readonly redisUrl: string;
  /** As the APIs' feeds have it. */
  readonly prefix: string;
  /** Tells this worker from all others. */
  readonly holder: string;
  readonly venues: readonly ExchangeVenue[];
  readonly pairs: PairSource;
  readonly onError: (error: unknown) => void;
}

/**
 * Market data of all venues, for the APIs: of each venue one worker at a time (the holder of its lease) reads the prices
 * of all active pairs and the books that somebody wants, and puts them on the board in Redis.
 */
export class MarketData implements OnApplicationBootstrap, OnApplicationShutdown {
  private board: MarketBoard | undefined;
  private desks: readonly VenueDesk[] = [];
  private loops: readonly Loop[] = [];

  constructor(private readonly parts: MarketDataParts) {}

  onApplicationBootstrap(): void {
    const { venues, onError } = this.parts;
    const board = new MarketBoard(this.parts);
    this.board = board;
    this.desks = venues.map((venue) => new VenueDesk(venue, board, this.parts));
    for (const desk of this.desks) desk.listen().catch(onError);
    this.loops = this.desks.map((desk) => startLoop(TURN_EVERY_MS, () => desk.turn(), onError));
  }

  /** Ends every stream, and lets another worker take over at once. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
    await Promise.all(this.desks.map((desk) => desk.leave().catch(this.parts.onError)));
    this.board?.close();
  }
}

/** One venue. */
class VenueDesk {
  private readonly books = new Map<string, BookWatch>();
  private prices: { readonly symbols: string; readonly watch: PriceWatch } | undefined;
  private symbols: { readonly active: readonly string[]; readonly readAt: number } | undefined;
  private holds = false;

  constructor(
    private readonly venue: ExchangeVenue,
    private readonly board: MarketBoard,
    private readonly parts: MarketDataParts,
  ) {}

  listen(): Promise<void> {
    return this.board.onRequest(this.venue.id, (symbol) => {
      if (!this.holds) return;
      const watch = this.books.get(symbol);
      if (watch !== undefined) watch.repeat();
      else this.followWishes().catch(this.parts.onError);
    });
  }

  async turn(): Promise<void> {
    this.holds = await this.board.hold(this.venue.id);
    if (!this.holds) {
      await this.closeAll();
      return;
    }
    // Without the catalogue it goes on with what it knew: books and prices need no database.
    await this.readSymbols().catch(this.parts.onError);
    await this.followPrices();
    await this.followWishes();
    for (const watch of this.books.values()) watch.keep();
  }

  async leave(): Promise<void> {
    const { holds } = this;
    // First, so that no wish that comes in meanwhile opens anything.
    this.holds = false;
    await this.closeAll();
    if (holds) await this.board.release(this.venue.id);
  }

  private async readSymbols(): Promise<void> {
    const now = performance.now();
    if (this.symbols !== undefined && now - this.symbols.readAt < SYMBOLS_EVERY_MS) return;
    const active = await this.parts.pairs.activeSymbols(this.venue.id);
    this.symbols = { active: active.toSorted(), readAt: now };
  }

  /** One stream for all pairs; another one when the pairs are others. */
  private async followPrices(): Promise<void> {
    const active = this.symbols?.active ?? [];
    const symbols = active.join(' ');
    if (symbols === (this.prices?.symbols ?? '')) return;
    await this.prices?.watch.close();
    this.prices = undefined;
    if (active.length === 0) return;
    const { venue, board } = this;
    const { pairs, onError } = this.parts;
    this.prices = { symbols, watch: new PriceWatch({ venue, symbols: active, board, pairs, onError }) };
  }

  private async followWishes(): Promise<void> {
    const wished = await this.board.wanted(this.venue.id);
    if (!this.holds) return;
    const wanted = new Set(wished.filter((symbol) => this.symbols?.active.includes(symbol)));
    const { venue, board } = this;
    const { onError } = this.parts;
    for (const symbol of wanted) {
      if (!this.books.has(symbol)) this.books.set(symbol, new BookWatch({ venue, symbol, board, onError }));
    }
    const unwanted = [...this.books.keys()].filter((symbol) => !wanted.has(symbol));
    await Promise.all(unwanted.map((symbol) => this.closeBook(symbol)));
  }

  private async closeBook(symbol: string): Promise<void> {
    const watch = this.books.get(symbol);
    this.books.delete(symbol);
    await watch?.close();
  }

  private async closeAll(): Promise<void> {
    const { prices } = this;
    this.prices = undefined;
    await Promise.all([
      prices?.watch.close(),
      ...[...this.books.keys()].map((symbol) => this.closeBook(symbol)),
    ]);
  }
}
