/** OKX's streams: https://www.okx.com/docs-v5/en/#overview-websocket */
import type { TradingType } from '@trading-automation/contracts';
import { z } from 'zod';
import { toBaseAmount } from '../../ccxt/amounts.js';
import { currentCredentials } from '../../ccxt/call.js';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type {
  BookReader,
  MarketStreamProtocol,
  OwnStreamProtocol,
  StepResponse,
  StreamReport,
} from '../../ccxt/declaration.js';
import { hmacSha256 } from '../../ccxt/hmac.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import { venueTime } from '../../ccxt/unified-balances.js';
import type { BookLevel } from '../../port.js';
import { balancesOf, wallet } from './account.js';
import { PRODUCTS } from './calls.js';
import { readOkxOrder, readOkxPosition, readStreamedFill } from './records.js';

/** The exchange closes a connection on which nothing was sent for 30 s. */
const HEARTBEAT = { everyMs: 20_000, message: 'ping', reply: 'pong' };

function addressOf(ccxt: CcxtClient, path: 'private' | 'public'): string {
  const { ws } = ccxt.urls.api as unknown as { readonly ws: string };
  return `${ws}/${path}`;
}

const response = z.looseObject({ event: z.enum(['login', 'subscribe', 'error', 'notice']) });

/** Without it, the exchange repeats unchanged balances and positions every few seconds. */
const ONLY_CHANGES = '{"updateInterval": "0"}';

function subscriptionsOf(type: TradingType): readonly object[] {
  const orders = PRODUCTS[type].map((instType) => ({ channel: 'orders', instType }));
  const account = { channel: 'account', extraParams: ONLY_CHANGES };
  const positions = { channel: 'positions', instType: 'SWAP', extraParams: ONLY_CHANGES };
  return [...orders, account, ...(type === 'perpetual' ? [positions] : [])];
}

export function accountStream(type: TradingType): OwnStreamProtocol {
  return {
    kind: 'OWN',
    isShared: true,
    weight: 1,
    heartbeat: HEARTBEAT,
    plan: async ({ ccxt }) => {
      const { apiKey = '', apiSecret = '', passphrase = '' } = currentCredentials() ?? {};
      const timestamp = String(Math.floor(venueTime(ccxt).getTime() / 1_000));
      const sign = hmacSha256(`${timestamp}GET/users/self/verify`, apiSecret, 'base64');
      return {
        url: addressOf(ccxt, 'private'),
        login: [{ op: 'login', args: [{ apiKey, passphrase, timestamp, sign }] }],
        // The exchange acknowledges each channel separately.
        steps: subscriptionsOf(type).map((channel) => ({ op: 'subscribe', args: [channel] })),
      };
    },
    responseOf,
    open: ({ ccxt }) => ({ read: (message) => readEvent(ccxt, type, message) }),
  };
}

function responseOf(message: unknown): StepResponse | undefined {
  const { data } = response.safeParse(message);
  if (data === undefined || data.event === 'notice') return undefined;
  return data.event === 'error'
    ? { isAccepted: false, status: 200, rejection: message }
    : { isAccepted: true };
}

const event = z.object({
  arg: z.object({ channel: z.string(), instType: z.string().optional() }),
  data: z.array(z.unknown()),
});
const pushed = z.object({ pTime: z.coerce.number() });

function readEvent(ccxt: CcxtClient, type: TradingType, message: unknown): readonly StreamReport[] {
  // The exchange announces that it closes the connection.
  if (response.safeParse(message).data?.event === 'notice') return [{ kind: 'ended' }];
  const { data: parsed } = event.safeParse(message);
  if (parsed === undefined || parsed.data.length === 0) return [];
  const { arg, data } = parsed;
  // The connection may also carry the streams of other trading types.
  if (arg.channel === 'orders' && !PRODUCTS[type].includes(arg.instType ?? '')) return [];
  if (arg.channel === 'orders') return data.flatMap((record) => readOrder(ccxt, record));
  if (arg.channel === 'account')
    return data.map((record) => {
      const account = parseResponse(wallet, record);
      return { kind: 'balances', balances: balancesOf(ccxt, account), at: new Date(account.uTime) };
    });
  if (arg.channel !== 'positions' || type !== 'perpetual') return [];
  const times = data.map((record) => parseResponse(pushed, record).pTime);
  const positions = data.map((record) => readOkxPosition(ccxt, record));
  return [{ kind: 'positions', positions, at: new Date(Math.max(...times)) }];
}

