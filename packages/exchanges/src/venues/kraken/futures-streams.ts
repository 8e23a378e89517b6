/** Kraken's futures streams: https://docs.kraken.com/exchange/api-reference/futures-websocket */
import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { currentCredentials } from '../../ccxt/call.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type {
  BookReader,
  MarketStreamProtocol,
  OwnStreamProtocol,
  StreamReader,
  StreamReport,
} from '../../ccxt/declaration.js';
import { jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { AssetBalance, BookLevel, VenuePosition } from '../../port.js';
import { fetchOpenPositions } from './futures-account.js';
import { fetchStatus } from './futures-calls.js';
import { epochInstant, fillOf, symbolOfInstrument } from './futures-records.js';

const addressOf = (ccxt: CcxtClient): string => ccxt.urls.api.ws as unknown as string;

const response = z.object({
  event: z.enum([
    'challenge',
    'subscribed',
    'unsubscribed',
    'subscribed_failed',
    'unsubscribed_failed',
    'error',
    'alert',
  ]),
  message: z.string().optional(),
});

/** Returns whether a request was accepted; undefined for any other message. */
function acceptanceOf(message: unknown): boolean | undefined {
  const { data } = response.safeParse(message);
  return data === undefined ? undefined : ['challenge', 'subscribed', 'unsubscribed'].includes(data.event);
}

const FEEDS = ['open_orders', 'fills', 'balances'];
const challenge = z.object({ event: z.literal('challenge'), message: z.string() });

export const futuresAccountStream: OwnStreamProtocol = {
  kind: 'OWN',
  weight: 1,
  plan: async ({ ccxt }) => {
    const { apiKey: api_key = '', apiSecret = '' } = currentCredentials() ?? {};
    let signed = {};
    const subscribe = (accepted: unknown, feed: string) => {
      const { data } = challenge.safeParse(accepted);
      if (data !== undefined) signed = signedChallenge(data.message, apiSecret);
      return { event: 'subscribe', feed, api_key, ...signed };
    };
    return {
      url: addressOf(ccxt),
      steps: [
        { event: 'challenge', api_key },
        ...FEEDS.map((feed) => (accepted: unknown) => subscribe(accepted, feed)),
      ],
    };
  },
  responseOf: (message) => {
    const isAccepted = acceptanceOf(message);
    if (isAccepted === undefined) return undefined;
    // The exchange refuses a login without a code.
    return isAccepted
      ? { isAccepted }
      : { isAccepted, status: 401, rejection: { result: 'error', error: 'authenticationError' } };
  },
  open: ({ ccxt }) => futuresReader(ccxt),
};

function signedChallenge(original_challenge: string, apiSecret: string): object {
  const digest = createHash('sha256').update(original_challenge).digest();
  const signature = createHmac('sha512', Buffer.from(apiSecret, 'base64')).update(digest);
  return { original_challenge, signed_challenge: signature.digest('base64') };
}

const feedOf = z.object({ feed: z.string() });
const orderFeed = z.union([
  z.object({ order: z.object({ order_id: z.string() }) }).transform(({ order }) => order.order_id),
  z.object({ order_id: z.string() }).transform(({ order_id }) => order_id),
]);
const fillFeed = z.object({
  fills: z.array(
    z.object({
      instrument: z.string(),
      time: epochInstant,
      price: jsonDecimal,
      buy: z.boolean(),
      qty: jsonDecimal,
      order_id: z.string().min(1),
      fill_id: z.string().min(1),
      fill_type: z.string(),
      fee_paid: jsonDecimal,
    }),
  ),
});
const balanceFeed = z.object({
  timestamp: epochInstant,
  flex_futures: z
    .object({ currencies: z.record(z.string(), z.object({ quantity: jsonDecimal })) })
    .optional(),
});

function futuresReader(ccxt: CcxtClient): StreamReader {
  /** The symbols with fills since positions were read. */
  const traded = new Set<string>();
  const positions: StreamReport = {
    kind: 'call',
    key: 'positions',
    read: async (session) => {
      const symbols = [...traded];
      traded.clear();
      const at = new Date();
      const open = await fetchOpenPositions(session.ccxt);
      const closed = symbols.filter((symbol) => open.every((position) => position.symbol !== symbol));
      return [{ kind: 'positions', positions: [...open, ...closed.map(closedPosition)], at }];
    },
  };
  return {
    read: (message) => {
      const feed = feedOf.safeParse(message).data?.feed;
      if (feed === 'open_orders') return [orderReport(parseResponse(orderFeed, message))];
      if (feed === 'balances') return balanceReports(ccxt, message);
      if (feed !== 'fills') return [];
      const reports = parseResponse(fillFeed, message).fills.flatMap((fill): StreamReport[] => {
        const symbol = symbolOfInstrument(ccxt, fill.instrument);
        if (symbol === undefined) return [];
        traded.add(symbol);
        return [fillReport(ccxt, symbol, fill), orderReport(fill.order_id)];
      });
      return reports.length === 0 ? [] : [...reports, positions];
    },
  };
}

/** The feed lacks the state of an order that ended, so each order is read by a call. */
const orderReport = (orderId: string): StreamReport => ({
  kind: 'call',
  key: `order ${orderId}`,
  read: async ({ ccxt }) =>
    (await fetchStatus(ccxt, { orderIds: orderId })).map((order) => ({ kind: 'order', order })),
});

function fillReport(
  ccxt: CcxtClient,
  symbol: string,
  fill: z.output<typeof fillFeed>['fills'][number],
): StreamReport {
  const { fill_id: id, order_id: orderId, price, qty: size, fee_paid: fee, fill_type: type, time: at } = fill;
  const side = fill.buy ? 'BUY' : 'SELL';
  return {
    kind: 'fill',
    fill: fillOf(ccxt, { id, orderId, symbol, side, price, size, fee, type, at }),
  };
}

function balanceReports(ccxt: CcxtClient, message: unknown): readonly StreamReport[] {
  const { timestamp, flex_futures } = parseResponse(balanceFeed, message);
  if (flex_futures === undefined) return [];
  const balances = Object.entries(flex_futures.currencies).map(
    ([code, { quantity }]): [string, AssetBalance] => [
      ccxt.safeCurrencyCode(code),
      { free: quantity, locked: '0' },
    ],
  );
  return [{ kind: 'balances', balances: Object.fromEntries(balances), at: timestamp }];
}

const closedPosition = (symbol: string): VenuePosition => ({
  symbol,
  side: 'LONG',
  amount: '0',
  marginMode: 'CROSS',
  isSupported: true,
});

const level = z
  .object({ price: jsonDecimal, qty: jsonDecimal })
  .transform(({ price, qty }): BookLevel => [price, qty]);
const snapshot = z.object({
  feed: z.literal('book_snapshot'),
  timestamp: epochInstant,
  seq: z.number().int(),
  bids: z.array(level),
  asks: z.array(level),
});
const change = z.object({
  feed: z.literal('book'),
  timestamp: epochInstant,
  seq: z.number().int(),
  side: z.enum(['buy', 'sell']),
  price: jsonDecimal,
  qty: jsonDecimal,
});
const ticker = z.object({
  feed: z.literal('ticker'),
  product_id: z.string(),
  time: epochInstant,
  last: jsonDecimal.nullish(),
});
const restLevel = z
  .tuple([jsonDecimal, jsonDecimal], z.unknown())
  .transform(([price, qty]): BookLevel => [price, qty]);
const restBook = z.object({ orderBook: z.object({ bids: z.array(restLevel), asks: z.array(restLevel) }) });

/** All streams of a connection are of one feed. */
function subscription(event: 'subscribe' | 'unsubscribe', streams: readonly string[]): object {
  const [feed] = streams[0]!.split(':');
  return { event, feed, product_ids: streams.map((each) => each.slice(each.indexOf(':') + 1)) };
}

export const futuresMarketStream: MarketStreamProtocol = {
  url: addressOf,
  streamsPerConnection: 100,
  subscribe: (streams) => subscription('subscribe', streams),
  unsubscribe: (streams) => subscription('unsubscribe', streams),
  acknowledgementOf: (message) => {
    const isAccepted = acceptanceOf(message);
    return isAccepted === undefined ? undefined : isAccepted ? 'accepted' : 'rejected';
  },
  bookStream: (marketId) => `book:${marketId}`,
  priceStream: (marketId) => `ticker:${marketId}`,
  bookSnapshots: 'STREAM',
  openBook: () => bookReader(),
  readPrices: (message) => {
    if (feedOf.safeParse(message).data?.feed !== 'ticker') return [];
    const { product_id, time, last } = parseResponse(ticker, message);
    return last == null ? [] : [{ marketId: product_id, price: last, at: time }];
  },
  fetchBook: async (ccxt, symbol, depth) => {
    const params = { symbol: ccxt.market(symbol).id };
    const { orderBook } = parseResponse(restBook, await callEndpoint(ccxt, 'publicGetOrderbook', params));
    const [bids, asks] = [orderBook.bids.slice(0, depth), orderBook.asks.slice(0, depth)];
    // Only books of the stream are numbered.
    return { last: 0, bids, asks };
  },
};

/** Each message changes one level and has the number after that of the message before it. */
function bookReader(): BookReader {
  return {
    read: (message) => {
      const feed = feedOf.safeParse(message).data?.feed;
      if (feed === 'book_snapshot') {
        const { seq, bids, asks, timestamp } = parseResponse(snapshot, message);
        return { kind: 'SNAPSHOT', last: seq, bids, asks, at: timestamp };
      }
      if (feed !== 'book') return undefined;
      const { seq, side, price, qty, timestamp } = parseResponse(change, message);
      const changed: BookLevel[] = [[price, qty]];
      const sides = side === 'buy' ? { bids: changed, asks: [] } : { bids: [], asks: changed };
      return { kind: 'CHANGE', first: seq, last: seq, ...sides, at: timestamp };
    },
  };
}
