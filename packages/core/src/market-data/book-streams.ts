/**
 * Order books to a depth, for an API: one view for each book and depth of a process, over one subscription to the book.
 *
 * 1. The first message is a SNAPSHOT; each DELTA follows the message before it as its taker got it, and leaves them with
 *    the best levels at its number, never more than the depth.
 * 2. Whoever takes their time, and everybody after a gap, gets the present as a SNAPSHOT. Nothing is queued: at most one
 *    message waits for who pulls.
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
    /** Told of a subscriber that threw, whose subscription is over. */
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * `onMessage` may answer with a promise: until it is settled, nothing more is handed over.
   *
   * @throws {DomainError} `invalid_query` for a depth that is not offered
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
   * The same to be pulled. Whoever opened it ends it by `return`.
   *
   * @throws {DomainError} `invalid_query` for a depth that is not offered
   */
  open(pair: PairKey, depth: number): PullStream<OrderBookUpdate> {
    const { view, leave } = this.join(pair, depth);
    const taker = new ConflatingPullConsumer(view.currentSnapshot, () => {
      leave(taker);
      this.streams.delete(taker.stream);
    });
    this.streams.add(taker.stream);
    view.add(taker);
    return taker.stream;
  }

  /** Ends every subscription, and begins none any more; the feed is its owner's to close. */
  close(): void {
    this.isClosed = true;
    for (const stream of this.streams) void stream.return();
    for (const book of this.books.values()) book.close();
    this.books.clear();
  }

  private join(
    pair: PairKey,
    depth: number,
  ): { readonly view: BookView; readonly leave: (taker: BookViewConsumer) => void } {
    if (this.isClosed) throw new DomainError('service_unavailable');
    assertOffered(depth);
    const name = JSON.stringify([pair.exchange, pair.symbol]);
    const book = this.books.get(name) ?? new BookViewGroup(this.feed, pair);
    this.books.set(name, book);
    const view = book.view(depth);
    const leave = (taker: BookViewConsumer) => {
      view.remove(taker);
      book.dropUnused();
      if (!book.isUnused || this.books.get(name) !== book) return;
      book.close();
      this.books.delete(name);
    };
    return { view, leave };
  }
}

function assertOffered(depth: number): void {
  if (Number.isInteger(depth) && depth >= 1 && depth <= ORDER_BOOK_DEPTH_MAX) return;
  const message = `Expected a number of levels from 1 to ${ORDER_BOOK_DEPTH_MAX}.`;
  throw new DomainError('invalid_query', undefined, [{ field: 'depth', code: 'invalid', message }]);
}
