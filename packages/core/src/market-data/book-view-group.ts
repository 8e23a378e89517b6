import type { BookSource, BookSubscription } from './book-feed.js';
import { BookView, type BookViewSource } from './book-view.js';
import type { PairKey } from './market-data-keys.js';
import type { BookMessage, BookSides } from './market-messages.js';
import { OrderBook } from './order-book.js';

/** One book of the feed and its views, by depth. */
export class BookViewGroup implements BookViewSource {
  lastMessage: BookMessage | undefined;
  private readonly book = new OrderBook();
  private readonly views = new Map<number, BookView>();
  private readonly subscription: BookSubscription;

  constructor(feed: BookSource, pair: PairKey) {
    // The feed may call `receive` before `subscribe` returns. No view exists then, so nothing reads `subscription`.
    this.subscription = feed.subscribe(pair, (message) => this.receive(message));
  }

  get isCurrent(): boolean {
    return this.subscription.isCurrent;
  }

  get isUnused(): boolean {
    return this.views.size === 0;
  }

  sides(depth: number): BookSides {
    return this.book.sides(depth);
  }

  view(depth: number): BookView {
    const view = this.views.get(depth) ?? new BookView(this, depth);
    this.views.set(depth, view);
    return view;
  }

  removeUnusedViews(): void {
    for (const [depth, view] of this.views) if (view.isUnused) this.views.delete(depth);
  }

  close(): void {
    this.subscription.close();
    this.views.clear();
  }

  private receive(message: BookMessage): void {
    if (message.kind === 'SNAPSHOT') this.book.reset(message);
    else this.book.apply(message);
    this.lastMessage = message;
    for (const view of this.views.values()) view.update(message);
  }
}
