/**
 * Kraken's names of a spot market. Lists of trades name it by its id, orders by its alternative name, and the stream by
 * its currencies with their usual codes.
 */
import { z } from 'zod';
import type { CcxtClient } from '../../ccxt/ccxt-client.js';

const market = z.object({
  symbol: z.string(),
  id: z.string(),
  info: z.object({ altname: z.string(), wsname: z.string().optional() }),
});

interface Names {
  readonly symbolByName: ReadonlyMap<string, string>;
  readonly symbolByStreamName: ReadonlyMap<string, string>;
  readonly streamNameBySymbol: ReadonlyMap<string, string>;
}

/** The names by the loaded markets. ccxt replaces the object when it loads them again. */
const cache = new WeakMap<object, Names>();

/** The currencies whose code on streams differs from that of the REST API. */
const STREAM_CODES: Readonly<Record<string, string>> = { XBT: 'BTC', XDG: 'DOGE' };

function namesOf({ markets = {} }: CcxtClient): Names {
  const known = cache.get(markets);
  if (known !== undefined) return known;
  const parsed = Object.values(markets).flatMap((each) => market.safeParse(each).data ?? []);
  const streamed = parsed.flatMap(({ symbol, info: { wsname } }) =>
    wsname === undefined ? [] : [[symbol, streamNameOf(wsname)] as const],
  );
  const names = {
    symbolByName: new Map(
      parsed.flatMap(({ symbol, id, info: { altname } }) => [
        [id, symbol] as const,
        [altname, symbol] as const,
      ]),
    ),
    symbolByStreamName: new Map(streamed.map(([symbol, name]) => [name, symbol])),
    streamNameBySymbol: new Map(streamed),
  };
  cache.set(markets, names);
  return names;
}

const streamNameOf = (wsname: string): string =>
  wsname
    .split('/')
    .map((code) => STREAM_CODES[code] ?? code)
    .join('/');

/** Returns the symbol of a market in a response of the REST API; undefined if the client has loaded no such market. */
export function symbolOfPair(ccxt: CcxtClient, pair: string): string | undefined {
  return namesOf(ccxt).symbolByName.get(pair);
}

/** Returns the symbol of a market on a stream; undefined if the client has loaded no such market. */
export function symbolOfStreamName(ccxt: CcxtClient, name: string): string | undefined {
  return namesOf(ccxt).symbolByStreamName.get(name);
}

/** Returns the name of a listed market on streams. */
export function krakenStreamName(ccxt: CcxtClient, symbol: string): string {
  return namesOf(ccxt).streamNameBySymbol.get(symbol) ?? symbol;
}
