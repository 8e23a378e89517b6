/** Public market data: https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams */
import { z } from 'zod';
import type { BookSnapshot, MarketStreamProtocol } from '../../ccxt/declaration.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { BookLevel } from '../../port.js';

const level = z
  .tuple([exactDecimal, exactDecimal])
  .transform(([price, amount]): BookLevel => [price, amount]);
const levels = z.array(level);
const integer = z.number().int().nonnegative();
const eventName = z.object({ e: z.string() });
export const bookDiff = z.object({ E: integer, U: integer, u: integer, b: levels, a: levels });
const ticker = z.object({ E: integer, s: z.string().min(1), c: exactDecimal });
const depth = z.object({ lastUpdateId: integer, bids: levels, asks: levels });
const response = z.object({ id: z.unknown(), result: z.unknown().optional(), error: z.unknown().optional() });

/** The number of price levels per side that a snapshot requests. */
const DEPTH = 1_000;

/** What the market streams of spot and of futures have in common. */
export const commonMarketStreams = {
  subscribe: (streams: readonly string[]) => ({ method: 'SUBSCRIBE', params: streams, id: 1 }),
  unsubscribe: (streams: readonly string[]) => ({ method: 'UNSUBSCRIBE', params: streams, id: 2 }),
  bookSnapshots: 'CALL',
  acknowledgementOf: (message: unknown) => {
    const { data } = response.safeParse(message);
    if (data?.id === undefined || eventNameOf(message) !== undefined) return undefined;
    return data.error === undefined && data.result === null ? 'accepted' : 'rejected';
  },
  bookStream: (marketId: string) => `${marketId.toLowerCase()}@depth@100ms`,
  priceStream: (marketId: string) => `${marketId.toLowerCase()}@miniTicker`,
  readPrices: (message: unknown) => {
    if (eventNameOf(message) !== '24hrMiniTicker') return [];
    const { E, s, c } = parseResponse(ticker, message);
    return [{ marketId: s, price: c, at: new Date(E) }];
  },
} as const satisfies Partial<MarketStreamProtocol>;

export const marketStreams: MarketStreamProtocol = {
  ...commonMarketStreams,
  url: (ccxt) => ccxt.urls.api.ws.spot,
  streamsPerConnection: 1_024,
  openBook: () => ({
    read: (message) => {
      if (eventNameOf(message) !== 'depthUpdate') return undefined;
      const { E, U, u, b, a } = parseResponse(bookDiff, message);
      return { kind: 'CHANGE', first: U, last: u, bids: b, asks: a, at: new Date(E) };
    },
  }),
  fetchBook: async (ccxt, symbol, limit = DEPTH) =>
    readDepth(await ccxt.publicGetDepth({ symbol: ccxt.market(symbol).id, limit })),
};

/** Parses the snapshot of an order book. */
export function readDepth(response: unknown): BookSnapshot {
  const { lastUpdateId, bids, asks } = parseResponse(depth, response);
  return { last: lastUpdateId, bids, asks };
}

export function eventNameOf(message: unknown): string | undefined {
  return eventName.safeParse(message).data?.e;
}
