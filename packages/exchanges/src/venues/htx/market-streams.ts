/** HTX's public streams: https://huobiapi.github.io/docs/spot/v1/en/#websocket-market-data */
import { Precise } from 'ccxt/js/src/base/Precise';
import { z } from 'zod';
import type { BookDiff, BookReader, MarketStreamProtocol } from '../../ccxt/declaration.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { BookLevel } from '../../port.js';
import { DEPTH, fetchHtxBook, side } from './books.js';
import { milliseconds } from './fields.js';

/** The changes of books have an address of their own. */
const BOOKS_URL = 'wss://api.huobi.pro/feed';
const PRICES_URL = 'wss://api.huobi.pro/ws';

const bookTopic = (marketId: string): string => `market.${marketId}.mbp.${DEPTH}`;
const isBookTopic = (topic: string): boolean => topic.includes('.mbp.');

const ping = z.object({ ping: z.number() });
const response = z.union([
  z.object({ status: z.string(), subbed: z.string() }),
  z.object({ status: z.literal('error') }),
]);

/** The first state of a book is requested after its changes, on the same connection. */
const subscribe = (topics: readonly string[]): readonly object[] =>
  topics.flatMap((topic) => [
    { sub: topic, id: topic },
    ...(isBookTopic(topic) ? [{ req: topic, id: topic }] : []),
  ]);

export const htxMarketStream: MarketStreamProtocol = {
  url: (_ccxt, topics) => (topics.some(isBookTopic) ? BOOKS_URL : PRICES_URL),
  answerPing: (message) => {
    const { data } = ping.safeParse(message);
    return data && { pong: data.ping };
  },
  streamsPerConnection: 100,
  subscribe,
  unsubscribe: (topics) => topics.map((topic) => ({ unsub: topic, id: topic })),
  acknowledgementOf: (message) => {
    const { data } = response.safeParse(message);
    return data && (data.status === 'ok' ? 'accepted' : 'rejected');
  },
  bookStream: bookTopic,
  priceStream: (marketId) => `market.${marketId}.detail`,
  bookSnapshots: 'STREAM',
  openBook: (ccxt, symbol) => new HtxBook(bookTopic(ccxt.market(symbol).id)),
  readPrices: (message) => {
    const { data } = detail.safeParse(message);
    return data === undefined ? [] : [{ marketId: data.ch, price: data.tick.close, at: data.ts }];
  },
  fetchBook: (ccxt, symbol, depth = DEPTH) => fetchHtxBook(ccxt, symbol, depth),
};

const DETAIL_TOPIC = /^market\.([a-z0-9]+)\.detail$/;
const detail = z.object({
  ch: z
    .string()
    .regex(DETAIL_TOPIC)
    .transform((topic) => DETAIL_TOPIC.exec(topic)?.[1] ?? ''),
  ts: milliseconds,
  tick: z.object({ close: jsonDecimal }),
});

const sequence = z.coerce.number().int();
const change = z.object({
  ch: z.string(),
  ts: milliseconds,
  tick: z.object({
    seqNum: sequence,
    prevSeqNum: sequence,
    bids: side.default([]),
    asks: side.default([]),
  }),
});
const snapshot = z.object({
  rep: z.string(),
  data: z.object({ seqNum: sequence, bids: side, asks: side }),
});
const topicOf = z.object({ ch: z.string().optional(), rep: z.string().optional() });

type Snapshot = z.output<typeof snapshot>['data'];

/** The number of changes that are kept for the next snapshot. A snapshot that is older is requested again. */
const RECENT_MAX = 100;

/** Reads one book. Changes may arrive before the snapshot that they follow; it is returned with them. */
class HtxBook implements BookReader {
  #recent: readonly BookDiff[] = [];

  constructor(private readonly topic: string) {}

  read(message: unknown): ReturnType<BookReader['read']> {
    const { data: topic } = topicOf.safeParse(message);
    if (topic?.rep === this.topic) return this.#begin(parseResponse(snapshot, message).data);
    if (topic?.ch !== this.topic) return undefined;
    const { ts: at, tick } = parseResponse(change, message);
    const { prevSeqNum, seqNum: last, bids, asks } = tick;
    const diff: BookDiff = { first: prevSeqNum + 1, last, bids, asks, at };
    this.#recent = [...this.#recent.slice(1 - RECENT_MAX), diff];
    return { kind: 'CHANGE', ...diff };
  }

  #begin({ seqNum, bids, asks }: Snapshot): ReturnType<BookReader['read']> {
    const later = this.#recent.filter(({ last }) => last > seqNum);
    this.#recent = [];
    const isComplete = later.every(({ first }, i) => first <= (later[i - 1]?.last ?? seqNum) + 1);
    if (!isComplete) return { kind: 'GAP' };
    const latest = later.at(-1);
    return {
      kind: 'SNAPSHOT',
      last: latest?.last ?? seqNum,
      bids: withChanges(
        bids,
        later.flatMap((diff) => diff.bids),
      ).reverse(),
      asks: withChanges(
        asks,
        later.flatMap((diff) => diff.asks),
      ),
      at: latest?.at ?? new Date(),
    };
  }
}

/** Returns the levels of a side after some changes, lowest price first. */
function withChanges(levels: readonly BookLevel[], changes: readonly BookLevel[]): BookLevel[] {
  const amounts = new Map([...levels, ...changes]);
  return [...amounts]
    .filter(([, amount]) => amount !== '0')
    .sort(([a], [b]) => (Precise.stringLt(a, b) ? -1 : 1));
}
