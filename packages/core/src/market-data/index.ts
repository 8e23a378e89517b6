export { BookFeed, type MarketFeedOptions, type Subscription } from './book-feed.js';
export { BookStreams } from './book-streams.js';
export { marketDataPrefix, type PairKey } from './market-data-keys.js';
export {
  MARKET_DATA_LEASE_MS,
  MarketDataPublisher,
  type MarketDataPublisherOptions,
  type PublishAction,
  type PublishedBookState,
} from './market-data-publisher.js';
export type { BookMessage, BookSides, Level, Price } from './market-messages.js';
export { ConflatedDelta, OrderBook } from './order-book.js';
export { PriceFeed } from './price-feed.js';
