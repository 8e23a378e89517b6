/** Bitget's streams: https://www.bitget.com/api-doc/uta/websocket/private/Account-Channel */
import type { TradingType } from '@trading-automation/contracts';
import { numberToString } from 'ccxt/js/src/base/functions/number';
import { z } from 'zod';
import { currentCredentials } from '../../ccxt/call.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type {
  BookReader,
  BookSnapshot,
  MarketStreamProtocol,
  OwnStreamProtocol,
  StepResponse,
  StreamReport,
} from '../../ccxt/declaration.js';
import { hmacSha256 } from '../../ccxt/hmac.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { BookLevel } from '../../port.js';
import { balancesOf, streamedAccount } from './account.js';
import { categoryOf } from './client.js';
import { readBitgetFill, readBitgetOrder, readStreamedPosition } from './records.js';

/** The exchange closes a connection that sends nothing for two minutes. */
const HEARTBEAT = { everyMs: 30_000, message: 'ping', reply: 'pong' };

function addressOf(ccxt: CcxtClient, path: 'utaPrivate' | 'utaPublic'): string {
  const { ws } = ccxt.urls.api as unknown as { readonly ws: Readonly<Record<typeof path, string>> };
  return ws[path];
}

const response = z.looseObject({ event: z.enum(['login', 'subscribe', 'error']) });

function responseOf(message: unknown): StepResponse | undefined {
  const { data } = response.safeParse(message);
  if (data === undefined) return undefined;
  return data.event === 'error'
    ? { isAccepted: false, status: 200, rejection: message }
    : { isAccepted: true };
}

export const accountStream = (type: TradingType): OwnStreamProtocol => ({
  kind: 'OWN',
  isShared: true,
  weight: 1,
  heartbeat: HEARTBEAT,
  plan: async ({ ccxt }) => {
    const { apiKey = '', apiSecret = '', passphrase = '' } = currentCredentials() ?? {};
    const timestamp = String(Math.floor(venueTime(ccxt).getTime() / 1_000));
    const sign = hmacSha256(`${timestamp}GET/user/verify`, apiSecret, 'base64');
    return {
      url: addressOf(ccxt, 'utaPrivate'),
      login: [{ op: 'login', args: [{ apiKey, passphrase, timestamp, sign }] }],
      // The exchange acknowledges each topic separately.
      steps: topicsOf(type).map((topic) => {
        return { op: 'subscribe', args: [{ instType: 'UTA', topic }] };
      }),
    };
  },
  responseOf,
  open: ({ ccxt }) => ({ read: (message) => readEvent(ccxt, type, message) }),
});

const topicsOf = (type: TradingType) => [
  'order',
  'fill',
  'account',
  ...(type === 'perpetual' ? ['position'] : []),
];

const event = z.object({
  arg: z.object({ topic: z.string() }),
  data: z.array(z.unknown()),
  ts: z.coerce.number(),
});

function readEvent(ccxt: CcxtClient, type: TradingType, message: unknown): readonly StreamReport[] {
  const { data: parsed } = event.safeParse(message);
  if (parsed === undefined || parsed.data.length === 0) return [];
  const { arg, data, ts } = parsed;
  const at = new Date(ts);
  switch (arg.topic) {
    case 'order':
      return data.flatMap((record) => {
        const order = readBitgetOrder(ccxt, type, record);
        return order === undefined ? [] : [{ kind: 'order', order }];
      });
    case 'fill':
      return data.flatMap((record) => {
        const fill = readBitgetFill(ccxt, type, record);
        return fill === undefined ? [] : [{ kind: 'fill', fill }];
      });
    case 'account':
      return data.map((record) => {
        const { coin } = parseResponse(streamedAccount, record);
        return { kind: 'balances', balances: balancesOf(ccxt, coin), at };
      });
    case 'position':
      // The connection may also carry the streams of other trading types.
      if (type !== 'perpetual') return [];
      return [{ kind: 'positions', positions: data.map((record) => readStreamedPosition(ccxt, record)), at }];
    default:
      return [];
  }
}

/** Calls return levels as JSON numbers, streams as strings. */
const decimal = z.union([z.number().transform((value) => numberToString(value) ?? ''), z.string()]);
const levelDecimal = decimal.pipe(exactDecimal);
const level = z
  .tuple([levelDecimal, levelDecimal], z.unknown())
  .transform(([price, amount]): BookLevel => [price, amount]);
