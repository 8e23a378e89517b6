import {
  ConflatedDelta,
  type MarketDataPublisher,
  OrderBook,
  type PublishAction,
} from '@trading-automation/core/market-data';
import type { BookUpdate, ExchangeVenue } from '@trading-automation/exchanges';
import { ReconnectingStream } from './reconnecting-stream.js';

export interface BookPublisherDependencies {
  readonly venue: ExchangeVenue;
  readonly symbol: string;
  readonly publisher: MarketDataPublisher;
  readonly onError: (error: unknown) => void;
}

/**
 * One book of a venue, put on the board as it changes. While one message is being written the changes of the next come
 * together in it, so that a slow Redis gets fewer and larger ones and nothing grows. Without a connection to the venue
 * nothing is written, and what is kept for newcomers runs out.
 */
export class BookPublisher {
  private readonly book = new OrderBook();
  private readonly changes = new ConflatedDelta();
  private readonly stream: ReconnectingStream;
  /** Of the last message; undefined while the venue tells nothing. */
  private timestamps: { readonly exchangeTimestamp: string; readonly receivedAt: string } | undefined;
  private isSnapshotPending = false;
  private isRebroadcastPending = false;
  private isRefreshPending = false;
  private isPublishing = false;
  private isClosed = false;

  constructor(private readonly parts: BookPublisherDependencies) {
    const { venue, symbol, onError } = parts;
    this.stream = new ReconnectingStream({
      open: (onLost) =>
        venue.watchBook(symbol, {
          onSnapshot: (book) => this.take(book, true),
          onDelta: (change) => this.take(change, false),
          onLost,
        }),
      onLost: (error) => {
        this.timestamps = undefined;
        onError(error);
      },
    });
  }

  /** Tells the present state once more, for a reader that needs it. */
  rebroadcast(): void {
    this.isRebroadcastPending = true;
    this.flush();
  }

  /** Keeps the stored snapshot up; also the next try after a failure. */
  refreshSnapshot(): void {
    this.isRefreshPending = true;
    this.flush();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.stream.close();
  }

  private take(update: BookUpdate, isWhole: boolean): void {
    if (isWhole) {
      this.book.reset(update);
      this.isSnapshotPending = true;
    } else {
      this.book.apply(update);
      this.changes.add(update);
    }
    this.timestamps = {
      exchangeTimestamp: update.exchangeTimestamp.toISOString(),
      receivedAt: new Date().toISOString(),
    };
    this.stream.resetBackoff();
    this.flush();
  }

  private flush(): void {
    if (this.isPublishing) return;
    this.isPublishing = true;
    this.publishAll()
      .catch((error) => {
        // Whether it was published is not known: what follows must not lean on it.
        this.isSnapshotPending = true;
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
      this.isSnapshotPending = true;
      return;
    }
  }

  /** What is to be written next; REPEAT and KEEP stand for what was told last, so they come after all changes. */
  private next(): PublishAction | undefined {
    if (this.timestamps === undefined || this.isClosed) return undefined;
    if (this.isSnapshotPending) return 'SNAPSHOT';
    if (!this.changes.isEmpty) return 'DELTA';
    if (this.isRebroadcastPending) return 'REPEAT';
    return this.isRefreshPending ? 'KEEP' : undefined;
  }

  private publish(what: PublishAction): Promise<boolean> {
    const { venue, symbol, publisher } = this.parts;
    const sides = what === 'DELTA' ? this.changes.drain() : this.book.sides();
    if (what !== 'DELTA') {
      this.changes.clear();
      this.isSnapshotPending = false;
      this.isRebroadcastPending = false;
      this.isRefreshPending = false;
    }
    const { exchangeTimestamp, receivedAt } = this.timestamps ?? { exchangeTimestamp: '', receivedAt: '' };
    return publisher.publish({ exchange: venue.id, symbol }, what, {
      exchangeTimestamp,
      receivedAt,
      ...sides,
    });
  }
}
