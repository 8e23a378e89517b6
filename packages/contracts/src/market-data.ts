import { z } from 'zod';
import { decimal } from './decimal.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, instant, instantInput } from './operation.js';
import { rejectEmptyRange } from './range.js';
import { ORDER_BOOK_DEPTH_MAX, orderBookLevels } from './realtime.js';

/** The lengths of candles, with their milliseconds. */
export const CANDLE_MS = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
} as const;
export type CandleInterval = keyof typeof CANDLE_MS;
const CANDLE_INTERVALS = Object.keys(CANDLE_MS) as [CandleInterval, ...CandleInterval[]];

/** The most candles in a response. */
export const CANDLES_MAX = 1_000;
/** The number of candles before `to` if the request has no `from`. */
export const CANDLES_DEFAULT = 300;

/** The oldest market data that a response contains, in ms. */
export const MARKET_DATA_AGE_MAX_MS = { order_book: 1_000, ticker: 2_000, candles: 30_000 } as const;

const asOf = instant.describe('When the exchange sent this. Older data is not returned.');
const price = decimal.nullable();
const pair = { trade_pair_id: idOf('tpr'), exchange: z.string(), symbol: z.string() };

export const ticker = z
  .object({
    ...pair,
    last: price.describe('Last traded price, in quote currency.'),
    bid: price.describe('Highest price of a buyer. Null without one.'),
    ask: price.describe('Lowest price of a seller. Null without one.'),
    open: price.describe('Price 24 hours ago.'),
    high: price.describe('Highest price of the last 24 hours.'),
    low: price.describe('Lowest price of the last 24 hours.'),
    change_percent: price.describe('Change of the price in the last 24 hours, in percent of `open`.'),
    volume: decimal.describe('Amount that was traded in the last 24 hours, in base currency.'),
    quote_volume: decimal.describe('Value that was traded in the last 24 hours, in quote currency.'),
    as_of: asOf,
  })
  .meta({ id: 'Ticker' });
export type Ticker = z.output<typeof ticker>;

const candle = z
  .object({
    at: instant.describe('Start of the interval.'),
    open: decimal,
    high: decimal,
    low: decimal,
    close: decimal.describe('Last price of the interval; of the current interval, the last price so far.'),
    volume: decimal.describe('Traded amount, in base currency.'),
  })
  .meta({ id: 'Candle' });

export const candles = z
  .object({
    ...pair,
    interval: z.enum(CANDLE_INTERVALS),
    candles: z.array(candle).describe('Oldest first. Intervals without a trade may be missing.'),
    as_of: asOf,
  })
  .meta({ id: 'Candles' });
export type Candles = z.output<typeof candles>;

const candlesQuery = z
  .strictObject({
    interval: z.enum(CANDLE_INTERVALS).default('1h').describe('Length of a candle.'),
    from: instantInput
      .optional()
      .describe(
        `Only candles that end after this instant. Default: ${CANDLES_DEFAULT} intervals before \`to\`.`,
      ),
    to: instantInput.optional().describe('Only candles that begin before this instant. Default: now.'),
  })
  .superRefine(rejectEmptyRange);

export const orderBook = z
  .object({
    ...pair,
    bids: orderBookLevels('highest price first'),
    asks: orderBookLevels('lowest price first'),
    as_of: asOf,
  })
  .meta({ id: 'OrderBook' });
export type OrderBook = z.output<typeof orderBook>;

const params = z.object({ id: idInput('tpr') });

export const marketDataOperations = {
  ticker: defineOperation({
    id: 'tradePairs.ticker',
    method: 'GET',
    path: '/v1/trade-pairs/:id/ticker',
    summary: "Returns a pair's prices now and over the last 24 hours, at most 2 seconds old.",
    access: 'READ',
    params,
    response: ticker,
    isRemote: true,
    status: 200,
    errors: ['not_found', 'exchange_unavailable'],
  }),
  candles: defineOperation({
    id: 'tradePairs.candles',
    method: 'GET',
    path: '/v1/trade-pairs/:id/candles',
    summary: `Returns a pair's candles, at most ${CANDLES_MAX} and at most 30 seconds old.`,
    access: 'READ',
    params,
    query: candlesQuery,
    response: candles,
    isRemote: true,
    status: 200,
    errors: ['not_found', 'exchange_unavailable'],
  }),
  orderBook: defineOperation({
    id: 'tradePairs.orderBook',
    method: 'GET',
    path: '/v1/trade-pairs/:id/order-book',
    summary:
      "Returns a pair's order book, at most 1 second old. To follow it, subscribe to `orderbookUpdate` of the GraphQL API.",
    access: 'READ',
    params,
    query: z.strictObject({
      depth: z
        .preprocess(
          (value) => (typeof value === 'string' && /^[1-9]\d{0,2}$/.test(value) ? Number(value) : value),
          z.int().min(1).max(ORDER_BOOK_DEPTH_MAX),
        )
        .default(20)
        .describe('Number of levels of each side.'),
    }),
    response: orderBook,
    isRemote: true,
    status: 200,
    errors: ['not_found', 'exchange_unavailable'],
  }),
} as const;
