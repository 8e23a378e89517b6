/** KuCoin's public streams: https://www.kucoin.com/docs-new/websocket-api/base-info/introduction */
import { z } from 'zod';
import { toBaseAmount } from '../../ccxt/amounts.js';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';
import type { BookReader, BookSnapshot, MarketStreamProtocol } from '../../ccxt/declaration.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { BookLevel } from '../../port.js';
import { amount, fetchData, milliseconds, nanoseconds } from './lists.js';
import { openAddress, responseOf, subscription } from './streams.js';

/** The exchange closes a connection that sends nothing for longer than the interval of its token, 18 s. */
const HEARTBEAT = { everyMs: 9_000, message: { id: 'ping', type: 'ping' } };

const level = z
  .tuple([exactDecimal, amount], z.unknown())
  .transform(([price, size]): BookLevel => [price, size]);
const side = z.array(level);
const sequence = z.coerce.number().int();

const event = z.object({ topic: z.string(), data: z.unknown() });

/** Returns the market and the data of a message on a topic; undefined for any other message. */
function dataOn(
  message: unknown,
  topic: string,
): { readonly marketId: string; readonly data: unknown } | undefined {
  const { data } = event.safeParse(message);
  if (data === undefined || !data.topic.startsWith(`${topic}:`)) return undefined;
  return { marketId: data.topic.slice(topic.length + 1), data: data.data };
}

/** The parts of a protocol that spot and futures have in common. Streams are topics. */
const COMMON = {
  heartbeat: HEARTBEAT,
  isGreeted: true,
  streamsPerConnection: 100,
  subscribe: (streams: readonly string[]) => subscription(joined(streams), false),
  unsubscribe: (streams: readonly string[]) => subscription(joined(streams), false, 'unsubscribe'),
  acknowledgementOf: (message: unknown) => {
    const answer = responseOf(message);
    return answer === undefined ? undefined : answer.isAccepted ? 'accepted' : 'rejected';
  },
  bookSnapshots: 'CALL',
} as const satisfies Partial<MarketStreamProtocol>;

/** Returns the topic that names the markets of several topics. */
function joined(topics: readonly string[]): string {
  const [first = ''] = topics;
  const name = first.slice(0, first.indexOf(':'));
  return `${name}:${topics.map((topic) => topic.slice(name.length + 1)).join(',')}`;
}

const SPOT_BOOK = '/market/level2';
const SPOT_PRICE = '/market/ticker';
const spotChanges = z.object({
  sequenceStart: sequence,
  sequenceEnd: sequence,
  time: milliseconds,
  changes: z.object({ asks: side, bids: side }),
});
const spotTicker = z.object({ price: exactDecimal, time: milliseconds });
const spotBook = z.object({ sequence, bids: side.nullable(), asks: side.nullable() });
/** The numbers of levels that a call without credentials returns. */
const SHALLOW = 20;

export const spotMarketStream: MarketStreamProtocol = {
  ...COMMON,
  url: async (ccxt) => (await openAddress(ccxt, 'publicPostBulletPublic')).url,
  bookStream: (marketId) => `${SPOT_BOOK}:${marketId}`,
  priceStream: (marketId) => `${SPOT_PRICE}:${marketId}`,
  openBook: () => ({
    read: (message) => {
      const found = dataOn(message, SPOT_BOOK);
      if (found === undefined) return undefined;
      const { sequenceStart, sequenceEnd, time, changes } = parseResponse(spotChanges, found.data);
      return { kind: 'CHANGE', first: sequenceStart, last: sequenceEnd, ...changes, at: time };
    },
  }),
  readPrices: (message) => {
    const found = dataOn(message, SPOT_PRICE);
    if (found === undefined) return [];
    const { price, time: at } = parseResponse(spotTicker, found.data);
    return [{ marketId: found.marketId, price, at }];
  },
  // The whole book needs credentials. A book begins with 100 levels, and has more where they change.
  fetchBook: async (ccxt, symbol, depth): Promise<BookSnapshot> => {
    const isShallow = depth !== undefined && depth <= SHALLOW;
    const endpoint = isShallow ? 'publicGetMarketOrderbookLevel220' : 'publicGetMarketOrderbookLevel2100';
    const {
      sequence: last,
      bids,
      asks,
    } = await fetchData(ccxt, endpoint, { symbol: ccxt.market(symbol).id }, spotBook);
    return { last, bids: bids ?? [], asks: asks ?? [] };
  },
};

const FUTURES_BOOK = '/contractMarket/level2';
const FUTURES_TRADES = '/contractMarket/execution';
/** A change of one level: its price, side and new size. */
const changedLevel = z.string().transform((text, context) => {
  const [price, name, size] = text.split(',');
  const parsed = level.safeParse([price, size]);
  if (parsed.success && (name === 'buy' || name === 'sell')) return { side: name, level: parsed.data };
  context.addIssue({ code: 'custom', message: 'not a change of a level' });
  return z.NEVER;
});
const futuresChange = z.object({ sequence, change: changedLevel, timestamp: milliseconds });
const futuresTrade = z.object({ price: exactDecimal, ts: nanoseconds });
const futuresBook = z.object({ sequence, bids: z.array(z.unknown()), asks: z.array(z.unknown()) });
const numericLevel = z.tuple([amount, amount]).transform(([price, size]): BookLevel => [price, size]);

export const futuresMarketStream: MarketStreamProtocol = {
  ...COMMON,
  url: async (ccxt) => (await openAddress(ccxt, 'futuresPublicPostBulletPublic')).url,
  bookStream: (marketId) => `${FUTURES_BOOK}:${marketId}`,
  priceStream: (marketId) => `${FUTURES_TRADES}:${marketId}`,
  openBook: futuresBookReader,
  readPrices: (message) => {
    const found = dataOn(message, FUTURES_TRADES);
    if (found === undefined) return [];
    const { price, ts: at } = parseResponse(futuresTrade, found.data);
    return [{ marketId: found.marketId, price, at }];
  },
  fetchBook: async (ccxt, symbol): Promise<BookSnapshot> => {
    const params = { symbol: ccxt.market(symbol).id };
    const book = await fetchData(ccxt, 'futuresPublicGetLevel2Snapshot', params, futuresBook);
    const levels = (records: readonly unknown[], sign: number) =>
      parseResponse(z.array(numericLevel), records)
        .map(([price, size]): BookLevel => [price, toBaseAmount(ccxt, symbol, size)])
        .sort(([a], [b]) => sign * (Number(a) - Number(b)));
    return { last: book.sequence, bids: levels(book.bids, -1), asks: levels(book.asks, 1) };
  },
};

function futuresBookReader(ccxt: CcxtClient, symbol: string): BookReader {
  return {
    read: (message) => {
      const found = dataOn(message, FUTURES_BOOK);
      if (found === undefined) return undefined;
      const { sequence: last, change, timestamp: at } = parseResponse(futuresChange, found.data);
      const [price, size] = change.level;
      const levels: readonly BookLevel[] = [[price, toBaseAmount(ccxt, symbol, size)]];
      const isBid = change.side === 'buy';
      return { kind: 'CHANGE', first: last, last, bids: isBid ? levels : [], asks: isBid ? [] : levels, at };
    },
  };
}
