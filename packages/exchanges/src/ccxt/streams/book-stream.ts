/**
 * One order book: a snapshot, then what changes, by the exchange's own numbers.
 *
 * The changes come first, so that none is missed while the snapshot is on its way; those that it has already are left
 * out. Where the numbers don't follow one another something was lost, and the book is read anew.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BookHandler, VenueStream } from '../../port.js';
import type { BookDiff, BookSnapshot } from '../adapter.js';
import { failure, MalformedResponse } from '../failures.js';
import { MarketStream, type MarketStreamVenue, marketIdOf } from './market-stream.js';

/** Between two snapshots, lest a book that can't be put together spends everybody's calls. */
const SNAPSHOT_PAUSE_MS = 250;
/** Changes that wait for a snapshot. More than a call may last can bring. */
const WAITING_MAX = 10_000;

export class BookStream implements VenueStream {
  readonly #stream: MarketStream;
  /** The number of the last change told; none while a snapshot is on its way. */
  #sequence: number | undefined;
  #waiting: BookDiff[] = [];
  #isReading = false;

  constructor(
    private readonly venue: MarketStreamVenue,
    private readonly symbol: string,
    private readonly handler: BookHandler,
  ) {
    this.#stream = new MarketStream(venue, {
      streams: (dialect, library) => [dialect.bookStream(marketIdOf(library, symbol))],
      onSubscribed: () => this.#resync(),
      onMessage: (message) => this.#receive(message),
      onLost: (error) => handler.onLost(error),
    });
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  #receive(message: unknown): void {
    const diff = this.venue.adapter.marketStream?.readBook(message);
    if (diff === undefined) return;
    if (this.#sequence !== undefined) {
      this.#apply(diff, this.#sequence);
      return;
    }
    if (this.#waiting.length >= WAITING_MAX) throw new MalformedResponse('a book that never stands still');
    this.#waiting.push(diff);
  }

  #apply(diff: BookDiff, sequence: number): void {
    if (diff.last <= sequence) return;
    if (diff.first > sequence + 1) {
      this.#waiting = [diff];
      this.#resync();
      return;
    }
    this.#sequence = diff.last;
    this.handler.onDelta({
      symbol: this.symbol,
      sequence: diff.last,
      previousSequence: sequence,
      bids: diff.bids,
      asks: diff.asks,
      exchangeTimestamp: diff.at,
    });
  }

  #resync(): void {
    this.#sequence = undefined;
    if (this.#isReading) return;
    this.#isReading = true;
    this.#read()
      .catch((error: unknown) => this.#stream.lose(error))
      .finally(() => {
        this.#isReading = false;
      });
  }

  /** Until a snapshot and the changes that wait go together. */
  async #read(): Promise<void> {
    while (!this.#stream.isOver) {
      const startedAt = performance.now();
      const snapshot = await this.#snapshot();
      if (this.#stream.isOver || this.#begin(snapshot)) return;
      await sleep(Math.max(0, SNAPSHOT_PAUSE_MS - (performance.now() - startedAt)));
    }
  }

  /** False where changes between the snapshot and those that wait are missing. */
  #begin(snapshot: BookSnapshot): boolean {
    const later = this.#waiting.filter(({ last }) => last > snapshot.last);
    this.#waiting = later;
    const [first] = later;
    if (first !== undefined && first.first > snapshot.last + 1) return false;
    this.#waiting = [];
    this.#sequence = snapshot.last;
    this.handler.onSnapshot({
      symbol: this.symbol,
      sequence: snapshot.last,
      bids: snapshot.bids,
      asks: snapshot.asks,
      exchangeTimestamp: first?.at ?? new Date(),
    });
    for (const diff of later) {
      if (this.#sequence === undefined) {
        this.#waiting.push(diff);
        continue;
      }
      this.#apply(diff, this.#sequence);
    }
    return this.#sequence !== undefined;
  }

  #snapshot(): Promise<BookSnapshot> {
    const dialect = this.venue.adapter.marketStream;
    if (dialect === undefined) throw failure(['rejected', 'not_supported']);
    return this.venue.read((library) => dialect.fetchBook(library, marketIdOf(library, this.symbol)));
  }
}