const sides = z.object({ a: z.array(level), b: z.array(level), ts: z.coerce.number() });
const sequence = z.union([z.string(), z.number()]).transform((value) => BigInt(value));
const book = z.object({
  action: z.enum(['snapshot', 'update']),
  data: z.array(sides.extend({ seq: sequence, pseq: sequence })).length(1),
});
const bookResponse = z.object({ data: sides });
const pair = z.object({ topic: z.string(), symbol: z.string() });
const tickers = z.object({
  arg: pair,
  data: z.array(z.object({ lastPrice: exactDecimal.optional() })),
  ts: z.coerce.number(),
});
const pushed = z.object({ arg: pair, data: z.unknown() });

/** The levels of a side that a call returns. */
const DEPTH = 200;

/** A stream is named by its topic and its pair: `books:BTCUSDT`. */
const channels = (type: TradingType, streams: readonly string[]) =>
  streams.map((stream) => {
    const [topic, symbol = ''] = stream.split(':');
    const contracts = symbol.endsWith('USDT') ? 'usdt-futures' : 'usdc-futures';
    return { instType: type === 'perpetual' ? contracts : 'spot', topic, symbol };
  });

const isOfTopic = (message: unknown, topic: string) => {
  const { data: parsed } = pushed.safeParse(message);
  return parsed?.arg.topic === topic && parsed.data !== undefined;
};

export const marketStream = (type: TradingType): MarketStreamProtocol => ({
  url: (ccxt) => addressOf(ccxt, 'utaPublic'),
  heartbeat: HEARTBEAT,
  // The exchange recommends fewer than 50 for a stable connection.
  streamsPerConnection: 50,
  subscribe: (streams) => ({ op: 'subscribe', args: channels(type, streams) }),
  unsubscribe: (streams) => ({ op: 'unsubscribe', args: channels(type, streams) }),
  acknowledgementOf: (message) => {
    const answer = responseOf(message);
    return answer === undefined ? undefined : answer.isAccepted ? 'accepted' : 'rejected';
  },
  bookStream: (marketId) => `books:${marketId}`,
  priceStream: (marketId) => `ticker:${marketId}`,
  bookSnapshots: 'STREAM',
  openBook: () => bookReader(),
  readPrices: (message) => {
    if (!isOfTopic(message, 'ticker')) return [];
    const { arg, data, ts } = parseResponse(tickers, message);
    return data.flatMap(({ lastPrice: price }) =>
      price === undefined ? [] : [{ marketId: arg.symbol, price, at: new Date(ts) }],
    );
  },
  fetchBook: fetchBitgetBook,
});

export async function fetchBitgetBook(
  ccxt: CcxtClient,
  symbol: string,
  limit = DEPTH,
): Promise<BookSnapshot> {
  const params = {
    category: categoryOf(symbol),
    symbol: ccxt.market(symbol).id,
    limit: Math.min(limit, DEPTH),
  };
  const answer = await callEndpoint(ccxt, 'publicUtaGetV3MarketOrderbook', params);
  const { a: asks, b: bids, ts } = parseResponse(bookResponse, answer).data;
  return { last: ts, bids, asks };
}

/**
 * Each message names the number of the message before it. The numbers are longer than a JavaScript number, so the book has
 * numbers of its own. After a reset, the number before is zero, and the book begins again.
 */
function bookReader(): BookReader {
  let last: bigint | undefined;
  let count = 0;
  return {
    read: (message) => {
      if (!isOfTopic(message, 'books')) return undefined;
      const { action, data } = parseResponse(book, message);
      const { seq, pseq, ts, b: bids, a: asks } = data[0]!;
      const isSnapshot = action === 'snapshot';
      // After a gap, changes are of no use until the next snapshot.
      if (!isSnapshot && last === undefined) return undefined;
      if (!isSnapshot && last !== undefined) {
        // The first change after a snapshot may begin before it.
        if (pseq > last || pseq === 0n) {
          last = undefined;
          return { kind: 'GAP' };
        }
        if (seq <= last) return undefined;
      }
      last = seq;
      count += 1;
      const update = { last: count, bids, asks, at: new Date(ts) };
      return isSnapshot ? { kind: 'SNAPSHOT', ...update } : { kind: 'CHANGE', first: count, ...update };
    },
  };
}
