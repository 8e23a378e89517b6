/** Public market data: https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams */
import { z } from 'zod';
import type { MarketStreamProtocol } from '../../ccxt/declaration.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { BookLevel } from '../../port.js';

const level = z
  .tuple([exactDecimal, exactDecimal])
  .transform(([price, amount]): BookLevel => [price, amount]);
const levels = z.array(level);
const integer = z.number().int().nonnegative();
const eventName = z.object({ e: z.string() });
const diff = z.object({ E: integer, U: integer, u: integer, b: levels, a: levels });
const ticker = z.object({ E: integer, s: z.string().min(1), c: exactDecimal });
const depth = z.object({ lastUpdateId: integer, bids: levels, asks: levels });
const response = z.object({ id: z.unknown(), result: z.unknown().optional(), error: z.unknown().optional() });

/** The number of price levels per side that a snapshot requests. */
const DEPTH = 1_000;

export const marketStreams: MarketStreamProtocol = {
  url: (ccxt) => ccxt.urls.api.ws.spot,
  streamsPerConnection: 1_024,
  subscribe: (streams) => ({ method: 'SUBSCRIBE', params: streams, id: 1 }),
  unsubscribe: (streams) => ({ method: 'UNSUBSCRIBE', params: streams, id: 2 }),
  bookSnapshots: 'CALL',
  acknowledgementOf: (message) => {
    const { data } = response.safeParse(message);
    if (data?.id === undefined || eventNameOf(message) !== undefined) return undefined;
    return data.error === undefined && data.result === null ? 'accepted' : 'rejected';
  },
  bookStream: (marketId) => `${marketId.toLowerCase()}@depth@100ms`,
  priceStream: (marketId) => `${marketId.toLowerCase()}@miniTicker`,
  openBook: () => ({
    read: (message) => {
      if (eventNameOf(message) !== 'depthUpdate') return undefined;
      const { E, U, u, b, a } = parseResponse(diff, message);
      return { kind: 'CHANGE', first: U, last: u, bids: b, asks: a, at: new Date(E) };
    },
  }),
  readPrices: (message) => {
    if (eventNameOf(message) !== '24hrMiniTicker') return [];
    const { E, s, c } = parseResponse(ticker, message);
    return [{ marketId: s, price: c, at: new Date(E) }];
  },
  fetchBook: async (ccxt, symbol, limit = DEPTH) => {
    const snapshot = await ccxt.publicGetDepth({ symbol: ccxt.market(symbol).id, limit });
    const { lastUpdateId, bids, asks } = parseResponse(depth, snapshot);
    return { last: lastUpdateId, bids, asks };
  },
};

function eventNameOf(message: unknown): string | undefined {
  return eventName.safeParse(message).data?.e;
}
