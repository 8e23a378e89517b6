/** Kraken's spot streams, version 2: https://docs.kraken.com/exchange/api-reference/spot-websocket */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type {
  MarketStreamProtocol,
  OwnStreamProtocol,
  StreamReader,
  StreamReport,
} from '../../ccxt/declaration.js';
import { exactDecimal, jsonDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { AssetBalance, BookLevel } from '../../port.js';
import { fetchSpotBalances } from './spot-account.js';
import { BOOK_DEPTH, type BookDigits, spotBookReader } from './spot-book.js';
import { ExecutionReader } from './spot-executions.js';
import { krakenStreamName } from './spot-names.js';

/** The exchange closes a connection without traffic after a minute. */
const HEARTBEAT = { everyMs: 20_000, message: { method: 'ping' } };

interface StreamAddresses {
  readonly publicV2: string;
  readonly privateV2: string;
}

function addressesOf(ccxt: CcxtClient): StreamAddresses {
  return (ccxt.urls.api as unknown as { readonly ws: StreamAddresses }).ws;
}

const token = z.object({ result: z.object({ token: z.string().min(1) }) });
const response = z.object({
  method: z.enum(['subscribe', 'unsubscribe']),
  success: z.boolean(),
  error: z.string().optional(),
});

export const spotAccountStream: OwnStreamProtocol = {
  kind: 'OWN',
  weight: 1,
  heartbeat: HEARTBEAT,
  plan: async ({ ccxt }) => {
    const { result } = parseResponse(token, await callEndpoint(ccxt, 'privatePostGetWebSocketsToken', {}));
    const subscribe = (params: object) => ({
      method: 'subscribe',
      params: { ...params, token: result.token },
    });
    return {
      url: addressesOf(ccxt).privateV2,
      steps: [
        subscribe({ channel: 'executions', snap_orders: true, snap_trades: false, order_status: true }),
        subscribe({ channel: 'balances', snapshot: false }),
      ],
    };
  },
  responseOf: (message) => {
    const { data } = response.safeParse(message);
    if (data === undefined) return undefined;
    if (data.success) return { isAccepted: true };
    return { isAccepted: false, status: 200, rejection: { error: [data.error ?? ''] } };
  },
  open: ({ ccxt }) => spotReader(ccxt),
};

const event = z.object({
  channel: z.enum(['executions', 'balances']),
  type: z.enum(['snapshot', 'update']),
  data: z.array(z.unknown()),
});

function spotReader(ccxt: CcxtClient): StreamReader {
  const executions = new ExecutionReader(ccxt);
  const assets = new Set<string>();
  /** The stream reports totals without what open orders lock, so that balances are read by a call. */
  const balances: StreamReport = {
    kind: 'call',
    key: 'balances',
    read: async (session) => {
      const { balances: listed, at } = await fetchSpotBalances(session.ccxt);
      const missing = [...assets].filter((asset) => !(asset in listed));
      const gone = missing.map((asset): [string, AssetBalance] => [asset, { free: '0', locked: '0' }]);
      for (const asset of Object.keys(listed)) assets.add(asset);
      return [{ kind: 'balances', balances: { ...listed, ...Object.fromEntries(gone) }, at }];
    },
  };
  return {
    read: (message) => {
      const { data: parsed } = event.safeParse(message);
      if (parsed === undefined) return [];
      const isSnapshot = parsed.type === 'snapshot';
      const reports =
        parsed.channel === 'executions'
          ? parsed.data.flatMap((each) => executions.read(each, isSnapshot))
          : [];
      return isSnapshot ? [] : [...reports, balances];
    },
  };
}

const ticker = z.object({
  channel: z.literal('ticker'),
  data: z.array(z.object({ symbol: z.string(), last: jsonDecimal, timestamp: z.string().optional() })),
});
const ofTicker = z.object({ channel: z.literal('ticker') });
const restLevel = z
  .tuple([exactDecimal, exactDecimal], z.unknown())
  .transform(([price, amount]): BookLevel => [price, amount]);
const depth = z.object({
  result: z.record(z.string(), z.object({ bids: z.array(restLevel), asks: z.array(restLevel) })),
});
const precision = z.object({
  info: z.object({ pair_decimals: z.coerce.number(), lot_decimals: z.coerce.number() }),
});

function digitsOf(ccxt: CcxtClient, symbol: string): BookDigits {
  const { info } = parseResponse(precision, ccxt.market(symbol));
  return { price: info.pair_decimals, amount: info.lot_decimals };
}

/** All streams of a connection are of one channel. */
function subscription(method: 'subscribe' | 'unsubscribe', streams: readonly string[]): object {
  const [channel] = streams[0]!.split(':');
  const symbol = streams.map((each) => each.slice(each.indexOf(':') + 1));
  return {
    method,
    params: {
      channel,
      symbol,
      ...(channel === 'book' ? { depth: BOOK_DEPTH } : { event_trigger: 'trades' }),
    },
  };
}

export const spotMarketStream: MarketStreamProtocol = {
  url: (ccxt) => addressesOf(ccxt).publicV2,
  heartbeat: HEARTBEAT,
  streamsPerConnection: 200,
  subscribe: (streams) => subscription('subscribe', streams),
  unsubscribe: (streams) => subscription('unsubscribe', streams),
  acknowledgementOf: (message) => {
    const { data } = response.safeParse(message);
    return data === undefined ? undefined : data.success ? 'accepted' : 'rejected';
  },
  nameOf: krakenStreamName,
  bookStream: (name) => `book:${name}`,
  priceStream: (name) => `ticker:${name}`,
  bookSnapshots: 'STREAM',
  openBook: (ccxt, symbol) => spotBookReader(digitsOf(ccxt, symbol)),
  readPrices: (message) => {
    if (!ofTicker.safeParse(message).success) return [];
    return parseResponse(ticker, message).data.map(({ symbol, last, timestamp }) => {
      const at = timestamp === undefined ? new Date() : new Date(timestamp);
      return { marketId: symbol, price: last, at };
    });
  },
  fetchBook: async (ccxt, symbol, count = BOOK_DEPTH) => {
    const params = { pair: ccxt.market(symbol).id, count: Math.min(count, 500) };
    const { result } = parseResponse(depth, await callEndpoint(ccxt, 'publicGetDepth', params));
    const [{ bids, asks } = { bids: [], asks: [] }] = Object.values(result);
    // Only books of the stream are numbered.
    return { last: 0, bids, asks };
  },
};
