import {
  BookChanges,
  type MarketBoard,
  OrderBook,
  type Publication,
} from '@trading-automation/core/market-data';
import type { BookUpdate, ExchangeVenue } from '@trading-automation/exchanges';
import { StandingStream } from './standing-stream.js';

export interface BookWatchParts {
  readonly venue: ExchangeVenue;
  readonly symbol: string;
  readonly board: MarketBoard;
  readonly onError: (error: unknown) => void;
}

/**
 * One book of a venue, put on the board as it changes. While one message is being written the changes of the next come
 * together in it, so that a slow Redis gets fewer and larger ones and nothing grows. Without a connection to the venue
 * nothing is written, and what is kept for newcomers runs out.
 */
export class BookWatch {
  private readonly book = new OrderBook();
  private readonly changes = new BookChanges();
  private readonly stream: StandingStream;
  /** Of the last message; undefined while the venue tells nothing. */
  private stamp: { readonly exchangeTimestamp: string; readonly receivedAt: string } | undefined;
  private owesSnapshot = false;
  private isAsked = false;
  private isKeepDue = false;
  private isPublishing = false;
  private isClosed = false;

  constructor(private readonly parts: BookWatchParts) {
    const { venue, symbol, onError } = parts;
    this.stream = new StandingStream({
      open: (onLost) =>
        venue.watchBook(symbol, {
          onSnapshot: (book) => this.take(book, true),
          onDelta: (change) => this.take(change, false),
          onLost,
        }),
      onLost: (error) => {
        this.stamp = undefined;
        onError(error);
      },
    });
  }

  /** Tells the present state once more, for a reader that needs it. */
  repeat(): void {
    this.isAsked = true;
    this.flush();
  }

  /** Keeps the stored snapshot up; also the next try after a failure. */
  keep(): void {
    this.isKeepDue = true;
    this.flush();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.stream.close();
  }

  private take(update: BookUpdate, isWhole: boolean): void {
    if (isWhole) {
      this.book.reset(update);
      this.owesSnapshot = true;
    } else {
      this.book.apply(update);
      this.changes.add(update);
    }
    this.stamp = {
      exchangeTimestamp: update.exchangeTimestamp.toISOString(),
      receivedAt: new Date().toISOString(),
    };
    this.stream.works();
    this.flush();
  }

  private flush(): void {
    if (this.isPublishing) return;
    this.isPublishing = true;
    this.publishAll()
      .catch((error) => {
        // Whether it was published is not known: what follows must not lean on it.
        this.owesSnapshot = true;
        this.parts.onError(error);
      })
      .finally(() => {
        this.isPublishing = false;
      });
  }

  private async publishAll(): Promise<void> {
    for (let what = this.next(); what !== undefined; what = this.next()) {
      if (await this.publish(what)) continue;
      // The lease is another's, or Redis has lost its count.
      this.owesSnapshot = true;
      return;
    }
  }

  /** What is to be written next; REPEAT and KEEP stand for what was told last, so they come after all changes. */
  private next(): Publication | undefined {
    if (this.stamp === undefined || this.isClosed) return undefined;
    if (this.owesSnapshot) return 'SNAPSHOT';
    if (!this.changes.isEmpty) return 'DELTA';
    if (this.isAsked) return 'REPEAT';
    return this.isKeepDue ? 'KEEP' : undefined;
  }

  private publish(what: Publication): Promise<boolean> {
    const { venue, symbol, board } = this.parts;
    const sides = what === 'DELTA' ? this.changes.take() : this.book.sides();
    if (what !== 'DELTA') {
      this.changes.clear();
      this.owesSnapshot = false;
      this.isAsked = false;
      this.isKeepDue = false;
    }
    const { exchangeTimestamp, receivedAt } = this.stamp ?? { exchangeTimestamp: '', receivedAt: '' };
    return board.publish({ exchange: venue.id, symbol }, what, { exchangeTimestamp, receivedAt, ...sides });
  }
}
