import { ConflatedDelta, OrderBook, type PublishAction } from '@trading-automation/core/market-data';
import type { BookUpdate } from '@trading-automation/exchanges';
import { ReconnectingStream } from './reconnecting-stream.js';
import type { VenueFeed } from './venue-feed.js';

/**
 * Publishes one order book of a venue to Redis as it changes. While a message is being written, further changes are
 * merged into the next message. A slow Redis therefore gets fewer and larger messages, and no queue grows. Without a
 * connection to the venue, nothing is written, and the stored snapshot expires.
 */
export class BookPublisher {
  private readonly book = new OrderBook();
  private readonly changes = new ConflatedDelta();
  private readonly stream: ReconnectingStream;
  /** The timestamps of the last message from the venue; undefined while the stream is disconnected. */
  private timestamps: { readonly exchangeTimestamp: string; readonly receivedAt: string } | undefined;
  private isSnapshotPending = false;
  private isRebroadcastPending = false;
  private isRefreshPending = false;
  private isPublishing = false;
  private isClosed = false;

  constructor(
    private readonly feed: VenueFeed,
    private readonly symbol: string,
    private readonly onError: (error: unknown) => void,
  ) {
    this.stream = new ReconnectingStream({
      open: (onLost) =>
        feed.watchBook(symbol, {
          onSnapshot: (book) => this.receive(book, true),
          onDelta: (change) => this.receive(change, false),
          onLost,
        }),
      onLost: (error) => {
        this.timestamps = undefined;
        onError(error);
      },
    });
  }

  /** Publishes the current state again, for an API process that requested it. */
  rebroadcast(): void {
    this.isRebroadcastPending = true;
    this.flush();
  }

  /** Extends the lifetime of the stored snapshot. Also repeats a write that failed. */
  refreshSnapshot(): void {
    this.isRefreshPending = true;
    this.flush();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.stream.close();
  }

  private receive(update: BookUpdate, isSnapshot: boolean): void {
    if (isSnapshot) {
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
        // It is unknown whether the message was published, so the next message must not depend on it.
        this.isSnapshotPending = true;
        this.onError(error);
      })
      .finally(() => {
        this.isPublishing = false;
      });
  }

  private async publishAll(): Promise<void> {
    for (let action = this.nextAction(); action !== undefined; action = this.nextAction()) {
      if (await this.publish(action)) continue;
      // Another worker holds the lease, or Redis has lost the sequence number of the order book.
      this.isSnapshotPending = true;
      return;
    }
  }

  /** Returns the next action. REPEAT and KEEP write an already published state, so they come after all changes. */
  private nextAction(): PublishAction | undefined {
    if (this.timestamps === undefined || this.isClosed) return undefined;
    if (this.isSnapshotPending) return 'SNAPSHOT';
    if (!this.changes.isEmpty) return 'DELTA';
    if (this.isRebroadcastPending) return 'REPEAT';
    return this.isRefreshPending ? 'KEEP' : undefined;
  }

  private publish(action: PublishAction): Promise<boolean> {
    const sides = action === 'DELTA' ? this.changes.drain() : this.book.sides();
    if (action !== 'DELTA') {
      this.changes.clear();
      this.isSnapshotPending = false;
      this.isRebroadcastPending = false;
      this.isRefreshPending = false;
    }
    const { exchangeTimestamp, receivedAt } = this.timestamps ?? { exchangeTimestamp: '', receivedAt: '' };
    return this.feed.publishBook(this.symbol, action, { exchangeTimestamp, receivedAt, ...sides });
  }
}
