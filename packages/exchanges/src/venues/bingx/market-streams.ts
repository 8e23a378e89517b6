/** BingX's public streams: https://bingx-api.github.io/docs-v3/#/en/Spot/Websocket%20Market%20Data */
import { Precise } from 'ccxt/js/src/base/Precise';
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { BookReader, BookSnapshot, MarketStreamProtocol } from '../../ccxt/declaration.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { BookLevel } from '../../port.js';
import { milliseconds } from './fields.js';
import { answerPing, STREAMS_URL, subscription } from './subscriptions.js';

/** The levels of a side in the stream of a book, and the maximum of a call. */
const DEPTH = 1_000;

const response = z.object({ id: z.string(), code: z.number() });

export const bingxMarketStream: MarketStreamProtocol = {
  url: () => STREAMS_URL,
  answerPing,
  streamsPerConnection: 100,
  subscribe: (topics) => topics.map((topic) => subscription('sub', topic)),
  unsubscribe: (topics) => topics.map((topic) => subscription('unsub', topic)),
  acknowledgementOf: (message) => {
    const { data } = response.safeParse(message);
    return data && (data.code === 0 ? 'accepted' : 'rejected');
  },
  bookStream: (marketId) => `${marketId}@incrDepth`,
  priceStream: (marketId) => `${marketId}@lastPrice`,
  bookSnapshots: 'STREAM',
  openBook: (ccxt, symbol) => readerOf(`${ccxt.market(symbol).id}@incrDepth`),
  readPrices: (message) => {
    const { data: parsed } = lastPrice.safeParse(message);
    if (parsed === undefined) return [];
    const { s: marketId, c: price, T: at = new Date() } = parsed.data;
    return [{ marketId, price, at }];
  },
  fetchBook,
};

/** The pages name the time `T`. Recorded messages have none. */
const lastPrice = z.object({
  data: z.object({
    e: z.literal('lastPriceUpdate'),
    s: z.string(),
    c: jsonDecimal,
    T: milliseconds.optional(),
  }),
});

const level = z.tuple([jsonDecimal, jsonDecimal]).transform(([price, amount]): BookLevel => [price, amount]);
/** The pages show lists. Client libraries read objects with the prices as names. */
const side = z.preprocess(
  (value) => (Array.isArray(value) ? value : Object.entries(value ?? {})),
  z.array(level),
);

const bookMessage = z.object({
  dataType: z.string(),
  data: z.object({
    action: z.enum(['all', 'update']),
    lastUpdateId: z.coerce.number().int(),
    bids: side,
    asks: side,
    T: milliseconds.optional(),
  }),
});
const topicOf = z.object({ dataType: z.string() });

/** Each change has the number after that of the message before it. */
const readerOf = (topic: string): BookReader => ({
  read: (message) => {
    if (topicOf.safeParse(message).data?.dataType !== topic) return undefined;
    const { data } = parseResponse(bookMessage, message);
    const { action, lastUpdateId: last, T: at = new Date() } = data;
    const sides = sorted(data);
    return action === 'all'
      ? { kind: 'SNAPSHOT', last, at, ...sides }
      : { kind: 'CHANGE', first: last, last, at, ...sides };
  },
});

const book = z.object({ data: z.object({ ts: z.coerce.number().int(), bids: side, asks: side }) });

/** The time of the answer is no sequence number of the stream. */
async function fetchBook(ccxt: CcxtClient, symbol: string, depth = DEPTH): Promise<BookSnapshot> {
  const params = { symbol: ccxt.market(symbol).id, limit: Math.min(depth, DEPTH) };
  const answer = await callEndpoint(ccxt, 'spotV1PublicGetMarketDepth', params);
  const { data } = parseResponse(book, answer);
  return { last: data.ts, ...sorted(data) };
}

interface Sides {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** Returns both sides with the best price first. Recorded books are not sorted by price. */
const sorted = ({ bids, asks }: Sides): Sides => ({
  bids: [...bids].sort(([a], [b]) => (Precise.stringGt(a, b) ? -1 : 1)),
  asks: [...asks].sort(([a], [b]) => (Precise.stringLt(a, b) ? -1 : 1)),
});
