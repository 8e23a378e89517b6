/** Gate's public streams: https://www.gate.com/docs/developers/apiv4/ws/en/ */
import { z } from 'zod';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { BookReader, MarketStreamProtocol } from '../../ccxt/declaration.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { DEPTH, fetchFuturesBook, fetchSpotBook, futuresSide, levelsInBase, spotSide } from './books.js';
import { DECIMAL_SIZES } from './client.js';
import { milliseconds } from './lists.js';
import { addressesOf, responseOf } from './streams.js';

/** A subscription to books names one market, one to prices several. Streams of books have this beginning. */
const BOOK = 'book:';

const channelOf = z.object({ channel: z.string(), event: z.literal('update') });
const changes = { U: z.number().int(), u: z.number().int(), t: milliseconds };
const spotBook = z.object({ result: z.object({ ...changes, b: spotSide, a: spotSide }) });
const futuresBook = z.object({ result: z.object({ ...changes, b: futuresSide, a: futuresSide }) });
const spotTicker = z.object({
  time_ms: milliseconds,
  result: z.object({ currency_pair: z.string(), last: exactDecimal }),
});
const futuresTicker = z.object({
  time_ms: milliseconds,
  result: z.array(z.object({ contract: z.string(), last: exactDecimal })),
});

const isOn = (message: unknown, channel: string): boolean =>
  channelOf.safeParse(message).data?.channel === channel;

/** @param bookPayload what a subscription to a book names besides the market */
function protocol(
  name: 'spot' | 'futures',
  bookPayload: readonly string[],
): Pick<
  MarketStreamProtocol,
  | 'streamsPerConnection'
  | 'subscribe'
  | 'unsubscribe'
  | 'acknowledgementOf'
  | 'bookStream'
  | 'priceStream'
  | 'bookSnapshots'
> {
  const request = (event: 'subscribe' | 'unsubscribe') => (streams: readonly string[]) => {
    const [first = ''] = streams;
    const time = Math.floor(Date.now() / 1_000);
    return first.startsWith(BOOK)
      ? {
          time,
          channel: `${name}.order_book_update`,
          event,
          payload: [first.slice(BOOK.length), ...bookPayload],
        }
      : { time, channel: `${name}.tickers`, event, payload: streams };
  };
  return {
    streamsPerConnection: 100,
    subscribe: request('subscribe'),
    unsubscribe: request('unsubscribe'),
    acknowledgementOf: (message) => {
      const answer = responseOf(message);
      return answer === undefined ? undefined : answer.isAccepted ? 'accepted' : 'rejected';
    },
    bookStream: (marketId) => `${BOOK}${marketId}`,
    priceStream: (marketId) => marketId,
    bookSnapshots: 'CALL',
  };
}

export const spotMarketStream: MarketStreamProtocol = {
  ...protocol('spot', ['100ms']),
  url: (ccxt) => addressesOf(ccxt).spot,
  openBook: () => ({
    read: (message) => {
      if (!isOn(message, 'spot.order_book_update')) return undefined;
      const { U, u, t, b, a } = parseResponse(spotBook, message).result;
      return { kind: 'CHANGE', first: U, last: u, bids: b, asks: a, at: t };
    },
  }),
  readPrices: (message) => {
    if (!isOn(message, 'spot.tickers')) return [];
    const { time_ms: at, result } = parseResponse(spotTicker, message);
    return [{ marketId: result.currency_pair, price: result.last, at }];
  },
  fetchBook: (ccxt, symbol, depth = DEPTH) => fetchSpotBook(ccxt, symbol, depth),
};

export const futuresMarketStream: MarketStreamProtocol = {
  ...protocol('futures', ['100ms', String(DEPTH)]),
  connectHeaders: DECIMAL_SIZES,
  url: (ccxt) => addressesOf(ccxt).swap.usdt,
  openBook: futuresBookReader,
  readPrices: (message) => {
    if (!isOn(message, 'futures.tickers')) return [];
    const { time_ms: at, result } = parseResponse(futuresTicker, message);
    return result.map(({ contract: marketId, last: price }) => ({ marketId, price, at }));
  },
  fetchBook: (ccxt, symbol, depth = DEPTH) => fetchFuturesBook(ccxt, symbol, depth),
};

function futuresBookReader(ccxt: CcxtClient, symbol: string): BookReader {
  return {
    read: (message) => {
      if (!isOn(message, 'futures.order_book_update')) return undefined;
      const { U, u, t, b, a } = parseResponse(futuresBook, message).result;
      const [bids, asks] = [levelsInBase(ccxt, symbol, b), levelsInBase(ccxt, symbol, a)];
      return { kind: 'CHANGE', first: U, last: u, bids, asks, at: t };
    },
  };
}
