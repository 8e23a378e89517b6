export { BookFeed, type FeedOptions, type Subscription } from './book-feed.js';
export { BookViews } from './book-views.js';
export {
  type BoardOptions,
  type BookState,
  LEASE_MS,
  MarketBoard,
  type Publication,
} from './market-board.js';
export type { BookMessage, BookSides, Level, Price } from './market-messages.js';
export { marketPrefix, type PairKey } from './market-names.js';
export { BookChanges, OrderBook } from './order-book.js';
export { PriceFeed } from './price-feed.js';
