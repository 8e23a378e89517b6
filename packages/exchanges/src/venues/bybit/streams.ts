/** Bybit's streams: https://bybit-exchange.github.io/docs/v5/ws/connect */
import { z } from 'zod';
import { currentCredentials } from '../../ccxt/call.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type {
  BookReader,
  MarketStreamProtocol,
  OwnStreamProtocol,
  StreamReport,
} from '../../ccxt/declaration.js';
import { hmacSha256 } from '../../ccxt/hmac.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { BookLevel } from '../../port.js';
import { balancesOf, wallet } from './account.js';
import type { Category } from './calls.js';
import { readBybitFill, readBybitOrder, readBybitPosition } from './records.js';

/** The exchange closes a connection that sends nothing for longer. */
const HEARTBEAT = { everyMs: 20_000, message: { op: 'ping' } };
/** How long the signature of a login is valid. */
const LOGIN_MS = 10_000;

interface StreamAddresses {
  readonly public: Readonly<Record<Category, string>>;
  readonly private: { readonly contract: string };
}

function addressesOf(ccxt: CcxtClient): StreamAddresses {
  return (ccxt.urls.api as unknown as { readonly ws: StreamAddresses }).ws;
}

const response = z.object({ success: z.boolean(), op: z.enum(['auth', 'subscribe', 'unsubscribe']) });

/** Returns whether a request was accepted; undefined for any other message. */
function acceptanceOf(message: unknown): boolean | undefined {
  return response.safeParse(message).data?.success;
}

const event = z.object({ topic: z.string(), creationTime: z.number(), data: z.array(z.unknown()) });
const category = z.looseObject({ category: z.string().optional() });

export function accountStream(of: Category): OwnStreamProtocol {
  const topics = ['order', 'execution', 'wallet', ...(of === 'linear' ? ['position'] : [])];
  return {
    kind: 'OWN',
    isShared: true,
    weight: 1,
    heartbeat: HEARTBEAT,
    plan: async ({ ccxt }) => {
      const { apiKey = '', apiSecret = '' } = currentCredentials() ?? {};
      const expires = Date.now() + LOGIN_MS;
      const signature = hmacSha256(`GET/realtime${expires}`, apiSecret, 'hex');
      return {
        url: ccxt.implodeHostname(addressesOf(ccxt).private.contract),
        login: [{ op: 'auth', args: [apiKey, expires, signature] }],
        steps: topics.map((topic) => ({ op: 'subscribe', args: [topic] })),
      };
    },
    responseOf: (message) => {
      const isAccepted = acceptanceOf(message);
      if (isAccepted === undefined) return undefined;
      // The exchange refuses a login without a code.
      return isAccepted
        ? { isAccepted }
        : { isAccepted, status: 200, rejection: { retCode: 10004, retMsg: 'login refused' } };
    },
    open: ({ ccxt }) => ({ read: (message) => readEvent(ccxt, of, message) }),
  };
}

function readEvent(ccxt: CcxtClient, of: Category, message: unknown): readonly StreamReport[] {
  const { data: parsed } = event.safeParse(message);
  if (parsed === undefined) return [];
  const { topic, data, creationTime } = parsed;
  const at = new Date(creationTime);
  if (topic === 'wallet')
    return data.map((each) => {
      return { kind: 'balances', balances: balancesOf(ccxt, parseResponse(wallet, each).coin), at };
    });
  // The account has one stream for all categories, and the connection may carry those of other trading types.
  const records = data.filter((each) => (category.safeParse(each).data?.category ?? of) === of);
  if (records.length === 0) return [];
  if (topic === 'position' && of === 'linear')
    return [{ kind: 'positions', positions: records.map((each) => readBybitPosition(ccxt, each)), at }];
  return records.flatMap((each): StreamReport[] => {
    if (topic === 'order') {
      const order = readBybitOrder(ccxt, each);
      return order === undefined ? [] : [{ kind: 'order', order }];
    }
    const fill = topic === 'execution' ? readBybitFill(ccxt, each) : undefined;
    return fill === undefined ? [] : [{ kind: 'fill', fill }];
  });
}

const level = z
  .tuple([exactDecimal, exactDecimal])
  .transform(([price, amount]): BookLevel => [price, amount]);
const sides = { s: z.string(), b: z.array(level), a: z.array(level), u: z.number().int() };
const book = z.object({ type: z.enum(['snapshot', 'delta']), ts: z.number(), data: z.object(sides) });
const bookResponse = z.object({ result: z.object(sides) });
const ticker = z.object({
  ts: z.number(),
  data: z.object({ symbol: z.string(), lastPrice: exactDecimal.optional() }),
});
const topicOf = z.object({ topic: z.string() });

/** The levels of a side that the stream and a call return. */
const DEPTH = 200;

export function marketStream(of: Category): MarketStreamProtocol {
  return {
    url: (ccxt) => ccxt.implodeHostname(addressesOf(ccxt).public[of]),
    heartbeat: HEARTBEAT,
    // Spot accepts at most ten topics in one request.
    streamsPerConnection: of === 'spot' ? 10 : 200,
    subscribe: (streams) => ({ op: 'subscribe', args: streams }),
    unsubscribe: (streams) => ({ op: 'unsubscribe', args: streams }),
    acknowledgementOf: (message) => {
      const isAccepted = acceptanceOf(message);
      return isAccepted === undefined ? undefined : isAccepted ? 'accepted' : 'rejected';
    },
    bookStream: (marketId) => `orderbook.${DEPTH}.${marketId}`,
    priceStream: (marketId) => `tickers.${marketId}`,
    bookSnapshots: 'STREAM',
    openBook: () => bookReader(),
    readPrices: (message) => {
      if (topicOf.safeParse(message).data?.topic.startsWith('tickers.') !== true) return [];
      const { ts, data } = parseResponse(ticker, message);
      const { symbol: marketId, lastPrice } = data;
      // A message of changes has no price if only other fields changed.
      return lastPrice === undefined ? [] : [{ marketId, price: lastPrice, at: new Date(ts) }];
    },
    fetchBook: async (ccxt, symbol, limit = DEPTH) => {
      const params = { category: of, symbol: ccxt.market(symbol).id, limit: Math.min(limit, DEPTH) };
      const { result } = parseResponse(
        bookResponse,
        await callEndpoint(ccxt, 'publicGetV5MarketOrderbook', params),
      );
      return { last: result.u, bids: result.b, asks: result.a };
    },
  };
}

/** Each message has the number after that of the message before it. */
function bookReader(): BookReader {
  return {
    read: (message) => {
      if (topicOf.safeParse(message).data?.topic.startsWith('orderbook.') !== true) return undefined;
      const { type, ts, data } = parseResponse(book, message);
      const update = { last: data.u, bids: data.b, asks: data.a, at: new Date(ts) };
      return type === 'snapshot'
        ? { kind: 'SNAPSHOT', ...update }
        : { kind: 'CHANGE', first: data.u, ...update };
    },
  };
}
