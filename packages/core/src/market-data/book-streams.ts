/**
 * Streams order books at a requested depth in an API process. The process has one view for each book and depth, and one
 * subscription for each book.
 *
 * 1. The first message is a SNAPSHOT. Each DELTA follows the message that the consumer received before it. Applying the
 *    DELTA yields the best levels at its sequence, at most as many as the depth.
 * 2. A slow consumer, and every consumer after a gap, gets the current state as a SNAPSHOT. Nothing is queued: at most
 *    one message waits for a pulling consumer.
 */
import { DomainError, ORDER_BOOK_DEPTH_MAX, type OrderBookUpdate } from '@trading-automation/contracts';
import type { PullStream } from '../platform/index.js';
import type { BookSource, Subscription } from './book-feed.js';
import { BookView, type BookViewConsumer } from './book-view.js';
import { BookViewGroup } from './book-view-group.js';
import { ConflatingConsumer } from './conflating-consumer.js';
import { ConflatingPullConsumer } from './conflating-pull-consumer.js';
import type { PairKey } from './market-data-keys.js';

export class BookStreams {
  private readonly books = new Map<string, BookViewGroup>();
  private readonly streams = new Set<PullStream<OrderBookUpdate>>();
  private isClosed = false;

  constructor(
    private readonly feed: BookSource,
    /** Called if a subscriber throws, which ends its subscription. */
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Subscribes to a book at a depth. If `onMessage` returns a promise, the next message is delivered after it settles.
   *
   * @throws {DomainError} `invalid_query` if the depth is not offered
   */
  subscribe(
    pair: PairKey,
    depth: number,
    onMessage: (message: OrderBookUpdate) => void | Promise<void>,
  ): Subscription {
    const { view, leave } = this.join(pair, depth);
    const close = () => {
      consumer.close();
      leave(consumer);
    };
    const consumer = new ConflatingConsumer(onMessage, view.currentSnapshot, (error) => {
      close();
      this.onError(error);
    });
    view.add(consumer);
    return { close };
  }

  /**
   * Subscribes to a book at a depth and returns a pull stream. The caller ends it with `return`.
   *
   * @throws {DomainError} `invalid_query` if the depth is not offered
   */
  open(pair: PairKey, depth: number): PullStream<OrderBookUpdate> {
    const { view, leave } = this.join(pair, depth);
    const consumer = new ConflatingPullConsumer(view.currentSnapshot, () => {
      leave(consumer);
      this.streams.delete(consumer.stream);
    });
    this.streams.add(consumer.stream);
    view.add(consumer);
    return consumer.stream;
  }

  /** Ends every subscription and rejects new ones. Does not close the feed. */
  close(): void {
    this.isClosed = true;
    for (const stream of this.streams) void stream.return();
    for (const book of this.books.values()) book.close();
    this.books.clear();
  }

  private join(
    pair: PairKey,
    depth: number,
  ): { readonly view: BookView; readonly leave: (consumer: BookViewConsumer) => void } {
    if (this.isClosed) throw new DomainError('service_unavailable');
    assertOffered(depth);
    const key = JSON.stringify([pair.exchange, pair.symbol]);
    const book = this.books.get(key) ?? new BookViewGroup(this.feed, pair);
    this.books.set(key, book);
    const view = book.view(depth);
    const leave = (consumer: BookViewConsumer) => {
      view.remove(consumer);
      book.removeUnusedViews();
      if (!book.isUnused || this.books.get(key) !== book) return;
      book.close();
      this.books.delete(key);
    };
    return { view, leave };
  }
}

function assertOffered(depth: number): void {
  if (Number.isInteger(depth) && depth >= 1 && depth <= ORDER_BOOK_DEPTH_MAX) return;
  const message = `depth must be an integer from 1 to ${ORDER_BOOK_DEPTH_MAX}; got ${depth}.`;
  throw new DomainError('invalid_query', undefined, [{ field: 'depth', code: 'invalid', message }]);
}
