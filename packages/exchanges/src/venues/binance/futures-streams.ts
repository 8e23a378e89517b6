/**
 * The streams of Binance's USD-M futures, which have an address for each kind of data:
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams
 */
import { z } from 'zod';
import { type CcxtClient, callEndpoint } from '../../ccxt/ccxt-client.js';
import type { MarketStreamProtocol, OwnStreamProtocol, StreamReport } from '../../ccxt/declaration.js';
import { exactDecimal, parseResponse } from '../../ccxt/parse-response.js';
import type { Balances } from '../../port.js';
import { walletBalance } from './futures-account.js';
import { readPositionUpdate } from './futures-positions.js';
import { readOrderUpdate } from './futures-records.js';
import { bookDiff, commonMarketStreams, eventNameOf, readDepth } from './market-streams.js';

/** A listen key is valid for an hour after the last call. */
const KEEP_ALIVE_MS = 30 * 60_000;
/** The number of price levels per side that a snapshot requests. */
const DEPTH = 1_000;

/** The exchange sends the named events alone; without names, it may send none. */
const EVENTS = ['ORDER_TRADE_UPDATE', 'ACCOUNT_UPDATE', 'listenKeyExpired'];

/** The members of ccxt's class that only this exchange needs. */
interface StreamAddresses {
  getWsUrl(type: 'future', category: 'public' | 'market'): string;
  getPrivateWsUrl(type: 'future', listenKey: string): string;
}

const addressesOf = (ccxt: CcxtClient) => ccxt as unknown as StreamAddresses;

const listenKeyResponse = z.object({ listenKey: z.string().min(1) });

export const futuresAccountStream: OwnStreamProtocol = {
  kind: 'OWN',
  weight: 1,
  keepAlive: {
    everyMs: KEEP_ALIVE_MS,
    run: async ({ ccxt }) => void (await callEndpoint(ccxt, 'fapiPrivatePutListenKey', {})),
  },
  plan: async ({ ccxt }) => {
    // A listen key needs no signature, so this call checks the secret.
    await callEndpoint(ccxt, 'fapiPrivateGetRateLimitOrder', {});
    const response = await callEndpoint(ccxt, 'fapiPrivatePostListenKey', {});
    const { listenKey } = parseResponse(listenKeyResponse, response);
    const address = addressesOf(ccxt).getPrivateWsUrl('future', listenKey);
    return { url: `${address}&events=${EVENTS.join('/')}`, steps: [] };
  },
  responseOf: () => undefined,
  open: ({ ccxt }) => ({ read: (message) => readEvent(ccxt, message) }),
};

const orderEvent = z.object({ o: z.unknown() });
const accountEvent = z.object({
  T: z.number(),
  a: z.object({
    m: z.string().optional(),
    B: z.array(z.object({ a: z.string().min(1), wb: exactDecimal })).optional(),
    P: z.array(z.unknown()).optional(),
  }),
});

function readEvent(ccxt: CcxtClient, message: unknown): readonly StreamReport[] {
  switch (eventNameOf(message)) {
    case 'ORDER_TRADE_UPDATE': {
      const update = readOrderUpdate(ccxt, parseResponse(orderEvent, message).o);
      if (update === undefined) return [];
      const { order, fill } = update;
      return [...(fill === undefined ? [] : [{ kind: 'fill', fill } as const]), { kind: 'order', order }];
    }
    case 'ACCOUNT_UPDATE':
      return readAccountUpdate(ccxt, message);
    case 'listenKeyExpired':
      return [{ kind: 'ended' }];
    default:
      return [];
  }
}

function readAccountUpdate(ccxt: CcxtClient, message: unknown): readonly StreamReport[] {
  const { T, a } = parseResponse(accountEvent, message);
  const at = new Date(T);
  const changed = (a.B ?? []).map(({ a: asset, wb }) => [ccxt.safeCurrencyCode(asset), walletBalance(wb)]);
  const balances: Balances = Object.fromEntries(changed);
  const positions = (a.P ?? []).map((each) => readPositionUpdate(ccxt, each));
  return [
    ...(a.m === 'FUNDING_FEE' ? [{ kind: 'funding' } as const] : []),
    ...(changed.length === 0 ? [] : [{ kind: 'balances', balances, at } as const]),
    ...(positions.length === 0 ? [] : [{ kind: 'positions', positions, at } as const]),
  ];
}

const futuresDiff = bookDiff.extend({ pu: z.number().int() });

export const futuresMarketStream: MarketStreamProtocol = {
  ...commonMarketStreams,
  url: (ccxt, streams) => {
    const isBook = streams.some((stream) => stream.includes('@depth'));
    return addressesOf(ccxt).getWsUrl('future', isBook ? 'public' : 'market');
  },
  streamsPerConnection: 200,
  openBook: () => ({
    read: (message) => {
      if (eventNameOf(message) !== 'depthUpdate') return undefined;
      const { E, u, pu, b, a } = parseResponse(futuresDiff, message);
      // A message continues the one whose last number it names.
      return { kind: 'CHANGE', first: pu + 1, last: u, bids: b, asks: a, at: new Date(E) };
    },
  }),
  fetchBook: async (ccxt, symbol, limit = DEPTH) => {
    const params = { symbol: ccxt.market(symbol).id, limit: depthOf(limit) };
    return readDepth(await callEndpoint(ccxt, 'fapiPublicGetDepth', params));
  },
};

/** The exchange accepts these depths only. */
const DEPTHS = [5, 10, 20, 50, 100, 500, DEPTH];
const depthOf = (limit: number): number => DEPTHS.find((depth) => depth >= limit) ?? DEPTH;