/** A message about an order contains its last fill. */
function readOrder(ccxt: CcxtClient, record: unknown): readonly StreamReport[] {
  const order = readOkxOrder(ccxt, record);
  if (order === undefined) return [];
  const fill = readStreamedFill(ccxt, record);
  return [...(fill === undefined ? [] : [{ kind: 'fill', fill } as const]), { kind: 'order', order }];
}

const level = z
  .tuple([exactDecimal, exactDecimal], z.unknown())
  .transform(([price, amount]): BookLevel => [price, amount]);
const sides = z.object({ asks: z.array(level), bids: z.array(level), ts: z.coerce.number() });
const sequenced = sides.extend({ seqId: z.number().int(), prevSeqId: z.number().int() });
const book = z.object({ action: z.enum(['snapshot', 'update']), data: z.array(sequenced).length(1) });
const bookResponse = z.object({ data: z.array(sides).length(1) });
const tickers = z.object({
  data: z.array(z.object({ instId: z.string(), last: exactDecimal, ts: z.coerce.number() })),
});
const channelOf = z.object({ arg: z.object({ channel: z.string() }), data: z.unknown() });

/** The levels of a side that the stream and a call return. */
const DEPTH = 400;

/** A stream is named by its channel and its pair: `books:BTC-USDT`. */
const channels = (streams: readonly string[]) =>
  streams.map((stream) => {
    const [channel, instId] = stream.split(':');
    return { channel, instId };
  });

const isOfChannel = (message: unknown, channel: string) => {
  const { data: parsed } = channelOf.safeParse(message);
  return parsed?.arg.channel === channel && parsed.data !== undefined;
};

export function marketStream(): MarketStreamProtocol {
  return {
    url: (ccxt) => addressOf(ccxt, 'public'),
    heartbeat: HEARTBEAT,
    streamsPerConnection: 200,
    subscribe: (streams) => ({ op: 'subscribe', args: channels(streams) }),
    unsubscribe: (streams) => ({ op: 'unsubscribe', args: channels(streams) }),
    acknowledgementOf: (message) => {
      const answer = responseOf(message);
      return answer === undefined ? undefined : answer.isAccepted ? 'accepted' : 'rejected';
    },
    bookStream: (marketId) => `books:${marketId}`,
    priceStream: (marketId) => `tickers:${marketId}`,
    bookSnapshots: 'STREAM',
    openBook: bookReader,
    readPrices: (message) => {
      if (!isOfChannel(message, 'tickers')) return [];
      const { data } = parseResponse(tickers, message);
      return data.map(({ instId, last, ts }) => ({ marketId: instId, price: last, at: new Date(ts) }));
    },
    fetchBook: async (ccxt, symbol, limit = DEPTH) => {
      const params = { instId: ccxt.market(symbol).id, sz: Math.min(limit, DEPTH) };
      const answer = await callEndpoint(ccxt, 'publicGetMarketBooks', params);
      const { bids, asks, ts } = parseResponse(bookResponse, answer).data[0]!;
      return { last: ts, bids: toBase(ccxt, symbol, bids), asks: toBase(ccxt, symbol, asks) };
    },
  };
}

function toBase(ccxt: CcxtClient, symbol: string, levels: readonly BookLevel[]): readonly BookLevel[] {
  return levels.map(([price, contracts]) => [price, toBaseAmount(ccxt, symbol, contracts)]);
}

/**
 * Each message names the number of the message before it. After maintenance the numbers may fall; the book then begins
 * again. The exchange no longer recommends its checksums.
 */
function bookReader(ccxt: CcxtClient, symbol: string): BookReader {
  return {
    read: (message) => {
      if (!isOfChannel(message, 'books')) return undefined;
      const { action, data } = parseResponse(book, message);
      const { seqId, prevSeqId, ts, bids, asks } = data[0]!;
      const update = {
        last: seqId,
        bids: toBase(ccxt, symbol, bids),
        asks: toBase(ccxt, symbol, asks),
        at: new Date(ts),
      };
      if (action === 'snapshot') return { kind: 'SNAPSHOT', ...update };
      return seqId < prevSeqId ? { kind: 'GAP' } : { kind: 'CHANGE', first: prevSeqId + 1, ...update };
    },
  };
}
