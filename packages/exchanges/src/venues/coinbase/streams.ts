/** Coinbase's streams: https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/websocket */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type {
  BookReader,
  MarketStreamProtocol,
  OwnStreamProtocol,
  StreamReader,
  StreamReport,
} from '../../ccxt/declaration.js';
import { MalformedResponse } from '../../ccxt/failures.js';
import { symbolOfMarketId } from '../../ccxt/market-ids.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { BookLevel } from '../../port.js';
import { fetchCoinbaseBalances } from './account.js';
import { coinbaseFills, fetchCoinbaseOrder } from './calls.js';
import { isFinal } from './records.js';
import { createToken } from './tokens.js';

/**
 * The exchange closes a connection without messages after a minute. A subscription to this channel brings one every
 * second; a repetition changes nothing.
 */
const HEARTBEAT = { everyMs: 20_000, message: { type: 'subscribe', channel: 'heartbeats' } };

const addressOf = (ccxt: CcxtClient): string => ccxt.urls.api.ws as unknown as string;

const acknowledgement = z.object({ channel: z.literal('subscriptions') });
const refusal = z.object({ type: z.literal('error'), message: z.string() });

/** Returns whether a request was accepted; undefined for any other message. */
function acceptanceOf(message: unknown): boolean | undefined {
  if (acknowledgement.safeParse(message).success) return true;
  return refusal.safeParse(message).success ? false : undefined;
}

export const accountStream: OwnStreamProtocol = {
  kind: 'OWN',
  weight: 1,
  heartbeat: HEARTBEAT,
  plan: async ({ ccxt }) => ({
    url: addressOf(ccxt),
    steps: [{ type: 'subscribe', channel: 'user', jwt: createToken(ccxt) }, HEARTBEAT.message],
  }),
  responseOf: (message) => {
    const isAccepted = acceptanceOf(message);
    if (isAccepted === undefined) return undefined;
    // The exchange refuses a login without a code.
    return isAccepted ? { isAccepted } : { isAccepted, status: 401, rejection: { error: 'unauthorized' } };
  },
  numbersAcknowledgements: true,
  open: ({ ccxt }) => {
    const follows = messageCounter();
    return {
      read: (message) => {
        if (!follows(message)) throw new MalformedResponse('a message is missing');
        return readUserEvents(ccxt, message);
      },
    };
  },
};

const numbered = z.object({ sequence_num: z.number().int() });

/**
 * Creates a check of whether each message follows the one before it. The messages of a connection are numbered over all
 * channels, with the acknowledgements.
 */
function messageCounter(): (message: unknown) => boolean {
  let last: number | undefined;
  return (message) => {
    const number = numbered.safeParse(message).data?.sequence_num;
    const follows = number === undefined || last === undefined || number === last + 1;
    last = number ?? last;
    return follows;
  };
}

const user = z.object({
  channel: z.literal('user'),
  events: z.array(
    z.object({
      type: z.enum(['snapshot', 'update']),
      orders: z
        .array(z.object({ order_id: z.string().min(1), product_id: z.string(), status: z.string() }))
        .default([]),
    }),
  ),
});

/** The channel has sums without fills, and no balances, so that all of them are read by calls. */
function readUserEvents(ccxt: CcxtClient, message: unknown): ReturnType<StreamReader['read']> {
  const { data } = user.safeParse(message);
  const orders = (data?.events ?? []).flatMap(({ type, orders: all }) => (type === 'update' ? all : []));
  const reports = orders.flatMap(({ order_id, product_id, status }): StreamReport[] => {
    const symbol = symbolOfMarketId(ccxt, product_id);
    return symbol === undefined ? [] : [orderReport(symbol, order_id, isFinal(status))];
  });
  return reports.length === 0 ? [] : [...reports, balanceReport];
}

function orderReport(symbol: string, exchangeOrderId: string, hasEnded: boolean): StreamReport {
  return {
    kind: 'call',
    key: `order ${exchangeOrderId}`,
    read: async (session) => {
      const key = { symbol, exchangeOrderId };
      const order = await fetchCoinbaseOrder(session.ccxt, key);
      if (hasEnded && order.status === 'OPEN') throw new MalformedResponse('an order older than its report');
      const fills = order.filledAmount === '0' ? [] : await coinbaseFills.ofOrder(session, key);
      return [...fills.map((fill) => ({ kind: 'fill', fill }) as const), { kind: 'order', order }];
    },
  };
}

const balanceReport: StreamReport = {
  kind: 'call',
  key: 'balances',
  read: async ({ ccxt }) => {
    const { balances, at } = await fetchCoinbaseBalances(ccxt);
    return [{ kind: 'balances', balances, at }];
  },
};

const level = z
  .object({ price: exactDecimal, size: exactDecimal })
  .transform(({ price, size }): BookLevel => [price, size]);
const restBook = z.object({ pricebook: z.object({ bids: z.array(level), asks: z.array(level) }) });
const change = z.object({
  side: z.enum(['bid', 'offer']),
  price_level: exactDecimal,
  new_quantity: exactDecimal,
});
const book = z.object({
  channel: z.literal('l2_data'),
  timestamp: z.string(),
  events: z.tuple([z.object({ type: z.enum(['snapshot', 'update']), updates: z.array(change) })]),
});
const channelOf = z.object({ channel: z.string() });
const ticker = z.object({
  timestamp: z.string(),
  events: z.array(z.object({ tickers: z.array(z.object({ product_id: z.string(), price: z.string() })) })),
});
const aliased = z.object({ info: z.object({ alias: z.string().optional() }) });

/** All streams of a connection are of one channel. */
function subscription(type: 'subscribe' | 'unsubscribe', streams: readonly string[]): object {
  const [channel] = streams[0]!.split(':');
  return { type, channel, product_ids: streams.map((each) => each.slice(each.indexOf(':') + 1)) };
}

export const marketStream: MarketStreamProtocol = {
  url: addressOf,
  heartbeat: HEARTBEAT,
  streamsPerConnection: 100,
  subscribe: (streams) => subscription('subscribe', streams),
  unsubscribe: (streams) => subscription('unsubscribe', streams),
  acknowledgementOf: (message) => {
    const isAccepted = acceptanceOf(message);
    return isAccepted === undefined ? undefined : isAccepted ? 'accepted' : 'rejected';
  },
  numbersAcknowledgements: true,
  // Some products are other names of a product, by which the stream calls them.
  nameOf: (ccxt, symbol) => {
    const market = ccxt.market(symbol);
    return aliased.safeParse(market).data?.info.alias || market.id;
  },
  bookStream: (name) => `level2:${name}`,
  priceStream: (name) => `ticker:${name}`,
  bookSnapshots: 'STREAM',
  openBook: () => bookReader(),
  readPrices: (message) => {
    if (channelOf.safeParse(message).data?.channel !== 'ticker') return [];
    const { timestamp, events } = parseResponse(ticker, message);
    return events.flatMap(({ tickers }) =>
      tickers.flatMap(({ product_id: marketId, price: text }) => {
        const price = exactDecimal.safeParse(text).data;
        return price === undefined ? [] : [{ marketId, price, at: new Date(timestamp) }];
      }),
    );
  },
  fetchBook: async (ccxt, symbol, limit = 500) => {
    const params = { product_id: ccxt.market(symbol).id, limit };
    const response = await callEndpoint(ccxt, 'v3PublicGetBrokerageMarketProductBook', params);
    const { bids, asks } = parseResponse(restBook, response).pricebook;
    // Only books of the stream are numbered.
    return { last: 0, bids: bids.slice(0, limit), asks: asks.slice(0, limit) };
  },
};

function bookReader(): BookReader {
  const follows = messageCounter();
  let isComplete = false;
  let count = 0;
  return {
    read: (message) => {
      const isNext = follows(message);
      const isBook = channelOf.safeParse(message).data?.channel === 'l2_data';
      const update = isBook ? parseResponse(book, message) : undefined;
      const [event] = update?.events ?? [];
      if (event?.type !== 'snapshot' && !isNext && isComplete) {
        isComplete = false;
        return { kind: 'GAP' };
      }
      if (update === undefined || event === undefined) return undefined;
      if (event.type === 'snapshot') isComplete = true;
      if (!isComplete) return undefined;
      count += 1;
      const levels = (side: 'bid' | 'offer') =>
        event.updates
          .filter((each) => each.side === side)
          .map(({ price_level, new_quantity }): BookLevel => [price_level, new_quantity]);
      const sides = { bids: levels('bid'), asks: levels('offer'), at: new Date(update.timestamp) };
      return event.type === 'snapshot'
        ? { kind: 'SNAPSHOT', last: count, ...sides }
        : { kind: 'CHANGE', first: count, last: count, ...sides };
    },
  };
}
